/* Rounds of the overlap benchmark on networks in virtual time: outliers, context switches, several pairs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "test/unit/lib/exact_cell.h"

static const struct fake_network infiniband = {
	.L = 1500, .o = 200, .G = 0.09, .S = 4096, .calls_only = true};

enum { REPEAT = 50 };

/* ---------------------------------------------------------------- outliers */

/* The mean is at least this: one sample is the largest, all others are the smallest. */
static double least_mean(const struct spread *spread)
{
	const double n = (double)spread->count;

	return (spread->max + (n - 1) * spread->min) / n;
}

static void must_have_survived(const struct spread *rough, const struct spread *quiet)
{
	assert_int_equal(rough->count, quiet->count);
	assert_float_equal(rough->median, quiet->median, EXACT_TOLERANCE);
	assert_true(least_mean(rough) > 2 * quiet->median);
}

static void rare_outliers_ruin_the_mean_and_leave_the_median(void **state)
{
	struct fake_network network = infiniband;
	const struct cell_spec spec = cell_spec_of(BENCH_RECEIVER, 65536, 20e3);
	struct cell quiet = measure_cell(&network, 2, REPEAT, &spec), rough;

	(void)state;
	network.outlier_every = 7;
	network.outlier_ns = 8e6;
	network.jitter_ns = 100;
	rough = measure_cell(&network, 2, REPEAT, &spec);
	assert_int_equal(rough.full.count, REPEAT);
	must_have_survived(&rough.full, &quiet.full);
	must_have_survived(&rough.comm, &quiet.comm);
	must_have_survived(&rough.comp, &quiet.comp);
	must_have_survived(&rough.latency, &quiet.latency);
	assert_float_equal(cell_ratio(&rough), cell_ratio(&quiet), EXACT_TOLERANCE);
	cell_release(&quiet);
	cell_release(&rough);
}

/* Rank 1 is ready three latencies before rank 0 starts: so a latency that is an outlier must not count. */
static void outliers_do_not_change_the_rest_before_a_round(void **state)
{
	struct fake_network network = infiniband;
	const struct cell_spec spec = cell_spec_of(BENCH_BOTH, 65536, 20e3);
	struct cell quiet = measure_cell(&network, 2, REPEAT, &spec), rough;

	(void)state;
	network.outlier_every = 7;
	network.outlier_ns = 8e6;
	rough = measure_cell(&network, 2, REPEAT, &spec);
	assert_float_equal(rough.full.median, quiet.full.median, EXACT_TOLERANCE);
	cell_release(&quiet);
	cell_release(&rough);
}

static void jitter_alone_widens_the_interval_around_the_same_median(void **state)
{
	struct fake_network network = infiniband;
	const struct cell_spec spec = cell_spec_of(BENCH_SENDER, 8, 1e3);
	struct cell cell;
	double median;

	(void)state;
	cell = measure_cell(&network, 2, REPEAT, &spec);
	median = cell.full.median;
	assert_float_equal(cell.full.max, cell.full.min, EXACT_TOLERANCE);
	cell_release(&cell);
	network.jitter_ns = 500;
	cell = measure_cell(&network, 2, REPEAT, &spec);
	assert_float_equal(cell.full.median, median, EXACT_TOLERANCE);
	assert_true(cell.full.min < median && cell.full.max > median);
	cell_release(&cell);
}

/*
 * Without overheads all times are proportional to L, G and the work.  If these become slower during a cell, all medians
 * change alike.  Only if it happens in the middle some are of the rounds before and some of those after: then the
 * interval of the ratio says so.
 */
static void a_machine_that_becomes_slower_leaves_the_ratio(void **state)
{
	static const enum bench benches[] = {BENCH_SENDER, BENCH_RECEIVER, BENCH_BOTH, BENCH_CPU};
	struct fake_network network = {.L = 1500,
				       .G = 0.09,
				       .S = 4096,
				       .protocol = FAKE_WRITE,
				       .calls_only = true,
				       .slowness = 1.4};

	(void)state;
	for (int b = 0; b < 4; b++) {
		const struct cell_spec spec = cell_spec_of(benches[b], 65536, 20e3);
		double steady = NAN;
		int changed = 0;

		for (network.slow_after = 0; network.slow_after <= 180; network.slow_after += 10) {
			struct cell cell = measure_cell(&network, 2, REPEAT, &spec);
			double change;

			if (network.slow_after == 0)
				steady = cell_ratio(&cell);
			change = fabs(cell_ratio(&cell) - steady);
			assert_true(change < 0.02 || change < cell_ratio_error(&cell));
			changed += change >= 0.02;
			cell_release(&cell);
		}
		assert_true(changed <= 2);
	}
}

/* ---------------------------------------------------------- context switches */

