/*
 * Traversal of a GOAL graph for the longest path of computation, once and in an order in which the
 * program can run: T at L = o = g = G = O = 0, without rendezvous and without limited resources
 * (doc/model.md).
 *
 * With start s(v) and end e(v) of operation v, all as early as possible:
 *
 *	v requires u:	s(v) >= e(u)
 *	v irequires u:	s(v) >= s(u) + busy(u), where busy is the cost of a calc, and 0 of others
 *	calc:		e = s + cost
 *	send:		e = s
 *	receive:	e = max(s, s of the send)
 *
 * Each rank reads its operations in the order of the file and starts those that wait for nothing.
 * A rank that waits for messages sleeps.  If all ranks sleep, they read on for 64, 128, ... operations
 * after the first one that waits.
 *
 * Memory: what waits at a time.
 */
#ifndef GOAL_COMPUTATION_H
#define GOAL_COMPUTATION_H

#include "goal/goal.h"

struct computation {
	uint64_t path_ns; /* the latest end, unless `too_long` */
	uint32_t message_count;
	bool too_long; /* the latest end is at 2^64 ns or later */
};

/*
 * Traverse a graph.  Returns 1 if it cannot end: operations wait for each other, or a message has
 * only one half or is received from any source or with any tag.
 */
int computation_find(struct computation *computation, const struct goal *goal, struct error *err);

#endif
