/* Steps of critpath/match/run_match.h. */
#ifndef CRITPATH_MATCH_STEPS_H
#define CRITPATH_MATCH_STEPS_H

#include "critpath/match/rank_owners.h"
#include "trace/measured/measured_match.h"

/* All are collective. */

/* Match the messages of own ranks with those of other processes. */
int match_messages_between(struct measured_matching *matching, const struct rank_owners *map,
			   struct dist *dist, struct error *err);

/* Complete the instances of collectives, and count them. */
int match_collectives(struct measured_matching *matching, struct dist *dist, struct error *err);

/*
 * Match again where the trace may lack something (trace/measured/measured_align.h).  All items of a stream or channel
 * with cuts are aligned by one process.
 */
int match_alignment(struct measured_matching *matching, const struct rank_owners *map,
		    struct dist *dist, struct error *err);

#endif
