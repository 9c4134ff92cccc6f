/*
 * Matching of sends and receives.
 *
 * Sends and receives match first-in first-out per (source, destination, tag), in the order of the
 * file.  This is the order in which MPI posts them.
 */
#ifndef GOAL_MATCH_H
#define GOAL_MATCH_H

#include "goal/goal.h"

#define GOAL_UNMATCHED UINT32_MAX

struct goal_matching {
	uint32_t *partner;	/* [operation]: number of the other half of its message */
	uint32_t message_count;
};

/*
 * Match all messages in linear time.  If a send or a receive has no partner, the error is
 * STATUS_DATA with the first such operations.  A receive from any source or with any tag, which
 * only a run can match, is STATUS_LIMIT.
 */
int goal_match(struct goal_matching *matching, const struct goal *goal, struct error *err);

void goal_matching_release(struct goal_matching *matching);

#endif
