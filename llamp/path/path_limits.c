#include "llamp/path/path_limits.h"

#include "common/units.h"
#include "llamp/path/path_line.h"

#include <math.h>

/* In ns; all terms are positive, so that little is lost. */
static double line_value(struct line line, double at)
{
	return ((double)line.constant + (double)line.slope * at) / AS_PER_NS;
}

/* -------------------------------------------------------------------- points */

static int allocate_points(struct path_limits *limits, size_t count, double from, double to,
			   struct error *err)
{
	TRY(allocate(&limits->points, count, sizeof *limits->points, err));
	limits->count = count;
	limits->points[0].at = from;
	limits->points[count - 1].at = to;
	return 0;
}

/* Closer where the parameter is small: there T mostly bends more often. */
int path_limits_init(struct path_limits *limits, struct rational from, struct rational to,
		     struct line first, struct line last, struct error *err)
{
	const double low = nextafter(rational_value(from), 0);
	const double high = nextafter(rational_value(to), INFINITY);
	const double step = (cbrt(high) - cbrt(low)) / (PATH_LIMITS_FIRST - 1);

	*limits = (struct path_limits){.first = first, .last = last};
	TRY(allocate_points(limits, PATH_LIMITS_FIRST, low, high, err));
	for (int i = 1; i < PATH_LIMITS_FIRST - 1; i++)
		limits->points[i].at = pow(cbrt(low) + i * step, 3);
	return 0;
}

/*
 * Into how many parts each chord is cut, which are a square as deep as the number: so many
 * more as there are chords, always of the one whose parts are the deepest.
 */
static void cut_chords(const struct path_limits *known, size_t *parts)
{
	const size_t chords = known->count - 1;

	for (size_t i = 0; i < chords; i++)
		parts[i] = 1;
	for (size_t more = 0; more < known->count; more++) {
		double deepest = -1;
		size_t cut = 0;

		for (size_t i = 0; i < chords; i++) {
			const double depth = known->points[i].depth / (double)(parts[i] * parts[i]);

			if (depth > deepest) {
				deepest = depth;
				cut = i;
			}
		}
		parts[cut]++;
	}
}

int path_limits_refine(struct path_limits *limits, const struct path_limits *known,
		       struct error *err)
{
	const struct path_limit *last = &known->points[known->count - 1];
	size_t count = 0, *parts;

	*limits = (struct path_limits){
		.first = known->first, .last = known->last, .cautious = known->cautious,
	};
	TRY(allocate(&parts, known->count, sizeof *parts, err));
	if (allocate_points(limits, 2 * known->count, known->points->at, last->at, err) < 0) {
		free(parts);
		return -1;
	}
	cut_chords(known, parts);
	for (const struct path_limit *point = known->points; point < last; point++) {
		const size_t all = parts[point - known->points];

		for (size_t part = 0; part < all; part++)
			limits->points[count++].at = point->at + (point[1].at - point->at) *
							(double)part / (double)all;
	}
	free(parts);
	return 0;
}

void path_limits_release(struct path_limits *limits)
{
	free(limits->points);
	limits->points = NULL;
}

/* -------------------------------------------------------------------- limits */

/* The slope of the chord from a point to the next one. */
static double slope_of(const struct path_limit *point)
{
	return (point[1].longest - point->longest) / (point[1].at - point->at);
}

/*
 * T lies above the chords on either side, gone on with: it could turn from one to the
 * other at once, and be so far below the chord in between.
 */
static void set_depths(struct path_limits *limits)
{
	struct path_limit *last = &limits->points[limits->count - 1];
	double before = (double)limits->first.slope / AS_PER_NS, slope = slope_of(limits->points);

	for (struct path_limit *point = limits->points; point < last; point++) {
		const double behind = point + 1 < last ? slope_of(point + 1)
						       : (double)limits->last.slope / AS_PER_NS;
		const double left = slope - before, right = behind - slope;

		point->depth = 0;
		if (left > 0 && right > 0)
			point->depth = left * right / (left + right) * (point[1].at - point->at);
		before = slope;
		slope = behind;
	}
}

/* Whether T bends on both sides of a chord as it does at the chord. */
static bool bends_around(const struct path_limits *limits, const struct path_limit *point)
{
	const bool before = point == limits->points || 4 * point[-1].depth > point->depth;
	const bool behind = point + 2 == limits->points + limits->count ||
			    4 * point[1].depth > point->depth;

	return before && behind;
}

/*
 * How far T is below a chord, most likely.  Where it bends often it is like a parabola, a
 * quarter as deep as if it turned at once; of few slopes each counts, and where others are
 * much deeper there is no need to guess.
 */
static double likely_depth(const struct path_limits *limits, const struct path_limit *point,
			   double deepest, double unit)
{
	const double slopes = 4 * point->depth / (point[1].at - point->at) / unit;
	double depth = point->depth;

	if (depth > 0 && !limits->cautious && bends_around(limits, point))
		depth *= (1.3 + 20 / slopes) / 4;
	return fmin(point->depth, fmax(depth, deepest / 5));
}

/*
 * What rounding added to lengths, most likely: less than twice what it added at the ends,
 * or to a single float.
 */
static double likely_rounding(const struct path_limits *limits)
{
	const struct path_limit *first = limits->points, *last = &first[limits->count - 1];
	const double at_first = first->longest - line_value(limits->first, first->at);
	const double at_last = last->longest - line_value(limits->last, last->at);

	return 2 * fmax(fmax(at_first, at_last), ldexp(last->longest, -24));
}

void path_limits_set(struct path_limits *limits, double unit)
{
	struct path_limit *first = limits->points, *last = &first[limits->count - 1];
	const double rounding = likely_rounding(limits);
	double deepest = 0, before = 0;

	set_depths(limits);
	for (const struct path_limit *point = first; point < last; point++)
		deepest = fmax(deepest, point->depth);
	for (struct path_limit *point = first; point <= last; point++) {
		const double behind = point < last ? likely_depth(limits, point, deepest, unit) : 0;

		point->limit = point->longest - fmax(before, behind) - rounding;
		before = behind;
	}
}

/* Of the chord of limits from a point to the next one. */
static double chord_value(const struct path_limit *point, double at)
{
	const double share = (at - point->at) / (point[1].at - point->at);

	return point->limit * (1 - share) + point[1].limit * share;
}

/* Whether a path of that length is certainly shorter than one of the line. */
static bool is_below(double length, struct line line, double at)
{
	return length < line_value(line, at) * (1 - ldexp(1, -48));
}

/* T is convex: it is above a chord if it is at the ends and where it bends. */
bool path_limits_hold(const struct path_limits *limits, const struct breakpoints *found)
{
	struct line line = found->first;
	size_t next = 0;

	for (size_t i = 0; i < limits->count; i++) {
		const struct path_limit *point = &limits->points[i];

		for (; next < found->list.count; next++) {
			const double at = rational_value(found->list.items[next].at);

			if (at > point->at)
				break;
			line = found->list.items[next].right;
			if (i > 0 && !is_below(chord_value(point - 1, at), line, at))
				return false;
		}
		if (!is_below(point->limit, line, point->at))
			return false;
	}
	return true;
}
