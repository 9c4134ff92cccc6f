/*
 * Times of events at one value of p, with their slopes in p, and the distance by which p may move
 * before a comparison of two times has another result.
 *
 * Near p the time of an event is a line on either side.  Where two times are compared, p may move
 * up to the point at which their lines meet.
 */
#ifndef LLAMP_EVENT_TIME_H
#define LLAMP_EVENT_TIME_H

#include <stdbool.h>
#include <stdint.h>

/* Time in units (struct sim_result), and its slopes on the left and on the right of p. */
struct event_time {
	int64_t time, left, right;
};

/* Distances in as by which p may fall and rise; INT64_MAX: unbounded. */
struct reach {
	int64_t below, above;
};

/* Results of a simulation (llamp/simulate/simulation.h). */
struct sim_result {
	struct event_time end; /* of the program */
	int64_t unit_as; /* unit of all times: the greatest common divisor of 1 ns and all values */
	uint64_t order_hash; /* of the order of service */
	struct reach order;  /* up to where no server serves another request first */
	struct reach waits;  /* up to where no event is determined by another bound */
	/*
	 * Some server served two requests of the same time in descending order of their numbers,
	 * because a third event of that time made the second of them.  Where their times differ the
	 * order may change, also within the reaches.
	 */
	bool late_ties;
};

#define REACH_UNBOUNDED ((struct reach){INT64_MAX, INT64_MAX})

/*
 * Limit *distance to where two lines that are `lead` units apart meet, if they close in by
 * `closing` > 0 per as.  wins_ties: the point where they meet is within the limit.
 */
static inline void reach_limit(int64_t *distance, int64_t lead, int64_t closing, int64_t unit_as,
			       bool wins_ties)
{
	const __int128 lead_as = (__int128)lead * unit_as;
	__int128 limit;

	/* A division takes longer. */
	if (lead_as > (__int128)*distance * closing)
		return;
	limit = lead_as / closing;
	/* The largest whole number at which the lead is still there. */
	if (!wins_ties && limit * closing == lead_as && limit > 0)
		limit--;
	if (limit < *distance)
		*distance = (int64_t)limit;
}

/* Limit *reach to where `first` stays before `second`, or, with wins_ties, at the same time. */
static inline void reach_keep_order(struct reach *reach, const struct event_time *first,
				    const struct event_time *second, int64_t unit_as,
				    bool wins_ties)
{
	const int64_t lead = second->time - first->time;

	if (first->right > second->right)
		reach_limit(&reach->above, lead, first->right - second->right, unit_as, wins_ties);
	if (first->left < second->left)
		reach_limit(&reach->below, lead, second->left - first->left, unit_as, wins_ties);
}

/*
 * Set *latest to the later of *latest and *other on either side of p, and limit *reach to where it
 * stays the later one.  Returns whether *other is the later one on the right.
 */
static inline bool event_time_later(struct event_time *latest, const struct event_time *other,
				    struct reach *reach, int64_t unit_as)
{
	if (other->time == latest->time) {
		const bool replaced = other->right > latest->right;

		latest->left = other->left < latest->left ? other->left : latest->left;
		latest->right = replaced ? other->right : latest->right;
		return replaced;
	}
	if (other->time < latest->time) {
		reach_keep_order(reach, other, latest, unit_as, true);
		return false;
	}
	reach_keep_order(reach, latest, other, unit_as, true);
	*latest = *other;
	return true;
}

#endif
