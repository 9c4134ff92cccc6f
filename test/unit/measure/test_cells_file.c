/* Files of the overlap benchmark: what is written is read; what is wrong has an error with its place. */
#include "measure/cells/cells_file.h"
#include "test/unit/lib/damage.h"
#include "test/unit/lib/must.h"
#include "test/unit/lib/scratch_folder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static struct error err;
static char path[128];

/* ----------------------------------------------------------------------- make */

static struct cells_setting settings[] = {{(char *)"MPIR_CVAR_NOLOCAL", (char *)"1"},
					  {(char *)"UCX_TLS", (char *)"tcp \"\\\n\xc3\xa4"}};

static struct cells_header header_of(void)
{
	return (struct cells_header){
		.hosts = {(char *)"a", (char *)"b"},
		.mpi = (char *)"MPICH 4.0.2",
		.transport = (char *)"UCX tcp",
		.processor = (char *)"some processor",
		.processors = 4,
		.cores = {(char *)"0-3", (char *)"0,2"},
		.start = (char *)"2026-01-02T03:04:05Z",
		.thread_level = (char *)"MPI_THREAD_FUNNELED",
		.options = (char *)"--bench sender",
		.ranks = 4,
		.pairs = 2,
		.repeat = 50,
		.both_types = true,
		.load = -1,
		.work_ns = 1.0 / 3,
		.S_low = 65536,
		.S_high = 65537,
		.settings = {settings, COUNT(settings), COUNT(settings)},
	};
}

/* Samples around a value. */
static struct spread around(double value)
{
	double items[] = {value, value + 1.0 / 3, value - 2, value + 5,
			  value, value + 1000,	  value - 1};

	return spread_of(&(struct samples){.items = items, .count = COUNT(items)});
}

static struct cell cell_of(enum bench bench, uint64_t bytes, double compute_ns)
{
	return (struct cell){
		.spec = {bench, KERNEL_TIME, SIDE_BOTH, bytes, compute_ns, 3, 2, 5e3},
		.full = around(3000),
		.latency = around(1000.1),
		.comm = around(1e6 / 7),
		.comp = around(2e9),
		.blocking = spread_of(&(struct samples){0}),
		.post_ns = 12.5,
		.compute_ns = 1e5 + .25,
		.complete_ns = NAN,
		.cpu_ns = 7,
		.rounds = 70,
		.rejected = 20,
	};
}

static FILE *open_file(const char *mode)
{
	FILE *stream;

	snprintf(path, sizeof path, "%s/cells.overlap", scratch);
	stream = fopen(path, mode);
	assert_non_null(stream);
	return stream;
}

/* A file of one header, and of `text` after it. */
static void write_after_header(const char *text, size_t count)
{
	const struct cells_header header = header_of();
	FILE *stream = open_file("w");

	cells_write_header(stream, &header);
	fwrite(text, 1, count, stream);
	fclose(stream);
}

static void write_text(const char *text)
{
	FILE *stream = open_file("w");

	fputs(text, stream);
	fclose(stream);
}

static double ratios[] = {.5, NAN, 1};

/* A file with all kinds of lines. */
static void write_example(void)
{
	const struct cells_header header = header_of();
	struct cell cells[] = {cell_of(BENCH_IBCAST, 64, 1e3), cell_of(BENCH_SENDER, 128, 2e3),
			       cell_of(BENCH_SENDER, 64, 1e3), cell_of(BENCH_SENDER, 128, 2e3)};
	FILE *stream = open_file("w");

	cells[0].rank_ratios = ratios;
	cells[0].rank_count = COUNT(ratios);
	cells[3].rounds = 99;
	cells_write_header(stream, &header);
	for (size_t i = 0; i < COUNT(cells); i++) {
		cells_write_begin(stream, &cells[i].spec);
		cells_write_cell(stream, &cells[i]);
	}
	cells_write_end(stream, "interrupted", NAN);
	cells_write_resumed(stream, "2026-01-03T03:04:05Z");
	cells_write_end(stream, "complete", -.001);
	fclose(stream);
}

static void assert_equal_spread(const struct spread *a, const struct spread *b)
{
	assert_int_equal(a->count, b->count);
	if (a->count)
		assert_memory_equal(a, b, sizeof *a);
	else
		assert_true(isnan(b->median) && isnan(b->low) && isnan(b->max));
}

/* ----------------------------------------------------------------- what is good */

