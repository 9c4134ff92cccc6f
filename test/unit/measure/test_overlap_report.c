/* What follows from files of the overlap benchmark: gains of progress threads, parameters, quality; cells by hand. */
#include "measure/cells/ratio.h"
#include "measure/report/overlap_params.h"
#include "measure/report/progress_gain.h"
#include "test/unit/lib/must.h"
#include "test/unit/lib/scratch_folder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct error err;

/* ------------------------------------------------------------------------ make */

static struct cells_setting thread_on = {(char *)"MPIR_CVAR_ASYNC_PROGRESS", (char *)"1"};
static struct cells_setting thread_off = {(char *)"MPIR_CVAR_ASYNC_PROGRESS", (char *)"0"};
static struct cells_setting tcp = {(char *)"UCX_TLS", (char *)"tcp"};

static struct cells_header header_with(struct cells_setting *setting)
{
	struct cells_header header = {.hosts = {(char *)"a", (char *)"b"},
				      .mpi = (char *)"MPI",
				      .processors = 4,
				      .ranks = 2};

	header.settings.items = setting;
	header.settings.count = header.settings.capacity = setting ? 1 : 0;
	return header;
}

/* Samples within 0.1 % of a value. */
static struct spread about(double value)
{
	const double low = .999 * value, high = 1.001 * value;

	return (struct spread){50, low, low, low, value, high, high, high, low, high};
}

/* A cell of a network with a latency of 1 us and 1 ns/B, of which a share moves beside the computation. */
static struct cell cell_with(enum bench bench, uint64_t bytes, double compute_ns, double share)
{
	const double latency = 1000;
	const double comm = bench == BENCH_CPU ? 200 + (double)bytes / 10
					       : latency + (double)(bytes - 1);
	const double exposed = fmax((1 - share) * comm, comm - compute_ns) + latency;

	return (struct cell){
		.spec = {.bench = bench, .bytes = bytes, .compute_ns = compute_ns, .pending = 1},
		.full = about(compute_ns + exposed),
		.latency = about(latency),
		.comm = about(comm),
		.comp = about(compute_ns),
		.blocking = spread_of(&(struct samples){0}),
		.rounds = 50,
	};
}

/* Write a file, and read it with what it says. */
static struct overlap_files read_files(const struct cells_header *headers, const struct cell *cells,
				       const size_t *counts, uint32_t count)
{
	char names[4][128], *paths[4];
	struct overlap_files files;

	for (uint32_t i = 0; i < count; i++) {
		FILE *stream;

		paths[i] = names[i];
		snprintf(names[i], sizeof names[i], "%s/%u.overlap", scratch, i);
		stream = fopen(names[i], "w");
		assert_non_null(stream);
		cells_write_header(stream, &headers[i]);
		for (size_t k = 0; k < counts[i]; k++)
			cells_write_cell(stream, cells++);
		cells_write_end(stream, "complete", 0);
		fclose(stream);
	}
	MUST(overlap_files_read(&files, paths, count, &err));
	return files;
}

/* ----------------------------------------------------------------------- gains */

/* Cells without and with a thread that moves messages of 64 KiB, whose computations differ as in quick runs. */
static void make_quick_cells(struct cell cells[static 8])
{
	cells[0] = cell_with(BENCH_RECEIVER, 1024, 2e3, 1);
	cells[1] = cell_with(BENCH_RECEIVER, 1024, 8e3, 1);
	cells[2] = cell_with(BENCH_RECEIVER, 65536, 66e3, 0);
	cells[3] = cell_with(BENCH_RECEIVER, 65536, 264e3, 0);
	cells[4] = cell_with(BENCH_RECEIVER, 1024, 2.5e3, 1);
	cells[5] = cell_with(BENCH_RECEIVER, 1024, 10e3, .2); /* which it slows down */
	cells[6] = cell_with(BENCH_RECEIVER, 65536, 70e3, 1);
	cells[7] = cell_with(BENCH_RECEIVER, 65536, 280e3, 1);
}

static struct overlap_files files_of_quick_runs(struct cells_setting *first,
						struct cells_setting *second)
{
	const struct cells_header headers[] = {header_with(first), header_with(second)};
	const size_t counts[] = {4, 4};
	struct cell cells[8];

	make_quick_cells(cells);
	return read_files(headers, cells, counts, 2);
}

