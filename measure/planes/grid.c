#include "measure/planes/grid.h"

#include "common/array.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Squares of a side at most: beyond, cells that are near each other share one. */
enum { MOST_SIDE = 256 };
#define FINEST_STEP (1. / 16)

static double cell_x(const struct cell *cell)
{
	return fmax((double)cell->spec.bytes, 1);
}

static double cell_y(const struct cell *cell)
{
	return cell->spec.bench == BENCH_NLOAD ? cell->spec.threads
					       : fmax(cell->spec.compute_ns, 1e-3);
}

static int compare_doubles(const void *one, const void *other)
{
	const double a = *(const double *)one, b = *(const double *)other;

	return (a > b) - (a < b);
}

/* -------------------------------------------------------------------- scales */

static double scale_position(const struct scale *scale, double value)
{
	const double position = scale->logarithmic ? log2(value) : value;

	return (position - scale->first) / scale->step;
}

static size_t scale_place(const struct scale *scale, double value)
{
	const double position = fmax(round(scale_position(scale, value)), 0);

	return (size_t)fmin(position, (double)(scale->count - 1));
}

/* Tell whether each value is near a place of its own.  Sizes are rounded to 64 bytes, so not on it. */
static bool scale_fits(const struct scale *scale)
{
	double before = -1;

	for (size_t i = 0; i < scale->value_count; i++) {
		const double position = scale_position(scale, scale->values[i]);

		if (fabs(position - round(position)) > 0.3 || round(position) == before)
			return false;
		before = round(position);
	}
	return true;
}

/* Find the largest step whose places all values are near, from the first value on. */
static bool scale_find_step(struct scale *scale)
{
	static const double steps[] = {4, 3, 2, 1, 1. / 2, 1. / 3, 1. / 4, 1. / 6, 1. / 8};

	scale->first = log2(scale->values[0]);
	for (size_t i = 0; scale->value_count > 1 && i < sizeof steps / sizeof *steps; i++) {
		scale->step = steps[i];
		if (scale_fits(scale))
			return true;
	}
	return false;
}

static void scale_set_step(struct scale *scale, double step)
{
	const double last = scale->values[scale->value_count - 1];

	scale->step = step;
	while (scale_position(scale, last) > MOST_SIDE - 1)
		scale->step *= 2;
	scale->count = (size_t)lround(fmax(scale_position(scale, last), 0)) + 1;
}

/* Find places.  Values without a pattern are near powers of the root of 2 of `unit`. */
static void scale_find_places(struct scale *scale, double unit)
{
	scale->step = 1;
	scale->first = 0;
	if (scale->logarithmic && !scale_find_step(scale)) {
		scale->step = 0.5;
		scale->first = log2(unit) +
			       round(log2(scale->values[0] / unit) / scale->step) * scale->step;
	}
	scale_set_step(scale, scale->step);
}

/* Tell whether two cells that follow each other differ in a value, but not in its place. */
static bool is_collision(const struct scale *scale, double (*value)(const struct cell *),
			 const struct cell *before, const struct cell *cell)
{
	struct cell_spec like = before->spec;

	like.compute_ns = cell->spec.compute_ns;
	if (value == cell_x)
		like.bytes = cell->spec.bytes;
	return cell_spec_equal(&like, &cell->spec) && value(before) != value(cell) &&
	       scale_place(scale, value(before)) == scale_place(scale, value(cell));
}

static bool has_collision(const struct scale *scale, double (*value)(const struct cell *),
			  const struct cells_file *const *files, size_t count)
{
	for (size_t i = 0; i < count; i++)
		for (size_t j = 1; j < files[i]->cells.count; j++)
			if (is_collision(scale, value, &files[i]->cells.items[j - 1],
					 &files[i]->cells.items[j]))
				return true;
	return false;
}

/* Sort the values, and keep one of equal ones. */
static void scale_sort(struct scale *scale)
{
	size_t distinct = 0;

	qsort(scale->values, scale->value_count, sizeof *scale->values, compare_doubles);
	for (size_t i = 0; i < scale->value_count; i++)
		if (i == 0 || scale->values[i] > scale->values[distinct - 1] * (1 + 1e-9))
			scale->values[distinct++] = scale->values[i];
	scale->value_count = distinct;
}

/* Make steps smaller until cells of a plane have places of their own. */
static void separate_cells(struct scale *scale, double (*value)(const struct cell *),
			   const struct cells_file *const *files, size_t count)
{
	double before = INFINITY;

	while (scale->step > FINEST_STEP && scale->step < before &&
	       has_collision(scale, value, files, count)) {
		before = scale->step;
		scale_set_step(scale, scale->step / 2);
	}
}

