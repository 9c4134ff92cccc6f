/*
 * T, lambda and rho of one program as functions of a variable p, ready to be drawn.
 *
 * T is convex and piecewise linear in p.  Its exact breakpoints (llamp/analysis/sweep.h) may be a
 * million, of which a picture shows some hundreds.  The points that are kept are breakpoints
 * themselves, so the curve passes through exact values, and what lies between two of them is
 * nearer to it than a quarter of a pixel of a picture of CURVE_WIDTH x CURVE_HEIGHT pixels.
 */
#ifndef LLAMP_CURVE_H
#define LLAMP_CURVE_H

#include "common/array.h"
#include "llamp/analysis/analysis.h"
#include "llamp/analysis/observations.h"

enum { CURVE_WIDTH = 1000, CURVE_HEIGHT = 400 };

/* Point of T and its slope to the right, in ns, or for p in ns per byte. */
struct curve_point {
	double value_ns, runtime_ns, lambda;
};

/* Point of rho; two points of the same value are a step. */
struct curve_share {
	double value_ns, rho;
};

/* T where the order of service is decided again. */
struct curve_order {
	double value_ns, runtime_ns;
	double frozen_ns;	/* T of the order at p0 */
	bool other;		/* it is another order */
};

/* Critical latency: lambda steps from `left` to `right`. */
struct curve_step {
	double value_ns, runtime_ns, left, right;
};

struct curve {
	const char *label;		/* file; not owned */
	struct variable varied;		/* p; its value is p0 */
	double from_ns, to_ns;		/* range of p */
	double value_ns;		/* p0 */
	double runtime_ns, lambda, rho;	/* at p0; lambda is the slope to the right */
	double traced_ns;		/* length of the traced run; 0 if unknown */
	double baseline_ns;		/* tolerances are relative to it; 0: to T */
	bool one_order;			/* T holds for the order of service at p0, */
	struct range_ns order;		/* which is known to be the same here */
	/* In the middle of equal parts of the range, if the order was decided again for tolerances. */
	ARRAY(struct curve_order) orders;
	size_t breakpoint_count;	/* in the range, before points were left out */
	/* T: straight between two points, the first at `from` and the last at `to`. */
	ARRAY(struct curve_point) runtime;
	/* lambda: steps at these points, constant between them; the first is at `from`. */
	ARRAY(struct curve_point) steps;
	/* rho: straight between two points. */
	ARRAY(struct curve_share) rhos;
	/* The critical latencies with the largest steps, by ascending value. */
	ARRAY(struct curve_step) critical;
	ARRAY(struct tolerance) tolerance;	/* as of struct analysis */
	struct observations measured;		/* no points without measurements */
};

/* The order is decided again at so many values, of large graphs at fewer. */
enum { CURVE_MOST_ORDERS = 32, CURVE_LEAST_ORDERS = 8 };

/* Number of critical latencies that are kept. */
enum { CURVE_MOST_CRITICAL = 20 };

/*
 * Largest value of p that a picture should show: a quarter beyond the largest tolerance, and
 * beyond the largest measured value, rounded up to two digits.  Twice p0 if there is neither.
 */
int64_t curve_default_end(const struct analysis *analysis, const struct model *model,
			  const struct observations *measured);

/*
 * Find the curve of a model between two values of analysis->varied.  Takes ownership of
 * *measured, which may have no points, and leaves it empty.  On failure there is nothing to
 * release.
 */
int curve_find(struct curve *curve, const struct model *model, const struct analysis *analysis,
	       int64_t from_as, int64_t to_as, struct observations *measured, struct error *err);
void curve_release(struct curve *curve);

#endif