static void a_thread_pays_where_less_communication_is_exposed(void **state)
{
	struct overlap_files files = files_of_quick_runs(NULL, &thread_on);
	struct progress_gain gain;

	(void)state;
	MUST(progress_gain_find(&gain, &files.items[0], &files.items[1], &err));
	assert_true(gain.is_thread);
	assert_true(gain.with == &files.items[1]);
	assert_int_equal(gain.rows.count, 2);
	assert_false(gain_row_pays(&gain.rows.items[0]));
	assert_int_equal(gain.rows.items[0].costs, 1);
	assert_true(gain_row_pays(&gain.rows.items[1]));
	assert_int_equal(gain.rows.items[1].pays, 2);
	/* T_comm of 66.535 us is hidden. */
	assert_float_equal(gain.rows.items[1].most, 66535 / (66e3 + 66535 + 1000), 1e-9);
	assert_float_equal(gain.rows.items[1].least_ns, 70e3, 0);
	assert_float_equal(gain.rows.items[1].most_ns, 280e3, 0);
	assert_string_equal(
		gain.sentence,
		"on this machine a progress thread pays for messages of 64 KiB with computation of"
		" 70 us to 280 us; it costs 18 % in 1 of 4 cells, and a message without data takes 1 us"
		" instead of 1 us");
	progress_gain_release(&gain);
	overlap_files_release(&files);
}

static void the_file_with_the_thread_may_be_the_first(void **state)
{
	struct overlap_files files = files_of_quick_runs(&thread_off, &thread_on);
	struct progress_gain gain, swapped;

	(void)state;
	MUST(progress_gain_find(&gain, &files.items[0], &files.items[1], &err));
	MUST(progress_gain_find(&swapped, &files.items[1], &files.items[0], &err));
	assert_true(swapped.with == gain.with);
	assert_string_equal(swapped.sentence, gain.sentence);
	progress_gain_release(&gain);
	progress_gain_release(&swapped);
	overlap_files_release(&files);
}

static void a_thread_that_takes_a_core_of_the_ranks_is_told(void **state)
{
	struct overlap_files files = files_of_quick_runs(NULL, &thread_on);
	struct progress_gain gain;

	(void)state;
	files.items[0].file.header.processors = files.items[1].file.header.processors = 1;
	MUST(progress_gain_find(&gain, &files.items[0], &files.items[1], &err));
	assert_false(gain.has_free_core);
	assert_non_null(strstr(gain.sentence, "; no free core: 1 processor for 1 rank"));
	progress_gain_release(&gain);
	overlap_files_release(&files);
}

static void only_files_that_differ_in_settings_are_compared(void **state)
{
	const struct cells_header plain = header_with(NULL), with = header_with(&thread_on),
				  off = header_with(&thread_off), other = header_with(&tcp);
	struct cells_header hosts = with;

	(void)state;
	hosts.hosts[1] = (char *)"c";
	assert_true(progress_gain_compares(&plain, &with, false));
	assert_true(progress_gain_compares(&with, &off, false));
	assert_false(progress_gain_compares(&plain, &plain, true));
	assert_false(progress_gain_compares(&plain, &hosts, true));
	assert_false(progress_gain_compares(&other, &with, false));
	assert_true(progress_gain_compares(&other, &with, true));
}

/* ------------------------------------------------------------------- parameters */

static void parameters_are_those_of_the_network(void **state)
{
	const struct cells_header header = header_with(NULL);
	const struct cell cells[] = {
		cell_with(BENCH_SENDER, 1000, 1e3, 1),	   cell_with(BENCH_SENDER, 10000, 1e3, 1),
		cell_with(BENCH_RECEIVER, 100000, 1e3, 1), cell_with(BENCH_CPU, 1000, 1e3, 1),
		cell_with(BENCH_CPU, 10000, 1e3, 1),
	};
	const size_t count = 5, without_cpu = 3;
	struct overlap_files files = read_files(&header, cells, &count, 1);
	struct overlap_params params;

	(void)state;
	MUST(overlap_params_find(&files.items[0], &params, &err));
	assert_float_equal(params.of.o_ns, 300, 1e-9);
	assert_float_equal(params.of.L_ns, 400, 1e-9);
	assert_float_equal(params.of.G_ns, 1, 1e-9);
	assert_true(params.of.S == NO_THRESHOLD);
	assert_true(params.knows_o && !params.guesses_S);
	assert_int_equal(params.sizes, 3);
	assert_float_equal(params.residual, 0, 1e-9);
	overlap_files_release(&files);

	files = read_files(&header, cells, &without_cpu, 1);
	MUST(overlap_params_find(&files.items[0], &params, &err));
	assert_false(params.knows_o);
	assert_float_equal(params.of.L_ns, 1000, 1e-9);
	overlap_files_release(&files);
}

