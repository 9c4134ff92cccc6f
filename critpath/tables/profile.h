/*
 * Profile of a measured run: time in MPI functions, sizes of messages, who sends to whom.
 *
 * Times of calls are whole, those of MPI_Init and MPI_Finalize too, or cut at the edges of a slice.
 * Their part in the run, which begins when a rank leaves MPI_Init and ends when it enters
 * MPI_Finalize, is added up apart.
 */
#ifndef CRITPATH_PROFILE_H
#define CRITPATH_PROFILE_H

#include "critpath/path/waits.h"
#include "dist/dist.h"

/* Calls of a function, on one rank or on all. */
struct profile_calls {
	uint32_t rank; /* if of one */
	uint32_t function;
	uint32_t site; /* if of one */
	uint64_t calls;
	uint64_t ns, least_ns, most_ns; /* of all calls, of the shortest, of the longest */
	uint64_t run_ns;		/* part of ns in the run */
	uint64_t wait_ns;		/* part of ns in which they waited */
};

struct profile_rank {
	uint64_t calls;
	uint64_t run_ns;	   /* of the rank, times its threads */
	uint64_t mpi_ns, wait_ns;  /* of run_ns */
	uint64_t sent, sent_bytes; /* messages */
	uint64_t received, received_bytes;
};

/* Messages, and parts in collectives, of [2^(n-1), 2^n) bytes, of 0 bytes for n = 0. */
enum { PROFILE_SIZES = 65 };
struct profile_size {
	uint64_t messages, message_bytes;
	uint64_t parts, part_bytes; /* bytes that a rank sends and receives in a collective */
};

struct profile_pair {
	uint32_t sender, receiver;
	uint64_t messages, bytes;
};

struct profile {
	ARRAY(struct profile_calls) cells;     /* by rank, then by function */
	ARRAY(struct profile_calls) functions; /* of all ranks, longest first */
	ARRAY(struct profile_calls) sites;     /* the same, by call site and function */
	struct profile_rank *ranks;	       /* [rank]; owned */
	struct profile_rank sum;
	struct profile_size sizes[PROFILE_SIZES];
	ARRAY(struct profile_pair) pairs; /* by bytes, largest first */
};

/*
 * Add up the profile.  Collective.  Process 0 gets all, the profiles of the others are not complete.
 * End with profile_release.
 */
int profile_find(struct profile *profile, const struct waits *waits, struct dist *dist,
		 struct error *err);
void profile_release(struct profile *profile);

/* Number of the size that `bytes` belongs to. */
uint32_t profile_size_of(uint64_t bytes);

#endif
