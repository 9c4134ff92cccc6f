/*
 * The path engine: T and its slopes by longest paths, in exact arithmetic.
 *
 * T as a function of one parameter p (L, G or o; the others fixed) is the
 * maximum over the paths of the graph of a constant plus a slope times p, so it
 * is convex and piecewise linear.  The engine finds the line T follows at a
 * point by one pass in topological order; everything else is a few such passes.
 * Integers of 128 bits hold attoseconds without rounding; where even these might
 * overflow (checked beforehand from bounds) the error is STATUS_LIMIT.
 */
#ifndef LLAMP_PATH_ENGINE_H
#define LLAMP_PATH_ENGINE_H

#include "common/array.h"
#include "llamp/cost_graph.h"

typedef __int128 int128;

/* numerator / denominator attoseconds; the denominator is positive. */
struct rational {
	int128 numerator, denominator;
};

double rational_value(struct rational r);		/* nearest double */
struct rational rational_from(int64_t value);

/* T = constant + slope * p, both exact; constant in as. */
struct line {
	int128 constant;
	int128 slope;
};

/* Which of the lines that meet at a kink: the one T follows below or above it. */
enum side { SIDE_LEFT, SIDE_RIGHT };

/*
 * The line that T follows at p = `at`, which must not be negative.  The value of
 * the parameter in *loggps is not used.  If `tight` is not NULL it gets, for every vertex, the index of
 * the edge (of graph->edges) that decides its value, UINT64_MAX where none comes
 * in: walked from the last vertex this is the critical path.
 */
int path_evaluate(const struct cost_graph *graph, const struct loggps *loggps,
		  enum parameter parameter, struct rational at, enum side side,
		  struct line *line, uint64_t *tight, struct error *err);

/* The line that T follows as p goes to infinity. */
int path_steepest(const struct cost_graph *graph, const struct loggps *loggps,
		  enum parameter parameter, struct line *line, struct error *err);

/* A point above 0 at which the slope of T changes. */
struct breakpoint {
	struct rational at;
	struct line left, right;	/* the slopes differ */
};

struct breakpoints {
	ARRAY(struct breakpoint) list;	/* in ascending order */
	struct line first, last;	/* the lines that T follows before and after them */
};

/*
 * All points in [from, to] at which the slope changes, exactly: the lines at
 * both ends are intersected, and the halves searched in turn (at most 2 k + 1
 * passes for k points).  On failure there is nothing to release.
 */
int path_breakpoints(const struct cost_graph *graph, const struct loggps *loggps,
		     enum parameter parameter, struct rational from, struct rational to,
		     struct breakpoints *breakpoints, struct error *err);

void breakpoints_release(struct breakpoints *breakpoints);

/* The interval around p in which T follows one line, between the nearest breakpoints. */
struct critical_range {
	struct rational low, high;	/* low is 0 where T never bends below */
	int unbounded;			/* T never bends above: high is not set */
};

/*
 * The critical range that holds `at` (at a kink: the one above it, as the right
 * slope is the one that is reported).
 */
int path_critical_range(const struct cost_graph *graph, const struct loggps *loggps,
			enum parameter parameter, struct rational at,
			struct critical_range *range, struct error *err);

struct tolerance {
	double percent;
	int unbounded;		/* no message ever becomes critical */
	double value_as;	/* max{p : T(p) <= (1 + percent/100) T(p0)}; not set if unbounded */
};

/*
 * The largest p for which T(p) <= (1 + percent/100) T(p0), p0 being the value of
 * the parameter in *loggps; by Newton's method from the right, which ends at the
 * exact line after a few passes because T is convex.  The percentage is taken to
 * 1e-9; negative ones are STATUS_USAGE.
 */
int path_tolerance(const struct cost_graph *graph, const struct loggps *loggps,
		   enum parameter parameter, double percent, struct tolerance *tolerance,
		   struct error *err);

#endif