static void an_unknown_threshold_is_where_the_receiver_ceases_to_overlap(void **state)
{
	const struct cells_header header = header_with(NULL);
	const struct cell cells[] = {
		cell_with(BENCH_RECEIVER, 1024, 1e5, 1),
		cell_with(BENCH_RECEIVER, 8192, 1e5, 1),
		cell_with(BENCH_RECEIVER, 16384, 1e5, 0),
		cell_with(BENCH_RECEIVER, 65536, 1e5, 0),
	};
	const size_t count = 4;
	struct overlap_files files = read_files(&header, cells, &count, 1);
	struct overlap_params params;

	(void)state;
	MUST(overlap_params_find(&files.items[0], &params, &err));
	assert_true(params.guesses_S);
	assert_int_equal(params.of.S, 8192);
	files.items[0].file.header.S_low = 100;
	files.items[0].file.header.S_high = 101;
	MUST(overlap_params_find(&files.items[0], &params, &err));
	assert_false(params.guesses_S);
	assert_int_equal(params.of.S, 100);
	overlap_files_release(&files);
}

/* ---------------------------------------------------------------------- quality */

static void quality_is_that_of_all_cells(void **state)
{
	const struct cells_header header = header_with(NULL);
	struct cell cells[] = {
		cell_with(BENCH_SENDER, 64, 1e5, 1),
		cell_with(BENCH_SENDER, 64, 2e5, 1),
		cell_with(BENCH_SENDER, 1024, 3e3, 1),
		cell_with(BENCH_RECEIVER, 1024, 3e3, 1),
	};
	const size_t count = 4;
	struct overlap_files files;

	(void)state;
	cells[0].rounds = 150;
	cells[0].rejected = 30;
	cells[1].full.high = cells[1].full.max = 1e6; /* uncertain */
	cells[3].full = about(2.5e3);		      /* less than the computation alone */
	cells[3].spec.bytes = 2048;
	files = read_files(&header, cells, &count, 1);
	assert_float_equal(files.items[0].rejected, .1, 1e-12);
	assert_int_equal(files.items[0].negative.count, 1);
	assert_int_equal(files.items[0].negative.items[0]->spec.bytes, 2048);
	assert_true(files.items[0].uncertain >= .25);
	overlap_files_release(&files);
}

static void medians_are_over_the_sizes_asked_for(void **state)
{
	const struct cells_header header = header_with(NULL);
	const struct cell cells[] = {
		cell_with(BENCH_RECEIVER, 4096, 1e5, 1),
		cell_with(BENCH_RECEIVER, 65536, 1e5, 0),
		cell_with(BENCH_RECEIVER, 131072, 2e5, 0),
	};
	const size_t count = 3;
	struct overlap_files files = read_files(&header, cells, &count, 1);
	double median;

	(void)state;
	MUST(overlap_median(&files.items[0].file, BENCH_RECEIVER, 0, 4096, &median, &err));
	assert_float_equal(median, 1000.0 / (4095 + 2000), 1e-9);
	MUST(overlap_median(&files.items[0].file, BENCH_RECEIVER, 4097, UINT64_MAX, &median, &err));
	assert_float_equal(median, 1, 1e-9);
	MUST(overlap_median(&files.items[0].file, BENCH_SENDER, 0, UINT64_MAX, &median, &err));
	assert_true(isnan(median));
	overlap_files_release(&files);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_thread_pays_where_less_communication_is_exposed),
		cmocka_unit_test(the_file_with_the_thread_may_be_the_first),
		cmocka_unit_test(a_thread_that_takes_a_core_of_the_ranks_is_told),
		cmocka_unit_test(only_files_that_differ_in_settings_are_compared),
		cmocka_unit_test(parameters_are_those_of_the_network),
		cmocka_unit_test(an_unknown_threshold_is_where_the_receiver_ceases_to_overlap),
		cmocka_unit_test(quality_is_that_of_all_cells),
		cmocka_unit_test(medians_are_over_the_sizes_asked_for),
	};

	return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
