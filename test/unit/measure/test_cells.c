/* Cells of the overlap benchmark: their names, order statistics, ratios; numbers by hand. */
#include "measure/cells/ratio.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static struct error err;

/* ---------------------------------------------------------------------- cells */

/* A quantity that was the same in all rounds. */
static struct spread always(double value)
{
	return (struct spread){50, value, value, value, value, value, value, value, value, value};
}

static struct spread unknown(void)
{
	return spread_of(&(struct samples){0});
}

static struct spread with_interval(double median, double low, double high)
{
	struct spread spread = always(median);

	spread.low = low;
	spread.high = high;
	return spread;
}

static struct cell cell_of(enum bench bench, double full, double latency, double comm, double comp)
{
	return (struct cell){
		.spec = {.bench = bench, .side = bench_default_side(bench), .pending = 1},
		.full = always(full),
		.latency = always(latency),
		.comm = always(comm),
		.comp = isnan(comp) ? unknown() : always(comp),
		.blocking = unknown(),
	};
}

/* ------------------------------------------------------------- specifications */

static void a_cell_is_read_from_its_name(void **state)
{
	struct cell_spec spec;

	(void)state;
	assert_int_equal(cell_spec_parse("receiver:512KiB:200us", &spec, &err), 0);
	assert_int_equal(spec.bench, BENCH_RECEIVER);
	assert_int_equal(spec.kernel, KERNEL_WORK);
	assert_int_equal(spec.side, SIDE_SENDER);
	assert_int_equal(spec.bytes, 524288);
	assert_float_equal(spec.compute_ns, 200000, 0);
	assert_int_equal(spec.pending, 1);
	assert_float_equal(spec.tests_ns, 0, 0);

	assert_int_equal(cell_spec_parse("nload:1000:3", &spec, &err), 0);
	assert_int_equal(spec.bench, BENCH_NLOAD);
	assert_int_equal(spec.side, SIDE_BOTH);
	assert_int_equal(spec.threads, 3);
	assert_float_equal(spec.compute_ns, 0, 0);
}

static void what_is_no_cell_is_refused(void **state)
{
	static const char *const texts[] = {"",
					    "receiver",
					    "receiver:1KiB",
					    "receive:1KiB:1us",
					    "receiver:1XB:1us",
					    "receiver:1KiB:1us:1",
					    "receiver:-1:1us",
					    "receiver:1KiB:-1us",
					    "nload:1KiB:1us",
					    "nload:1KiB:65537",
					    ":::"};
	struct cell_spec spec;
	char large[1000] = "receiver:1KiB:1us";

	(void)state;
	for (size_t i = 0; i < COUNT(texts); i++) {
		assert_int_equal(cell_spec_parse(texts[i], &spec, &err), -1);
		assert_int_equal(err.status, STATUS_USAGE);
	}
	memset(large + strlen(large), '0', sizeof large - strlen(large) - 1);
	assert_int_equal(cell_spec_parse(large, &spec, &err), -1);
	cell_spec_parse("receive:1KiB:1us", &spec, &err);
	assert_non_null(strstr(err.text, "unknown benchmark 'receive' (expected sender, receiver"));
}

static void cells_that_differ_in_anything_are_not_equal(void **state)
{
	const struct cell_spec cell = {BENCH_SENDER, KERNEL_TIME, SIDE_BOTH, 64, 1e3, 1, 2, 5e3};
	struct cell_spec others[8];

	(void)state;
	for (size_t i = 0; i < COUNT(others); i++)
		others[i] = cell;
	assert_true(cell_spec_equal(&cell, &others[0]));
	others[0].bench = BENCH_RECEIVER;
	others[1].kernel = KERNEL_WORK;
	others[2].side = SIDE_SENDER;
	others[3].bytes++;
	others[4].compute_ns++;
	others[5].threads++;
	others[6].pending++;
	others[7].tests_ns++;
	for (size_t i = 0; i < COUNT(others); i++)
		assert_false(cell_spec_equal(&cell, &others[i]));
}

static void every_benchmark_has_its_name(void **state)
{
	enum bench bench;

	(void)state;
	for (unsigned i = 0; i < BENCH_COUNT; i++) {
		assert_int_equal(bench_parse(bench_descriptions[i].name, &bench, &err), 0);
		assert_int_equal(bench, i);
	}
}

/* -------------------------------------------------------------------- samples */

/* Order statistics of the numbers 1 to `count`, in descending order. */
static struct spread spread_to(size_t count)
{
	double items[2000];
	struct samples samples = {.items = items, .count = count};

	for (size_t i = 0; i < count; i++)
		items[i] = (double)(count - i);
	return spread_of(&samples);
}

static void order_statistics_are_those_of_the_sorted_samples(void **state)
{
	const struct spread spread = spread_to(11);

	(void)state;
	assert_int_equal(spread.count, 11);
	assert_float_equal(spread.min, 1, 0);
	assert_float_equal(spread.d1, 2, 1e-12);
	assert_float_equal(spread.q1, 3.5, 1e-12);
	assert_float_equal(spread.median, 6, 0);
	assert_float_equal(spread.q3, 8.5, 1e-12);
	assert_float_equal(spread.d9, 10, 1e-12);
	assert_float_equal(spread.max, 11, 0);
}