static void rounds_with_a_context_switch_are_dropped_counted_and_repeated(void **state)
{
	struct fake_network network = infiniband;
	const struct cell_spec spec = cell_spec_of(BENCH_RECEIVER, 65536, 20e3);
	struct cell quiet = measure_cell(&network, 2, REPEAT, &spec), rough;

	(void)state;
	assert_int_equal(quiet.rounds, REPEAT);
	assert_int_equal(quiet.rejected, 0);
	network.switch_every = 5;
	network.switch_ns = 3e6;
	rough = measure_cell(&network, 2, REPEAT, &spec);
	assert_true(rough.rejected > 0);
	assert_true(rough.rounds - rough.rejected >= REPEAT);
	assert_int_equal(rough.full.count, rough.rounds - rough.rejected);
	assert_float_equal(rough.full.min, quiet.full.median, EXACT_TOLERANCE);
	assert_float_equal(rough.full.max, quiet.full.median, EXACT_TOLERANCE);
	assert_float_equal(rough.comm.max, quiet.comm.median, EXACT_TOLERANCE);
	assert_float_equal(rough.comp.max, quiet.comp.median, EXACT_TOLERANCE);
	assert_float_equal(rough.latency.max, quiet.latency.median, EXACT_TOLERANCE);
	cell_release(&quiet);
	cell_release(&rough);
}

static void where_every_round_is_disturbed_all_count_and_the_cell_ends(void **state)
{
	struct fake_network network = infiniband;
	const struct cell_spec spec = cell_spec_of(BENCH_RECEIVER, 65536, 20e3);
	struct cell cell;

	(void)state;
	network.switch_every = 1;
	network.switch_ns = 3e6;
	cell = measure_cell(&network, 2, REPEAT, &spec);
	assert_int_equal(cell.rounds, 2 * REPEAT);
	assert_int_equal(cell.rejected, cell.rounds);
	assert_int_equal(cell.full.count, cell.rounds);
	assert_true(cell.full.max > 3e6);
	cell_release(&cell);
}

static void where_a_tenth_is_undisturbed_all_rounds_count(void **state)
{
	struct fake_network network = infiniband;
	const struct cell_spec spec = cell_spec_of(BENCH_RECEIVER, 65536, 20e3);
	struct cell cell;

	(void)state;
	network.switch_every = 10;
	network.switch_others = true;
	network.switch_ns = 3e6;
	cell = measure_cell(&network, 2, REPEAT, &spec);
	assert_int_equal(cell.full.count, cell.rounds);
	assert_true(cell.rejected > 0 && cell.rejected < cell.rounds);
	assert_true(cell.full.max > 3e6);
	cell_release(&cell);
}

static void context_switches_beside_threads_are_the_result(void **state)
{
	struct fake_network network = infiniband;
	struct cell_spec spec = cell_spec_of(BENCH_NLOAD, 8, 0);
	struct cell cell;

	(void)state;
	spec.side = SIDE_BOTH;
	spec.threads = 2;
	network.switch_every = 2;
	network.switch_ns = 3e6;
	cell = measure_cell(&network, 2, REPEAT, &spec);
	assert_int_equal(cell.rounds, REPEAT);
	assert_int_equal(cell.rejected, 0);
	assert_true(cell.full.max > 3e6);
	cell_release(&cell);
}

static void a_context_switch_of_any_rank_rejects_the_round_of_a_collective(void **state)
{
	struct fake_network network = infiniband;
	const struct cell_spec spec = cell_spec_of(BENCH_IALLREDUCE, 64, 20e3);
	struct cell cell;

	(void)state;
	network.switch_every = 5;
	network.switch_ns = 3e6;
	cell = measure_cell(&network, 4, REPEAT, &spec);
	assert_true(cell.rejected > 0);
	assert_true(cell.full.count >= REPEAT);
	assert_float_equal(cell.full.max, cell.full.min, EXACT_TOLERANCE);
	cell_release(&cell);
}

/* ---------------------------------------------------------------------- pairs */

/* Medians of a cell. */
struct medians {
	double latency, comm, full;
};

static struct medians medians_of(const struct fake_network *network, unsigned ranks,
				 const struct cell_spec *spec)
{
	struct cell cell = measure_cell(network, ranks, 5, spec);
	const struct medians medians = {cell.latency.median, cell.comm.median, cell.full.median};

	assert_int_equal(cell.full.count, 5);
	assert_int_equal(cell.rank_count, 0);
	cell_release(&cell);
	return medians;
}

static void the_slowest_pair_counts(void **state)
{
	struct fake_network three = infiniband, one;

	(void)state;
	three.pair_L[1] = 4000;
	three.pair_L[2] = 1000;
	for (enum bench bench = BENCH_SENDER; bench <= BENCH_GET_TARGET; bench++) {
		const struct cell_spec spec = cell_spec_of(bench, 65536, 30e3);
		struct medians slowest = {0, 0, 0}, all;

		for (int pair = 0; pair < 3; pair++) {
			struct medians alone;

			one = infiniband;
			one.L += three.pair_L[pair];
			alone = medians_of(&one, 2, &spec);
			slowest.latency = fmax(slowest.latency, alone.latency);
			slowest.comm = fmax(slowest.comm, alone.comm);
			slowest.full = fmax(slowest.full, alone.full);
		}
		all = medians_of(&three, 6, &spec);
		must_be_exact(&spec, "the latency", all.latency, slowest.latency);
		must_be_exact(&spec, "T_comm", all.comm, slowest.comm);
		must_be_exact(&spec, "the full sequence", all.full, slowest.full);
	}
}

