/* Lines that T follows as a function of p, and the points where it changes from one to another. */
#ifndef LLAMP_LINE_H
#define LLAMP_LINE_H

#include "common/array.h"
#include "llamp/path/rational.h"

#include <stdbool.h>

/* T = constant + slope * p, both exact; constant in as. */
struct line {
	int128 constant, slope;
};

/* Point at which two lines meet; the slope of `steeper` must be the larger one. */
struct rational lines_meet(struct line flatter, struct line steeper);

static inline bool lines_same(struct line a, struct line b)
{
	return a.slope == b.slope && a.constant == b.constant;
}

/*
 * Whether two lines have the same value at `at`.  No overflow where
 * path_evaluate at that point reported none and both are lines of paths.
 */
static inline bool lines_equal_at(struct line a, struct line b, struct rational at)
{
	return (a.constant - b.constant) * at.denominator == (b.slope - a.slope) * at.numerator;
}

/* A point above 0 at which the slope of T changes. */
struct breakpoint {
	struct rational at;
	struct line left, right;	/* the slopes differ */
};

/* T in an interval. */
struct breakpoints {
	ARRAY(struct breakpoint) list;	/* in ascending order */
	struct line first, last;	/* the lines that T follows before and after them */
};

void breakpoints_release(struct breakpoints *breakpoints);

#endif
