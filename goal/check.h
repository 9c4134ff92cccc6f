/* What a schedule needs beyond its form to run to its end. */
#ifndef GOAL_CHECK_H
#define GOAL_CHECK_H

#include "goal/goal.h"

/*
 * Check that all messages match (goal_match) and that no operation waits for
 * itself: dependencies of either kind, and from every send to its receive.
 * That is a matter of the data alone; whether blocking sends wait for each
 * other depends on the protocol of a model.  STATUS_DATA with the operations of
 * one circle.  *message_count, if not NULL, is set on success.
 */
int goal_check(const struct goal *goal, uint32_t *message_count, struct error *err);

#endif
