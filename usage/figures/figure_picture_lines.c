/* Pictures with two axes: distributions as steps, points joined by lines. */
#include "usage/figures/figure_picture_internal.h"

#include "common/draw/lines.h"
#include "common/draw/palette.h"
#include "common/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Height of a panel, and the number of steps to which both axes of a curve are thinned. */
static const double panel_px = 260;
enum { CURVE_STEPS = 400, LABEL_BYTES = 128 };

struct picture {
	const struct figure_result *result;
	struct lines_series series[2 * PALETTE_SERIES];
	size_t count;
	ARRAY(struct lines_point) points[2 * PALETTE_SERIES];
	char labels[2 * PALETTE_SERIES][LABEL_BYTES];
	double low, high; /* of x */
};

static void picture_release(struct picture *picture)
{
	for (size_t i = 0; i < picture->count; i++)
		array_release(&picture->points[i]);
}

static int draw_picture(const struct picture *picture, const char *name, const struct svg *svg,
			struct error *err)
{
	const struct figure *const figure = picture->result->figure;
	const bool is_time = figure->flags & FIGURE_MEASURED;
	const struct lines_panel panel = {
		.name = name,
		.quantity = is_time ? QUANTITY_TIME : QUANTITY_PERCENT,
		.from_zero = !is_time,
		.height = panel_px,
		.series = picture->series,
		.series_count = picture->count,
	};
	const struct lines lines = {
		.title = figure->title,
		.name = figure->axis,
		/* The name of the axis has the unit. */
		.quantity = figure->quantity == QUANTITY_PERCENT ? QUANTITY_NUMBER
								 : figure->quantity,
		.low = picture->low,
		.high = picture->high,
		.logarithmic = figure->flags & FIGURE_LOG,
		.logarithmic_panels = is_time,
		.panels = &panel,
		.panel_count = 1,
	};

	return lines_draw(&lines, svg, err);
}

/* Find the range of x of all rows. */
static void find_range(struct picture *picture)
{
	const struct figure_result *const result = picture->result;
	const bool logarithmic = result->figure->flags & FIGURE_LOG;

	picture->low = logarithmic ? INFINITY : 0;
	picture->high = result->figure->quantity == QUANTITY_PERCENT ? 100 : -INFINITY;
	for (size_t i = 0; i < figure_rows(result); i++) {
		const double x = figure_shown(result->figure, 1, figure_row(result, i)[1].number);

		if (x > 0)
			picture->low = fmin(picture->low, x);
		picture->high = fmax(picture->high, x);
	}
	if (logarithmic)
		axis_range_log(result->figure->quantity, &picture->low, &picture->high);
	else if (!(picture->high > picture->low))
		picture->high = picture->low + 1;
}

/* ---------------------------------------------------------------------- curves */

/* Number of the step of a curve that a point is in, by its place in both axes. */
static struct lines_point step_of(const struct picture *picture, struct lines_point point)
{
	const struct axis axis = {.low = picture->low,
				  .high = picture->high,
				  .high_px = CURVE_STEPS,
				  .logarithmic = picture->result->figure->flags & FIGURE_LOG};

	return (struct lines_point){floor(axis_px(&axis, point.x)),
				    floor(point.y / 100 * CURVE_STEPS)};
}

/* Add the points of a distribution, or of its complement, that a reader can tell apart. */
static int add_points(struct picture *picture, const struct figure_summary *of, bool complement,
		      struct error *err)
{
	struct lines_point last = {picture->low, complement ? 100 : 0};
	struct lines_point step = step_of(picture, last);

	TRY(array_push(&picture->points[picture->count], last, err));
	for (size_t i = 0; i < of->count; i++) {
		const struct figure_value *const row = figure_row(picture->result, of->first + i);
		const double share = 100 * row[3].number;
		const struct lines_point point = {
			fmax(figure_shown(picture->result->figure, 1, row[1].number), picture->low),
			complement ? 100 - share : share};
		const struct lines_point own = step_of(picture, point);

		if (isnan(share) || (own.x == step.x && own.y == step.y && i + 1 < of->count))
			continue;
		TRY(array_push(&picture->points[picture->count], point, err));
		last = point;
		step = own;
	}
	last.x = picture->high;
	return array_push(&picture->points[picture->count], last, err);
}