static void header_and_cells_are_read_as_they_were_written(void **state)
{
	const struct cells_header expected = header_of();
	const struct cell cell = cell_of(BENCH_SENDER, 128, 2e3);
	struct cells_file file;
	const struct cell *found;

	(void)state;
	write_example();
	MUST(cells_file_read(path, &file, &err));
	assert_string_equal(file.path, path);
	assert_string_equal(file.header.hosts[1], "b");
	assert_string_equal(file.header.mpi, expected.mpi);
	assert_string_equal(file.header.cores[1], "0,2");
	assert_string_equal(file.header.start, expected.start);
	assert_false(file.header.one_host);
	assert_true(file.header.both_types);
	assert_int_equal(file.header.pairs, 2);
	assert_float_equal(file.header.load, -1, 0);
	assert_float_equal(file.header.work_ns, 1.0 / 3, 0);
	assert_int_equal(file.header.S_low, 65536);
	assert_int_equal(file.header.S_high, 65537);
	assert_int_equal(file.header.settings.count, 2);
	assert_string_equal(file.header.settings.items[1].name, "UCX_TLS");
	assert_string_equal(file.header.settings.items[1].value, settings[1].value);

	found = cells_file_find(&file, &cell.spec);
	assert_non_null(found);
	assert_memory_equal(&found->spec, &cell.spec, sizeof cell.spec);
	assert_equal_spread(&found->full, &cell.full);
	assert_equal_spread(&found->latency, &cell.latency);
	assert_equal_spread(&found->comm, &cell.comm);
	assert_equal_spread(&found->comp, &cell.comp);
	assert_equal_spread(&found->blocking, &cell.blocking);
	assert_float_equal(found->post_ns, cell.post_ns, 0);
	assert_float_equal(found->compute_ns, cell.compute_ns, 0);
	assert_true(isnan(found->complete_ns));
	assert_int_equal(found->rejected, 20);
	assert_string_equal(file.end, "complete");
	assert_float_equal(file.work_drift, -.001, 0);
	assert_false(file.began);
	cells_file_release(&file);
}

static void cells_are_in_order_and_of_equal_ones_the_last_is_kept(void **state)
{
	struct cells_file file;
	struct cell_spec other;

	(void)state;
	write_example();
	MUST(cells_file_read(path, &file, &err));
	assert_int_equal(file.cells.count, 3);
	assert_int_equal(file.cells.items[0].spec.bytes, 64);
	assert_int_equal(file.cells.items[1].rounds, 99);
	assert_int_equal(file.cells.items[2].spec.bench, BENCH_IBCAST);
	assert_int_equal(file.cells.items[2].rank_count, 3);
	assert_float_equal(file.cells.items[2].rank_ratios[0], .5, 0);
	assert_true(isnan(file.cells.items[2].rank_ratios[1]));
	other = file.cells.items[1].spec;
	other.compute_ns++;
	assert_null(cells_file_find(&file, &other));
	cells_file_release(&file);
}

static void each_threshold_is_read_as_it_was_written(void **state)
{
	static const uint64_t thresholds[][2] = {{0, 0},
						 {UINT64_MAX, UINT64_MAX},
						 {0, 1},
						 {7, 4096}};

	(void)state;
	for (size_t i = 0; i < COUNT(thresholds); i++) {
		struct cells_header header = header_of();
		struct cells_file file;
		FILE *stream = open_file("w");

		header.S_low = thresholds[i][0];
		header.S_high = thresholds[i][1];
		cells_write_header(stream, &header);
		fclose(stream);
		MUST(cells_file_read(path, &file, &err));
		assert_int_equal(file.header.S_low, thresholds[i][0]);
		assert_int_equal(file.header.S_high, thresholds[i][1]);
		cells_file_release(&file);
	}
}

static void a_killed_run_keeps_its_cells_and_tells_where_it_ended(void **state)
{
	const struct cells_header header = header_of();
	const struct cell cells[] = {cell_of(BENCH_SENDER, 64, 1e3),
				     cell_of(BENCH_SENDER, 128, 1e3)};
	struct cells_file file;
	FILE *stream = open_file("w");

	(void)state;
	cells_write_header(stream, &header);
	cells_write_begin(stream, &cells[0].spec);
	cells_write_cell(stream, &cells[0]);
	cells_write_begin(stream, &cells[1].spec);
	fputs("{\"bench\": \"sender\", \"ker", stream);
	fclose(stream);
	MUST(cells_file_read(path, &file, &err));
	assert_int_equal(file.cells.count, 1);
	assert_null(file.end);
	assert_true(file.began);
	assert_int_equal(file.last.bytes, 128);
	assert_true(isnan(file.work_drift));
	cells_file_release(&file);
}

