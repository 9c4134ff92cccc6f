#include "common/draw/matrix.h"

#include "common/draw/extent.h"
#include "common/draw/markup.h"
#include "common/draw/palette.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double narrow_px = 480, most_side_px = 400, title_px = 26, gap_px = 28;
static const double swatch_px = 20, tick_px = 5, axis_text_px = 40;

struct layout {
	const struct matrix *data;
	const struct svg *svg;
	double least, most; /* values that are not 0; most is 0 if there is none */
	int levels;	    /* of colours */
	struct ticks ticks;
	struct axis axis; /* of the numbers of items */
	double left, top, side, cell;
};

static void find_range(struct layout *layout)
{
	const struct matrix *matrix = layout->data;

	layout->least = INFINITY;
	for (size_t i = 0; i < matrix->side * matrix->side; i++)
		if (matrix->values[i] > 0) {
			layout->least = fmin(layout->least, matrix->values[i]);
			layout->most = fmax(layout->most, matrix->values[i]);
		}
	layout->levels = layout->most > layout->least ? PALETTE_HEAT : 1;
}

/* Lower limit of the values of a level. */
static double level_value(const struct layout *layout, int level)
{
	return layout->least * pow(layout->most / layout->least, (double)level / layout->levels);
}

static int value_level(const struct layout *layout, double value)
{
	int level;

	if (!(value > 0))
		return -1;
	if (layout->levels == 1)
		return 0;
	level = (int)(log(value / layout->least) / log(layout->most / layout->least) *
		      layout->levels);
	return level < 0 ? 0 : level < layout->levels ? level : layout->levels - 1;
}

/* Number of the colour of a level: the range of colours is used whole. */
static int level_colour(const struct layout *layout, int level)
{
	return layout->levels == 1 ? PALETTE_HEAT - 2 : level;
}

static void lay_out(struct layout *layout)
{
	const struct matrix *matrix = layout->data;
	const double items = (double)(matrix->side * matrix->items_per_cell);
	const bool narrow = layout->svg->width < narrow_px;
	double widest = 0, room;

	find_range(layout);
	ticks_find(&layout->ticks, QUANTITY_COUNT, (struct axis_unit){"", 1}, 0,
		   (double)matrix->item_count - 0.5, 8);
	for (int i = 0; i < layout->ticks.count; i++)
		widest = fmax(widest, text_extent(layout->ticks.texts[i], PALETTE_SMALL_PX));
	layout->left = ceil(widest) + tick_px + 4;
	layout->top = title_px;
	room = narrow ? layout->svg->width - layout->left - fmax(12, widest / 2) : most_side_px;
	layout->cell = room / (double)matrix->side;
	if (layout->cell >= 4)
		layout->cell = floor(layout->cell);
	layout->cell = fmin(layout->cell, 36);
	layout->side = layout->cell * (double)matrix->side;
	/* The tick of an item is in the middle of its cell, or of its share of it. */
	layout->axis = (struct axis){-0.5, items - 0.5, .low_px = 0, .high_px = layout->side};
}

/* ---------------------------------------------------------------- drawing */

/* Draw all cells of a level as horizontal lines, one cell high, in units of cells. */
static void draw_level(const struct layout *layout, int level)
{
	const struct matrix *matrix = layout->data;
	FILE *stream = layout->svg->stream;

	fprintf(stream, "<path class=\"c%d cells\" d=\"", level_colour(layout, level));
	for (size_t row = 0; row < matrix->side; row++)
		for (size_t column = 0, end; column < matrix->side; column = end) {
			const double *values = &matrix->values[row * matrix->side];

			end = column + 1;
			if (value_level(layout, values[column]) != level)
				continue;
			while (end < matrix->side && value_level(layout, values[end]) == level)
				end++;
			fprintf(stream, "M%zu %zuh%zu", column, row, end - column);
		}
	fputs("\"/>\n", stream);
}

static void draw_cells(const struct layout *layout)
{
	FILE *stream = layout->svg->stream;

	svg_rect(layout->svg, "frame", layout->left - 0.5, layout->top - 0.5, layout->side + 1,
		 layout->side + 1);
	fputs("<g transform=\"translate(", stream);
	markup_px(stream, layout->left);
	putc(' ', stream);
	markup_px(stream, layout->top + layout->cell / 2);
	fprintf(stream, ")scale(%ld.%04ld)\">\n", lround(layout->cell * 1e4) / 10000,
		lround(layout->cell * 1e4) % 10000);
	for (int level = 0; layout->most > 0 && level < layout->levels; level++)
		draw_level(layout, level);
	fputs("</g>\n", stream);
}

