/*
 * The processes and communicators of a trace, as data: world ranks 0 ...
 * rank_count - 1, and for every communicator which of them it holds; the hosts that they run on.
 */
#ifndef TRACE_TRACE_WORLD_H
#define TRACE_TRACE_WORLD_H

#include <stdbool.h>
#include <stdint.h>

struct trace_comm {
	bool defined;	  /* the archive has this id */
	bool self;	  /* of one process, the rank itself, as MPI_COMM_SELF */
	bool inter;	  /* an inter-communicator: ranks and remote_ranks are its groups */
	bool identity;	  /* ranks[i] == i, and all ranks of the world are in it */
	const char *name; /* given by the program; "" if none */
	uint32_t size, remote_size;
	/* World rank of each rank in the communicator; NULL for self. */
	const uint32_t *ranks, *remote_ranks;
};

struct trace_window {
	bool defined;
	const char *name;
	uint32_t comm;	  /* an intra-communicator that is defined */
	bool other_model; /* of SHMEM, CUDA or the like, not of MPI */
};

struct trace_host {
	const char *name;
	uint32_t ranks;
	/* That its ranks may use, all together; hardware threads count as cores.  0: not known. */
	double cores;
	/* Waiting for a core as a share of the run, of the thread that waited longest and its rank (common/machine/preemptions.h); 0: not known, or none. */
	double waited;
	uint32_t waited_rank;
	/* Preemptions a second of the rank with the most, among those whose waiting is not known; 0: not known, or none. */
	double preemption_rate;
	uint32_t preempted_rank;
};

struct trace_world {
	uint32_t rank_count;
	uint32_t comm_count; /* ids are 0 ... comm_count - 1 */
	const struct trace_comm *comms;
	uint32_t window_count; /* ids are 0 ... window_count - 1 */
	const struct trace_window *windows;
	uint32_t world_comm; /* id of MPI_COMM_WORLD, or NO_COMM */
	/* Node of each rank, numbered from 0 in the order of first ranks; NULL: not known. */
	const uint32_t *nodes;
	const struct trace_host *hosts; /* by node; none if nodes are not known */
	uint32_t host_count;
	uint64_t begin_ns; /* no call is earlier */
	/* Written by another tool than our tracer: calls may lack records (doc/trace-to-goal.md). */
	bool lacks_records;
	/* Some ranks end before MPI_Finalize or were not traced: an archive of --recover. */
	bool incomplete;
	/* Times are means, or there are none: an event flow file without the times of each call. */
	bool synthetic_times;
	bool has_sites;	 /* calls may have call sites */
	bool has_openmp; /* there are parallel regions of OpenMP */
	bool has_below;	 /* there may be calls below MPI (trace/call/below.h) */
	bool has_probes; /* probes that have found a message have an EVENT_PROBE */
	bool has_counts; /* roots of gatherv and scatterv have the counts of all ranks */
	bool repeated;	 /* calls may have recorded iterations (trace/repeat) */
};

#define NO_RANK UINT32_MAX

/* Find the place of a world rank in a list of ranks, or NO_RANK. */
static inline uint32_t trace_rank_among(const uint32_t *ranks, uint32_t size, uint32_t rank)
{
	for (uint32_t i = 0; i < size; i++)
		if (ranks[i] == rank)
			return i;
	return NO_RANK;
}

#endif
