/*
 * The same graph with all ranks computing equally long in total.
 *
 * With C(r) the time that rank r computes outside MPI calls, and C the mean of C(r), each of its computations is C / C(r)
 * times as long.  A rank that computes nothing gets computation in front of its i-th call: the share of C that all ranks
 * compute before their i-th calls.  This needs ranks with equally many calls.  All is in whole ns, whose sums are those
 * of the shares, and what does not divide goes to the lowest ranks, so that no computation is lost.
 *
 * A computation in front of a call waits for what all operations that begin the call wait for, and these wait for it, so that
 * no operation waits for itself if none did before.
 *
 * The largest C(r) - C is what a program gains at most whose ranks do not wait for each other's computation.  Where T falls by
 * more, ranks take turns, and shared work would have to be done at other times, too.
 */
#ifndef GOAL_TOTALS_H
#define GOAL_TOTALS_H

#include "goal/builder.h"

struct goal_totals {
	uint64_t *of;	     /* [rank]: C(r) */
	uint64_t total_ns;   /* of all ranks */
	uint64_t most_ns;    /* largest C(r) */
	uint32_t rank_count;
	bool has_idle;	     /* a rank computes nothing */
};

/* Add up the computation of each rank.  End with goal_totals_release, also on failure.  STATUS_LIMIT: 2^64 ns or more. */
int goal_totals_find(struct goal_totals *totals, const struct goal *goal,
		     const struct goal_calls *calls, struct error *err);
void goal_totals_release(struct goal_totals *totals);

/* The largest C(r) less the mean, rounded up. */
uint64_t goal_totals_excess(const struct goal_totals *totals);

/*
 * Write the graph to `writer`, which is open and has no rank yet, and its calls, with equal totals.  STATUS_DATA if no rank
 * computes, or if computation cannot be put in front of the calls of one that computes nothing.
 */
int goal_balance_totals(const struct goal *goal, const struct goal_calls *calls,
			struct goal_writer *writer, struct error *err);

#endif