static int scale_find(struct scale *scale, const struct cells_file *const *files, size_t count,
		      bool (*has)(const struct cell *), double (*value)(const struct cell *),
		      struct error *err)
{
	size_t room = 0;

	for (size_t i = 0; i < count; i++)
		room += files[i]->cells.count;
	TRY(allocate(&scale->values, room, sizeof *scale->values, err));
	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; j < files[i]->cells.count; j++)
			if (has(&files[i]->cells.items[j]))
				scale->values[scale->value_count++] = value(
					&files[i]->cells.items[j]);
	scale_sort(scale);
	if (scale->value_count)
		scale_find_places(scale, value == cell_x ? 1 : 1000);
	return 0;
}

static bool has_any(const struct cell *cell)
{
	(void)cell;
	return true;
}

static bool has_threads(const struct cell *cell)
{
	return cell->spec.bench == BENCH_NLOAD;
}

static bool has_time(const struct cell *cell)
{
	return !has_threads(cell);
}

int grid_scales_find(struct grid_scales *scales, const struct cells_file *const *files,
		     size_t count, struct error *err)
{
	*scales = (struct grid_scales){{.logarithmic = true}, {.logarithmic = true}, {0}};
	if (scale_find(&scales->sizes, files, count, has_any, cell_x, err) == 0 &&
	    scale_find(&scales->times, files, count, has_time, cell_y, err) == 0 &&
	    scale_find(&scales->threads, files, count, has_threads, cell_y, err) == 0) {
		separate_cells(&scales->sizes, cell_x, files, count);
		separate_cells(&scales->times, cell_y, files, count);
		return 0;
	}
	grid_scales_release(scales);
	return -1;
}

void grid_scales_release(struct grid_scales *scales)
{
	free(scales->sizes.values);
	free(scales->times.values);
	free(scales->threads.values);
	memset(scales, 0, sizeof *scales);
}

static struct heatmap_axis scale_axis(const struct scale *scale, enum quantity quantity)
{
	const double low = scale->first - scale->step / 2;
	const double high = scale->first + ((double)scale->count - 0.5) * scale->step;

	return (struct heatmap_axis){
		.quantity = quantity,
		.logarithmic = scale->logarithmic,
		.low = scale->logarithmic ? exp2(low) : low,
		.high = scale->logarithmic ? exp2(high) : high,
	};
}

/* Value nearest to each place. */
static int scale_values(const struct scale *scale, double **values, struct error *err)
{
	size_t at = 0;

	TRY(allocate(values, scale->count, sizeof **values, err));
	for (size_t place = 0; place < scale->count; place++) {
		while (at + 1 < scale->value_count &&
		       fabs(scale_position(scale, scale->values[at + 1]) - (double)place) <
			       fabs(scale_position(scale, scale->values[at]) - (double)place))
			at++;
		(*values)[place] = scale->values[at];
	}
	return 0;
}

/* ------------------------------------------------------------------- squares */

/* Distances from a place to the nearest other ones with a cell, in steps of `stride`; 0: there is none. */
struct distances {
	size_t before, after;
};

static struct distances find_distances(const struct cell *const *cells, size_t place, size_t count,
				       size_t stride)
{
	struct distances found = {0, 0};

	for (size_t i = place; i-- > 0 && !found.before;)
		if (cells[i * stride])
			found.before = place - i;
	for (size_t i = place + 1; i < count && !found.after; i++)
		if (cells[i * stride])
			found.after = i - place;
	return found;
}

/* A distance at least twice the other one goes across cells that were not measured: that one is used for both. */
static struct distances limit(struct distances of)
{
	if (!of.before || (of.after && of.before >= 2 * of.after))
		of.before = of.after;
	if (!of.after || of.after >= 2 * of.before)
		of.after = of.before;
	return of;
}

/* The squares of a cell: from `from` up to `to` in one direction. */
static void find_extent(size_t place, struct distances of, size_t count, size_t *from, size_t *to)
{
	const size_t before = of.before ? (of.before - 1) / 2 : 0, after = of.after / 2;

	*from = place > before ? place - before : 0;
	*to = place + (of.after > 1 ? after : 0) + 1;
	if (*to > count)
		*to = count;
}

/* Painter of squares: those of finer cells are over those of coarser ones. */
struct painter {
	const struct scale *x, *y;
	const struct cell **single; /* [square]: the cell that is there */
	const struct cell **cells;  /* [square]: that is shown there */
	size_t *areas;		    /* [square]: squares of that cell */
	struct distances *widths; /* [column]: to the nearest columns with as many cells or more */
};

