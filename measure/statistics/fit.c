#include "measure/statistics/fit.h"

#include <math.h>

static bool is_usable(const struct point *point)
{
	return isfinite(point->x) && isfinite(point->y) && isfinite(point->scale) &&
	       point->scale > 0;
}

static void add_residual(struct line *line, const struct point *points, size_t count)
{
	double squares = 0;

	line->points = 0;
	for (size_t i = 0; i < count; i++) {
		const struct point *point = &points[i];

		if (!is_usable(point))
			continue;
		squares += pow((point->y - line->intercept - line->slope * point->x) / point->scale,
			       2);
		line->points++;
	}
	line->residual = line->points ? sqrt(squares / (double)line->points) : NAN;
}

/* Weighted sums over the usable points. */
struct sums {
	double one, x, y, xx, xy;
};

static struct sums fit_add_up(const struct point *points, size_t count)
{
	struct sums sums = {0};

	for (size_t i = 0; i < count; i++) {
		const struct point *point = &points[i];
		const double weight = is_usable(point) ? 1 / (point->scale * point->scale) : 0;

		if (!(weight > 0))
			continue;
		sums.one += weight;
		sums.x += weight * point->x;
		sums.y += weight * point->y;
		sums.xx += weight * point->x * point->x;
		sums.xy += weight * point->x * point->y;
	}
	return sums;
}

struct line fit_slope(const struct point *points, size_t count, double intercept)
{
	const struct sums sums = fit_add_up(points, count);
	struct line line = {.intercept = intercept};

	if (sums.xx > 0)
		line.slope = fmax(0, (sums.xy - intercept * sums.x) / sums.xx);
	add_residual(&line, points, count);
	return line;
}

struct line fit_line(const struct point *points, size_t count)
{
	const struct sums sums = fit_add_up(points, count);
	const double spread = sums.one * sums.xx - sums.x * sums.x;
	struct line line = {0};

	if (sums.one > 0)
		line.intercept = fmax(0, sums.y / sums.one);
	/* Rounding leaves a little of the spread of one x. */
	if (spread > 1e-12 * sums.one * sums.xx) {
		line.slope = (sums.one * sums.xy - sums.x * sums.y) / spread;
		line.intercept = (sums.y - line.slope * sums.x) / sums.one;
	}
	if (line.slope < 0) {
		line.slope = 0;
		line.intercept = fmax(0, sums.y / sums.one);
	} else if (line.intercept < 0) {
		return fit_slope(points, count, 0);
	}
	add_residual(&line, points, count);
	return line;
}

bool fit_change(const struct point *points, size_t count, double good, size_t *last_before)
{
	enum { LEAST = 3 };
	const struct line whole = fit_line(points, count);
	double best = whole.residual * whole.residual * (double)whole.points / 4;
	bool found = false;

	if (!(whole.residual > good))
		return false;
	for (size_t first = LEAST; first + LEAST <= count; first++) {
		const struct line before = fit_line(points, first);
		const struct line after = fit_line(points + first, count - first);
		const double squares = before.residual * before.residual * (double)before.points +
				       after.residual * after.residual * (double)after.points;

		if (squares < best) {
			best = squares;
			*last_before = first - 1;
			found = true;
		}
	}
	return found;
}
