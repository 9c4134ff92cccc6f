#include "common/draw/lines_series.h"

#include "common/draw/palette.h"

#include <math.h>

/* A line with more points than this is thinned. */
enum { WHOLE_COUNT = 1000 };
static const double column_px = 1.0 / 3;

/* Writer of one path: joins points by lines or steps. */
struct pen {
	const struct svg *svg;
	const struct axis *x, *y;
	bool steps, begun;
	double last_y;
};

static void go_to(struct pen *pen, struct lines_point point)
{
	const double x = axis_px(pen->x, point.x), y = axis_px(pen->y, point.y);

	if (pen->begun && pen->steps && y != pen->last_y)
		svg_path_to(pen->svg, false, x, pen->last_y);
	svg_path_to(pen->svg, !pen->begun, x, y);
	pen->begun = true;
	pen->last_y = y;
}

static double column(const struct pen *pen, struct lines_point point)
{
	return floor(axis_px(pen->x, point.x) / column_px);
}

/* Go to the first, least, greatest and last of points [from, to), of which the x are the same. */
static void go_through_column(struct pen *pen, const struct lines_point *points, size_t from,
			      size_t to)
{
	size_t least = from, greatest = from;

	for (size_t i = from; i < to; i++) {
		if (points[i].y < points[least].y)
			least = i;
		if (points[i].y > points[greatest].y)
			greatest = i;
	}
	go_to(pen, points[from]);
	if (least > from && least < to - 1 && least <= greatest)
		go_to(pen, points[least]);
	if (greatest > from && greatest < to - 1 && greatest != least)
		go_to(pen, points[greatest]);
	if (least > greatest && least < to - 1)
		go_to(pen, points[least]);
	if (to - 1 > from)
		go_to(pen, points[to - 1]);
}

static void go_through(struct pen *pen, const struct lines_series *series)
{
	size_t from = 0;

	for (size_t to = 1; to <= series->count; to++) {
		if (series->count > WHOLE_COUNT && to < series->count &&
		    column(pen, series->points[to]) == column(pen, series->points[from]))
			continue;
		go_through_column(pen, series->points, from, to);
		from = to;
	}
}

static void draw_path(const struct svg *svg, const struct lines_series *series,
		      const struct axis *x, const struct axis *y, bool area)
{
	/* Steps of a thinned line are narrower than a pixel. */
	const bool steps = series->kind != LINES_STRAIGHT && series->count <= WHOLE_COUNT;
	struct pen pen = {svg, x, y, steps, false, 0};
	char class[32];

	snprintf(class, sizeof class, "s%u %s", series->style % PALETTE_SERIES,
		 area				? "area"
		 : series->count <= WHOLE_COUNT ? "line"
						: "line dense");
	svg_path(svg, class);
	go_through(&pen, series);
	if (area && series->count) {
		svg_path_to(svg, false, axis_px(x, series->points[series->count - 1].x),
			    axis_px(y, 0));
		svg_path_to(svg, false, axis_px(x, series->points[0].x), axis_px(y, 0));
	}
	svg_path_end(svg, area);
}

void lines_draw_series(const struct svg *svg, const struct lines_series *series,
		       const struct axis *x, const struct axis *y)
{
	if (series->count == 0)
		return;
	svg_group(svg, "series", series->label);
	if (series->kind == LINES_AREA)
		draw_path(svg, series, x, y, true);
	if (series->kind != LINES_POINTS)
		draw_path(svg, series, x, y, false);
	else
		for (size_t i = 0; i < series->count; i++)
			svg_point(svg, series->style, axis_px(x, series->points[i].x),
				  axis_px(y, series->points[i].y), 8);
	svg_group_end(svg);
}
