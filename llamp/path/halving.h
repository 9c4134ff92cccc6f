/*
 * Search for breakpoints by halving.
 *
 * An interval is a row of stretches.  T follows a known line at the beginning of a stretch and
 * another one at its end.  If T passes through the point where the two lines meet, the point is
 * the only breakpoint of the stretch.  Otherwise the line that T follows there cuts the stretch
 * in two.
 */
#ifndef LLAMP_HALVING_H
#define LLAMP_HALVING_H

#include "llamp/path/lexicographic_key.h"

/* Interval to search in a graph, and the lines of T at its ends, which are different. */
struct search {
	const struct cost_graph *graph;
	const struct direction *direction;
	struct rational from, to;
	enum side side;		 /* of `from`, on which T follows `first` */
	struct line first, last; /* `last` is right of `to` */
};

/* Upper bound of the number of slopes from that of `flatter`, excluded, to that of `steeper`. */
int128 slope_steps(const struct search *search, struct line flatter, struct line steeper);

/* Part of the interval, from `from` to `to`, both included. */
struct stretch {
	struct rational from, to;
	struct line begin, end; /* of T at `from` and at `to`; they differ */
	struct rational at;	/* where the lines meet */
	bool done;		/* `at` is the only breakpoint */
};

/* Stretches from left to right. */
struct stretches {
	ARRAY(struct stretch) list;
	size_t open; /* number of those that are not done */
};

/* Add a stretch.  It is done if no slope fits between those of its lines. */
int stretches_add(struct stretches *stretches, const struct search *search,
		  const struct stretch *stretch, struct error *err);

/*
 * Halve all open stretches, all at a time, until more than `most_open` are open, or none is.  Add
 * the edges that are passed to *steps.
 */
int stretches_halve(struct stretches *stretches, const struct search *search, size_t most_open,
		    uint64_t *steps, struct error *err);

#endif
