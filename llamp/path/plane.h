/*
 * T as a function of two values that move independently: planes.
 *
 * With x and y as the points of two directions, the length of a path is constant + a x + b y, and T
 * is the largest of them.
 */
#ifndef LLAMP_PLANE_H
#define LLAMP_PLANE_H

#include "llamp/path/evaluate.h"

/* T of one path, in as for x and y in as. */
struct plane {
	int128 constant, slope[2];
};

struct planes {
	const struct cost_graph *graph;		/* not owned */
	const struct direction *axes[2];	/* not owned */
	/* Private: */
	uint32_t *sources, *tight;
};

/*
 * Prepare to find planes over two directions that move different variables; both give the other
 * variables the same values.  Memory: 4 bytes for each edge and vertex.  End with planes_release.
 */
int planes_init(struct planes *planes, const struct cost_graph *graph,
		const struct direction *x, const struct direction *y, struct error *err);
void planes_release(struct planes *planes);

/*
 * Find the plane of a longest path at a point, in as.  Values of 2^62 as or more are rounded to
 * 62 bits.
 */
int planes_at(const struct planes *planes, int128 x_as, int128 y_as, struct plane *plane,
	      struct error *err);

/* Find the plane with the largest slope along an axis, 0 or 1, where the other value is 0. */
int planes_towards_infinity(const struct planes *planes, int axis, struct plane *plane,
			    struct error *err);

#endif
