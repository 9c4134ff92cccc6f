/*
 * Sizes of datatypes and received messages, and of communicators for sinks that only count (sink.h).
 *
 * Each thread keeps those that it has asked for last, by their handles.  A handle may come again for
 * another object after the object is freed: that raises a generation, and what is older is asked for again.
 */
#ifndef PMPI_SIZES_H
#define PMPI_SIZES_H

#include "pmpi/comms.h"

#include <stdatomic.h>
#include <stddef.h>

enum { KEPT_SIZES = 8 };

struct type_size {
	MPI_Datatype type;
	unsigned generation; /* 0: not kept */
	uint64_t bytes;
};

struct comm_size {
	struct comm comm; /* without ids and members */
	unsigned generation;
};

/* A status without the fields that MPI names: what is left is all that the size depends on. */
enum { STATUS_WORDS = sizeof(MPI_Status) / sizeof(int) };
struct status_size {
	int words[STATUS_WORDS];
	bool kept;
	uint64_t bytes;
};

struct sizes {
	struct type_size types[KEPT_SIZES];
	struct comm_size comms[KEPT_SIZES];
	struct status_size statuses[KEPT_SIZES];
};

/* From 1. */
extern atomic_uint types_generation __attribute__((visibility("hidden")));
extern atomic_uint comms_generation __attribute__((visibility("hidden")));

/* Forget sizes of datatypes, or of communicators.  To be called before MPI frees one. */
void sizes_forget_types(void);
void sizes_forget_comms(void);

/* Kept sizes of this thread, NULL without memory. */
struct sizes *sizes_own(void);

/* Ask MPI, and keep the answer. */
uint64_t sizes_ask_type(struct type_size *kept, MPI_Datatype type);
struct comm *sizes_ask_comm(struct comm_size *kept, MPI_Comm handle);
uint64_t sizes_ask_status(struct status_size *kept, const MPI_Status *status);

void sizes_free(struct sizes *sizes); /* takes NULL too */

static inline unsigned sizes_place(const void *handle, size_t bytes)
{
	uint64_t key = 0;

	memcpy(&key, handle, bytes < sizeof key ? bytes : sizeof key);
	return (unsigned)(key * UINT64_C(0x9e3779b97f4a7c15) >> 61);
}

/* Bytes of an element of a valid datatype, 0 if they are not known. */
static inline uint64_t sizes_of_type(MPI_Datatype type)
{
	struct sizes *sizes = own_thread->sizes ? own_thread->sizes : sizes_own();
	struct type_size *kept;

	if (!sizes)
		return 0;
	kept = &sizes->types[sizes_place(&type, sizeof type)];
	if (kept->type == type &&
	    kept->generation == atomic_load_explicit(&types_generation, memory_order_relaxed))
		return kept->bytes;
	return sizes_ask_type(kept, type);
}

/* A word of a status; 0 of a field that MPI names. */
WRAPPER_PART int sizes_status_word(const MPI_Status *status, size_t word)
{
	const size_t at = word * sizeof(int);
	int value;

	if (at == offsetof(MPI_Status, MPI_SOURCE) || at == offsetof(MPI_Status, MPI_TAG) ||
	    at == offsetof(MPI_Status, MPI_ERROR))
		return 0;
	memcpy(&value, (const char *)status + at, sizeof value);
	return value;
}

/* Bytes of a message that was received. */
static inline uint64_t sizes_of_status(const MPI_Status *status)
{
	struct sizes *sizes = own_thread->sizes ? own_thread->sizes : sizes_own();
	struct status_size *kept;
	unsigned hash = 0, changes = 0;

	if (!sizes)
		return 0;
#pragma GCC unroll 8
	for (size_t i = 0; i < STATUS_WORDS; i++)
		hash = hash * 5 + (unsigned)sizes_status_word(status, i);
	kept = &sizes->statuses[sizes_place(&hash, sizeof hash)];
#pragma GCC unroll 8
	for (size_t i = 0; i < STATUS_WORDS; i++)
		changes |= (unsigned)(sizes_status_word(status, i) ^ kept->words[i]);
	return kept->kept && !changes ? kept->bytes : sizes_ask_status(kept, status);
}

/* Describe a valid communicator; NULL if it has no size. */
static inline struct comm *sizes_of_comm(MPI_Comm handle)
{
	struct sizes *sizes = own_thread->sizes ? own_thread->sizes : sizes_own();
	struct comm_size *kept;

	if (!sizes)
		return NULL;
	kept = &sizes->comms[sizes_place(&handle, sizeof handle)];
	if (kept->comm.handle == handle &&
	    kept->generation == atomic_load_explicit(&comms_generation, memory_order_relaxed))
		return &kept->comm;
	return sizes_ask_comm(kept, handle);
}

#endif
