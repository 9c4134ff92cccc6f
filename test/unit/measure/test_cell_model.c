/* Cells as the LogGPS model predicts them, against the core on a network in virtual time, and files with parameters. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "measure/params/params_file.h"
#include "measure/report/cell_model.h"
#include "test/unit/lib/exact_cell.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const struct fake_network network = {.L = 1500, .o = 200, .G = 0.09, .S = 4096};
static const struct parameters model = {.L_ns = 1500, .o_ns = 200, .G_ns = 0.09, .S = 4096};

static void check_plane(enum bench bench)
{
	for (uint64_t bytes = 1; bytes <= 16777216; bytes *= 4)
		for (double c = 500; c < 5e6; c *= 3) {
			const struct cell_spec spec = cell_spec_of(bench, bytes, c);
			struct cell cell = measure_cell(&network, 2, 3, &spec);

			assert_float_equal(cell_model_residual(&model, &cell), 0, 1e-9);
			cell_release(&cell);
		}
}

static void cells_of_messages_that_move_by_themselves_are_predicted_exactly(void **state)
{
	(void)state;
	check_plane(BENCH_SENDER);
	check_plane(BENCH_RECEIVER);
	check_plane(BENCH_BOTH);
	check_plane(BENCH_CPU);
	check_plane(BENCH_PERSISTENT_SEND);
	check_plane(BENCH_PERSISTENT_RECV);
}

static void messages_that_move_in_calls_only_take_longer_than_predicted(void **state)
{
	const struct cell_spec spec = cell_spec_of(BENCH_RECEIVER, 1 << 20, 200e3);
	struct fake_network in_calls = network;
	struct cell cell;

	(void)state;
	in_calls.calls_only = true;
	cell = measure_cell(&in_calls, 2, 3, &spec);
	assert_true(cell_model_residual(&model, &cell) > 0.4);
	cell_release(&cell);
}

static void what_the_model_does_not_know_is_not_predicted(void **state)
{
	struct cell_spec spec = cell_spec_of(BENCH_SENDER, 1024, 1e3);

	(void)state;
	assert_false(isnan(cell_model_full_ns(&model, &spec)));
	spec.pending = 2;
	assert_true(isnan(cell_model_full_ns(&model, &spec)));
	spec = cell_spec_of(BENCH_SENDER, 1024, 1e3);
	spec.tests_ns = 100;
	assert_true(isnan(cell_model_full_ns(&model, &spec)));
	spec = cell_spec_of(BENCH_NLOAD, 1024, 0);
	assert_true(isnan(cell_model_full_ns(&model, &spec)));
	spec = cell_spec_of(BENCH_IBCAST, 1024, 1e3);
	assert_true(isnan(cell_model_full_ns(&model, &spec)));
}

/* ----------------------------------------------------------------------- files */

static int read_text(const char *text, struct parameters *parameters, struct error *err)
{
	char path[] = "/tmp/params-XXXXXX";
	const int file = mkstemp(path);
	int result;

	assert_true(file >= 0 && write(file, text, strlen(text)) == (ssize_t)strlen(text));
	close(file);
	result = params_file_read(path, parameters, err);
	unlink(path);
	return result;
}

static void parameters_are_read_with_their_units(void **state)
{
	struct parameters read;
	struct error err;

	(void)state;
	assert_int_equal(read_text("L: 1.5us\no: 200ns\ng: 1us\nG: 0.25ns\nO: 0.5ns\nS: 8KiB\n",
				   &read, &err),
			 0);
	assert_float_equal(read.L_ns, 1500, 0);
	assert_float_equal(read.o_ns, 200, 0);
	assert_float_equal(read.g_ns, 1000, 0);
	assert_float_equal(read.G_ns, 0.25, 0);
	assert_float_equal(read.O_ns, 0.5, 0);
	assert_int_equal(read.S, 8192);
}

static void a_file_without_a_threshold_has_none(void **state)
{
	struct parameters read;
	struct error err;

	(void)state;
	assert_int_equal(read_text("L: 1us\n", &read, &err), 0);
	assert_true(read.S == NO_THRESHOLD && read.o_ns == 0);
	assert_int_equal(read_text("L: 1us\nS: none\n", &read, &err), 0);
	assert_true(read.S == NO_THRESHOLD);
	assert_int_equal(read_text("L: 1us\nintervals: {L: [500ns, 2us]}\n", &read, &err), 0);
	assert_true(read.L_ns == 1000);
}

static void what_is_no_file_of_parameters_is_refused_with_its_place(void **state)
{
	static const char *const texts[][2] = {
		{"o: 1us\n", "has no L"},
		{"unknown: L\no: 1us\n", "has no L"},
		{"L: fast\n", ":1:1: "},
		{"L: 1us\nsizes:\n  - 1\n", ":2:1: 'sizes' is no single value"},
		{"L: 1us\nnodes: 3\n", ":2:1: 'nodes' is not used"},
		{"- 1\n", "parameters are expected"},
		{"", ""},
	};

	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		struct parameters read;
		struct error err;

		assert_int_equal(read_text(texts[i][0], &read, &err), -1);
		assert_non_null(strstr(err.text, texts[i][1]));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cells_of_messages_that_move_by_themselves_are_predicted_exactly),
		cmocka_unit_test(messages_that_move_in_calls_only_take_longer_than_predicted),
		cmocka_unit_test(what_the_model_does_not_know_is_not_predicted),
		cmocka_unit_test(parameters_are_read_with_their_units),
		cmocka_unit_test(a_file_without_a_threshold_has_none),
		cmocka_unit_test(what_is_no_file_of_parameters_is_refused_with_its_place),
	};

	return cmocka_run_group_tests_name("cell model", tests, NULL, NULL);
}
