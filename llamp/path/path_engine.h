/*
 * The path engine: T and its slopes by longest paths, in exact arithmetic.
 *
 * T as a function of one parameter p (L, G or o; the others fixed) is the
 * maximum over the paths of the graph of a constant plus a slope times p, so it
 * is convex and piecewise linear.  The engine finds the line T follows at a
 * point by one pass in topological order; everything else is a few such passes.
 *
 * Keys.  A path is measured by two integers, of which the first decides and the
 * second breaks ties: its length at p and its slope.  Both are put into one
 *
 *	key = length / unit * 2^bits +- slope / slope unit
 *
 * which is a affine expression in the coefficients of the costs as they are, so that a
 * pass adds and compares single numbers.  At p = n/d all lengths are taken times d,
 * so that they are integers; `unit` divides all of them.  `bits` is chosen such that
 * no path's slope reaches 2^bits, and the key has 64 bits where no path's key can
 * reach 2^62, else 128; both are known beforehand from the longest paths by each
 * coefficient alone (struct cost_bound).  Where even 128 bits might not do the error
 * is STATUS_LIMIT.  Nothing is rounded and nothing overflows.
 *
 * Several points are evaluated in one pass over the graph, 16 at a time where the
 * keys have 64 bits, with the widest vectors that the processor has.
 *
 * All functions only read the graph, and may be called for one graph by several
 * threads.
 */
#ifndef LLAMP_PATH_ENGINE_H
#define LLAMP_PATH_ENGINE_H

#include "common/array.h"
#include "llamp/graph/cost_graph.h"

#include <stdbool.h>

typedef __int128 int128;

/* numerator / denominator attoseconds; the denominator is positive. */
struct rational {
	int128 numerator, denominator;
};

double rational_value(struct rational r);		/* nearest double */
double rational_in_ns(struct rational as);		/* the same, 1e-9 of it */
struct rational rational_from(int64_t value);

/* T = constant + slope * p, both exact; constant in as. */
struct line {
	int128 constant;
	int128 slope;
};

/* Which of the lines that meet at a kink: the one T follows below or above it. */
enum side { SIDE_LEFT, SIDE_RIGHT };

/*
 * A question to the engine: the line that T follows on one side of p = `at`, which
 * must not be negative; or, if the denominator of `at` is 0, as p goes to infinity.
 */
struct path_point {
	enum parameter parameter;	/* its value in *loggps is not used */
	struct rational at;
	enum side side;
};

#define PATH_INFINITY ((struct rational){1, 0})

/* Answer `count` questions: lines[i] is the line at points[i]. */
int path_evaluate_all(const struct cost_graph *graph, const struct loggps *loggps,
		      const struct path_point *points, size_t count, struct line *lines,
		      struct error *err);

/*
 * Answer one.  If `tight` is not NULL it gets, for every vertex, which of the edges
 * into it decides its value, counted from 0.
 */
int path_evaluate(const struct cost_graph *graph, const struct loggps *loggps,
		  enum parameter parameter, struct rational at, enum side side,
		  struct line *line, uint32_t *tight, struct error *err);

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
 * evaluations for k points), all that are known to be needed in one call.  Where
 * there may be many in a large graph, that is done in the small part of it that
 * matters (llamp/path/prune.h).  On failure there is nothing to release.
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

/* How far p may go if T may grow by `percent`.  at and slope are not set if it is unbounded. */
struct tolerance {
	double percent;
	bool unbounded;			/* no message ever becomes critical */
	struct rational at;		/* max{p : T(p) <= (1 + percent/100) T(p0)}, exactly */
	double value_ns, delta_ns;	/* the same, and less p0; INFINITY if unbounded */
	double slope;			/* of a line that touches T there, above 0 */
};

/*
 * The largest p for which T(p) <= (1 + percent/100) T(p0), for each of the
 * percentages in `tolerances`, p0 being the value of the parameter in *loggps; by
 * Newton's method from the right, which ends at the exact line after a few steps
 * because T is convex.  Percentages are taken to 1e-9; negative ones are
 * STATUS_USAGE.
 */
int path_tolerances(const struct cost_graph *graph, const struct loggps *loggps,
		    enum parameter parameter, struct tolerance *tolerances, size_t count,
		    struct error *err);

#endif
