#include "measure/planes/planes.h"

#include "common/array.h"
#include "common/units.h"
#include "measure/cells/ratio.h"
#include "measure/statistics/samples.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Pages with more files than this tell less of each cell. */
enum { FILES_WITH_ALL_DETAILS = 10 };

const struct heatmap_scale planes_ratio_scale = {"overhead ratio", false, 0, 2};
const struct heatmap_scale planes_slowdown_scale = {"slowdown", true, 0.1, 1e4};

/* What is told of a cell: of many files only the first ones, of cells with several squares the last ones, too. */
static const struct heatmap_detail ratio_details[] = {
	{"ratio", QUANTITY_NUMBER},  {"ratio error", QUANTITY_NUMBER},
	{"measured", QUANTITY_TIME}, {"T_comm", QUANTITY_TIME},
	{"T_comp", QUANTITY_TIME},   {"message size", QUANTITY_BYTES},
	{"ordered", QUANTITY_TIME},
};
static const struct heatmap_detail slowdown_details[] = {
	{"slowdown", QUANTITY_NUMBER}, {"share of error", QUANTITY_NUMBER},
	{"measured", QUANTITY_TIME},   {"T_comm", QUANTITY_TIME},
	{"T_comp", QUANTITY_TIME},     {"message size", QUANTITY_BYTES},
	{"threads", QUANTITY_COUNT},
};
enum { FEW_DETAILS = 3, EXACT_DETAILS = 5, ALL_DETAILS = 7 };

/* --------------------------------------------------------------------- kinds */

static struct cell_spec kind_of(const struct cell_spec *spec)
{
	struct cell_spec kind = *spec;

	kind.bytes = 0;
	kind.compute_ns = 0;
	kind.threads = 0;
	return kind;
}

static bool same_kind(const struct cell_spec *kind, const struct cell_spec *spec)
{
	const struct cell_spec other = kind_of(spec);

	return cell_spec_equal(kind, &other);
}

static int add_kind(struct planes *planes, const struct cell_spec *spec, struct error *err)
{
	const struct cell_spec kind = kind_of(spec);

	for (size_t i = 0; i < planes->kinds.count; i++)
		if (cell_spec_equal(&planes->kinds.items[i], &kind))
			return 0;
	return array_push(&planes->kinds, kind, err);
}

static int compare_kinds(const void *one, const void *other)
{
	return cell_spec_compare(one, other);
}

/* Find what any of the files has, in the order of benchmarks. */
static int find_kinds(struct planes *planes, const struct cells_file *const *files,
		      struct error *err)
{
	for (size_t i = 0; i < planes->file_count; i++) {
		const struct cells_file *file = files[i];

		for (size_t j = 0; j < file->cells.count; j++)
			if (j == 0 || !same_kind(&planes->kinds.items[planes->kinds.count - 1],
						 &file->cells.items[j].spec))
				TRY(add_kind(planes, &file->cells.items[j].spec, err));
		if (!file->end && file->began)
			TRY(add_kind(planes, &file->last, err));
	}
	if (planes->kinds.count)
		qsort(planes->kinds.items, planes->kinds.count, sizeof *planes->kinds.items,
		      compare_kinds);
	return 0;
}

/* Name a column: by the title of the benchmark, and how it differs from the usual one. */
static void write_title(const struct cell_spec *kind, char *title, size_t room)
{
	char tests[UNIT_TEXT_BYTES + 24] = "", time[UNIT_TEXT_BYTES], messages[32] = "";

	if (kind->pending > 1)
		snprintf(messages, sizeof messages, ", %u messages", kind->pending);
	if (kind->tests_ns > 0)
		snprintf(tests, sizeof tests, ", test every %s",
			 format_time(kind->tests_ns, 3, time));
	snprintf(title, room, "%s%s%s%s%s%s%s", bench_descriptions[kind->bench].picture,
		 kind->side == bench_default_side(kind->bench) ? "" : ", ",
		 kind->side == bench_default_side(kind->bench) ? "" : side_names[kind->side],
		 kind->kernel == KERNEL_WORK ? "" : ", kernel ",
		 kind->kernel == KERNEL_WORK ? "" : kernel_names[kind->kernel], messages, tests);
}

/* --------------------------------------------------------------------- cells */

static double shown_value(const struct cell *cell)
{
	return cell->spec.bench == BENCH_NLOAD ? cell_slowdown(cell) : cell_ratio(cell);
}

static void put_details(const struct cell *cell, size_t count, double *at)
{
	const double hundredths[] = {shown_value(cell), cell_ratio_error(cell)};
	const double others[] = {
		cell_measured_ns(cell),
		cell->comm.median,
		cell->comp.median,
		(double)cell->spec.bytes,
		cell->spec.bench == BENCH_NLOAD ? cell->spec.threads : cell->spec.compute_ns,
	};

	for (size_t i = 0; i < count; i++)
		at[i] = i < 2 ? round(100 * hundredths[i]) / 100 : others[i - 2];
}