static void draw_axes(const struct layout *layout)
{
	const struct svg *svg = layout->svg;
	const double bottom = layout->top + layout->side;
	double x_end = -INFINITY, y_end = -INFINITY;
	char title[AXIS_TITLE_BYTES];

	for (int i = 0; i < layout->ticks.count; i++) {
		const double at = axis_px(&layout->axis, layout->ticks.values[i]);
		const double half = text_extent(layout->ticks.texts[i], PALETTE_SMALL_PX) / 2;

		if (at >= y_end) {
			svg_text(svg, "small muted", layout->left - tick_px, layout->top + at + 4,
				 SVG_END, layout->ticks.texts[i]);
			y_end = at + 14;
		}
		if (at - half >= x_end) {
			svg_text(svg, "small muted xtick", layout->left + at, bottom + 16,
				 SVG_MIDDLE, layout->ticks.texts[i]);
			x_end = at + half + 8;
		}
	}
	svg_text(svg, "name", 0, layout->top - 13, SVG_START,
		 axis_title(layout->data->row_name, (struct axis_unit){"", 1}, svg->width, title));
	svg_text(svg, "name", layout->left, bottom + 34, SVG_START,
		 axis_title(layout->data->column_name, (struct axis_unit){"", 1},
			    svg->width - layout->left, title));
}

static void draw_swatch(const struct layout *layout, int level, double x, double y, double width,
			double height)
{
	char class[32];

	snprintf(class, sizeof class, "h%d key", level_colour(layout, level));
	svg_rect(layout->svg, class, x, y, width, height);
}

/* A column of colours from the greatest values down to the least, with the limits beside them. */
static void draw_legend_beside(const struct layout *layout, double x, double y)
{
	char text[UNIT_TEXT_BYTES], above[UNIT_TEXT_BYTES] = "";

	for (int level = layout->levels - 1; level >= 0; level--, y += swatch_px) {
		const double limit = level + 1 < layout->levels ? level_value(layout, level + 1)
								: layout->most;

		draw_swatch(layout, level, x, y, swatch_px, swatch_px);
		axis_value(layout->data->quantity, limit, 3, text);
		/* Limits between small whole numbers are rounded to the same number. */
		if (layout->levels > 1 && strcmp(text, above) != 0)
			svg_text(layout->svg, "small", x + swatch_px + 8, y + 4, SVG_START, text);
		strcpy(above, text);
	}
	axis_value(layout->data->quantity, layout->least, 3, text);
	if (layout->levels == 1 || strcmp(text, above) != 0)
		svg_text(layout->svg, "small", x + swatch_px + 8,
			 y + (layout->levels > 1 ? 4 : -6), SVG_START, text);
}

/* A row of colours from the least values to the greatest ones. */
static void draw_legend_below(const struct layout *layout, double y)
{
	const double width = swatch_px * layout->levels, x = layout->left;
	char text[UNIT_TEXT_BYTES];

	for (int level = 0; level < layout->levels; level++)
		draw_swatch(layout, level, x + swatch_px * level, y, swatch_px, 12);
	svg_text(layout->svg, "small", x, y + 26, SVG_START,
		 axis_value(layout->data->quantity, layout->least, 3, text));
	if (layout->levels > 1)
		svg_text(layout->svg, "small", fmax(x + width, x + 140), y + 26, SVG_END,
			 axis_value(layout->data->quantity, layout->most, 3, text));
}

static void draw_legend(const struct layout *layout)
{
	const bool below = layout->svg->width < narrow_px;
	const double x = below ? layout->left : layout->left + layout->side + gap_px;
	const double y = below ? layout->top + layout->side + axis_text_px : layout->top;
	char title[AXIS_TITLE_BYTES];

	axis_title(layout->data->value_name, (struct axis_unit){"", 1}, layout->svg->width - x,
		   title);
	svg_text(layout->svg, "name", x, below ? y + 12 : y - 13, SVG_START,
		 layout->most > 0 ? title : "no values");
	if (layout->most > 0 && below)
		draw_legend_below(layout, y + 20);
	else if (layout->most > 0)
		draw_legend_beside(layout, x, y + 4);
}

void matrix_draw(const struct matrix *matrix, const struct svg *svg)
{
	struct layout layout = {.data = matrix, .svg = svg};
	const bool below = svg->width < narrow_px;
	double height;

	lay_out(&layout);
	height = layout.top + layout.side + axis_text_px + (below ? 56 : 0);
	svg_begin(svg, fmax(height, below ? 0 : layout.top + swatch_px * layout.levels + 20),
		  matrix->title);
	draw_cells(&layout);
	draw_axes(&layout);
	draw_legend(&layout);
	svg_end(svg);
}
