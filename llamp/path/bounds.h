/*
 * Bounds on the length of paths at some points.  A path below all of them is nowhere longest.
 *
 * The length of a path, or of the longest path through an edge, is a convex function of a
 * parameter.  If it is below given limits at two points, it is below the chord of the limits
 * between them.  If T lies above the chords everywhere, the dropped paths cannot matter.  This
 * is checked afterwards, since T of the pruned graph is a lower bound of T.  So limits may be
 * guessed, from the chords of T itself and the depth of T below them.
 */
#ifndef LLAMP_BOUNDS_H
#define LLAMP_BOUNDS_H

#include "llamp/path/line.h"

struct bound {
	double at;		/* in as */
	double longest;		/* length of the longest path, rounded up, in ns */
	double depth;		/* most that T can be below its chord to the next point, in ns */
	double limit;		/* in ns */
};

/* Points in ascending order.  The first and the last enclose the interval. */
struct bounds {
	struct bound *points;
	size_t count;			/* 4 or more */
	struct line first, last;	/* lines of T at the ends of the interval */
	bool cautious;			/* limits expect T as far below chords as possible */
};

/* Number of points of a whole interval before any refinement. */
enum { BOUNDS_FIRST = 32 };

/* Choose `count` points of [from, to], 4 or more.  `first` and `last` are the lines of T at its ends. */
int bounds_init(struct bounds *bounds, size_t count, struct rational from, struct rational to,
		struct line first, struct line last, struct error *err);

/*
 * Double the number of points: keep those of `known`, and add points between those where T may
 * be far below the chord.
 */
int bounds_refine(struct bounds *bounds, const struct bounds *known,
		  struct error *err);

void bounds_release(struct bounds *bounds);

/* Set depths and limits from `longest`.  All slopes are multiples of `unit`, in ns per as. */
void bounds_set(struct bounds *bounds, double unit);

/* Whether T, given by its breakpoints, is above the chords of the limits everywhere. */
bool bounds_hold(const struct bounds *bounds, const struct breakpoints *found);

#endif
