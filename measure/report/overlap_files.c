#include "measure/report/overlap_files.h"

#include "common/parallel/parallel.h"
#include "measure/cells/ratio.h"
#include "measure/report/cell_model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* -------------------------------------------------------------------- quality */

static int find_quality(struct overlap_findings *of, struct error *err)
{
	const size_t count = of->file.cells.count;
	struct samples errors = {0};
	double rounds = 0, rejected = 0;
	size_t uncertain = 0;

	TRY(array_reserve(&errors, count, err));
	for (size_t i = 0; i < count; i++) {
		const struct cell *cell = &of->file.cells.items[i];

		uncertain += cell_uncertain(cell);
		rounds += cell->rounds;
		rejected += cell->rejected;
		errors.items[errors.count++] = cell_ratio_error(cell);
	}
	of->uncertain = count ? (double)uncertain / (double)count : NAN;
	of->rejected = rounds > 0 ? rejected / rounds : NAN;
	of->ratio_error = samples_summary(&errors).median;
	array_release(&errors);
	return 0;
}

static int by_ratio_seq(const void *a, const void *b)
{
	const double x = cell_ratio_seq(*(const struct cell *const *)a);
	const double y = cell_ratio_seq(*(const struct cell *const *)b);

	return (x > y) - (x < y);
}

static int find_negative(struct overlap_findings *of, struct error *err)
{
	for (size_t i = 0; i < of->file.cells.count; i++) {
		const struct cell *cell = &of->file.cells.items[i];

		if (!cell_uncertain(cell) && cell_ratio_seq(cell) < -cell_ratio_error(cell))
			TRY(array_push(&of->negative, cell, err));
	}
	if (of->negative.count)
		qsort(of->negative.items, of->negative.count, sizeof *of->negative.items,
		      by_ratio_seq);
	return 0;
}

/* ---------------------------------------------------------------- stolen time */

/* Stolen times of one size, and as shares of T_comm. */
struct stolen_samples {
	struct samples ns, shares;
};

static int add_stolen(struct overlap_findings *of, const struct cell_spec *spec,
		      struct stolen_samples *samples, struct error *err)
{
	const struct stolen_row row = {.bench = spec->bench,
				       .bytes = spec->bytes,
				       .cells = (unsigned)samples->ns.count,
				       .stolen_ns = samples_summary(&samples->ns).median,
				       .share = samples_summary(&samples->shares).median};

	samples->ns.count = samples->shares.count = 0;
	return row.cells ? array_push(&of->stolen, row, err) : 0;
}

static int sample_stolen(const struct cells_file *file, const struct cell *cell,
			 struct stolen_samples *samples, struct error *err)
{
	const double ns = cell_stolen_ns(file, cell);

	if (isnan(ns) || cell_uncertain(cell) || !(cell->comm.median > 0))
		return 0;
	TRY(array_push(&samples->ns, ns, err));
	return array_push(&samples->shares, ns / cell->comm.median, err);
}

static int find_stolen(struct overlap_findings *of, struct error *err)
{
	const struct cell *cells = of->file.cells.items;
	struct stolen_samples samples = {0};
	int result = 0;

	for (size_t i = 0; i < of->file.cells.count && result == 0; i++) {
		const struct cell *cell = &cells[i];

		if (cell_is_plain(cell, cell->spec.bench, KERNEL_WORK))
			result = sample_stolen(&of->file, cell, &samples, err);
		if (result == 0 &&
		    (i + 1 == of->file.cells.count || cells[i + 1].spec.bytes != cell->spec.bytes ||
		     cells[i + 1].spec.bench != cell->spec.bench))
			result = add_stolen(of, &cell->spec, &samples, err);
	}
	array_release(&samples.ns);
	array_release(&samples.shares);
	return result;
}

/* ---------------------------------------------------------------------- files */

static int find_all(struct overlap_findings *of, struct error *err)
{
	TRY(size_classes_find(&of->file, &of->classes, err));
	TRY(library_class_find(&of->file, &of->library, err));
	TRY(find_quality(of, err));
	TRY(find_negative(of, err));
	return find_stolen(of, err);
}

struct reading {
	struct overlap_files *files;
	char *const *paths;
};

static int read_and_find(void *shared, void *state, uint32_t item, struct error *err)
{
	const struct reading *reading = shared;
	struct overlap_findings *of = &reading->files->items[item];

	(void)state;
	TRY(cells_file_read(reading->paths[item], &of->file, err));
	return find_all(of, err);
}

int overlap_files_read(struct overlap_files *files, char *const *paths, uint32_t count,
		       struct error *err)
{
	struct reading reading = {files, paths};
	const struct parallel_work work = {.make = read_and_find, .shared = &reading};

	memset(files, 0, sizeof *files);
	TRY(allocate(&files->items, count, sizeof *files->items, err));
	files->count = count;
	if (parallel_run(&work, count, processor_count(), err) == 0)
		return 0;
	overlap_files_release(files);
	return -1;
}

void overlap_files_release(struct overlap_files *files)
{
	for (uint32_t i = 0; i < files->count; i++) {
		struct overlap_findings *of = &files->items[i];

		cells_file_release(&of->file);
		array_release(&of->classes);
		array_release(&of->negative);
		array_release(&of->stolen);
		array_release(&of->model_rows);
	}
	free(files->items);
	memset(files, 0, sizeof *files);
}

/* ---------------------------------------------------------------------- model */

static int add_model_row(struct overlap_findings *of, enum bench bench, bool above,
			 struct error *err)
{
	struct model_row row = {.bench = bench, .above = above};
	struct samples residuals = {0};
	int result = 0;

	for (size_t i = 0; i < of->file.cells.count && result == 0; i++) {
		const struct cell *cell = &of->file.cells.items[i];
		const double residual = cell_model_residual(of->model, cell);

		if (cell->spec.bench == bench && (cell->spec.bytes > of->model->S) == above &&
		    !cell_uncertain(cell) && !isnan(residual))
			result = array_push(&residuals, residual, err);
	}
	if (result == 0 && residuals.count) {
		row.residuals = samples_summary(&residuals);
		result = array_push(&of->model_rows, row, err);
	}
	array_release(&residuals);
	return result;
}

int overlap_files_compare(struct overlap_files *files, const struct parameters *model,
			  struct error *err)
{
	for (uint32_t i = 0; i < files->count; i++) {
		files->items[i].model = model;
		for (int bench = 0; bench < BENCH_COUNT; bench++)
			for (int above = 0; above < 2; above++)
				TRY(add_model_row(&files->items[i], (enum bench)bench, above, err));
	}
	return 0;
}

/* --------------------------------------------------------------------- medians */

int overlap_median(const struct cells_file *file, enum bench bench, uint64_t from, uint64_t to,
		   double *median, struct error *err)
{
	const enum kernel kernel = plain_kernel(file, bench);
	struct samples values = {0};
	int result = 0;

	for (size_t i = 0; i < file->cells.count && result == 0; i++) {
		const struct cell *cell = &file->cells.items[i];

		if (cell_is_plain(cell, bench, kernel) && cell_decides(cell) &&
		    cell->spec.bytes >= from && cell->spec.bytes <= to)
			result = array_push(&values,
					    bench == BENCH_NLOAD ? cell_slowdown(cell)
								 : cell_ratio_seq(cell),
					    err);
	}
	*median = samples_summary(&values).median;
	array_release(&values);
	return result;
}
