/*
 * Lines through points, by weighted least squares.
 *
 * Each point has a scale, and what is minimised is the sum of squares of error / scale.  With the
 * measured time as its scale, the error of a point is relative, and 1 byte counts as much as 1 MiB.
 * Points that are not finite or whose scale is not positive are left out.
 */
#ifndef MEASURE_FIT_H
#define MEASURE_FIT_H

#include <stdbool.h>
#include <stddef.h>

struct point {
	double x, y, scale;
};

struct line {
	double intercept, slope; /* neither is negative */
	double residual;	 /* root of the mean square of error / scale; NAN without points */
	size_t points;		 /* that were used */
};

/*
 * Fit a line with intercept and slope >= 0.  Where all points have one x, the line is horizontal;
 * without points it is 0.
 */
struct line fit_line(const struct point *points, size_t count);

/* Fit a line through (0, intercept) with a slope >= 0. */
struct line fit_slope(const struct point *points, size_t count, double intercept);

/*
 * Find the point behind which another line begins: `count` points in order of x as two lines of
 * at least 3 points each, whose common residual is below half of that of one line.  False if there
 * is none, or if one line is good already: its residual is at most `good`.
 */
bool fit_change(const struct point *points, size_t count, double good, size_t *last_before);

#endif