static void a_file_that_is_cut_anywhere_has_the_cells_of_its_whole_lines(void **state)
{
	struct cells_file file;
	char text[1 << 16];
	size_t count, cells = 0;
	FILE *stream;

	(void)state;
	write_example();
	stream = open_file("r");
	count = fread(text, 1, sizeof text, stream);
	fclose(stream);
	for (size_t length = (size_t)(strchr(text, '\n') - text) + 1; length <= count; length++) {
		stream = open_file("w");
		fwrite(text, 1, length, stream);
		fclose(stream);
		MUST(cells_file_read(path, &file, &err));
		assert_true(file.cells.count >= cells);
		cells = file.cells.count;
		cells_file_release(&file);
	}
	assert_int_equal(cells, 3);
}

/* ------------------------------------------------------------------ what is not */

/* Whether the file is refused, with "path:LINE" in the error. */
static bool is_refused(enum status status, const char *text)
{
	struct cells_file file;
	const size_t length = strlen(path);

	if (cells_file_read(path, &file, &err) == 0) {
		cells_file_release(&file);
		return false;
	}
	assert_int_equal(err.status, status);
	assert_int_equal(strncmp(err.text, path, length), 0);
	assert_true(err.text[length] == ':');
	if (!strstr(err.text, text))
		fail_msg("'%s' is not in '%s'", text, err.text);
	return true;
}

static void what_is_no_such_file_is_refused(void **state)
{
	(void)state;
	write_text("");
	assert_true(is_refused(STATUS_DATA, ": the file is empty"));
	write_text("{\"schema\": \"llamp-overlap-1\"");
	assert_true(is_refused(STATUS_DATA, ":1:29: no JSON: the line ends too early"));
	write_text("num_ranks 2\n");
	assert_true(is_refused(STATUS_DATA, ":1:3: no JSON: "));
	write_text("[1]\n");
	assert_true(is_refused(STATUS_DATA, ":1: the line is no JSON object"));
	write_text("{\"T\": 1}\n");
	assert_true(is_refused(STATUS_DATA, "no file of llamp-measure overlap"));
	write_text("{\"schema\": \"llamp-overlap-2\"}\n");
	assert_true(is_refused(STATUS_DATA,
			       ":1: unknown schema 'llamp-overlap-2' (expected llamp-overlap-1)"));
	write_text("{\"schema\": \"llamp-overlap-1\"}\n");
	assert_true(is_refused(STATUS_DATA, ":1: member 'hosts' is not a list of 2 texts"));
}

/* The line of a cell with `from` replaced by `to`. */
static void replace(const char *from, const char *to)
{
	static const char line[] =
		"{\"bench\": \"sender\", \"kernel\": \"work\", \"side\": \"sender\", \"bytes\": 64,"
		" \"compute_ns\": 1000, \"threads\": 0, \"pending\": 1, \"tests_ns\": 0,"
		" \"full\": [50, 1, 2, 3, 4, 5, 6, 7, 3, 5], \"latency\": [50, 1, 1, 1, 1, 1, 1, 1, 1, 1],"
		" \"comm\": [50, -1, 2, 3, 4, 5, 6, 7, 4, 4], \"comp\": null, \"blocking\": null,"
		" \"post_ns\": 1, \"computing_ns\": null, \"complete_ns\": 1, \"cpu_ns\": 1, \"rounds\": 50,"
		" \"rejected\": 0, \"rank_ratios\": [1, null]}\n";
	const char *at = strstr(line, from);
	char text[2048];

	assert_non_null(at);
	snprintf(text, sizeof text, "%.*s%s%s", (int)(at - line), line, to, at + strlen(from));
	write_after_header(text, strlen(text));
}

