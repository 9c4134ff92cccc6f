/*
 * Times of events at one value of p, with their slopes in p, and the distance by which p may
 * move before a comparison of two of them has another result.
 *
 * Near p the time of an event is a line on either side.  Of two lines that are compared, the
 * one that is behind may catch up: p may move no further than to where it does.
 */
#ifndef LLAMP_EVENT_TIME_H
#define LLAMP_EVENT_TIME_H

#include <stdbool.h>
#include <stdint.h>

/* In units of the pass; slopes on the left and on the right of p. */
struct event_time {
	int64_t time, left, right;
};

/* Distances in as of p by which p may fall and rise; INT64_MAX: without end. */
struct reach {
	int64_t below, above;
};

/* Results of a pass over the events (llamp/simulate/simulation.h). */
struct sim_result {
	struct event_time end; /* of the program, in units */
	int64_t unit_as;
	uint64_t order_hash; /* of the order of service */
	struct reach order;  /* until another request is served first */
	struct reach waits;  /* until an event waits for another one */
	/*
	 * Of two requests that a server served, made at the same time, the one with the larger number came
	 * first: the other one was made later by a third at this time.  Where they part, the order may be
	 * another one, whatever the reaches say.
	 */
	bool late_ties;
};

#define REACH_UNBOUNDED ((struct reach){INT64_MAX, INT64_MAX})

/* Distance at which a lead of `lead` units is lost, if the lines close in by `closing` > 0. */
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

/* `first` comes before `second`, or at the same time: restrict p to where that stays so. */
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
 * *latest becomes the later of both, with the slopes of the later of both on either side.
 * True if that is `other` on the right.
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
