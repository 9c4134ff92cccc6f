#include "llamp/path/bounds.h"

#include "common/units.h"
#include "llamp/path/line.h"

#include <math.h>

/* Value of a line in ns.  Both terms are positive, so rounding loses little. */
static double line_value(struct line line, double at)
{
	return ((double)line.constant + (double)line.slope * at) / AS_PER_NS;
}

/* -------------------------------------------------------------------- points */

static int allocate_points(struct bounds *bounds, size_t count, double from, double to,
			   struct error *err)
{
	TRY(allocate(&bounds->points, count, sizeof *bounds->points, err));
	bounds->count = count;
	bounds->points[0].at = from;
	bounds->points[count - 1].at = to;
	return 0;
}

/* Put points closer together where the parameter is small, since T mostly bends there. */
int bounds_init(struct bounds *bounds, size_t count, struct rational from, struct rational to,
		struct line first, struct line last, struct error *err)
{
	const double low = nextafter(rational_value(from), 0);
	const double high = nextafter(rational_value(to), INFINITY);
	const double step = (cbrt(high) - cbrt(low)) / (double)(count - 1);

	*bounds = (struct bounds){.first = first, .last = last};
	TRY(allocate_points(bounds, count, low, high, err));
	for (size_t i = 1; i < count - 1; i++)
		bounds->points[i].at = pow(cbrt(low) + (double)i * step, 3);
	return 0;
}

/*
 * Choose how many parts to cut each chord into, with known->count cuts in all.  Each cut goes to
 * the chord with the largest remaining depth, which falls with the square of its parts.
 */
static void cut_chords(const struct bounds *known, size_t *parts)
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

int bounds_refine(struct bounds *bounds, const struct bounds *known,
		  struct error *err)
{
	const struct bound *last = &known->points[known->count - 1];
	size_t count = 0, *parts;

	*bounds = (struct bounds){
		.first = known->first, .last = known->last, .cautious = known->cautious,
	};
	TRY(allocate(&parts, known->count, sizeof *parts, err));
	if (allocate_points(bounds, 2 * known->count, known->points->at, last->at, err) < 0) {
		free(parts);
		return -1;
	}
	cut_chords(known, parts);
	for (const struct bound *point = known->points; point < last; point++) {
		const size_t all = parts[point - known->points];

		for (size_t part = 0; part < all; part++)
			bounds->points[count++].at = point->at + (point[1].at - point->at) *
							(double)part / (double)all;
	}
	free(parts);
	return 0;
}

void bounds_release(struct bounds *bounds)
{
	free(bounds->points);
	bounds->points = NULL;
}

/* -------------------------------------------------------------------- limits */

/* Slope of the chord from a point to the next one. */
static double chord_slope(const struct bound *point)
{
	return (point[1].longest - point->longest) / (point[1].at - point->at);
}

/*
 * Set how far T can be below each chord.  T lies above the extended chords on both sides.  At
 * worst it turns from one to the other at the point where they meet.
 */
static void set_depths(struct bounds *bounds)
{
	struct bound *last = &bounds->points[bounds->count - 1];
	double before = (double)bounds->first.slope / AS_PER_NS;
	double slope = chord_slope(bounds->points);

	for (struct bound *point = bounds->points; point < last; point++) {
		const double after = point + 1 < last ? chord_slope(point + 1)
						      : (double)bounds->last.slope / AS_PER_NS;
		const double left = slope - before, right = after - slope;

		point->depth = 0;
		if (left > 0 && right > 0)
			point->depth = left * right / (left + right) * (point[1].at - point->at);
		before = slope;
		slope = after;
	}
}

/* Whether the chords on both sides are at least a quarter as deep as this one. */
static bool bends_around(const struct bounds *bounds, const struct bound *point)
{
	const bool before = point == bounds->points || 4 * point[-1].depth > point->depth;
	const bool after = point + 2 == bounds->points + bounds->count ||
			    4 * point[1].depth > point->depth;

	return before && after;
}

/*
 * Likely depth of T below a chord, in ns.  If T bends often, it is like a parabola, which is a
 * quarter as deep as a single turn.  Fewer slopes make it deeper.  The result is at least a fifth
 * of the deepest chord, as far as T can be that deep: a better guess would gain little.
 */
static double likely_depth(const struct bounds *bounds, const struct bound *point,
			   double deepest, double unit)
{
	const double slopes = 4 * point->depth / (point[1].at - point->at) / unit;
	double depth = point->depth;

	if (depth > 0 && !bounds->cautious && bends_around(bounds, point))
		depth *= (1.3 + 20 / slopes) / 4;
	return fmin(point->depth, fmax(depth, deepest / 5));
}

/*
 * Likely bound of the rounding errors of lengths: twice the error at the ends of the interval,
 * or twice that of one float.
 */
static double likely_rounding(const struct bounds *bounds)
{
	const struct bound *first = bounds->points, *last = &first[bounds->count - 1];
	const double at_first = first->longest - line_value(bounds->first, first->at);
	const double at_last = last->longest - line_value(bounds->last, last->at);

	return 2 * fmax(fmax(at_first, at_last), ldexp(last->longest, -24));
}

void bounds_set(struct bounds *bounds, double unit)
{
	struct bound *first = bounds->points, *last = &first[bounds->count - 1];
	const double rounding = likely_rounding(bounds);
	double deepest = 0, before = 0;

	set_depths(bounds);
	for (const struct bound *point = first; point < last; point++)
		deepest = fmax(deepest, point->depth);
	for (struct bound *point = first; point <= last; point++) {
		const double after = point < last ? likely_depth(bounds, point, deepest, unit) : 0;

		point->limit = point->longest - fmax(before, after) - rounding;
		before = after;
	}
}

/* Value at `at` of the chord of limits from a point to the next one. */
static double chord_value(const struct bound *point, double at)
{
	const double share = (at - point->at) / (point[1].at - point->at);

	return point->limit * (1 - share) + point[1].limit * share;
}

/* Whether a length is certainly below a line at `at`. */
static bool bounds_below(double length, struct line line, double at)
{
	return length < line_value(line, at) * (1 - ldexp(1, -48));
}

/* Compare at the ends of chords and at breakpoints.  T is linear in between. */
bool bounds_hold(const struct bounds *bounds, const struct breakpoints *found)
{
	struct line line = found->first;
	size_t next = 0;

	for (size_t i = 0; i < bounds->count; i++) {
		const struct bound *point = &bounds->points[i];

		for (; next < found->list.count; next++) {
			const double at = rational_value(found->list.items[next].at);

			if (at > point->at)
				break;
			line = found->list.items[next].right;
			if (i > 0 && !bounds_below(chord_value(point - 1, at), line, at))
				return false;
		}
		if (!bounds_below(point->limit, line, point->at))
			return false;
	}
	return true;
}
