/*
 * The calls of a critical path: the MPI calls that its time was spent in, by the side file of
 * the graph (goal/calls.h).
 */
#ifndef LLAMP_CRITICAL_CALLS_H
#define LLAMP_CRITICAL_CALLS_H

#include "goal/calls.h"
#include "llamp/analysis/critical_path.h"

/* Segments of one call: all its time on the path. */
struct critical_call {
	const char *function;	/* NULL: operations that are of no call */
	uint32_t rank;
	uint64_t number;	/* of the rank's calls, from 1 */
	int64_t time_ns;	/* when it was entered, since the trace began */
	bool before;		/* not in the call: computation between it and the one before */
	int128 as[CATEGORY_COUNT];
	int128 all_as;
};

/* All calls of a function, or the computation before them. */
struct critical_function {
	const char *function;
	bool before;
	uint64_t call_count;
	int128 as[CATEGORY_COUNT];
	int128 all_as;
};

struct critical_calls {
	bool timed;				/* calls have times */
	ARRAY(struct critical_call) calls;		/* calls on the path, by rank and number */
	ARRAY(struct critical_function) functions;	/* by time on the path, longest first */
	uint32_t *of;				/* the call of each segment of the path */
	struct goal_calls file;			/* has the names */
};

/*
 * Find the calls of all segments.  Returns 1 if the graph has no side file;
 * STATUS_DATA if that is damaged or belongs to another graph.  Else end with
 * critical_calls_release.
 */
int critical_calls_find(struct critical_calls *calls, const struct critical_path *path,
			const struct model *model, struct error *err);
void critical_calls_release(struct critical_calls *calls);

#endif