static int fill_cells(struct heatmap_plane *plane, struct plane_data *data, const struct grid *grid,
		      struct error *err)
{
	const size_t squares = grid->columns * grid->rows, count = plane->detail_count;

	TRY(allocate(&data->values, squares, sizeof *data->values, err));
	TRY(allocate(&data->uncertain, squares, sizeof *data->uncertain, err));
	TRY(allocate(&data->details, squares * count, sizeof *data->details, err));
	for (size_t i = 0; i < squares; i++) {
		const struct cell *cell = grid->cells[i];

		data->values[i] = cell ? shown_value(cell) : NAN;
		data->uncertain[i] = cell && cell_uncertain(cell);
		if (cell)
			put_details(cell, count, &data->details[i * count]);
		for (size_t j = 0; !cell && j < count; j++)
			data->details[i * count + j] = NAN;
	}
	plane->values = data->values;
	plane->uncertain = data->uncertain;
	plane->detail_values = data->details;
	return 0;
}

/* -------------------------------------------------------------------- T_comm */

/* Median of T_comm over the cells of a size; NAN if there is none. */
static int median_comm(const struct cell *cells, size_t count, double bytes, double *median,
		       struct error *err)
{
	struct samples samples = {0};

	for (size_t i = 0; i < count; i++)
		if (fmax((double)cells[i].spec.bytes, 1) == bytes &&
		    array_push(&samples, cells[i].comm.median, err) < 0) {
			array_release(&samples);
			return -1;
		}
	*median = samples_summary(&samples).median;
	array_release(&samples);
	return 0;
}

/* Keep the values of columns that have a size of their own. */
static void keep_own_columns(const struct grid *grid, double *values)
{
	const double width = log(grid->x.high / grid->x.low) / (double)grid->columns;

	for (size_t i = 0; i < grid->columns; i++)
		if (fabs(log(grid->sizes[i] / grid->x.low) / width - 0.5 - (double)i) > 0.5)
			values[i] = NAN;
}

/* Fill columns between sizes, on a straight line between the logarithms. */
static void fill_between(double *values, size_t count)
{
	size_t last = count;

	for (size_t i = 0; i < count; i++) {
		if (!(values[i] > 0))
			continue;
		for (size_t j = last + 1; last < count && j < i; j++)
			values[j] = values[last] * pow(values[i] / values[last],
						       (double)(j - last) / (double)(i - last));
		last = i;
	}
}

static int fill_comm(struct heatmap_plane *plane, struct plane_data *data, const struct grid *grid,
		     const struct cell *cells, size_t count, struct error *err)
{
	TRY(allocate(&data->comm, grid->columns, sizeof *data->comm, err));
	for (size_t i = 0; i < grid->columns; i++)
		TRY(median_comm(cells, count, grid->sizes[i], &data->comm[i], err));
	keep_own_columns(grid, data->comm);
	fill_between(data->comm, grid->columns);
	data->curve = (struct heatmap_curve){"T_comm", data->comm, NAN};
	plane->curves = &data->curve;
	/* The rows of nload are no times. */
	plane->curve_count = plane->y.quantity == QUANTITY_TIME;
	return 0;
}

/* -------------------------------------------------------------------- planes */

/* Cells of a kind, which follow each other. */
static size_t find_cells(const struct cells_file *file, const struct cell_spec *kind,
			 const struct cell **first)
{
	size_t begin = 0, count = 0;

	while (begin < file->cells.count && !same_kind(kind, &file->cells.items[begin].spec))
		begin++;
	*first = file->cells.items + begin;
	while (begin + count < file->cells.count &&
	       same_kind(kind, &file->cells.items[begin + count].spec))
		count++;
	return count;
}

/* Say why a plane is empty. */
static void write_note(const struct cells_file *file, const struct cell_spec *kind, char *note,
		       size_t room)
{
	char bytes[UNIT_TEXT_BYTES], time[UNIT_TEXT_BYTES];

	if (!file->end && file->began && same_kind(kind, &file->last))
		snprintf(note, room, "killed at %s, %s",
			 format_bytes((double)file->last.bytes, bytes),
			 format_time(file->last.compute_ns, 3, time));
	else
		snprintf(note, room, "not measured");
}

static int fill_plane(const struct planes *planes, struct heatmap_plane *plane,
		      struct plane_data *data, struct grid *grid, const struct cell *cells,
		      size_t count, struct error *err)
{
	const bool threads = grid->y.quantity == QUANTITY_COUNT;

	plane->scale = threads ? &planes_slowdown_scale : &planes_ratio_scale;
	plane->columns = grid->columns;
	plane->rows = grid->rows;
	plane->x = grid->x;
	plane->y = grid->y;
	plane->x.name = "message size";
	plane->y.name = threads ? "threads" : "computation time";
	plane->details = threads ? slowdown_details : ratio_details;
	plane->detail_count = !grid->exact				    ? ALL_DETAILS
			      : planes->file_count > FILES_WITH_ALL_DETAILS ? FEW_DETAILS
									    : EXACT_DETAILS;
	TRY(fill_comm(plane, data, grid, cells, count, err));
	data->sizes = grid->sizes;
	data->levels = grid->levels;
	grid->sizes = grid->levels = NULL;
	plane->x_values = grid->exact ? data->sizes : NULL;
	plane->y_values = grid->exact ? data->levels : NULL;
	return fill_cells(plane, data, grid, err);
}

