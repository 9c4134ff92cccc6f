/*
 * Tradeoff: the pairs of values (x, y) at which T is just within a bound.
 *
 * T is a maximum of planes c + a x + b y, so the pairs with T <= bound are a convex polygon, and
 * the largest y for each x is a concave, piecewise linear function that falls from the y axis to
 * the x axis.  Between the lines of two paths it is searched where they meet, as for breakpoints
 * (llamp/path/breakpoints.h): 2 n + 1 longest paths for n corners.  Corners are the exact
 * intersections of lines of paths.  A path that cuts off less than 1 as of them may be missed.
 */
#ifndef LLAMP_TRADEOFF_H
#define LLAMP_TRADEOFF_H

#include "common/array.h"
#include "llamp/analysis/model.h"

/* Corner, and the slopes of T on the line that leads from it to the next corner. */
struct tradeoff_corner {
	double value_ns[2];		/* of x and y */
	double lambda[2];		/* NAN at the last corner */
};

enum tradeoff_shape {
	TRADEOFF_LINE,		/* from x = 0 to y = 0 */
	TRADEOFF_ONLY_X,	/* y does not matter: one corner, whose y is INFINITY */
	TRADEOFF_ONLY_Y,	/* x does not matter: one corner, whose x is INFINITY */
	TRADEOFF_ALL,		/* T is never above the bound: no corner */
};

struct tradeoff {
	double percent, bound_ns;
	enum tradeoff_shape shape;
	ARRAY(struct tradeoff_corner) corners;	/* by ascending x */
};

/*
 * Find the tradeoff of two different variables for T <= (1 + percent/100) T at the model's values.
 * End with tradeoff_release.
 */
int tradeoff_find(struct tradeoff *tradeoff, const struct model *model,
		  const uint32_t variables[2], double percent, struct error *err);
void tradeoff_release(struct tradeoff *tradeoff);

#endif
