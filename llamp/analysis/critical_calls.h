/*
 * MPI calls in which the time on a critical path was spent, from the side file of the graph
 * (goal/calls.h).
 */
#ifndef LLAMP_CRITICAL_CALLS_H
#define LLAMP_CRITICAL_CALLS_H

#include "common/source/source_lines.h"
#include "goal/calls.h"
#include "llamp/analysis/critical_path.h"

/* Time of one call on the path, from all its segments. */
struct critical_call {
	const char *function;	/* NULL for operations that belong to no call */
	const char *site;	/* name of its call site (common/source/source_lines.h), or NULL */
	const char *communicator; /* as in goal/calls.h, or NULL */
	uint32_t rank;
	uint64_t number;	/* of the rank's calls, from 1 */
	int64_t time_ns;	/* when it was entered, since the run began */
	bool before;		/* computation between the call before and this one */
	uint32_t repeats;	/* as in goal/calls.h */
	uint64_t lambda, lambda_G;	/* latencies and bytes of the messages that it receives */
	int128 as[CATEGORY_COUNT];
	int128 all_as;
};

/* Time of all calls of a function or at a call site, or of the computation before them. */
struct critical_function {
	const char *function;	/* or name of the site */
	bool before;
	uint64_t call_count;
	uint64_t lambda, lambda_G;
	int128 as[CATEGORY_COUNT];
	int128 all_as;
};

struct critical_functions {
	ARRAY(struct critical_function) list;
};

struct critical_calls {
	bool timed;				/* calls have times */
	ARRAY(struct critical_call) calls;		/* calls on the path, by rank and number */
	struct critical_functions functions;	/* by time on the path, longest first */
	struct critical_functions sites;	/* the same by call site; empty without sites */
	struct source_lines *lines;		/* of the model: names of sites, or NULL */
	uint32_t *of;				/* [segment of the path]: index of its call */
	const struct goal_calls *file;		/* of the model; owns the names of functions */
};

/*
 * Find the calls of all segments.  Returns 1 if the model has no side file.  The error is
 * STATUS_DATA if the file is damaged.  After 0, end with critical_calls_release, before the model
 * is released.
 */
int critical_calls_find(struct critical_calls *calls, const struct critical_path *path,
			const struct model *model, struct error *err);
void critical_calls_release(struct critical_calls *calls);

#endif