static int build_plane(const struct planes *planes, const struct cells_file *file,
		       const struct cell_spec *kind, struct heatmap_plane *plane,
		       struct plane_data *data, struct error *err)
{
	const struct cell *first;
	const size_t count = find_cells(file, kind, &first);
	struct grid grid;
	int result;

	write_title(kind, data->title, sizeof data->title);
	plane->title = data->title;
	if (count == 0) {
		write_note(file, kind, data->note, sizeof data->note);
		plane->note = data->note;
		return 0;
	}
	TRY(grid_build(&grid, &planes->scales, first, count, err));
	result = fill_plane(planes, plane, data, &grid, first, count, err);
	grid_release(&grid);
	return result;
}

/* Empty planes have the axes of a plane of their file, so that labels stay where they are. */
static void lend_axes(struct heatmap_plane *planes, size_t count)
{
	const struct heatmap_plane *lender = NULL;

	for (size_t i = 0; i < count && !lender; i++)
		if (planes[i].values)
			lender = &planes[i];
	for (size_t i = 0; i < count && lender; i++)
		if (planes[i].note) {
			planes[i].x = lender->x;
			planes[i].y = lender->y;
		}
}

static void write_label(const struct cells_file *file, char *label, size_t room)
{
	const struct cells_header *header = &file->header;
	const char *mpi = header->mpi ? header->mpi : "", *transport = header->transport;
	const bool has_transport = transport && *transport;

	snprintf(label, room, "%s%s%s%s%s, %s", file->path, *mpi ? ": " : "", mpi,
		 has_transport ? ", " : "", has_transport ? transport : "",
		 header->one_host ? "one node" : "two nodes");
}

static int build_row(struct planes *planes, const struct cells_file *file, size_t number,
		     struct error *err)
{
	const size_t first = number * planes->kinds.count;

	write_label(file, planes->labels[number], sizeof *planes->labels);
	for (size_t i = 0; i < planes->kinds.count; i++) {
		planes->planes[first + i].id = (unsigned)(first + i + 1);
		TRY(build_plane(planes, file, &planes->kinds.items[i], &planes->planes[first + i],
				&planes->data[first + i], err));
	}
	lend_axes(planes->planes + first, planes->kinds.count);
	planes->rows[number] = (struct heatmap_row){planes->labels[number], planes->planes + first,
						    planes->kinds.count};
	return 0;
}

static int build_rows(struct planes *planes, const struct cells_file *const *files,
		      struct error *err)
{
	size_t count;

	TRY(find_kinds(planes, files, err));
	TRY(grid_scales_find(&planes->scales, files, planes->file_count, err));
	count = planes->file_count * planes->kinds.count;
	TRY(allocate(&planes->labels, planes->file_count, sizeof *planes->labels, err));
	TRY(allocate(&planes->rows, planes->file_count, sizeof *planes->rows, err));
	TRY(allocate(&planes->data, count, sizeof *planes->data, err));
	TRY(allocate(&planes->planes, count, sizeof *planes->planes, err));
	for (size_t i = 0; i < planes->file_count; i++)
		TRY(build_row(planes, files[i], i, err));
	return 0;
}

int planes_build(struct planes *planes, const struct cells_file *const *files, size_t count,
		 struct error *err)
{
	*planes = (struct planes){.file_count = count};
	if (build_rows(planes, files, err) == 0)
		return 0;
	planes_release(planes);
	return -1;
}

void planes_release(struct planes *planes)
{
	for (size_t i = 0; planes->data && i < planes->file_count * planes->kinds.count; i++) {
		struct plane_data *data = &planes->data[i];

		free(data->values);
		free(data->details);
		free(data->sizes);
		free(data->levels);
		free(data->comm);
		free(data->uncertain);
	}
	grid_scales_release(&planes->scales);
	array_release(&planes->kinds);
	free(planes->rows);
	free(planes->planes);
	free(planes->data);
	free(planes->labels);
	memset(planes, 0, sizeof *planes);
}

struct heatmap planes_heatmap(const struct planes *planes, size_t across,
			      enum heatmap_palette palette)
{
	return (struct heatmap){
		.title =
			"Overhead of overlapping communication with computation, by message size and "
			"computation time",
		.rows = planes->rows,
		.row_count = planes->file_count,
		.across = planes->kinds.count < 1	 ? 1
			  : planes->kinds.count < across ? planes->kinds.count
							 : across,
		.palette = palette,
	};
}
