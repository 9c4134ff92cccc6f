/* Verdicts of overlap: classes of sizes, shares for graphs, kinds of libraries; cells by hand. */
#include "measure/cells/ratio.h"
#include "measure/cells/verdict.h"
#include "test/unit/lib/must.h"

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

/* ------------------------------------------------------------------------ make */

static struct cells_file file;

static int by_spec(const void *a, const void *b)
{
	return cell_spec_compare(&((const struct cell *)a)->spec, &((const struct cell *)b)->spec);
}

static struct spread always(double value)
{
	return (struct spread){50, value, value, value, value, value, value, value, value, value};
}

/* Add a cell without latency, of T_comm 100 and a ratio, by a computation of so many T_comm. */
static struct cell *add(enum bench bench, uint64_t bytes, double computation, double ratio)
{
	const double comm = 100, comp = computation * comm;
	const struct cell cell = {
		.spec = {.bench = bench,
			 .side = bench_default_side(bench),
			 .bytes = bytes,
			 .compute_ns = comp,
			 .pending = 1},
		.full = always(fmax(comm, comp) + ratio * fmin(comm, comp)),
		.latency = always(0),
		.comm = always(comm),
		.comp = always(comp),
	};

	MUST(array_push(&file.cells, cell, &err));
	return &file.cells.items[file.cells.count - 1];
}

static void make_uncertain(struct cell *cell)
{
	cell->full.high = 10 * cell->full.median;
}

static int start(void **state)
{
	(void)state;
	memset(&file, 0, sizeof file);
	file.path = (char *)"cells.overlap";
	return 0;
}

static int end(void **state)
{
	(void)state;
	array_release(&file.cells);
	return 0;
}

static struct size_classes find_classes(void)
{
	struct size_classes classes = {0};

	if (file.cells.count)
		qsort(file.cells.items, file.cells.count, sizeof *file.cells.items, by_spec);
	MUST(size_classes_find(&file, &classes, &err));
	return classes;
}

static void assert_class(const struct size_classes *classes, size_t number, uint64_t from,
			 uint64_t to, enum verdict verdict)
{
	assert_true(number < classes->count);
	assert_int_equal(classes->items[number].from, from);
	assert_int_equal(classes->items[number].to, to);
	assert_int_equal(classes->items[number].verdict, verdict);
}

/* --------------------------------------------------------------------- classes */

static void verdicts_have_their_bounds(void **state)
{
	(void)state;
	assert_int_equal(verdict_of(-.5), VERDICT_OVERLAPPED);
	assert_int_equal(verdict_of(.15), VERDICT_OVERLAPPED);
	assert_int_equal(verdict_of(.16), VERDICT_PARTLY);
	assert_int_equal(verdict_of(.84), VERDICT_PARTLY);
	assert_int_equal(verdict_of(.85), VERDICT_SERIALISED);
	assert_int_equal(verdict_of(1.15), VERDICT_SERIALISED);
	assert_int_equal(verdict_of(1.16), VERDICT_HARMFUL);
	assert_int_equal(verdict_of(NAN), VERDICT_NONE);
}

static void neighbouring_sizes_of_one_verdict_are_one_class(void **state)
{
	struct size_classes classes;

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		add(BENCH_RECEIVER, 64u << i, 1, 0);
		add(BENCH_RECEIVER, 64u << i, .5, 3); /* too short a computation to decide */
		add(BENCH_RECEIVER, 1024u << i, 2, .9 + .1 * i);
		add(BENCH_SENDER, 64u << i, 2, .5);
	}
	classes = find_classes();
	assert_int_equal(classes.count, 3);
	assert_int_equal(classes.items[0].like.bench, BENCH_SENDER);
	assert_class(&classes, 0, 64, 256, VERDICT_PARTLY);
	assert_int_equal(classes.items[1].like.bench, BENCH_RECEIVER);
	assert_class(&classes, 1, 64, 256, VERDICT_OVERLAPPED);
	assert_int_equal(classes.items[1].cells, 3);
	assert_class(&classes, 2, 1024, 4096, VERDICT_SERIALISED);
	assert_float_equal(classes.items[2].ratio, 1, 1e-9);
	assert_float_equal(classes.items[2].low, .95, 1e-9);
	assert_float_equal(classes.items[2].high, 1.05, 1e-9);
	array_release(&classes);
}

static void sizes_without_a_verdict_belong_to_the_class_around_them(void **state)
{
	struct size_classes classes;

	(void)state;
	add(BENCH_SENDER, 64, 1, 0);
	make_uncertain(add(BENCH_SENDER, 128, 1, 1));
	add(BENCH_SENDER, 256, .5, 1); /* no long computation */
	add(BENCH_SENDER, 512, 1, 0);
	make_uncertain(add(BENCH_SENDER, 1024, 1, 0));
	add(BENCH_SENDER, 2048, 1, 1);
	classes = find_classes();
	assert_int_equal(classes.count, 3);
	assert_class(&classes, 0, 64, 512, VERDICT_OVERLAPPED);
	assert_int_equal(classes.items[0].cells, 3);
	assert_int_equal(classes.items[0].uncertain, 1);
	assert_float_equal(classes.items[0].ratio, 0, 0);
	assert_class(&classes, 1, 1024, 1024, VERDICT_NONE);
	assert_true(isnan(classes.items[1].ratio));
	assert_class(&classes, 2, 2048, 2048, VERDICT_SERIALISED);
	array_release(&classes);
}

