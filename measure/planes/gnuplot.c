#include "measure/planes/gnuplot.h"

#include <inttypes.h>
#include <math.h>

/* Write a text in single quotes, in which gnuplot knows no escape but two of them. */
static void print_quoted(FILE *stream, const char *text)
{
	putc('\'', stream);
	for (; *text; text++) {
		if (*text == '\'')
			putc('\'', stream);
		putc((unsigned char)*text < ' ' ? ' ' : *text, stream);
	}
	putc('\'', stream);
}

static double edge(const struct heatmap_axis *axis, double place)
{
	if (axis->logarithmic)
		return axis->low * pow(axis->high / axis->low, place);
	return axis->low + (axis->high - axis->low) * place;
}

/* Write squares with values: the middle, the four edges and the value, one a line. */
static void print_cells(FILE *stream, const struct heatmap_plane *plane, size_t number)
{
	const double columns = (double)plane->columns, rows = (double)plane->rows;

	fprintf(stream, "$cells%zu << EOD\n", number);
	for (size_t i = 0; i < plane->columns * plane->rows; i++) {
		const double x = (double)(i % plane->columns), y = (double)(i / plane->columns);

		if (isnan(plane->values[i]))
			continue;
		fprintf(stream, "%.5g %.5g %.5g %.5g %.5g %.5g %.4g\n",
			edge(&plane->x, (x + 0.5) / columns), edge(&plane->y, (y + 0.5) / rows),
			edge(&plane->x, x / columns), edge(&plane->x, (x + 1) / columns),
			edge(&plane->y, y / rows), edge(&plane->y, (y + 1) / rows),
			plane->values[i]);
	}
	fputs("EOD\n", stream);
	if (plane->curve_count == 0)
		return;
	fprintf(stream, "$comm%zu << EOD\n", number);
	for (size_t i = 0; i < plane->columns; i++)
		if (!isnan(plane->curves->values[i]))
			fprintf(stream, "%.5g %.5g\n", edge(&plane->x, ((double)i + 0.5) / columns),
				plane->curves->values[i]);
	fputs("EOD\n", stream);
}

/* Write where ticks are and what they say, for one axis. */
static void print_ticks(FILE *stream, const char *name, const struct heatmap_axis *axis)
{
	struct ticks ticks;

	if (!axis->logarithmic) {
		fprintf(stream, "set %s autofreq\n", name);
		return;
	}
	ticks_find_log(&ticks, axis->quantity, axis->low, axis->high, 5);
	fprintf(stream, "set %s (", name);
	for (int i = 0; i < ticks.count; i++) {
		print_quoted(stream, ticks.texts[i]);
		fprintf(stream, " %.10g%s", ticks.values[i], i + 1 < ticks.count ? ", " : "");
	}
	fputs(")\n", stream);
}

static void print_plane(FILE *stream, const struct heatmap_plane *plane, size_t number)
{
	const struct heatmap_scale *scale = plane->scale;

	fputs("set title ", stream);
	print_quoted(stream, plane->title);
	if (plane->note) {
		fputs("\nset label 1 ", stream);
		print_quoted(stream, plane->note);
		fputs(" at graph 0.5,0.5 center\nunset colorbox\nunset logscale\n"
		      "plot [0:1] [0:1] NaN notitle\nunset label 1\nset colorbox\n",
		      stream);
		return;
	}
	fprintf(stream, "\nset logscale x 2\n%s\n%s\nset cbrange [%g:%g]\nset cblabel ",
		plane->y.logarithmic ? "set logscale y" : "unset logscale y",
		scale->logarithmic ? "set logscale cb" : "unset logscale cb", scale->low,
		scale->high);
	print_quoted(stream, scale->name);
	putc('\n', stream);
	print_ticks(stream, "xtics", &plane->x);
	print_ticks(stream, "ytics", &plane->y);
	fputs("set ylabel ", stream);
	print_quoted(stream,
		     plane->y.quantity == QUANTITY_TIME ? "computation time" : plane->y.name);
	fprintf(stream,
		"\nplot [%.5g:%.5g] [%.5g:%.5g] $cells%zu using "
		"1:2:3:4:5:6:7 with boxxyerror fillstyle solid noborder linecolor palette notitle",
		plane->x.low, plane->x.high, plane->y.low, plane->y.high, number);
	if (plane->curve_count)
		fprintf(stream,
			", \\\n  $comm%zu using 1:2 with lines linecolor 'white' "
			"linewidth 2 notitle",
			number);
	putc('\n', stream);
}

static void print_palette(FILE *stream, enum heatmap_palette palette)
{
	fputs("set palette defined (", stream);
	for (int i = 0; i < HEATMAP_ANCHORS; i++)
		fprintf(stream, "%s%d '#%06" PRIx32 "'", i ? ", " : "", i,
			heatmap_anchors[palette][i]);
	fputs(")\n", stream);
}

void planes_gnuplot(FILE *stream, const struct planes *planes, enum heatmap_palette palette)
{
	const size_t columns = planes->kinds.count, rows = planes->file_count;

	fputs("# gnuplot -e \"set terminal pdfcairo size 45cm,7cm; set output 'planes.pdf'\" THIS_FILE\n"
	      "# Columns: bytes, ns (or threads), edges of the cell in both, ratio (or slowdown).\n",
	      stream);
	for (size_t i = 0; i < rows * columns; i++)
		if (planes->planes[i].values)
			print_cells(stream, &planes->planes[i], i + 1);
	print_palette(stream, palette);
	fprintf(stream,
		"set xlabel 'message size'\nset encoding utf8\n"
		"set multiplot layout %zu,%zu rowsfirst\n",
		rows ? rows : 1, columns ? columns : 1);
	for (size_t i = 0; i < rows; i++) {
		fputs("# ", stream);
		print_quoted(stream, planes->labels[i]);
		putc('\n', stream);
		for (size_t j = 0; j < columns; j++)
			print_plane(stream, &planes->planes[i * columns + j], i * columns + j + 1);
	}
	fputs("unset multiplot\n", stream);
}
