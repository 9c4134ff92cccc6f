#include "common/heatmap/plane.h"

#include "common/draw/extent.h"
#include "common/heatmap/cells.h"
#include "common/draw/markup.h"
#include "common/draw/palette.h"

#include <math.h>
#include <string.h>

static void find_ticks(const struct heatmap_axis *axis, int most, struct ticks *ticks)
{
	if (axis->logarithmic)
		ticks_find_log(ticks, axis->quantity, axis->low, axis->high, most);
	else
		ticks_find(ticks, axis->quantity, axis_unit(axis->quantity, axis->high), axis->low,
			   axis->high, most);
}

void heatmap_y_ticks(const struct heatmap_axis *axis, double height, struct ticks *ticks)
{
	find_ticks(axis, (int)(height / 16), ticks);
}

void heatmap_x_ticks(const struct heatmap_axis *axis, double width, struct ticks *ticks)
{
	int most = TICKS_MOST;
	double widest;

	do {
		find_ticks(axis, most, ticks);
		widest = 0;
		for (int i = 0; i < ticks->count; i++)
			widest = fmax(widest, text_extent(ticks->texts[i], PALETTE_SMALL_PX));
	} while (most-- > 1 && (widest + 8) * ticks->count > width + 8);
}

void heatmap_x_label(const struct svg *svg, const char *text, double at, double y, double left,
		     double right, double *end)
{
	const double half = text_extent(text, PALETTE_SMALL_PX) / 2;
	const double x = fmax(fmin(at, right + 4 - half), left - 4 + half);

	if (x - half < *end)
		return;
	svg_text(svg, "small muted", x, y, SVG_MIDDLE, text);
	*end = x + half + 4;
}

/* ---------------------------------------------------------------- the plane */

static double pen_x(const struct heatmap_pen *pen, double value)
{
	return pen->left + pen->side * heatmap_axis_place(&pen->plane->x, value);
}

static double pen_y(const struct heatmap_pen *pen, double value)
{
	return pen->top + pen->side * (1 - heatmap_axis_place(&pen->plane->y, value));
}

static void draw_y_labels(const struct heatmap_pen *pen)
{
	const struct svg *svg = pen->svg;
	double end = INFINITY;
	struct ticks ticks;

	heatmap_y_ticks(&pen->plane->y, pen->side, &ticks);
	for (int i = 0; i < ticks.count; i++) {
		const double y = pen_y(pen, ticks.values[i]);

		svg_line(svg, "tick", pen->left - HEATMAP_TICK_PX, y, pen->left, y);
		if (y > end - 14)
			continue;
		svg_text(svg, "small muted", pen->left - HEATMAP_TICK_PX - 2, y + 4, SVG_END,
			 ticks.texts[i]);
		end = y;
	}
}

static void draw_x_labels(const struct heatmap_pen *pen)
{
	const double bottom = pen->top + pen->side, right = pen->left + pen->side;
	double end = -INFINITY;
	struct ticks ticks;

	heatmap_x_ticks(&pen->plane->x, pen->side, &ticks);
	for (int i = 0; i < ticks.count; i++) {
		const double x = pen_x(pen, ticks.values[i]);

		svg_line(pen->svg, "tick", x, bottom, x, bottom + HEATMAP_TICK_PX);
		heatmap_x_label(pen->svg, ticks.texts[i], x, bottom + 15, pen->left, right, &end);
	}
}

static void draw_cells(const struct heatmap_pen *pen)
{
	const struct heatmap_plane *plane = pen->plane;
	const struct svg *svg = pen->svg;
	const bool uses = plane->id && svg->place == SVG_PAGE;
	FILE *stream = svg->stream;

	if (uses)
		fprintf(stream, "<use href=\"#cells%u\" transform=\"translate(", plane->id);
	else
		fputs("<g transform=\"translate(", stream);
	markup_px(stream, pen->left);
	putc(' ', stream);
	markup_px(stream, pen->top);
	fprintf(stream, ")scale(%.5g %.5g)\"%s>\n", pen->side / (double)plane->columns,
		pen->side / (double)plane->rows, uses ? "/" : "");
	if (uses)
		return;
	heatmap_print_cells(plane, pen->palette, stream);
	fputs("</g>\n", stream);
	heatmap_print_curves(plane, (struct heatmap_box){pen->left, pen->top, pen->side, pen->side},
			     stream);
}

