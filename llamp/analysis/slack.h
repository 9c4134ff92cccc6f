/*
 * Slack of MPI calls: how late a call may be without changing T.
 *
 * The slack of an operation is T minus the longest path through it (llamp/graph/path_through.h), that
 * of a call the smallest one of its operations.  The computation before a call has a slack of its
 * own.  Calls that all belong to one detour around the critical path have the same slack, so that
 * the smallest slacks above 0 tell the next paths.
 */
#ifndef LLAMP_SLACK_H
#define LLAMP_SLACK_H

#include "common/array.h"
#include "llamp/analysis/model.h"
#include "llamp/path/rational.h"

/* Call, or an operation of a graph whose calls are not known. */
struct slack_call {
	const char *function;	/* NULL: an operation */
	uint32_t rank;
	uint32_t operation;	/* with the smallest slack: index in the rank */
	uint64_t number;	/* of the rank's calls, from 1 */
	int64_t time_ns;	/* when it was entered, since the run began */
	bool before;		/* computation between the call before and this one */
	int128 slack_as;
};

typedef int slack_visitor(void *context, const struct slack_call *call, struct error *err);

/*
 * Visit the calls of all ranks, by rank and number, or all operations if `calls` is NULL.
 * slack_as[v] is the slack of operation v (critical_path_find_with_slack).  Operations that belong
 * to no call are left out if there are calls.  Ends when a visit fails.
 */
int slack_visit(const struct model *model, const struct goal_calls *calls, const int128 *slack_as,
		slack_visitor *visit, void *context, struct error *err);

/* Calls with the same slack. */
struct slack_level {
	int128 slack_as;
	uint64_t count;
	struct slack_call first;	/* entered first */
};

enum { SLACK_LIMITS = 3, SLACK_LEVELS = 10 };

/* Limits in 1/1000 of T: 0.1, 1 and 10 %. */
extern const int slack_limits[SLACK_LIMITS];

/* Summary of the MPI calls, without the computation before them. */
struct slack {
	/* Side file, not owned.  NULL: all counts are of operations. */
	const struct goal_calls *calls;
	int128 runtime_as;		/* T */
	uint64_t count;
	uint64_t critical;		/* with slack 0: a critical path goes through them */
	uint64_t below[SLACK_LIMITS];	/* with less slack than slack_limits of T */
	ARRAY(struct slack_level) least;	/* the smallest slacks above 0, ascending */
};

/* Summarize the slacks of calls or, if `calls` is NULL, of operations. */
int slack_find(struct slack *slack, const struct model *model, const struct goal_calls *calls,
	       int128 runtime_as, const int128 *slack_as, struct error *err);
void slack_release(struct slack *slack);

#endif