/* Write a label with the number of jobs that it is about.  What was measured is of no jobs. */
static const char *write_label(struct picture *picture, const char *name, double jobs)
{
	char *const label = picture->labels[picture->count];
	char shown[LABEL_BYTES / 2];

	text_show(name, shown, sizeof shown);
	if (picture->result->figure->flags & FIGURE_MEASURED)
		snprintf(label, LABEL_BYTES, "%s", shown);
	else
		snprintf(label, LABEL_BYTES, "%s (n = %.0f)", shown, jobs);
	return label;
}

static int add_curve(struct picture *picture, const struct figure_summary *of, const char *label,
		     bool complement, struct error *err)
{
	const int status = add_points(picture, of, complement, err);
	struct lines_series *const series = &picture->series[picture->count];

	*series = (struct lines_series){.label = write_label(picture, label, of->jobs),
					.kind = LINES_STEPS,
					.style = (unsigned)picture->count,
					.points = picture->points[picture->count].items,
					.count = picture->points[picture->count].count};
	picture->count++;
	return status;
}

static int add_curves(struct picture *picture, struct error *err)
{
	const struct figure_result *const result = picture->result;
	const bool complement = result->figure->flags & FIGURE_COMPLEMENT;

	if (result->summaries.count == 1) {
		TRY(add_curve(picture, result->summaries.items, "so much or less", false, err));
		return add_curve(picture, result->summaries.items, "so much or more", true, err);
	}
	for (size_t i = 0; i < result->summaries.count && i < PALETTE_SERIES; i++)
		TRY(add_curve(picture, &result->summaries.items[i],
			      result->summaries.items[i].label, complement, err));
	return 0;
}

int figure_draw_curves(const struct figure_result *result, const struct svg *svg, struct error *err)
{
	struct picture picture = {.result = result};
	int status;

	find_range(&picture);
	status = add_curves(&picture, err);
	if (status == 0)
		status = draw_picture(&picture, result->figure->share, svg, err);
	picture_release(&picture);
	return status;
}

/* ----------------------------------------------------------------------- lines */

static int add_series(struct picture *picture, size_t from, size_t to, struct error *err)
{
	const struct figure_result *const result = picture->result;
	struct lines_series series = {.style = (unsigned)picture->count / 2};
	double jobs = 0;

	for (size_t i = from; i < to; i++) {
		const struct figure_value *const row = figure_row(result, i);
		const struct lines_point point = {figure_shown(result->figure, 1, row[1].number),
						  figure_shown(result->figure, 2, row[2].number)};

		jobs += row[4].number;
		/* A logarithmic axis has no place for messages of no data. */
		if (!isnan(point.y) && (point.x > 0 || !(result->figure->flags & FIGURE_LOG)))
			TRY(array_push(&picture->points[picture->count], point, err));
	}
	series.label = write_label(picture, figure_row(result, from)[0].text, jobs);
	for (int i = 0; i < 2; i++) {
		struct lines_series *const drawn = &picture->series[picture->count + (size_t)i];

		*drawn = series;
		drawn->kind = i ? LINES_STRAIGHT : LINES_POINTS;
		drawn->label = i ? NULL : series.label;
		drawn->points = picture->points[picture->count].items;
		drawn->count = picture->points[picture->count].count;
	}
	picture->count += 2;
	return 0;
}

static int add_all_series(struct picture *picture, struct error *err)
{
	const struct figure_result *const result = picture->result;

	for (size_t from = 0, to; from < figure_rows(result); from = to) {
		for (to = from + 1; to < figure_rows(result); to++)
			if (figure_row(result, to)[0].text != figure_row(result, from)[0].text)
				break;
		if (picture->count / 2 < PALETTE_SERIES)
			TRY(add_series(picture, from, to, err));
	}
	return 0;
}

int figure_draw_lines(const struct figure_result *result, const struct svg *svg, struct error *err)
{
	struct picture picture = {.result = result};
	int status;

	find_range(&picture);
	status = add_all_series(&picture, err);
	if (status == 0)
		status = draw_picture(&picture, result->figure->share, svg, err);
	picture_release(&picture);
	return status;
}
