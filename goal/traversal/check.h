/* Conditions, beyond its form, under which a graph can run to its end. */
#ifndef GOAL_CHECK_H
#define GOAL_CHECK_H

#include "goal/goal.h"

/*
 * Check that all messages match (goal_match) and that no operation waits for itself, through
 * dependencies or messages.  Sends do not wait for their receives here, as this depends on the
 * model.  The error is STATUS_DATA with the operations of one cycle.  *message_count, if not
 * NULL, is set on success.
 *
 * The graph is traversed once, as it could run (goal/traversal/computation.h), which takes memory for
 * what waits at a time.  Only to say why it cannot end, all operations are matched and put in order.
 */
int goal_check(const struct goal *goal, uint32_t *message_count, struct error *err);

/*
 * Check the same, and find the length of the longest path of computation: of the run in which messages
 * take no time, but each receive waits for its send (goal/traversal/computation.h).  STATUS_LIMIT if it is
 * 2^64 ns or more.
 */
int goal_find_computation(uint64_t *path_ns, const struct goal *goal, struct error *err);

#endif
