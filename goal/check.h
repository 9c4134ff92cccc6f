/* Conditions, beyond its form, under which a graph can run to its end. */
#ifndef GOAL_CHECK_H
#define GOAL_CHECK_H

#include "goal/goal.h"

/*
 * Check that all messages match (goal_match) and that no operation waits for itself, through
 * dependencies or messages.  Sends do not wait for their receives here, as this depends on the
 * model.  The error is STATUS_DATA with the operations of one cycle.  *message_count, if not
 * NULL, is set on success.
 */
int goal_check(const struct goal *goal, uint32_t *message_count, struct error *err);

#endif