static void cells_of_other_kernels_messages_and_tests_are_other_classes(void **state)
{
	struct size_classes classes;

	(void)state;
	add(BENCH_RECEIVER, 64, 1, 1);
	add(BENCH_RECEIVER, 64, 1, 0)->spec.kernel = KERNEL_TIME;
	add(BENCH_RECEIVER, 64, 1, .5)->spec.pending = 4;
	add(BENCH_RECEIVER, 64, 1, 2)->spec.tests_ns = 5000;
	classes = find_classes();
	assert_int_equal(classes.count, 4);
	assert_int_equal(classes.items[0].verdict, VERDICT_SERIALISED);
	assert_int_equal(classes.items[1].like.tests_ns, 5000);
	assert_int_equal(classes.items[1].verdict, VERDICT_HARMFUL);
	assert_int_equal(classes.items[2].like.pending, 4);
	assert_int_equal(classes.items[3].like.kernel, KERNEL_TIME);
	array_release(&classes);
}

/* A cell of nload whose ping-pong takes so many times as long as without threads. */
static void add_load(uint64_t bytes, unsigned threads, double times)
{
	struct cell *cell = add(BENCH_NLOAD, bytes, 0, 0);

	cell->spec.threads = threads;
	cell->full = always(200 * times);
	cell->comp = spread_of(&(struct samples){0});
}

static void load_has_classes_for_each_number_of_threads(void **state)
{
	struct size_classes classes;

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		add_load(64u << i, 0, 1);
		add_load(64u << i, 1, 1.1);
		add_load(64u << i, 2, i ? 1 : 100 + i);
	}
	classes = find_classes();
	assert_int_equal(classes.count, 3);
	assert_class(&classes, 0, 64, 256, VERDICT_OVERLAPPED);
	assert_int_equal(classes.items[0].like.threads, 1);
	assert_float_equal(classes.items[0].ratio, .1, 1e-9);
	assert_class(&classes, 1, 64, 64, VERDICT_HARMFUL);
	assert_float_equal(classes.items[1].ratio, 99, 1e-9);
	assert_class(&classes, 2, 128, 256, VERDICT_OVERLAPPED);
	array_release(&classes);
}

static void an_empty_file_has_no_classes(void **state)
{
	struct size_classes classes = find_classes();

	(void)state;
	assert_int_equal(classes.count, 0);
	array_release(&classes);
}

/* ---------------------------------------------------------------------- shares */

static void shares_cover_all_sizes(void **state)
{
	struct overlap_shares shares = {0};

	(void)state;
	add(BENCH_RECEIVER, 64, 1, -.2);
	add(BENCH_RECEIVER, 256, 1, .25);
	add(BENCH_RECEIVER, 256, 2, .35);
	add(BENCH_RECEIVER, 256, 4, .9);
	make_uncertain(add(BENCH_RECEIVER, 512, 4, .9));
	add(BENCH_RECEIVER, 1024, 4, 1.3);
	add(BENCH_SENDER, 128, 1, .5);
	add(BENCH_RECEIVER, 128, 1, .5)->spec.kernel = KERNEL_TIME;
	MUST(overlap_shares_find(&file, BENCH_RECEIVER, &shares, &err));
	assert_int_equal(shares.count, 3);
	assert_float_equal(shares.items[0].share, 1, 0);
	assert_int_equal(shares.items[0].from, 0);
	assert_int_equal(shares.items[0].to, 128);
	assert_float_equal(shares.items[1].share, .65, 1e-9);
	assert_int_equal(shares.items[1].from, 129);
	assert_int_equal(shares.items[1].to, 512);
	assert_float_equal(shares.items[2].share, 0, 0);
	assert_int_equal(shares.items[2].from, 513);
	assert_true(shares.items[2].to == UINT64_MAX);
	array_release(&shares);
}

static void shares_of_what_was_not_measured_are_an_error(void **state)
{
	struct overlap_shares shares = {0};

	(void)state;
	add(BENCH_RECEIVER, 64, .5, 0);
	make_uncertain(add(BENCH_RECEIVER, 64, 4, .9));
	assert_int_equal(overlap_shares_find(&file, BENCH_RECEIVER, &shares, &err), -1);
	assert_int_equal(err.status, STATUS_LIMIT);
	assert_non_null(
		strstr(err.text, "cells.overlap has no certain cell of the benchmark receiver"));
	array_release(&shares);
}