static void members_that_are_wrong_are_refused(void **state)
{
	static const struct {
		const char *from, *to, *error;
	} cases[] = {
		{"\"bytes\": 64, ", "", "member 'bytes' is missing"},
		{"\"bytes\": 64", "\"bytes\": \"64\"", "member 'bytes' is not a whole number"},
		{"\"bytes\": 64", "\"bytes\": 64.5", "member 'bytes' is not a whole number"},
		{"\"bytes\": 64", "\"bytes\": -1", "member 'bytes' is not a whole number"},
		{"\"bytes\": 64", "\"bytes\": 99999999999999999999", "member 'bytes' is above"},
		{"\"bytes\": 64", "\"bytes\": {}", "member 'bytes' is not a whole number"},
		{"\"bytes\": 64", "\"bytes\": null", "member 'bytes' is not a whole number"},
		{"\"bytes\": 64", "\"bytes\": 64, \"bytes\": 65", "two members have the same key"},
		{"\"bytes\": 64", "\"x\": {\"a:\\\"\": 1, \"a:\\\"\": 1}, \"bytes\": 64",
		 "two members have the same key"},
		{"\"sender\"", "\"sent\"", "unknown bench 'sent' (expected sender, receiver"},
		{"\"sender\"", "7", "member 'bench' is not text"},
		{"\"work\"", "\"work\\u0000\"", "member 'kernel' has a character 0"},
		{"\"compute_ns\": 1000", "\"compute_ns\": -1", "member 'compute_ns' is no time"},
		{"\"compute_ns\": 1000", "\"compute_ns\": null", "member 'compute_ns' is no time"},
		{"\"compute_ns\": 1000", "\"compute_ns\": 1e30", "member 'compute_ns' is above"},
		{"\"compute_ns\": 1000", "\"compute_ns\": 1e999", "member 'compute_ns' is above"},
		{"\"compute_ns\": 1000", "\"compute_ns\": true",
		 "member 'compute_ns' is not a number"},
		{"\"compute_ns\": 1000", "\"compute_ns\": NaN", ""},
		{"\"compute_ns\": 1000", "\"compute_ns\": Infinity", ""},
		{"\"pending\": 1", "\"pending\": 0", "member 'pending' is 0"},
		{"\"full\": [50, 1,", "\"full\": [50,",
		 "member 'full' is not a list of 10 numbers"},
		{"\"full\": [50, 1,", "\"full\": [50, \"1\",", "member 'full' is not a number"},
		{"\"full\": [50, 1,", "\"full\": [50, null,",
		 "member 'full' has no order statistics"},
		{"\"full\": [50, 1,", "\"full\": [0, 1,", "member 'full' has no order statistics"},
		{"\"full\": [50, 1,", "\"full\": [50, 9,", "member 'full' has no order statistics"},
		{"7, 3, 5]", "7, 5, 5]", "member 'full' has no order statistics"},
		{"7, 3, 5]", "7, 3, 3]", "member 'full' has no order statistics"},
		{"\"comp\": null, ", "", "member 'comp' is missing"},
		{"\"comp\": null", "\"comp\": 7", "member 'comp' is not a list"},
		{"[1, null]", "[1, [[[]]]]", "nested deeper"},
		{"[1, null]", "[1, []]", "member 'rank_ratios' is not a number"},
		{"[1, null]}", "[1, null]} {}", "no JSON"},
		{"[1, null]}", "[1, null],}", "no JSON"},
		{"\"post_ns\"", "\"end\": 7, \"post_ns\"", "member 'end' is not text"},
		{"\"post_ns\"", "\"p\xff_ns\"", "no JSON"},
		{"{\"bench\"", "\n{\"bench\"", ":2:"},
	};

	(void)state;
	replace("1]", "1]");
	assert_false(is_refused(STATUS_DATA, ""));
	for (size_t i = 0; i < COUNT(cases); i++) {
		const bool deep = strstr(cases[i].error, "deeper");

		replace(cases[i].from, cases[i].to);
		if (!is_refused(deep ? STATUS_LIMIT : STATUS_DATA, cases[i].error))
			fail_msg("%s is accepted", cases[i].to);
	}
}

static void bytes_0_and_endless_lines_are_refused(void **state)
{
	const size_t large = (1 << 24) + 1;
	char *text = malloc(large + 1);

	(void)state;
	write_after_header("{\"end\": \"com\0plete\"}\n", 22);
	assert_true(is_refused(STATUS_DATA, ":2: the line has a byte 0"));
	assert_non_null(text);
	memset(text, '[', large);
	text[large] = '\n';
	write_after_header(text, large + 1);
	assert_true(is_refused(STATUS_LIMIT, ":2: the line is longer than"));
	free(text);
}

