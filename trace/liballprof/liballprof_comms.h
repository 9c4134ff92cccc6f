/*
 * The communicators of a text trace, which names them by a handle, the own rank and the
 * size, and does not tell which ranks they have.
 *
 * Colours and keys of MPI_Comm_split are in the trace: once those of all ranks have been
 * noted, the members are computed.  (MPI_Comm_dup splits nothing off.)  Communicators with
 * the same members in the same order are one here.  A handle is known by the rank's number
 * in its communicator and the size; where several of a rank have the same, handles take
 * them in the order in which they were made, which is a guess.
 */
#ifndef TRACE_LIBALLPROF_COMMS_H
#define TRACE_LIBALLPROF_COMMS_H

#include "common/array.h"
#include "common/number_map.h"
#include "trace/call/trace_world.h"

/* A communicator as a call names it: by a handle, of `size` ranks, in which the rank is `own`. */
struct liballprof_use {
	uint64_t handle;
	uint32_t own, size;
};

/* A call of MPI_Comm_split. */
struct liballprof_split {
	struct liballprof_use parent;
	int32_t color, key;
	size_t uses;		/* set by liballprof_comms_note: those before */
	uint32_t made;		/* liballprof_comms_solve: the communicator, or NO_COMM */
};

/* The members of a communicator, in places. */
struct liballprof_members {
	uint32_t size;
	size_t first;
};

/* Begins with zero bytes. */
struct liballprof_comms {
	uint32_t rank_count;
	ARRAY(struct liballprof_split) splits;	/* rank by rank, in the order of the program */
	ARRAY(struct liballprof_use) uses;		/* likewise: the first of each handle */
	ARRAY(size_t) first_split, first_use;	/* of each rank */
	ARRAY(struct liballprof_members) list;	/* the first has the id FIRST_OWN_COMM_ID */
	ARRAY(uint32_t) places;
	struct number_map by_members;		/* list, by hash of members and size */
	struct number_map by_place;		/* ids, by rank, rank in it, and size */
};

/* The rank whose splits are noted next; ranks in their order. */
int liballprof_comms_begin_rank(struct liballprof_comms *comms, struct error *err);
int liballprof_comms_use(struct liballprof_comms *comms, const struct liballprof_use *use,
			 struct error *err);
int liballprof_comms_note(struct liballprof_comms *comms, const struct liballprof_split *split,
			  struct error *err);

/* Find the members of all. */
int liballprof_comms_solve(struct liballprof_comms *comms, struct error *err);

/* What a rank has met so far: begins with zero bytes for each rank. */
struct liballprof_handles {
	struct number_map ids;	/* of handles that could be several communicators */
	ARRAY(bool) taken;	/* of the rank's splits so far: that a handle has what it made */
	uint64_t guessed;	/* such handles */
};

/* The rank calls MPI_Comm_split, and goes on to have the communicator. */
int liballprof_handles_split(struct liballprof_handles *handles, struct error *err);

/* The communicator of a handle with which the rank is `own` of `size`; NO_COMM: not known. */
int liballprof_comms_find(const struct liballprof_comms *comms, struct liballprof_handles *handles,
			  uint32_t rank,
			  const struct liballprof_use *use, uint32_t *id, struct error *err);

void liballprof_handles_release(struct liballprof_handles *handles);
void liballprof_comms_release(struct liballprof_comms *comms);

#endif
