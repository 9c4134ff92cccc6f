/*
 * Processes that work together, in the words of MPI.
 *
 * The functions of this header are collective, but for dist_send and dist_receive.  All processes call
 * them in the same order, and with the same sizes unless a function says otherwise.  They return 0, or
 * -1 with *err filled.  dist_agree makes an error of one process, such as a lack of memory, that of all
 * processes, so that none waits for ever.
 *
 * A transport is one process (dist_alone), MPI (dist/mpi/dist_mpi.h), or threads in tests.  Bytes are
 * sent as they are in memory, as all processes run the same program.
 */
#ifndef DIST_DIST_H
#define DIST_DIST_H

#include "common/array.h"
#include "common/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct dist;

enum dist_operation { DIST_SUM, DIST_MIN, DIST_MAX };

/* Bytes that grow. */
struct bytes {
	ARRAY(unsigned char) list;
};

int bytes_add(struct bytes *bytes, const void *data, size_t size, struct error *err);
void bytes_release(struct bytes *bytes);

/* Operations of a transport. */
struct dist_transport {
	/* Replace each value by that of all processes. */
	int (*allreduce)(struct dist *dist, uint64_t *values, size_t count,
			 enum dist_operation operation, struct error *err);
	/* Give the bytes of one process to all. */
	int (*bcast)(struct dist *dist, uint32_t from, void *bytes, size_t size, struct error *err);
	/* Give values[p] to each process p.  received[p] becomes that of process p. */
	int (*alltoall)(struct dist *dist, const uint64_t *values, uint64_t *received,
			struct error *err);
	/* Send sizes[p] bytes to each process p, those of process 0 first; likewise receive. */
	int (*alltoallv)(struct dist *dist, const void *bytes, const uint64_t *sizes,
			 void *received, const uint64_t *received_sizes, struct error *err);
	/* Send bytes to one process, and receive some from another one: not collective. */
	int (*send)(struct dist *dist, uint32_t to, const void *bytes, size_t size,
		    struct error *err);
	int (*receive)(struct dist *dist, uint32_t from, void *bytes, size_t size,
		       struct error *err);
};

#define ANY_PROCESS UINT32_MAX

struct dist {
	uint32_t rank, size; /* number of this process, and of all */
	/* On the clock of now_ns(): stop all at the next agreement after it.  0: never. */
	uint64_t deadline_ns;
	const struct dist_transport *transport;
};

/* Return the one process that has all ranks.  Constant. */
struct dist *dist_alone(void);

/*
 * Succeed only if `result` is 0 on all processes.  Otherwise *err becomes, on all processes, that of the
 * first process that has failed, with the name of its host if processes are on several hosts and some
 * have not failed.  Fail with STATUS_LIMIT past the deadline of a process.
 */
int dist_agree(struct dist *dist, int result, struct error *err);

int dist_allreduce(struct dist *dist, uint64_t *values, size_t count, enum dist_operation operation,
		   struct error *err);
int dist_bcast(struct dist *dist, uint32_t from, void *bytes, size_t size, struct error *err);

/* Bytes that all processes have sent to this one. */
struct dist_arrived {
	unsigned char *bytes; /* those of process 0 first */
	uint64_t *ends;	      /* [process]: where those of the next one begin */
};

/*
 * Send sizes[p] bytes to each process p, those of process 0 first.  Sizes differ between processes
 * and may be 0: then nothing is sent.  Fails on all processes if one has no memory for what arrives.
 * End with dist_arrived_release.
 */
int dist_alltoallv(struct dist *dist, const void *bytes, const uint64_t *sizes,
		   struct dist_arrived *arrived, struct error *err);
void dist_arrived_release(struct dist_arrived *arrived);

/* Give the bytes of each process, of any size, to process 0; on all others nothing arrives. */
int dist_gatherv(struct dist *dist, const void *bytes, uint64_t size, struct dist_arrived *arrived,
		 struct error *err);

/*
 * Give the items of an ARRAY of each process to process 0, whose array becomes all of them, those of
 * process 0 first.  The arrays of the others stay.
 */
#define dist_gather_array(dist, array, err)                                                       \
	dist_gather_array_((dist), (void **)&(array)->items, &(array)->count, &(array)->capacity, \
			   sizeof *(array)->items, (err))
int dist_gather_array_(struct dist *dist, void **items, size_t *count, size_t *capacity,
		       size_t item_bytes, struct error *err);

/* Set *value to the sum of the values of all processes of lower rank. */
int dist_exscan(struct dist *dist, uint64_t *value, struct error *err);

/*
 * Send to one process, or receive from one or from ANY_PROCESS.  Not collective.  `size` is at least
 * that of the message to receive.  Messages between two processes arrive in order.
 */
int dist_send(struct dist *dist, uint32_t to, const void *bytes, size_t size, struct error *err);
int dist_receive(struct dist *dist, uint32_t from, void *bytes, size_t size, struct error *err);

#endif
