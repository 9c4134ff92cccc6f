#include "measure/overlap/plan.h"

#include "common/array.h"

#include <math.h>
#include <string.h>

#define NS_PER_US 1000.0

enum { COARSEST = 8, QUICK_SIZES_PER_OCTAVE = 2 }; /* sizes in powers of 4: one every 2 octaves */

/* Values of an axis, and of each the stride of the coarsest grid that has it. */
struct axis {
	double *items;
	size_t count, capacity;
};

/* A cell with its place in the order: by stride, then by turn, then by number. */
struct placed {
	struct cell_spec spec;
	unsigned stride; /* 8 first, 1 last */
	size_t turn;	 /* quick runs: number of the size, so that the benchmarks take turns */
	size_t number;
};

struct placed_cells {
	struct placed *items;
	size_t count, capacity;
};

/* ----------------------------------------------------------------------- axes */

static double round_bytes(double bytes)
{
	return bytes < 64 ? round(bytes) : round(bytes / 64) * 64;
}

static int axis_add(struct axis *axis, double value, struct error *err)
{
	if (axis->count && axis->items[axis->count - 1] >= value)
		return 0;
	return array_push(axis, value, err);
}

/* Powers of 2^(1/per_octave) of the unit in the range; of an empty range its first value. */
static int add_powers(struct axis *axis, double least, double most, double per_octave, double unit,
		      double (*rounded)(double), struct error *err)
{
	const double slack = 1e-9;
	const double last = floor(per_octave * log2(most / unit) + slack);

	for (double i = ceil(per_octave * log2(least / unit) - slack); least < most && i <= last;
	     i++)
		TRY(axis_add(axis, rounded(unit * exp2(i / per_octave)), err));
	return axis->count ? 0 : axis_add(axis, least, err);
}

static int add_sizes(const struct plan_options *options, enum bench bench, struct axis *axis,
		     struct error *err)
{
	const bool limited = bench_descriptions[bench].group == BENCH_COLLECTIVE &&
			     options->most_block_bytes > 0;
	const double least = (double)options->least_bytes;
	const double most = fmin((double)options->most_bytes,
				 limited ? (double)options->most_block_bytes : INFINITY);
	const double per_octave = options->quick ? 1.0 / QUICK_SIZES_PER_OCTAVE
						 : options->per_octave;

	if (bench == BENCH_IBARRIER)
		return array_push(axis, 0, err);
	if (least == 0)
		TRY(array_push(axis, 0, err));
	if (least == 0 && most == 0)
		return 0;
	return add_powers(axis, fmax(1, least), most, per_octave, 1, round_bytes, err);
}

static int add_computations(const struct plan_options *options, struct axis *axis,
			    struct error *err)
{
	if (options->quick)
		return array_push(axis, 0, err);
	return add_powers(axis, options->least_compute_ns, options->most_compute_ns,
			  options->per_octave, NS_PER_US, round, err);
}

static int add_threads(const struct plan_options *options, struct axis *axis, struct error *err)
{
	for (unsigned i = options->least_threads; i <= options->most_threads; i++)
		if (!options->quick || i <= options->least_threads + 1 ||
		    i == options->most_threads)
			TRY(axis_add(axis, i ? i : 0, err));
	return 0;
}

/* -------------------------------------------------------------------- planes */

static unsigned stride_of(size_t size, size_t other)
{
	unsigned stride = COARSEST;

	while (size % stride || other % stride)
		stride /= 2;
	return stride;
}

static enum side side_of(const struct plan_options *options, enum bench bench)
{
	if (bench != BENCH_NONCONTIG && bench != BENCH_CPU && bench != BENCH_NLOAD)
		return SIDE_SENDER;
	if (options->side != SIDE_COUNT)
		return options->side;
	return bench_default_side(bench);
}

static struct cell_spec spec_of_plane(const struct plan_options *options, enum bench bench,
				      enum kernel kernel)
{
	const enum bench_group group = bench_descriptions[bench].group;
	const bool several = group == BENCH_PAIR || group == BENCH_ONE_SIDED;

	return (struct cell_spec){
		.bench = bench,
		.kernel = kernel,
		.side = side_of(options, bench),
		.pending = several ? options->pending : 1,
		.tests_ns = bench == BENCH_NLOAD ? 0 : options->tests_ns,
	};
}

static int add_cells(const struct plan_options *options, const struct cell_spec *plane,
		     const struct axis *sizes, const struct axis *others,
		     struct placed_cells *cells, struct error *err)
{
	for (size_t i = 0; i < sizes->count; i++)
		for (size_t j = 0; j < others->count; j++) {
			struct placed cell = {.spec = *plane, .number = cells->count};

			cell.spec.bytes = (uint64_t)sizes->items[i];
			if (plane->bench == BENCH_NLOAD)
				cell.spec.threads = (unsigned)others->items[j];
			else
				cell.spec.compute_ns = others->items[j];
			cell.stride = stride_of(i, options->quick ? 0 : j);
			cell.turn = options->quick ? i : 0;
			TRY(array_push(cells, cell, err));
		}
	return 0;
}

static int add_plane(const struct plan_options *options, enum bench bench, enum kernel kernel,
		     struct placed_cells *cells, struct error *err)
{
	const struct cell_spec plane = spec_of_plane(options, bench, kernel);
	struct axis sizes = {0}, others = {0};
	int result = add_sizes(options, bench, &sizes, err);

	if (result == 0)
		result = bench == BENCH_NLOAD ? add_threads(options, &others, err)
					      : add_computations(options, &others, err);
	if (result == 0)
		result = add_cells(options, &plane, &sizes, &others, cells, err);
	array_release(&sizes);
	array_release(&others);
	return result;
}

static int add_planes(const struct plan_options *options, struct placed_cells *cells,
		      struct error *err)
{
	bool without_kernel = false; /* nload has none */

	for (int kernel = 0; kernel < KERNEL_COUNT; kernel++)
		for (int bench = 0; options->kernels[kernel] && bench < BENCH_COUNT; bench++) {
			if (!options->benches[bench] || (bench == BENCH_NLOAD && without_kernel))
				continue;
			TRY(add_plane(options, bench, bench == BENCH_NLOAD ? KERNEL_WORK : kernel,
				      cells, err));
			without_kernel |= bench == BENCH_NLOAD;
		}
	return 0;
}

/* ----------------------------------------------------------------- the order */

static int compare_places(const void *a, const void *b)
{
	const struct placed *one = a, *other = b;

	if (one->stride != other->stride)
		return one->stride > other->stride ? -1 : 1;
	if (one->turn != other->turn)
		return one->turn < other->turn ? -1 : 1;
	return (one->number > other->number) - (one->number < other->number);
}

int plan_make(const struct plan_options *options, struct plan *plan, struct error *err)
{
	struct placed_cells cells = {0};
	int result = add_planes(options, &cells, err);

	if (result == 0 && cells.count)
		qsort(cells.items, cells.count, sizeof *cells.items, compare_places);
	for (size_t i = 0; result == 0 && i < cells.count; i++)
		result = array_push(plan, cells.items[i].spec, err);
	array_release(&cells);
	return result;
}

bool plan_is_quick(const struct plan_options *options, const struct cell_spec *spec)
{
	return options->quick && spec->bench != BENCH_NLOAD;
}

double plan_quick_compute_ns(double comm_ns, unsigned number)
{
	static const double factors[QUICK_COMPUTATIONS] = {0.25, 1, 4};
	const double ns = fmax(comm_ns, 4 * NS_PER_US) * factors[number];

	return round(NS_PER_US * exp2(round(2 * log2(ns / NS_PER_US)) / 2));
}
