/*
 * The walk through a period of a run (critpath/path/jumps.h), with the jumps of all ranks in it.
 *
 * A walk that goes back in time goes through each period once.  Only clocks that contradict each other
 * lead it to a later one again.
 */
#ifndef CRITPATH_PERIOD_H
#define CRITPATH_PERIOD_H

#include "critpath/path/jumps.h"
#include "dist/dist.h"

struct period {
	bool first;	   /* of the run */
	uint64_t begin_ns; /* of the run */
	uint32_t rank_count;
	struct jump_row *rows; /* [rank] */
	struct jumps jumps;
};

#define NO_THREAD UINT32_MAX

/* Where a walk through periods is. */
struct period_place {
	struct walk_place at;
	uint32_t before; /* the walk goes on at the last call before this one */
	uint32_t thread; /* of its thread, or NO_THREAD: that of call at.next */
};

/* Begin at a place where a jump leads. */
struct period_place period_enter(const struct walk_place *place);

/* Where a walk goes on, if it has not arrived at the start of the run. */
enum period_way { PERIOD_HERE, PERIOD_EARLIER, PERIOD_LATER, PERIOD_ARRIVED };

/*
 * Walk until the walk leaves the period; *way says to where.  Each place where a jump leads is given to
 * `take`, with the rank that it comes from.
 */
typedef int period_take(void *data, uint32_t from, const struct walk_place *place,
			struct error *err);
int period_walk(struct period *period, struct period_place *place, enum period_way *way,
		period_take *take, void *data, struct error *err);

/*
 * Collective.  Give process k the k-th period, with the jumps of all ranks in it.  Periods have about the same
 * number of jumps, one at most a 64-th of all more than the mean, and more only of calls that end at the same
 * time.  On failure all is released.  End with period_release.
 *
 * Bytes moved: about 10 for each jump.  Memory: 32 for each jump of the period, and what is moved.
 */
int period_make(struct period *period, const struct waits *waits, struct dist *dist,
		struct error *err);
void period_release(struct period *period);

#endif