static void the_interval_of_the_median_is_that_of_the_tables(void **state)
{
	/* Ranks as in tables of the sign test, two-sided 5 %; 1000: from the binomial distribution. */
	static const struct {
		size_t count, low;
	} ranks[] = {{1, 1},   {5, 1},	  {6, 1},      {8, 1},	   {9, 2},   {10, 2},
		     {12, 3},  {15, 4},	  {20, 6},     {25, 8},	   {30, 10}, {40, 14},
		     {50, 18}, {100, 40}, {1000, 469}, {2000, 956}};

	(void)state;
	for (size_t i = 0; i < COUNT(ranks); i++) {
		const struct spread spread = spread_to(ranks[i].count);

		assert_float_equal(spread.low, (double)ranks[i].low, 0);
		assert_float_equal(spread.high, (double)(ranks[i].count + 1 - ranks[i].low), 0);
	}
}

static void no_samples_have_no_order_statistics(void **state)
{
	double nothing[] = {NAN, INFINITY};
	struct samples samples = {.items = nothing, .count = 2};
	const struct spread spread = spread_of(&samples);

	(void)state;
	assert_int_equal(spread.count, 0);
	assert_true(isnan(spread.min) && isnan(spread.median) && isnan(spread.max));
	assert_true(isnan(spread.low) && isnan(spread.high) && isnan(spread.d9));
}

/* --------------------------------------------------------------------- ratios */

static void overlap_has_ratio_0_and_one_after_the_other_1(void **state)
{
	/* full, latency, T_comm, T_comp; what a short and a long computation give. */
	const struct cell hidden = cell_of(BENCH_SENDER, 110, 10, 100, 40);
	const struct cell serialised = cell_of(BENCH_SENDER, 150, 10, 100, 40);
	const struct cell harmful = cell_of(BENCH_SENDER, 250, 10, 100, 200);
	const struct cell half = cell_of(BENCH_RECEIVER, 130, 10, 100, 40);

	(void)state;
	assert_float_equal(cell_ratio(&hidden), 0, 1e-12);
	assert_float_equal(cell_ratio(&serialised), 1, 1e-12);
	assert_float_equal(cell_ratio(&harmful), .4, 1e-12);
	assert_float_equal(cell_ratio(&half), .5, 1e-12);
	assert_float_equal(cell_measured_ns(&harmful), 240, 1e-12);
}

static void overlap_behind_a_long_computation_is_negative_but_not_of_the_sequence(void **state)
{
	/* The answer, too, is hidden: the sequence takes as long as the computation. */
	const struct cell cell = cell_of(BENCH_SENDER, 1000, 10, 100, 1000);

	(void)state;
	assert_float_equal(cell_ratio(&cell), -.1, 1e-12);
	assert_float_equal(cell_ratio_seq(&cell), 0, 1e-12);
}

static void the_latency_is_subtracted_where_there_is_an_answer(void **state)
{
	static const struct {
		enum bench bench;
		enum side side;
		double measured;
	} forms[] = {{BENCH_SENDER, SIDE_SENDER, 90},
		     {BENCH_RECEIVER, SIDE_SENDER, 90},
		     {BENCH_BOTH, SIDE_SENDER, 50},
		     {BENCH_NONCONTIG, SIDE_RECEIVER, 90},
		     {BENCH_NONCONTIG, SIDE_BOTH, 50},
		     {BENCH_CPU, SIDE_BOTH, 100},
		     {BENCH_NLOAD, SIDE_BOTH, 50},
		     {BENCH_NLOAD, SIDE_SENDER, 90},
		     {BENCH_PERSISTENT_SEND, SIDE_SENDER, 90},
		     {BENCH_PUT, SIDE_SENDER, 100},
		     {BENCH_GET_TARGET, SIDE_SENDER, 80},
		     {BENCH_IALLREDUCE, SIDE_SENDER, 100}};

	(void)state;
	for (size_t i = 0; i < COUNT(forms); i++) {
		struct cell cell = cell_of(forms[i].bench, 100, 10, 40, 40);

		cell.spec.side = forms[i].side;
		assert_float_equal(cell_measured_ns(&cell), forms[i].measured, 1e-12);
		if (forms[i].measured != 90 && forms[i].measured != 80)
			assert_true(forms[i].bench == BENCH_NLOAD ||
				    cell_ratio(&cell) == cell_ratio_seq(&cell));
	}
}

static void load_has_a_slowdown_and_no_ratio(void **state)
{
	const struct cell cell = cell_of(BENCH_NLOAD, 2200, 10, 100, NAN);
	const struct cell sender = cell_of(BENCH_SENDER, 110, 10, 100, 40);

	(void)state;
	assert_float_equal(cell_slowdown(&cell), 10, 1e-12);
	assert_true(isnan(cell_ratio(&cell)) && isnan(cell_ratio_seq(&cell)));
	assert_true(isnan(cell_imb_percent(&cell)) && isnan(cell_osu_percent(&cell)));
	assert_true(isnan(cell_slowdown(&sender)));
	assert_false(cell_uncertain(&cell));
}