static void lines_after_the_end_are_refused(void **state)
{
	static const char text[] = "{\"end\": \"complete\"}\n{\"end\": \"complete\"}\n";

	(void)state;
	write_after_header(text, sizeof text - 1);
	assert_true(is_refused(STATUS_DATA, ":3: the file goes on after its end"));
}

/* ----------------------------------------------------------------------- damage */

static bool read_damaged(void *data)
{
	const char *name = data;
	struct cells_file file;
	const char *at = err.text + strlen(name);

	if (cells_file_read(name, &file, &err) == 0) {
		for (size_t i = 1; i < file.cells.count; i++)
			assert_true(cell_spec_compare(&file.cells.items[i - 1].spec,
						      &file.cells.items[i].spec) < 0);
		cells_file_release(&file);
		return true;
	}
	assert_true(err.status == STATUS_DATA || err.status == STATUS_LIMIT);
	assert_int_equal(strncmp(err.text, name, strlen(name)), 0);
	assert_true(*at++ == ':');
	assert_true(isdigit((unsigned char)*at) || !strcmp(at, " the file is empty"));
	return false;
}

static void damaged_files_are_read_or_refused_with_the_place(void **state)
{
	const uint32_t rounds = 2000;
	uint64_t numbers = 11;
	uint32_t refused;

	(void)state;
	write_example();
	refused = damage_some(path, rounds, &numbers, read_damaged, path);
	assert_true(refused > rounds / 2 && refused < rounds);
	assert_true(damage_cut(path, 1, read_damaged, path) > 0);
}

/* ----------------------------------------------------------------------- append */

static void a_run_of_the_same_header_may_add_cells(void **state)
{
	struct cells_header now = header_of();
	struct cells_setting reversed[] = {settings[1], settings[0]};
	struct cells_file file;

	(void)state;
	write_example();
	MUST(cells_file_read(path, &file, &err));
	MUST(cells_file_may_append(&file, &now, &err));
	now.start = (char *)"later";
	now.load = 7;
	now.work_ns = 2;
	now.S_low = now.S_high = UINT64_MAX;
	now.settings.items = reversed;
	MUST(cells_file_may_append(&file, &now, &err));
	cells_file_release(&file);
}

static void a_run_of_another_header_may_add_none(void **state)
{
	struct cells_header others[8];
	static const char *const names[8] = {"hosts",	   "mpi",
					     "processors", "options",
					     "both_types", "ranks",
					     "UCX_TLS",	   "MPIR_CVAR_NOLOCAL"};
	struct cells_setting other[] = {settings[0], {(char *)"UCX_TLS", (char *)"sm"}};
	struct cells_file file;

	(void)state;
	write_example();
	MUST(cells_file_read(path, &file, &err));
	for (size_t i = 0; i < COUNT(others); i++)
		others[i] = header_of();
	others[0].hosts[1] = (char *)"a";
	others[1].mpi = NULL;
	others[2].processors++;
	others[3].options = (char *)"--bench cpu";
	others[4].both_types = false;
	others[5].ranks++;
	others[6].settings.items = other;
	others[7].settings.items++;
	others[7].settings.count--;
	for (size_t i = 0; i < COUNT(others); i++) {
		assert_int_equal(cells_file_may_append(&file, &others[i], &err), -1);
		assert_int_equal(err.status, STATUS_USAGE);
		assert_non_null(strstr(err.text, names[i]));
	}
	cells_file_release(&file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(header_and_cells_are_read_as_they_were_written),
		cmocka_unit_test(cells_are_in_order_and_of_equal_ones_the_last_is_kept),
		cmocka_unit_test(each_threshold_is_read_as_it_was_written),
		cmocka_unit_test(a_killed_run_keeps_its_cells_and_tells_where_it_ended),
		cmocka_unit_test(a_file_that_is_cut_anywhere_has_the_cells_of_its_whole_lines),
		cmocka_unit_test(what_is_no_such_file_is_refused),
		cmocka_unit_test(members_that_are_wrong_are_refused),
		cmocka_unit_test(bytes_0_and_endless_lines_are_refused),
		cmocka_unit_test(lines_after_the_end_are_refused),
		cmocka_unit_test(damaged_files_are_read_or_refused_with_the_place),
		cmocka_unit_test(a_run_of_the_same_header_may_add_cells),
		cmocka_unit_test(a_run_of_another_header_may_add_none),
	};

	return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