static void draw_curve(const struct heatmap_pen *pen, const struct heatmap_curve *curve,
		       const char *class)
{
	const struct svg *svg = pen->svg;
	bool first = true;

	svg_path(svg, class);
	for (size_t i = 0; i < pen->plane->columns; i++) {
		const double x = ((double)i + 0.5) / (double)pen->plane->columns;

		if (!isnan(curve->values[i]))
			svg_path_to(svg, first, pen->left + pen->side * x,
				    pen_y(pen, curve->values[i]));
		first = isnan(curve->values[i]);
	}
	svg_path_end(svg, false);
}

/* Draw the marker of a curve in the column that has its x. */
static void draw_mark(const struct heatmap_pen *pen, unsigned number)
{
	const struct heatmap_curve *curve = &pen->plane->curves[number];
	const double place = heatmap_axis_place(&pen->plane->x, curve->mark);
	size_t column;

	if (!(place >= 0 && place < 1))
		return;
	column = (size_t)(place * (double)pen->plane->columns);
	if (!isnan(curve->values[column]))
		svg_point(pen->svg, number, pen->left + pen->side * place,
			  pen_y(pen, curve->values[column]), 10);
}

/* Draw the curves of a plane without values. */
static void draw_series(const struct heatmap_pen *pen)
{
	const struct svg *svg = pen->svg;

	svg_clip(svg, pen->number, pen->left, pen->top, pen->side, pen->side);
	for (size_t i = 0; i < pen->plane->curve_count; i++) {
		char class[32];

		snprintf(class, sizeof class, "s%zu line", i % PALETTE_SERIES);
		draw_curve(pen, &pen->plane->curves[i], class);
		draw_mark(pen, (unsigned)i);
	}
	svg_group_end(svg);
}

/* Write the words of a plane without cells, in as many rows as they need. */
static void draw_note(const struct heatmap_pen *pen)
{
	const double width = pen->side - 8, middle = pen->left + pen->side / 2;
	const char *rest = pen->plane->note;
	double y = pen->top + pen->side / 3;

	while (*rest && y < pen->top + pen->side) {
		char row[128] = "", fitted[128];
		size_t length = 0;

		for (size_t next; rest[length]; length = next) {
			next = length + 1 + strcspn(rest + length + 1, " ");
			snprintf(row, sizeof row, "%.*s", (int)next, rest);
			if (length && text_extent(row, PALETTE_SMALL_PX) > width)
				break;
		}
		snprintf(row, sizeof row, "%.*s", (int)length, rest);
		svg_text(pen->svg, "small muted", middle, y, SVG_MIDDLE,
			 text_fit(row, PALETTE_SMALL_PX, width, fitted, sizeof fitted));
		rest += length + strspn(rest + length, " ");
		y += 15;
	}
}

/* Name of a plane for those who point at it. */
static void begin_plane(const struct heatmap_pen *pen)
{
	FILE *stream = pen->svg->stream;

	fputs("<g class=\"plane\"><title>", stream);
	if (pen->row_label) {
		markup_print(stream, pen->row_label);
		fputs(": ", stream);
	}
	markup_print(stream, pen->plane->title);
	fputs("</title>\n", stream);
}

void heatmap_draw_plane(const struct heatmap_pen *pen)
{
	const struct heatmap_plane *plane = pen->plane;
	char title[AXIS_TITLE_BYTES];

	svg_text(pen->svg, "small", pen->left, pen->top - 5, SVG_START,
		 text_fit(plane->title, PALETTE_SMALL_PX, pen->side, title, sizeof title));
	begin_plane(pen);
	svg_rect(pen->svg, plane->values ? "empty" : "frame", pen->left, pen->top, pen->side,
		 pen->side);
	if (plane->note)
		draw_note(pen);
	else if (plane->values)
		draw_cells(pen);
	else
		draw_series(pen);
	svg_group_end(pen->svg);
	if (pen->shows_y)
		draw_y_labels(pen);
	if (pen->shows_x)
		draw_x_labels(pen);
}
