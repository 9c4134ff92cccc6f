#include "common/heatmap/cells.h"

#include "common/draw/markup.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

static int cell_level(const struct heatmap_plane *plane, size_t row, size_t column)
{
	return heatmap_level(plane->scale, plane->values[row * plane->columns + column]);
}

/* Write all cells of a level, as runs of one row. */
static void print_level(const struct heatmap_plane *plane, int level, uint32_t colour, FILE *stream)
{
	bool any = false;

	for (size_t line = 0; line < plane->rows; line++)
		for (size_t column = 0, end; column < plane->columns; column = end) {
			const size_t row = plane->rows - 1 - line;

			end = column + 1;
			if (cell_level(plane, row, column) != level)
				continue;
			while (end < plane->columns && cell_level(plane, row, end) == level)
				end++;
			if (!any)
				fprintf(stream, "<path stroke=\"#%06" PRIx32 "\" d=\"", colour);
			fprintf(stream, "M%zu %zuh%zu", column, line, end - column);
			any = true;
		}
	if (any)
		fputs("\"/>\n", stream);
}

/*
 * Draw a diagonal through each uncertain cell that has a value.  It ends before the corners: cells may be much wider
 * than high, and so the ends of lines.
 */
static void print_diagonals(const struct heatmap_plane *plane, const char *stroke, FILE *stream)
{
	bool any = false;

	for (size_t i = 0; i < plane->rows * plane->columns; i++) {
		if (!plane->uncertain[i] || isnan(plane->values[i]))
			continue;
		if (!any)
			fprintf(stream, "<path %s d=\"", stroke);
		fprintf(stream, "M%zu.2 %zu.8l.6-.6", i % plane->columns,
			plane->rows - 1 - i / plane->columns);
		any = true;
	}
	if (any)
		fputs("\"/>\n", stream);
}

/* Draw the hatching: white and black, so that it is seen on all colours. */
static void print_hatching(const struct heatmap_plane *plane, FILE *stream)
{
	fputs("<g shape-rendering=\"auto\" stroke-opacity=\".6\" transform=\"translate(0 -.5)\">\n",
	      stream);
	print_diagonals(plane, "stroke=\"#fff\" stroke-width=\".36\"", stream);
	print_diagonals(plane, "stroke=\"#000\" stroke-width=\".16\"", stream);
	fputs("</g>\n", stream);
}

void heatmap_print_cells(const struct heatmap_plane *plane, enum heatmap_palette palette,
			 FILE *stream)
{
	fputs("<g shape-rendering=\"crispEdges\" transform=\"translate(0 .5)\">\n", stream);
	for (int level = 0; level < HEATMAP_LEVELS; level++)
		print_level(plane, level, heatmap_colour(palette, level), stream);
	if (plane->uncertain)
		print_hatching(plane, stream);
	fputs("</g>\n", stream);
}

/* ---------------------------------------------------------------- curves */

double heatmap_axis_place(const struct heatmap_axis *axis, double value)
{
	if (!axis->logarithmic)
		return (value - axis->low) / (axis->high - axis->low);
	return log(value / axis->low) / log(axis->high / axis->low);
}

static void print_curve(const struct heatmap_plane *plane, const double *values,
			const struct heatmap_box *box, const char *stroke, FILE *stream)
{
	bool first = true;

	fprintf(stream, "<path fill=\"none\" vector-effect=\"non-scaling-stroke\" %s d=\"", stroke);
	for (size_t i = 0; i < plane->columns; i++) {
		const double place = heatmap_axis_place(&plane->y, values[i]);
		const bool inside = place >= 0 && place <= 1;

		if (inside) {
			putc(first ? 'M' : 'L', stream);
			markup_px(stream, box->left + box->width * ((double)i + 0.5) /
							      (double)plane->columns);
			putc(' ', stream);
			markup_px(stream, box->top + box->height * (1 - place));
		}
		first = !inside;
	}
	fputs("\"/>\n", stream);
}

