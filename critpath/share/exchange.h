/*
 * Processes that analyse a run together, and how they exchange data.
 *
 * The functions of this header are collective: all processes call them in the same order, with the
 * same sizes where no other is said.  They return 0, or -1 with *err filled.  An error that one process
 * alone has, as a lack of memory, becomes that of all in exchange_agree, so none waits for ever.
 *
 * The means are MPI (critpath/mpi/exchange_mpi.h), or threads in tests.  All bytes are those of this
 * computer's kind: the processes run the same program.
 */
#ifndef CRITPATH_EXCHANGE_H
#define CRITPATH_EXCHANGE_H

#include "common/array.h"
#include "common/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct exchange;

enum exchange_operation { EXCHANGE_SUM, EXCHANGE_LEAST, EXCHANGE_MOST };

/* Bytes that grow. */
struct bytes {
	ARRAY(unsigned char) list;
};

int bytes_add(struct bytes *bytes, const void *data, size_t size, struct error *err);
void bytes_release(struct bytes *bytes);

/* The least that another means has to provide. */
struct exchange_means {
	/* Replace each value by that of all processes. */
	int (*reduce)(struct exchange *exchange, uint64_t *values, size_t count,
		      enum exchange_operation operation, struct error *err);
	/* Give the bytes of one process to all. */
	int (*tell)(struct exchange *exchange, uint32_t from, void *bytes, size_t size,
		    struct error *err);
	/* Give values[p] to each process p.  received[p] becomes that of process p. */
	int (*swap)(struct exchange *exchange, const uint64_t *values, uint64_t *received,
		    struct error *err);
	/* Send sizes[p] bytes to each process p, those of process 0 first; likewise receive. */
	int (*transfer)(struct exchange *exchange, const void *bytes, const uint64_t *sizes,
			void *received, const uint64_t *received_sizes, struct error *err);
	/* Send bytes to one process, and receive some from another one: not collective. */
	int (*send)(struct exchange *exchange, uint32_t to, const void *bytes, size_t size,
		    struct error *err);
	int (*receive)(struct exchange *exchange, uint32_t from, void *bytes, size_t size,
		       struct error *err);
};

#define ANY_PROCESS UINT32_MAX

struct exchange {
	uint32_t rank, size; /* number of this process, and of all */
	/* On the clock of now_ns(): stop all at the next agreement after it.  0: never. */
	uint64_t deadline_ns;
	const struct exchange_means *means;
};

/* One process that has all ranks. */
struct exchange exchange_alone(void);

/*
 * Succeed only if all processes give 0.  Otherwise *err becomes that of the first process that has
 * failed, on all, with the name of its host if processes are on several hosts and some have not failed.
 * Past the deadline of a process this fails with STATUS_LIMIT.
 */
int exchange_agree(struct exchange *exchange, int result, struct error *err);

int exchange_reduce(struct exchange *exchange, uint64_t *values, size_t count,
		    enum exchange_operation operation, struct error *err);
int exchange_tell(struct exchange *exchange, uint32_t from, void *bytes, size_t size,
		  struct error *err);

/* What all processes have sent to this one. */
struct exchange_arrived {
	unsigned char *bytes; /* those of process 0 first */
	uint64_t *ends;	      /* [process]: where those of the next one begin */
};

/*
 * Send sizes[p] bytes to each process p, those of process 0 first.  Sizes differ between processes
 * and may be 0: then nothing is sent.  Fails on all processes if one has no memory for what arrives.
 * End with exchange_arrived_release.
 */
int exchange_all(struct exchange *exchange, const void *bytes, const uint64_t *sizes,
		 struct exchange_arrived *arrived, struct error *err);
void exchange_arrived_release(struct exchange_arrived *arrived);

/* Give the bytes of each process, of any size, to process 0; on all others nothing arrives. */
int exchange_gather(struct exchange *exchange, const void *bytes, uint64_t size,
		    struct exchange_arrived *arrived, struct error *err);

/*
 * Give the items of an ARRAY of each process to process 0, whose array becomes all of them, those of
 * process 0 first.  The arrays of the others stay.
 */
#define exchange_join(exchange, array, err)                                                       \
	exchange_join_((exchange), (void **)&(array)->items, &(array)->count, &(array)->capacity, \
		       sizeof *(array)->items, (err))
int exchange_join_(struct exchange *exchange, void **items, size_t *count, size_t *capacity,
		   size_t item_bytes, struct error *err);

/* Sum of the values of all processes before this one. */
int exchange_before(struct exchange *exchange, uint64_t *value, struct error *err);

/*
 * Send to one process, or receive from one (ANY_PROCESS) what it sends to this one: not collective.  The
 * receiver states at least the size.  Messages between two processes arrive in order.
 */
int exchange_send(struct exchange *exchange, uint32_t to, const void *bytes, size_t size,
		  struct error *err);
int exchange_receive(struct exchange *exchange, uint32_t from, void *bytes, size_t size,
		     struct error *err);

#endif
