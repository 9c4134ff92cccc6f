/*
 * The call that made each operation: the side file FILE.calls of the GOAL file FILE
 * (doc/calls-format.md).
 *
 * Operations of a call follow each other, so the file has one entry of a few bytes for
 * each run of them, rank by rank.  The number and a hash of the operations of each rank
 * identify the graph, so the calls of another graph are refused.  Checksums detect damage.
 * Text and the binary form of a graph have the same side file.
 *
 * Writing is part of goal/builder.h: goal_builder_call, goal_writer_calls, goal_writer_run.
 */
#ifndef GOAL_CALLS_H
#define GOAL_CALLS_H

#include "common/array.h"
#include "common/number_map.h"
#include "goal/goal.h"
#include "goal/spill.h"

#include <stdbool.h>

/* Call that made operations. */
struct goal_call {
	const char *function;	/* "MPI_Send" */
	/*
	 * "MPI_COMM_WORLD", the name that the program gave, else "communicator 3 (4 ranks)".  NULL if
	 * the call has none or if the trace does not tell it at the call, as for MPI_Irecv: the call
	 * of the send has it.
	 */
	const char *communicator;
	/* Where the program made it (common/source/call_site.h); NULL: not known. */
	const char *site;
	uint64_t number;	/* of the calls of its rank, from 1 */
	uint64_t time_ns;	/* when it was entered, on the clock of the trace, or 0 */
	uint32_t repeats;	/* as in struct mpi_call (trace/call/mpi_call.h); 0: of no repeated run */
	/* Set for the computation before the call instead of the call itself. */
	bool before;
};

/* How the graph was made, and the trace that calls come from. */
struct goal_calls_origin {
	bool timed;		/* calls come from a trace and have times */
	uint64_t begin_ns;	/* of the run, on the clock of the trace */
	/*
	 * Length of the traced run, or of the slice, that the graph is of: the longest time of a
	 * rank, each on its own clock.  0: unknown, or nobody has made that run (doc/calls-format.md).
	 */
	uint64_t run_ns;
	/*
	 * Line of text without control characters: the version of schedgen and the options that
	 * shaped the graph.  NULL when writing and "" when read: unknown.
	 */
	const char *how;
	/* Line that says how many ranks shared cores in the traced run, or how long one waited for a core; "" or, when writing, NULL: none. */
	const char *crowded;
	/* Node of each rank of the graph, numbered from 0; NULL: unknown. */
	const uint32_t *nodes;
	bool sites;		/* calls have sites (goal_builder_sites) */
	bool repeated;		/* calls have `repeats` (goal_builder_repeated) */
};

/* Name of the side file of `path`, to be freed, or NULL without memory. */
char *goal_calls_path(const char *path);

/* Declare the side file of the graph that goes to `output` (common/output.h). */
int goal_declare_calls(const char *output, struct error *err);

/* Entries of the rank that is being built, in struct goal_builder. */
struct goal_calls_rank {
	ARRAY(uint8_t) entries;		/* the newest ones, after those in the file */
	struct goal_spill old_entries;
	bool with_sites, repeated;	/* kept by goal_calls_rank_clear */
	struct number_map sites;	/* by the address of the text; from 1 */
	struct number_map functions;	/* by the address of the name, and site */
	ARRAY(uint32_t) communicator_of;	/* [function]: of its last entry; 0: none */
	struct number_map communicators;	/* by the address of the name; from 1 */
	uint64_t number, time_ns;	/* of the last entry */
	uint32_t repeats;	/* of the last entry */
	uint32_t op_count;		/* operations that have an entry */
	uint64_t hash;			/* of the encoded rank, set when it is placed */
};

void goal_calls_rank_clear(struct goal_calls_rank *rank);
void goal_calls_rank_release(struct goal_calls_rank *rank);

/*
 * Note that this call made the next `op_count` operations. If call->before, the first of them
 * is the computation before the call. The addresses of the names identify the function, its site
 * and the communicator.
 */
int goal_calls_rank_add(struct goal_calls_rank *rank, const struct goal_call *call,
			uint32_t op_count, struct error *err);

/* Put entries of `most` bytes or more into a temporary file in the directory of the output. */
int goal_calls_rank_spill(struct goal_calls_rank *rank, const struct output *beside, size_t most,
			  struct error *err);

/* ---------------------------------------------------------------- reading */

struct goal_calls {
	char *path;			/* of the side file */
	struct input file;
	struct goal_calls_origin origin;
	uint32_t *nodes;		/* origin.nodes; owned */
	uint32_t rank_count;
	struct goal_calls_block {
		const uint8_t *entries, *end;
		uint32_t op_count;
	} *ranks;
};

/*
 * Open the side file of `path`.  Returns 1 if it does not exist.  The error is STATUS_DATA if the
 * file is damaged, has an older version, or belongs to another graph.  On success end with
 * goal_calls_release.
 */
int goal_calls_open(struct goal_calls *calls, const struct goal *goal, const char *path,
		    struct error *err);
void goal_calls_release(struct goal_calls *calls);

/* Place in the entries of a rank. */
struct goal_calls_cursor {
	const struct goal_calls *calls;
	const uint8_t *at, *end;
	ARRAY(struct goal_calls_function {
		const char *name;
		const char *site;		/* "" or NULL: not known */
		uint32_t communicator;		/* of its last entry; 0: none */
	}) functions;
	ARRAY(const char *) communicators;
	uint32_t op_count;		/* of the rank */
	uint32_t first_op, end_op;	/* of the entry */
	uint64_t number, time_ns;
	uint32_t function, repeats;
	bool before;
};

/*
 * Go to the first entry of a rank.  Memory of an earlier rank is used again.  The calls must outlive
 * the cursor.
 */
void goal_calls_cursor_start(struct goal_calls_cursor *cursor, const struct goal_calls *calls,
			     uint32_t rank);
void goal_calls_cursor_release(struct goal_calls_cursor *cursor);

/*
 * Find the call of an operation of the rank.  The operations of successive calls must ascend.
 * Returns 1 if the operation has no call.  The error is STATUS_DATA if the file is damaged, and
 * names the file and the place.  The names live as long as the calls.
 */
int goal_calls_find(struct goal_calls_cursor *cursor, uint32_t op, struct goal_call *call,
		    struct error *err);

#endif
