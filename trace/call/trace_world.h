/*
 * The processes and communicators of a trace, as data: world ranks 0 ...
 * rank_count - 1, and for every communicator which of them it holds.
 */
#ifndef TRACE_TRACE_WORLD_H
#define TRACE_TRACE_WORLD_H

#include <stdbool.h>
#include <stdint.h>

struct trace_comm {
	bool defined;		/* false: the archive has no such id */
	bool self;		/* MPI_COMM_SELF, or any other of one process: that of the rank */
	bool inter;		/* an inter-communicator: ranks and remote_ranks are its groups */
	bool identity;		/* ranks[i] == i, and all ranks of the world are in it */
	const char *name;	/* as given by the program; "" if it has none */
	uint32_t size, remote_size;
	/* World rank of each rank in the communicator; NULL for self. */
	const uint32_t *ranks, *remote_ranks;
};

struct trace_window {
	bool defined;
	const char *name;
	uint32_t comm;		/* over which it was made: one of one group, that is defined */
	bool other_model;	/* not defined for MPI, but for SHMEM, CUDA or the like */
};

struct trace_world {
	uint32_t rank_count;
	uint32_t comm_count;			/* ids are 0 ... comm_count - 1 */
	const struct trace_comm *comms;
	uint32_t window_count;			/* likewise */
	const struct trace_window *windows;
	uint32_t world_comm;			/* id of MPI_COMM_WORLD, or NO_COMM */
	/* The node of each rank, numbered from 0 as the ranks meet them; NULL: not known. */
	const uint32_t *nodes;
	uint64_t begin_ns;			/* no call is earlier */
	/*
	 * Another tool than our tracer has written it: some calls lack records
	 * (doc/trace-to-goal.md).
	 */
	bool lacks_records;
	bool has_counts;	/* the roots of gatherv and scatterv have those of all ranks */
};

#endif
