/* Lines of T as a function of p, and the points where T changes from one line to another. */
#ifndef LLAMP_LINE_H
#define LLAMP_LINE_H

#include "common/array.h"
#include "llamp/path/rational.h"

#include <stdbool.h>

/* T = constant + slope * p, exact.  The constant is in as. */
struct line {
	int128 constant, slope;
};

/* Point at which two lines meet.  The slope of `steeper` must be the larger one. */
struct rational lines_meet(struct line flatter, struct line steeper);

static inline bool lines_same(struct line a, struct line b)
{
	return a.slope == b.slope && a.constant == b.constant;
}

/*
 * Whether two lines have the same value at `at`.  Both must be lines of paths, and path_evaluate
 * at this point must have found no overflow.
 */
static inline bool lines_equal_at(struct line a, struct line b, struct rational at)
{
	return (a.constant - b.constant) * at.denominator == (b.slope - a.slope) * at.numerator;
}

/* Point above 0 at which the slope of T changes. */
struct breakpoint {
	struct rational at;
	struct line left, right;	/* of different slopes */
};

/* T in an interval. */
struct breakpoints {
	ARRAY(struct breakpoint) list;	/* in ascending order */
	struct line first, last;	/* lines of T before and after them */
	uint64_t steps;			/* of the search: edges that it passed, for each point */
};

void breakpoints_release(struct breakpoints *breakpoints);

#endif
