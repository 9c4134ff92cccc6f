/*
 * The calls of one rank of a trace as cells of a usage profile.
 *
 * Conventions are those of a profile (doc/usage.md, "Bytes"), but for what a trace does not tell:
 *
 * - MPI_Irecv and receives that MPI_Start starts have the bytes that were received, not the room that was
 *   posted;
 * - a run of polls is as many calls as it has polls, which last as long as the run without the gaps between
 *   them; least and greatest time and bins are not known;
 * - calls that complete requests are counted by the number of requests that they complete, not of those
 *   that they are given;
 * - it is not known which calls failed.
 */
#ifndef USAGE_ARCHIVE_RANK_CALLS_H
#define USAGE_ARCHIVE_RANK_CALLS_H

#include "common/array.h"
#include "trace/call/call_tracker.h"
#include "usage/log/cell.h"

/* Call whose bytes are known when its requests have completed. */
struct started_call {
	struct usage_key key;
	uint64_t bytes, moved, ns;
	uint32_t open; /* requests that have not completed */
	uint32_t next; /* free: the next free one, from 1 */
};

enum { RANK_CALLS_RECENT = 64 };

/* Zero bytes are valid.  One rank after the other is counted. */
struct rank_calls {
	struct usage_table *table; /* of the rank at hand */
	/* Private. */
	const struct trace_world *world;
	struct call_tracker tracker;
	struct number_map functions; /* pointer to a name: number, or RANK_CALLS_LEFT_OUT */
	struct {
		const char *name;
		uint32_t function;
	} recent[RANK_CALLS_RECENT];
	ARRAY(struct started_call) started;
	uint32_t free_started;	    /* the first free one, from 1; 0: none */
	ARRAY(uint32_t) started_of; /* by place of the tracker's request */
	ARRAY(bool) called;	    /* by thread: it has called MPI */

	/* What is known of the rank at the end. */
	uint32_t threads;	     /* that called MPI */
	bool initialized, finalized; /* it called MPI_Init, MPI_Finalize or the like */
	bool was_off;		     /* recording was off in parts of the run */
	uint64_t begin_ns,
		end_ns; /* MPI_Init left and MPI_Finalize entered; without them first enter, last leave */
};

/* Begin a rank: from now on the table has its calls. */
int rank_calls_begin(struct rank_calls *calls, const struct trace_world *world, uint32_t rank,
		     struct error *err);

/* Take a call, in the order in which a trace reader delivers them (trace/trace_reader.h). */
int rank_calls_add(struct rank_calls *calls, const struct mpi_call *call, struct error *err);

/* End the rank: calls whose requests never completed are counted, too. */
void rank_calls_end(struct rank_calls *calls);

void rank_calls_release(struct rank_calls *calls);

#endif
