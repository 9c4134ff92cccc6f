/* Arithmetic of the path engine's rationals and lines. */
#ifndef LLAMP_LINE_H
#define LLAMP_LINE_H

#include "llamp/path/path_engine.h"

#include <stdbool.h>

/* numerator / denominator in lowest terms; the denominator must be positive. */
struct rational rational_reduced(int128 numerator, int128 denominator);

/* Where two lines meet; the slope of `steeper` must be the larger one. */
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
	return (a.constant - b.constant) * at.denominator ==
	       (b.slope - a.slope) * at.numerator;
}

/* By how much a lies above b at `at`, in as; where the above holds. */
static inline double lines_distance_at(struct line a, struct line b, struct rational at)
{
	return (double)((a.constant - b.constant) * at.denominator +
			(a.slope - b.slope) * at.numerator) / (double)at.denominator;
}

#endif