static void the_error_of_a_ratio_is_that_of_its_medians(void **state)
{
	struct cell cell = cell_of(BENCH_CPU, 130, 10, 100, 40);

	(void)state;
	assert_float_equal(cell_ratio_error(&cell), 0, 0);
	cell.full = with_interval(130, 129, 133); /* H 2 */
	cell.comm = with_interval(100, 96, 102);  /* H 3 */
	cell.comp = with_interval(40, 39, 41);	  /* H 1 */
	assert_float_equal(cell_ratio(&cell), .75, 1e-12);
	assert_float_equal(cell_ratio_error(&cell), (2 + 3 + .75) / 40, 1e-12);
	assert_false(cell_uncertain(&cell));
	cell.full = with_interval(130, 120, 134);
	assert_float_equal(cell_ratio_error(&cell), (7 + 3 + .75) / 40, 1e-12);
	assert_true(cell_uncertain(&cell));

	cell.spec.bench = BENCH_SENDER;
	cell.full = with_interval(140, 139, 143);
	cell.latency = with_interval(10, 8, 10);
	assert_float_equal(cell_ratio_error(&cell), (2 + 1 + 3 + .75) / 40, 1e-12);
}

static void what_was_not_measured_is_uncertain(void **state)
{
	struct cell cell = cell_of(BENCH_SENDER, 110, 10, 100, 40);

	(void)state;
	cell.comp = unknown();
	assert_true(isnan(cell_ratio(&cell)));
	assert_true(cell_uncertain(&cell));
	cell = cell_of(BENCH_SENDER, 110, 10, 100, 40);
	cell.latency = unknown();
	assert_true(isnan(cell_ratio(&cell)) && isnan(cell_ratio_seq(&cell)));
	assert_true(cell_uncertain(&cell));
	cell = cell_of(BENCH_SENDER, 110, 10, 0, 40);
	assert_true(isnan(cell_ratio(&cell)) && cell_uncertain(&cell));
	assert_true(isnan(cell_osu_percent(&cell)));
}

/* --------------------------------------------------- metrics of other benchmarks */

static void the_overlap_of_imb_is_the_ratio_within_0_and_1(void **state)
{
	static const double fulls[] = {30, 90, 100, 110, 125, 140, 150, 400};

	(void)state;
	for (size_t i = 0; i < COUNT(fulls); i++) {
		const struct cell cell = cell_of(BENCH_IALLREDUCE, fulls[i], NAN, 100, 40);
		const double pure = 100, compute = 40, overlapped = fulls[i];
		const double imb = 100 * fmax(0, fmin(1, (pure + compute - overlapped) /
								 fmin(pure, compute)));

		assert_float_equal(cell_imb_percent(&cell), imb, 1e-9);
		assert_float_equal(cell_imb_percent(&cell),
				   100 * fmax(0, fmin(1, 1 - cell_ratio(&cell))), 1e-9);
	}
}

static void the_overlap_of_osu_is_that_of_a_published_run(void **state)
{
	/* Open MPI, pull request 7735: overall, compute and pure time in us, and the overlap. */
	const struct cell cell = cell_of(BENCH_IBCAST, 216.50, NAN, 135.61, 140.95);
	const struct cell longer = cell_of(BENCH_IBCAST, 200, NAN, 100, 80);

	(void)state;
	assert_float_equal(cell_osu_percent(&cell), 44.29, .005);
	assert_float_equal(cell_osu_percent(&cell), cell_imb_percent(&cell), 1e-9);
	assert_float_equal(cell_osu_percent(&longer), 0, 1e-9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_cell_is_read_from_its_name),
		cmocka_unit_test(what_is_no_cell_is_refused),
		cmocka_unit_test(cells_that_differ_in_anything_are_not_equal),
		cmocka_unit_test(every_benchmark_has_its_name),
		cmocka_unit_test(order_statistics_are_those_of_the_sorted_samples),
		cmocka_unit_test(the_interval_of_the_median_is_that_of_the_tables),
		cmocka_unit_test(no_samples_have_no_order_statistics),
		cmocka_unit_test(overlap_has_ratio_0_and_one_after_the_other_1),
		cmocka_unit_test(
			overlap_behind_a_long_computation_is_negative_but_not_of_the_sequence),
		cmocka_unit_test(the_latency_is_subtracted_where_there_is_an_answer),
		cmocka_unit_test(load_has_a_slowdown_and_no_ratio),
		cmocka_unit_test(the_error_of_a_ratio_is_that_of_its_medians),
		cmocka_unit_test(what_was_not_measured_is_uncertain),
		cmocka_unit_test(the_overlap_of_imb_is_the_ratio_within_0_and_1),
		cmocka_unit_test(the_overlap_of_osu_is_that_of_a_published_run),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
