/*
 * Bounds on the length of paths at some points: a path below all of them is nowhere longest.
 *
 * The length of a path, or of the longest path through an edge, is a convex function of a
 * parameter: if it is below given limits at two points, it is below the chord of the limits
 * between them.  If T lies on or above the chords everywhere, the dropped paths cannot matter.
 * This is checked afterwards: T of the pruned graph is a lower bound of T.  Limits may
 * therefore be guessed, from the chords of T itself and how far T may be below them.
 */
#ifndef LLAMP_BOUNDS_H
#define LLAMP_BOUNDS_H

#include "llamp/path/line.h"

struct bound {
	double at;		/* in as */
	double longest;		/* of all paths there, in ns, or a little more */
	double depth;		/* how far T can be below its chord to the next point, in ns */
	double limit;		/* in ns */
};

/* Points that ascend, from the lower end of an interval, or below, to the other, or above. */
struct bounds {
	struct bound *points;
	size_t count;			/* 4 or more */
	struct line first, last;	/* that T follows at the ends of the interval */
	bool cautious;			/* take T to be as far below chords as can be */
};

/* Number of points at first. */
enum { BOUNDS_FIRST = 32 };

/* Choose points of [from, to]; T at its ends is given. */
int bounds_init(struct bounds *bounds, struct rational from, struct rational to,
		struct line first, struct line last, struct error *err);

/*
 * Double the number of points: keep the known ones, and add more where T may be far below
 * their chords.
 */
int bounds_refine(struct bounds *bounds, const struct bounds *known,
		  struct error *err);

void bounds_release(struct bounds *bounds);

/* Set depths and limits from lengths; slopes are multiples of `unit`, in ns per as. */
void bounds_set(struct bounds *bounds, double unit);

/* Whether T, as it was found in the interval, is nowhere below the chords of the limits. */
bool bounds_hold(const struct bounds *bounds, const struct breakpoints *found);

#endif