static void stolen_time_is_what_work_takes_longer_than_time(void **state)
{
	const struct cell *cell;

	(void)state;
	add(BENCH_RECEIVER, 64, 4, .3);
	cell = &file.cells.items[0];
	assert_true(isnan(cell_stolen_ns(&file, cell)));
	add(BENCH_RECEIVER, 64, 4, .1)->spec.kernel = KERNEL_TIME;
	qsort(file.cells.items, file.cells.count, sizeof *file.cells.items, by_spec);
	assert_float_equal(cell_stolen_ns(&file, &file.cells.items[0]), 20, 1e-9);
	assert_true(isnan(cell_stolen_ns(&file, &file.cells.items[1])));
}

/* -------------------------------------------------------------------- libraries */

static struct library_class class_of_library(double sender, double receiver, double processors,
					     double stolen)
{
	struct library_class class;
	struct cell *cell;

	file.cells.count = 0;
	add(BENCH_SENDER, 1 << 20, 4, sender);
	add(BENCH_SENDER, 64, 4, 0);
	add(BENCH_RECEIVER, 64, 4, 0);
	cell = add(BENCH_RECEIVER, 1 << 20, 4, receiver + stolen);
	cell->cpu_ns = processors * cell->full.median;
	add(BENCH_RECEIVER, 1 << 20, 4, receiver)->spec.kernel = KERNEL_TIME;
	qsort(file.cells.items, file.cells.count, sizeof *file.cells.items, by_spec);
	MUST(library_class_find(&file, &class, &err));
	return class;
}

static void libraries_are_named_by_what_overlaps_above_the_threshold(void **state)
{
	static const struct {
		double sender, receiver, processors, stolen;
		bool one_host;
		const char *name;
	} rows[] = {
		{0, 0, 1, 0, false, "network card"},
		{0, 0, 1, 0, true, "copy by the peer"},
		{0, 0, 2, 0, true, "progress thread"},
		{0, 0, 1, .12, false, "progress thread"},
		{0, 1, 1, 0, false, "in calls of the receiver"},
		{0, .4, 1, 0, true, "in calls of the receiver"},
		{1, 0, 1, 0, false, "in calls of the sender"},
		{1, 1, 1, 0, false, "in calls only"},
		{.5, 1, 1, 0, false, "mixed"},
		{0, 1.5, 1, 0, false, "harmful"},
		{2, 0, 2, 0, false, "harmful"},
		{NAN, 0, 1, 0, false, "unknown"},
	};

	(void)state;
	file.header.S_low = 65536;
	file.header.S_high = 65537;
	for (size_t i = 0; i < COUNT(rows); i++) {
		file.header.one_host = rows[i].one_host;
		assert_string_equal(class_of_library(rows[i].sender, rows[i].receiver,
						     rows[i].processors, rows[i].stolen)
					    .name,
				    rows[i].name);
	}
}

static void the_class_tells_its_evidence(void **state)
{
	struct library_class class;

	(void)state;
	file.header.S_low = 65536;
	file.header.S_high = 65537;
	class = class_of_library(.01, .97, 1, 0);
	assert_string_equal(
		class.evidence,
		"above 64 KiB: sender 0.01, receiver 0.97; up to 64 KiB: sender 0, receiver 0; the process takes 1"
		" times the processor time of one core; communication takes 0 of its time from the computation");
	assert_null(class.paper);
	file.header.S_low = file.header.S_high = 0;
	class = class_of_library(1, 1, 1, 0);
	assert_non_null(strstr(class.evidence, "the rendezvous threshold is unknown"));
}

static void what_has_changed_since_the_paper_is_told(void **state)
{
	(void)state;
	file.header.one_host = true;
	assert_non_null(strstr(class_of_library(0, 1, 1, 0).paper, "in 2016 shared memory"));
	assert_null(class_of_library(1, 1, 1, 0).paper);
	file.header.one_host = false;
	file.header.transport = (char *)"UCX tcp";
	assert_non_null(strstr(class_of_library(1, 1, 1, 0).paper, "in 2016 TCP"));
	file.header.transport = NULL;
	assert_null(class_of_library(1, 1, 1, 0).paper);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(verdicts_have_their_bounds),
		TEST(neighbouring_sizes_of_one_verdict_are_one_class),
		TEST(sizes_without_a_verdict_belong_to_the_class_around_them),
		TEST(cells_of_other_kernels_messages_and_tests_are_other_classes),
		TEST(load_has_classes_for_each_number_of_threads),
		TEST(an_empty_file_has_no_classes),
		TEST(shares_cover_all_sizes),
		TEST(shares_of_what_was_not_measured_are_an_error),
		TEST(stolen_time_is_what_work_takes_longer_than_time),
		TEST(libraries_are_named_by_what_overlaps_above_the_threshold),
		TEST(the_class_tells_its_evidence),
		TEST(what_has_changed_since_the_paper_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