static void paint_cell(struct painter *painter, size_t column, size_t row)
{
	const size_t columns = painter->x->count, rows = painter->y->count;
	const struct cell *const *single = painter->single;
	const struct cell *cell = single[row * columns + column];
	struct distances high = {1, 1}, wide = painter->widths[column];
	size_t left, right, bottom, top, area;

	if (painter->y->logarithmic)
		high = find_distances(single + column, row, rows, columns);
	find_extent(column, limit(wide), columns, &left, &right);
	find_extent(row, limit(high), rows, &bottom, &top);
	area = (right - left) * (top - bottom);
	for (size_t i = bottom; i < top; i++)
		for (size_t j = left; j < right; j++) {
			const size_t square = i * columns + j;

			if (painter->cells[square] && painter->areas[square] <= area)
				continue;
			painter->cells[square] = cell;
			painter->areas[square] = area;
		}
}

/* Find how far a column is from those that have at least half of its cells. */
static void find_widths(struct painter *painter, const size_t *counts)
{
	const size_t columns = painter->x->count;

	for (size_t column = 0; column < columns; column++) {
		struct distances *of = &painter->widths[column];

		for (size_t i = column; i-- > 0 && !of->before;)
			if (counts[i] && counts[i] >= counts[column] / 2)
				of->before = column - i;
		for (size_t i = column + 1; i < columns && !of->after; i++)
			if (counts[i] && counts[i] >= counts[column] / 2)
				of->after = i - column;
	}
}

static int allocate_painter(struct painter *painter, size_t **counts, struct error *err)
{
	const size_t squares = painter->x->count * painter->y->count;

	TRY(allocate(&painter->single, squares, sizeof *painter->single, err));
	TRY(allocate(&painter->areas, squares, sizeof *painter->areas, err));
	TRY(allocate(&painter->widths, painter->x->count, sizeof *painter->widths, err));
	TRY(allocate(counts, painter->x->count, sizeof **counts, err));
	return allocate(&painter->cells, squares, sizeof *painter->cells, err);
}

static int paint(struct grid *grid, const struct scale *x, const struct scale *y,
		 const struct cell *cells, size_t count, struct error *err)
{
	struct painter painter = {.x = x, .y = y};
	size_t *counts = NULL;
	const int result = allocate_painter(&painter, &counts, err);

	for (size_t i = 0; result == 0 && i < count; i++) {
		const size_t column = scale_place(x, cell_x(&cells[i]));

		counts[column]++;
		painter.single[scale_place(y, cell_y(&cells[i])) * x->count + column] = &cells[i];
	}
	if (result == 0)
		find_widths(&painter, counts);
	for (size_t i = 0; result == 0 && i < x->count * y->count; i++)
		if (painter.single[i])
			paint_cell(&painter, i % x->count, i / x->count);
	grid->cells = painter.cells;
	free(painter.single);
	free(painter.areas);
	free(painter.widths);
	free(counts);
	return result;
}

/* ---------------------------------------------------------------------- grid */

static bool is_exact(const struct grid *grid)
{
	for (size_t i = 0; i < grid->columns * grid->rows; i++) {
		const struct cell *cell = grid->cells[i];
		const double level = grid->levels[i / grid->columns];

		if (cell && (cell_x(cell) != grid->sizes[i % grid->columns] ||
			     fabs(cell_y(cell) - level) > 1e-9 * level))
			return false;
	}
	return true;
}

static int fill_grid(struct grid *grid, const struct scale *x, const struct scale *y,
		     const struct cell *cells, size_t count, struct error *err)
{
	grid->columns = x->count;
	grid->rows = y->count;
	grid->x = scale_axis(x, QUANTITY_BYTES);
	grid->y = scale_axis(y, y->logarithmic ? QUANTITY_TIME : QUANTITY_COUNT);
	TRY(scale_values(x, &grid->sizes, err));
	TRY(scale_values(y, &grid->levels, err));
	TRY(paint(grid, x, y, cells, count, err));
	grid->exact = is_exact(grid);
	return 0;
}

int grid_build(struct grid *grid, const struct grid_scales *scales, const struct cell *cells,
	       size_t count, struct error *err)
{
	memset(grid, 0, sizeof *grid);
	if (fill_grid(grid, &scales->sizes, has_threads(cells) ? &scales->threads : &scales->times,
		      cells, count, err) == 0)
		return 0;
	grid_release(grid);
	return -1;
}

void grid_release(struct grid *grid)
{
	free(grid->sizes);
	free(grid->levels);
	free(grid->cells);
	memset(grid, 0, sizeof *grid);
}
