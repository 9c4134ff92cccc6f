#include "measure/cells/verdict.h"

#include "measure/cells/ratio.h"

#include <math.h>
#include <string.h>

const char *const verdict_names[VERDICT_COUNT + 1] = {"overlapped", "partly", "serialised",
						      "harmful",    "none",   NULL};

static const double most_overlapped = .15, least_serialised = .85, most_serialised = 1.15;

enum verdict verdict_of(double ratio)
{
	if (isnan(ratio))
		return VERDICT_NONE;
	if (ratio <= most_overlapped)
		return VERDICT_OVERLAPPED;
	if (ratio < least_serialised)
		return VERDICT_PARTLY;
	return ratio <= most_serialised ? VERDICT_SERIALISED : VERDICT_HARMFUL;
}

static enum verdict class_verdict(enum bench bench, double ratio)
{
	const enum verdict verdict = verdict_of(ratio);

	if (bench == BENCH_NLOAD && verdict != VERDICT_NONE && verdict != VERDICT_OVERLAPPED)
		return VERDICT_HARMFUL;
	return verdict;
}

/* Whether a certain cell of this kind would decide. */
static bool could_decide(const struct cell *cell)
{
	if (cell->spec.bench == BENCH_NLOAD)
		return cell->spec.threads > 0;
	return !(cell->comp.median < cell->comm.median);
}

bool cell_decides(const struct cell *cell)
{
	return could_decide(cell) && !cell_uncertain(cell);
}

static double deciding_value(const struct cell *cell)
{
	return cell->spec.bench == BENCH_NLOAD ? cell_slowdown(cell) : cell_ratio_seq(cell);
}

/* -------------------------------------------------------------------- classes */

/* What the cells of a class have in common. */
static struct cell_spec likeness(const struct cell_spec *spec)
{
	struct cell_spec like = *spec;

	like.bytes = 0;
	like.compute_ns = 0;
	return like;
}

/* Cells that are sorted by class and size: those of nload by threads first. */
static int by_class(const void *a, const void *b)
{
	const struct cell *const *x = a, *const *y = b;
	const struct cell_spec first = likeness(&(*x)->spec), second = likeness(&(*y)->spec);
	const int order = cell_spec_compare(&first, &second);

	return order ? order : cell_spec_compare(&(*x)->spec, &(*y)->spec);
}

/* Add what a cell says to its class. */
static int class_add(struct size_class *class, const struct cell *cell, struct samples *values,
		     struct error *err)
{
	class->to = cell->spec.bytes;
	if (!could_decide(cell))
		return 0;
	class->cells++;
	if (cell_decides(cell))
		return array_push(values, deciding_value(cell), err);
	class->uncertain++;
	return 0;
}

/* Find the class of cells that belong together. */
static int class_of(struct cell *const *cells, size_t count, struct size_class *class,
		    struct error *err)
{
	struct samples values = {0};
	struct summary summary;
	int result = 0;

	*class = (struct size_class){.like = likeness(&cells[0]->spec),
				     .from = cells[0]->spec.bytes};
	for (size_t i = 0; i < count && result == 0; i++)
		result = class_add(class, cells[i], &values, err);
	summary = samples_summary(&values);
	array_release(&values);
	class->ratio = summary.median;
	class->low = summary.lower_quartile;
	class->high = summary.upper_quartile;
	class->verdict = class_verdict(class->like.bench, class->ratio);
	return result;
}

/* Number of cells from the first on that are alike, and of the same size if `of_size`. */
static size_t count_alike(struct cell *const *cells, size_t count, bool of_size)
{
	const struct cell_spec like = likeness(&cells[0]->spec);
	size_t alike = 1;

	for (; alike < count; alike++) {
		const struct cell_spec other = likeness(&cells[alike]->spec);

		if (!cell_spec_equal(&like, &other) ||
		    (of_size && cells[alike]->spec.bytes != cells[0]->spec.bytes))
			break;
	}
	return alike;
}

/*
 * Number of cells from the first on that make one class: sizes of its verdict, and those without one that have it on
 * both sides.
 */
static int count_class(struct cell *const *cells, size_t count, size_t *belong, struct error *err)
{
	struct size_class first, next;
	size_t end = *belong = count_alike(cells, count, true);

	TRY(class_of(cells, end, &first, err));
	while (end < count) {
		const size_t size = count_alike(cells + end, count - end, true);

		TRY(class_of(cells + end, size, &next, err));
		end += size;
		if (next.verdict == first.verdict)
			*belong = end;
		else if (next.verdict != VERDICT_NONE)
			break;
	}
	return 0;
}

