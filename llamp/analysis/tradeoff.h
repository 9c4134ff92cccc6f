/*
 * Tradeoff: the pairs of values (x, y) at which T is just within a bound.
 *
 * Each path limits the pairs to a half-plane, a x + b y <= rest with a, b >= 0.  The pairs with
 * T <= bound are the intersection of all of them, a convex polygon between the axes.  Its frontier
 * is the largest y for each x: concave, piecewise linear, and falling from the y axis to the x axis.
 *
 * The search keeps the half-planes of the paths that it has found, and evaluates T at a vertex of
 * their intersection.  A vertex beyond the bound gives the half-plane of another path, which cuts it
 * off, and perhaps its neighbours too.  The search ends when T is within the bound at all vertices.
 * Intersections are exact.  T is evaluated at vertices rounded to as, so that a path that cuts
 * off less than 1 as may be missed.
 */
#ifndef LLAMP_TRADEOFF_H
#define LLAMP_TRADEOFF_H

#include "common/array.h"
#include "llamp/analysis/model.h"

/* Vertex of the frontier, and the slopes of T on the line that leads from it to the next one. */
struct tradeoff_vertex {
	double value_ns[2];		/* of x and y */
	double lambda[2];		/* NAN at the last vertex */
};

enum tradeoff_shape {
	TRADEOFF_LINE,		/* from x = 0 to y = 0 */
	TRADEOFF_ONLY_X,	/* y does not matter: one vertex, whose y is INFINITY */
	TRADEOFF_ONLY_Y,	/* x does not matter: one vertex, whose x is INFINITY */
	TRADEOFF_ALL,		/* T is never above the bound: no vertex */
};

struct tradeoff {
	double percent, bound_ns;
	enum tradeoff_shape shape;
	/* From left to right: x never falls, y never rises, and no two vertices are equal. */
	ARRAY(struct tradeoff_vertex) vertices;
};

/*
 * Find the tradeoff of two different variables for T <= (1 + percent/100) T at the model's values.
 * With resources the order of service is that at the model's values.  End with tradeoff_release.
 */
int tradeoff_find(struct tradeoff *tradeoff, const struct model *model,
		  const uint32_t variables[2], double percent, struct error *err);
void tradeoff_release(struct tradeoff *tradeoff);

#endif
