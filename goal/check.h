/* The conditions, beyond its form, under which a graph can run to its end. */
#ifndef GOAL_CHECK_H
#define GOAL_CHECK_H

#include "goal/goal.h"

/*
 * Check that all messages match (goal_match) and that no operation waits for
 * itself, be it through dependencies or through messages, where sends do not
 * wait for their receives: whether large ones do is a matter of the model.
 * STATUS_DATA with the operations of one circle.  *message_count, if not NULL,
 * is set on success.
 */
int goal_check(const struct goal *goal, uint32_t *message_count, struct error *err);

#endif
