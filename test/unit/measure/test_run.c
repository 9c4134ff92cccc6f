/* Runs of the overlap benchmark, on the port in virtual time. */
#include "measure/overlap/run.h"
#include "test/unit/lib/make/fake_port.h"
#include "test/unit/lib/must.h"
#include "test/unit/lib/scratch_folder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct error err;

/* ---------------------------------------------------------------------- a run */

struct job {
	struct run_options options;
	FILE *stream;
	int status;
};

static void work(struct port *port, void *data)
{
	struct job *job = data;

	if (port->rank == 0)
		job->status = overlap_run(port, &job->options, job->stream, &err);
	else
		overlap_serve(port, &err);
}

static const struct fake_network network = {.L = 1000, .o = 300, .G = 0.1, .S = 8192};

static struct run_options few(void)
{
	return (struct run_options){
		.plan = {.benches[BENCH_SENDER] = true,
			 .benches[BENCH_RECEIVER] = true,
			 .kernels[KERNEL_WORK] = true,
			 .side = SIDE_COUNT,
			 .least_bytes = 1024,
			 .most_bytes = 4096,
			 .least_compute_ns = 1e3,
			 .most_compute_ns = 8e3,
			 .per_octave = 1,
			 .pending = 1},
		.repeat = 10,
		.limit_ns = INFINITY,
	};
}

static const char *cells_path(void)
{
	static char path[96];

	snprintf(path, sizeof path, "%s/run.overlap", scratch);
	return path;
}

/* Run on a network, and read what was written after a header. */
static struct cells_file run_on(const struct fake_network *world, const struct run_options *options,
				const char *mode)
{
	static const struct cells_header header;
	struct job job = {.options = *options, .stream = fopen(cells_path(), mode)};
	struct cells_file file = {0};

	assert_non_null(job.stream);
	if (*mode == 'w')
		cells_write_header(job.stream, &header);
	else
		cells_write_resumed(job.stream, "now");
	fake_play(world, 2, work, &job);
	MUST(job.status);
	assert_int_equal(fclose(job.stream), 0);
	MUST(cells_file_read(cells_path(), &file, &err));
	return file;
}

/* ---------------------------------------------------------------------- tests */

static void a_run_measures_the_whole_plan(void **state)
{
	struct run_result result;
	struct run_options options = few();
	struct cells_file file;

	(void)state;
	options.result = &result;
	file = run_on(&network, &options, "w");
	assert_string_equal(file.end, "complete");
	assert_int_equal(file.cells.count, 2 * 3 * 4);
	assert_int_equal(result.cells, 24);
	assert_int_equal(result.left_out, 0);
	for (size_t i = 0; i < file.cells.count; i++)
		assert_int_equal(file.cells.items[i].rounds, 10);
	cells_file_release(&file);
}

static void cells_that_a_file_has_are_not_measured(void **state)
{
	struct run_result result;
	struct run_options options = few();
	struct cells_file before, file;

	(void)state;
	options.plan.most_bytes = 2048;
	before = run_on(&network, &options, "w");
	options = few();
	options.resumed = &before;
	options.result = &result;
	file = run_on(&network, &options, "a");
	assert_int_equal(before.cells.count, 16);
	assert_int_equal(result.cells, 8);
	assert_int_equal(file.cells.count, 24);
	assert_string_equal(file.end, "complete");
	cells_file_release(&before);
	cells_file_release(&file);
}

static void a_run_that_is_stopped_says_so(void **state)
{
	volatile sig_atomic_t stop = 0;
	struct fake_network world = network;
	struct run_options options = few();
	struct cells_file file;

	(void)state;
	world.stop_ns = 1e6;
	options.stop = world.stop = &stop;
	file = run_on(&world, &options, "w");
	assert_string_equal(file.end, "interrupted");
	assert_in_range(file.cells.count, 1, 23);
	cells_file_release(&file);
}

/* With a limit small cells are measured although large ones are left out, and cells have all rounds. */
static void a_limit_leaves_out_cells_but_no_rounds(void **state)
{
	struct run_result result;
	struct run_options options = few();
	struct cells_file file;

	(void)state;
	options.plan.most_compute_ns = 100e6;
	options.full = true;
	options.limit_ns = 1e9;
	options.result = &result;
	file = run_on(&network, &options, "w");
	assert_string_equal(file.end, "time limit");
	assert_true(result.left_out > 0);
	assert_int_equal(result.left_out + file.cells.count, 2 * 3 * 17);
	assert_true(file.cells.count >= 24);
	for (size_t i = 0; i < file.cells.count; i++)
		assert_int_equal(file.cells.items[i].rounds, 10);
	cells_file_release(&file);
}

static void cells_that_take_long_have_fewer_rounds_unless_all_are_ordered(void **state)
{
	struct run_options options = few();
	struct cells_file file;

	(void)state;
	options.plan.least_compute_ns = options.plan.most_compute_ns = 50e6;
	options.plan.most_bytes = 1024;
	options.repeat = 100;
	for (unsigned full = 0; full < 2; full++) {
		options.full = full;
		file = run_on(&network, &options, "w");
		assert_int_equal(file.cells.count, 2);
		for (size_t i = 0; i < 2; i++)
			assert_in_range(file.cells.items[i].rounds, full ? 100 : 10,
					full ? 100 : 60);
		cells_file_release(&file);
	}
}

static void quick_runs_compute_as_long_as_the_message_takes(void **state)
{
	static const double factors[] = {0.25, 1, 4};
	struct run_options options = few();
	struct cells_file file;

	(void)state;
	options.plan.quick = true;
	options.plan.least_bytes = options.plan.most_bytes = 1 << 20;
	file = run_on(&network, &options, "w");
	assert_int_equal(file.cells.count, 6);
	for (size_t i = 0; i < file.cells.count; i++) {
		const struct cell *cell = &file.cells.items[i];
		const double ratio = cell->spec.compute_ns / cell->comm.median / factors[i % 3];

		assert_true(ratio > 0.8 && ratio < 1.25);
	}
	cells_file_release(&file);
}

static void a_disk_that_is_full_ends_the_run(void **state)
{
	struct job job = {.options = few(), .stream = fopen("/dev/full", "w")};

	(void)state;
	if (!job.stream)
		skip();
	fake_play(&network, 2, work, &job);
	assert_int_equal(job.status, -1);
	assert_int_equal(err.status, STATUS_SYSTEM);
	fclose(job.stream);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_run_measures_the_whole_plan),
		cmocka_unit_test(cells_that_a_file_has_are_not_measured),
		cmocka_unit_test(a_run_that_is_stopped_says_so),
		cmocka_unit_test(a_limit_leaves_out_cells_but_no_rounds),
		cmocka_unit_test(cells_that_take_long_have_fewer_rounds_unless_all_are_ordered),
		cmocka_unit_test(quick_runs_compute_as_long_as_the_message_takes),
		cmocka_unit_test(a_disk_that_is_full_ends_the_run),
	};

	return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