void heatmap_print_curves(const struct heatmap_plane *plane, struct heatmap_box box, FILE *stream)
{
	for (size_t i = 0; i < plane->curve_count; i++) {
		const double *values = plane->curves[i].values;

		print_curve(plane, values, &box,
			    "stroke=\"#000\" stroke-width=\"3\" stroke-opacity=\".5\"", stream);
		print_curve(plane, values, &box, "stroke=\"#fff\" stroke-width=\"1.6\"", stream);
	}
}

/* ------------------------------------------------------------ numbers of cells */

/*
 * Write a number, rounded to significant digits, as a whole number and a letter, its power of ten: 'm'
 * is 0, 'n' is 1.  "_" is no number, or one that is too large.
 */
static void print_number(double value, int most_digits, FILE *stream)
{
	long digits;
	int power;

	if (!(fabs(value) < 1e16)) {
		putc('_', stream);
		return;
	}
	power = value == 0 ? 0 : (int)floor(log10(fabs(value))) + 1 - most_digits;
	power = power < -12 ? -12 : power > 13 ? 13 : power;
	digits = lround(value * pow(10, -power));
	while (digits != 0 && digits % 10 == 0 && power < 13) {
		digits /= 10;
		power++;
	}
	fprintf(stream, "%ld%c", digits, digits ? 'm' + power : 'm');
}

static void print_name(const char *name, enum quantity quantity, bool in_names, FILE *stream)
{
	static const char kinds[] = {[QUANTITY_NUMBER] = 'n',
				     [QUANTITY_COUNT] = 'n',
				     [QUANTITY_TIME] = 't',
				     [QUANTITY_PERCENT] = '%',
				     [QUANTITY_BYTES] = 'b'};

	if (!in_names) {
		putc(kinds[quantity], stream);
		return;
	}
	markup_print(stream, name);
	putc('|', stream);
}

/* Write the names, or the kinds, of what is told of a cell. */
static void print_names(const struct heatmap_plane *plane, bool in_names, FILE *stream)
{
	fprintf(stream, " data-%s=\"", in_names ? "names" : "kinds");
	print_name(plane->x.name, plane->x.quantity, in_names, stream);
	print_name(plane->y.name, plane->y.quantity, in_names, stream);
	for (size_t i = 0; i < plane->detail_count; i++)
		print_name(plane->details[i].name, plane->details[i].quantity, in_names, stream);
	putc('"', stream);
}

static void print_values(const char *name, const double *values, size_t count, FILE *stream)
{
	fprintf(stream, " data-%s=\"", name);
	for (size_t i = 0; values && i < count; i++)
		fprintf(stream, "%s%.10g", i ? " " : "", values[i]);
	putc('"', stream);
}

static void print_details(const struct heatmap_plane *plane, FILE *stream)
{
	fprintf(stream, " data-size=\"%zu %zu\"", plane->columns, plane->rows);
	print_names(plane, true, stream);
	print_names(plane, false, stream);
	print_values("x", plane->x_values, plane->columns, stream);
	print_values("y", plane->y_values, plane->rows, stream);
	fputs(" data-cells=\"", stream);
	for (size_t i = 0; i < plane->columns * plane->rows * plane->detail_count; i++) {
		const enum quantity quantity = plane->details[i % plane->detail_count].quantity;

		print_number(plane->detail_values[i], quantity == QUANTITY_BYTES ? 9 : 3, stream);
	}
	putc('"', stream);
}

void heatmap_define(const struct heatmap_plane *plane, enum heatmap_palette palette, FILE *stream)
{
	fprintf(stream,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"0\" height=\"0\" "
		"style=\"position:absolute\" aria-hidden=\"true\"><defs><g id=\"cells%u\"",
		plane->id);
	if (plane->detail_count)
		print_details(plane, stream);
	fputs(">\n", stream);
	heatmap_print_cells(plane, palette, stream);
	heatmap_print_curves(plane,
			     (struct heatmap_box){0, 0, (double)plane->columns,
						  (double)plane->rows},
			     stream);
	fputs("</g></defs></svg>\n", stream);
}