static void a_context_switch_of_any_pair_rejects_the_round_of_all(void **state)
{
	struct fake_network network = infiniband;
	const struct cell_spec spec = cell_spec_of(BENCH_RECEIVER, 65536, 20e3);
	struct cell cell;

	(void)state;
	network.switch_every = 6;
	network.switch_ns = 3e6;
	cell = measure_cell(&network, 4, REPEAT, &spec);
	assert_true(cell.rejected > 0);
	assert_float_equal(cell.full.max, cell.full.min, EXACT_TOLERANCE);
	cell_release(&cell);
}

/* ---------------------------------------------------------------------- parts */

static void computation_alone_is_timed_in_ten_or_more_rounds(void **state)
{
	const struct cell_spec spec = cell_spec_of(BENCH_SENDER, 64, 20e3);

	(void)state;
	for (unsigned repeat = 1; repeat <= 100; repeat++) {
		struct cell cell = measure_cell(&infiniband, 2, repeat, &spec);

		assert_int_equal(cell.full.count, repeat);
		assert_in_range(cell.comp.count, repeat < 10 ? repeat : 10, 20);
		cell_release(&cell);
	}
}

/* Rank 0 is busy for o to post, computes for c, and waits for the rest. */
static void parts_of_a_round_add_up_to_it(void **state)
{
	struct fake_network network = infiniband;
	const struct cell_spec spec = cell_spec_of(BENCH_CPU, 65536, 20e3);
	const struct letters x = letters_of(&network, &spec);
	struct cell cell;

	(void)state;
	network.protocol = FAKE_WRITE;
	cell = measure_cell(&network, 2, REPEAT, &spec);
	assert_float_equal(cell.post_ns, x.o, EXACT_TOLERANCE);
	assert_float_equal(cell.compute_ns, x.c, EXACT_TOLERANCE);
	assert_float_equal(cell.complete_ns, x.o + 2 * x.L + x.B, EXACT_TOLERANCE);
	assert_float_equal(cell.post_ns + cell.compute_ns + cell.complete_ns, cell.full.median,
			   EXACT_TOLERANCE);
	cell_release(&cell);
}

/* Rank 0 computes or polls all the time, but has only half of the core while it computes for 2 c. */
static void the_processor_time_is_that_of_the_round_alone(void **state)
{
	struct fake_network network = infiniband;
	struct cell_spec spec = cell_spec_of(BENCH_CPU, 8, 20e3);

	(void)state;
	for (spec.bench = BENCH_SENDER; spec.bench < BENCH_IBARRIER; spec.bench++) {
		struct cell cell;

		network.duty = 0;
		cell = measure_cell(&network, 2, REPEAT, &spec);
		must_be_exact(&spec, "the processor time", cell.cpu_ns, cell.full.median);
		cell_release(&cell);
		if (spec.bench != BENCH_RECEIVER)
			continue;
		network.duty = 0.5;
		cell = measure_cell(&network, 2, REPEAT, &spec);
		must_be_exact(&spec, "T_comp", cell.comp.median, 40e3);
		must_be_exact(&spec, "the processor time", cell.cpu_ns, cell.full.median - 20e3);
		cell_release(&cell);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rare_outliers_ruin_the_mean_and_leave_the_median),
		cmocka_unit_test(outliers_do_not_change_the_rest_before_a_round),
		cmocka_unit_test(jitter_alone_widens_the_interval_around_the_same_median),
		cmocka_unit_test(a_machine_that_becomes_slower_leaves_the_ratio),
		cmocka_unit_test(rounds_with_a_context_switch_are_dropped_counted_and_repeated),
		cmocka_unit_test(where_every_round_is_disturbed_all_count_and_the_cell_ends),
		cmocka_unit_test(where_a_tenth_is_undisturbed_all_rounds_count),
		cmocka_unit_test(context_switches_beside_threads_are_the_result),
		cmocka_unit_test(a_context_switch_of_any_rank_rejects_the_round_of_a_collective),
		cmocka_unit_test(the_slowest_pair_counts),
		cmocka_unit_test(a_context_switch_of_any_pair_rejects_the_round_of_all),
		cmocka_unit_test(computation_alone_is_timed_in_ten_or_more_rounds),
		cmocka_unit_test(parts_of_a_round_add_up_to_it),
		cmocka_unit_test(the_processor_time_is_that_of_the_round_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