/* Add the classes of cells that are alike. */
static int add_classes(struct cell *const *cells, size_t count, struct size_classes *classes,
		       struct error *err)
{
	if (cells[0]->spec.bench == BENCH_NLOAD && !cells[0]->spec.threads)
		return 0;
	for (size_t from = 0, belong; from < count; from += belong) {
		struct size_class class;
		enum verdict verdict;

		TRY(count_class(cells + from, count - from, &belong, err));
		TRY(class_of(cells + from, count_alike(cells + from, belong, true), &class, err));
		verdict = class.verdict;
		TRY(class_of(cells + from, belong, &class, err));
		class.verdict = verdict; /* of each of its sizes */
		TRY(array_push(classes, class, err));
	}
	return 0;
}

int size_classes_find(const struct cells_file *file, struct size_classes *classes,
		      struct error *err)
{
	const size_t count = file->cells.count;
	struct cell **cells;
	int result = 0;

	TRY(allocate(&cells, count, sizeof *cells, err));
	for (size_t i = 0; i < count; i++)
		cells[i] = &file->cells.items[i];
	qsort(cells, count, sizeof *cells, by_class);
	for (size_t from = 0, alike; from < count && result == 0; from += alike) {
		alike = count_alike(cells + from, count - from, false);
		result = add_classes(cells + from, alike, classes, err);
	}
	free(cells);
	return result;
}

/* --------------------------------------------------------------------- shares */

enum kernel plain_kernel(const struct cells_file *file, enum bench bench)
{
	enum kernel least = KERNEL_COUNT;

	for (size_t i = 0; i < file->cells.count; i++) {
		const struct cell_spec *spec = &file->cells.items[i].spec;

		if (spec->bench == bench && spec->kernel < least)
			least = spec->kernel;
	}
	return least == KERNEL_COUNT ? KERNEL_WORK : least;
}

bool cell_is_plain(const struct cell *cell, enum bench bench, enum kernel kernel)
{
	const struct cell_spec *spec = &cell->spec;

	return spec->bench == bench && spec->kernel == kernel &&
	       spec->side == bench_default_side(bench) && spec->pending == 1 && spec->tests_ns == 0;
}

/* Where the next size begins to count, between both. */
static uint64_t boundary(uint64_t below, uint64_t above)
{
	return (uint64_t)sqrt((double)below * (double)above);
}

/* Add the share of a size, of which the ratios are known. */
static int add_share(struct overlap_shares *shares, uint64_t bytes, uint64_t previous,
		     struct samples *ratios, struct error *err)
{
	const double share = 1 - samples_summary(ratios).median;
	struct overlap_share row = {0, UINT64_MAX, fmax(0, fmin(1, share))};

	ratios->count = 0;
	if (shares->count) {
		row.from = boundary(previous, bytes) + 1;
		shares->items[shares->count - 1].to = row.from - 1;
	}
	return array_push(shares, row, err);
}

static int find_shares(const struct cells_file *file, enum bench bench,
		       struct overlap_shares *shares, struct samples *ratios, struct error *err)
{
	const enum kernel kernel = plain_kernel(file, bench);
	uint64_t bytes = 0, previous = 0;

	for (size_t i = 0; i < file->cells.count; i++) {
		const struct cell *cell = &file->cells.items[i];

		if (!cell_is_plain(cell, bench, kernel) || !cell_decides(cell))
			continue;
		if (ratios->count && cell->spec.bytes != bytes) {
			TRY(add_share(shares, bytes, previous, ratios, err));
			previous = bytes;
		}
		bytes = cell->spec.bytes;
		TRY(array_push(ratios, cell_ratio(cell), err));
	}
	if (ratios->count)
		TRY(add_share(shares, bytes, previous, ratios, err));
	if (!shares->count)
		return error_set(
			err, STATUS_LIMIT,
			"%s has no certain cell of the benchmark %s whose computation is as long"
			" as its messages",
			file->path, bench_descriptions[bench].name);
	return 0;
}

int overlap_shares_find(const struct cells_file *file, enum bench bench,
			struct overlap_shares *shares, struct error *err)
{
	struct samples ratios = {0};
	const int result = find_shares(file, bench, shares, &ratios, err);

	array_release(&ratios);
	return result;
}

/* --------------------------------------------------------------- stolen time */

double cell_stolen_ns(const struct cells_file *file, const struct cell *cell)
{
	struct cell_spec spec = cell->spec;
	const struct cell *timed;

	spec.kernel = KERNEL_TIME;
	timed = cell->spec.kernel == KERNEL_WORK ? cells_file_find(file, &spec) : NULL;
	return timed ? cell_measured_ns(cell) - cell_measured_ns(timed) : NAN;
}
