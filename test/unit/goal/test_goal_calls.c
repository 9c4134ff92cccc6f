/* The side file: the calls that made the operations. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "goal/calls_format.h"
#include "goal/image.h"
#include "test/unit/lib/make/random_graph.h"

enum { RANKS = 5, MOST_CALLS = 300, MOST_OPS_OF_A_CALL = 5 };

static const char *const functions[] = {"MPI_Send", "MPI_Recv", "MPI_Waitall", "ring"};
static const char *const communicators[] = {NULL, "MPI_COMM_WORLD", "row",
					    "communicator 3 (4 ranks)"};
static const char *const sites[] = {NULL, "/bin/a+0x12", "/bin/a+0x34[00ff]", "/b\nc+0x1"};
static const char how[] = "schedgen 0.1.0 run.trace --coll allreduce=ring";
static const char crowded[] = "8 ranks on 2 cores";

static const uint32_t nodes[RANKS] = {1, 0, 1};

/* Whether calls have sites and what they repeat, and the nodes of the ranks are written. */
static bool with_sites, repeated;

/* The call given for every operation. */
static struct {
	struct goal_call calls[MOST_CALLS * MOST_OPS_OF_A_CALL];
	uint32_t op_count;
} given[RANKS];

static char folder[] = "/tmp/test-goal-calls-XXXXXX";

static const char *path_of(const char *name)
{
	static char paths[4][96];
	static unsigned next;
	char *path = paths[next++ % 4];

	snprintf(path, sizeof paths[0], "%s/%s", folder, name);
	return path;
}

static int make_folder(void **state)
{
	(void)state;
	return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
	static const char *const names[] = {"a.bin", "a.bin.calls", "a.goal", "a.goal.calls"};

	(void)state;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		unlink(path_of(names[i]));
	return rmdir(folder);
}

static void build_rank(struct goal_builder *builder, uint32_t rank, uint64_t *numbers)
{
	const uint64_t calls = rank % 2 == 0 && rank < 4 ? 0 : random_below(numbers, MOST_CALLS);
	struct goal_call call = {.time_ns = UINT64_C(1) << 60};
	struct error err;

	goal_builder_clear(builder);
	given[rank].op_count = 0;
	for (uint64_t i = 0; i < calls; i++) {
		const uint64_t ops = random_below(numbers, MOST_OPS_OF_A_CALL + 1);

		call.function = functions[random_below(numbers, 4)];
		/* Most calls have the communicator of the call before. */
		if (random_below(numbers, 4) == 0)
			call.communicator = communicators[random_below(numbers, 4)];
		if (with_sites)
			call.site = sites[random_below(numbers, 4)];
		/* Collectives that complete later go back to the call that started them. */
		call.number = random_below(numbers, 10) ? call.number + 1 : call.number / 2 + 1;
		call.time_ns += random_below(numbers, 10) ? random_below(numbers, 5000)
							  : UINT64_MAX - 1000000;
		call.before = random_below(numbers, 2);
		if (repeated && random_below(numbers, 4) == 0)
			call.repeats = (uint32_t)random_below(numbers, UINT32_MAX);
		for (uint64_t op = 0; op < ops; op++) {
			assert_int_equal(goal_builder_calc(builder, 1, NULL, &err), 0);
			given[rank].calls[given[rank].op_count] = call;
			given[rank].calls[given[rank].op_count++].before = call.before && op == 0;
		}
		assert_int_equal(goal_builder_call(builder, &call, &err), 0);
	}
	/* An operation of no call. */
	assert_int_equal(goal_builder_calc(builder, 1, NULL, &err), 0);
}

static void write_graph(const char *path, uint64_t seed)
{
	const struct goal_calls_origin origin = {.timed = true,
						 .begin_ns = 12345,
						 .how = how,
						 .sites = with_sites,
						 .repeated = repeated,
						 .crowded = crowded,
						 .nodes = nodes};
	struct goal_builder builder = {0};
	struct goal_writer writer;
	struct error err;

	assert_int_equal(goal_writer_open(&writer, path, GOAL_BINARY, RANKS, &err), 0);
	assert_int_equal(goal_writer_calls(&writer, &origin, &err), 0);
	if (with_sites)
		goal_builder_sites(&builder);
	if (repeated)
		goal_builder_repeated(&builder);
	for (uint32_t rank = 0; rank < RANKS; rank++) {
		build_rank(&builder, rank, &seed);
		assert_int_equal(goal_writer_rank(&writer, &builder, &err), 0);
	}
	goal_writer_run(&writer, 98765);
	assert_int_equal(goal_writer_close(&writer, &err), 0);
	goal_builder_release(&builder);
}

static void expect_given_calls(const struct goal_calls *calls)
{
	struct goal_calls_cursor cursor = {0};
	struct goal_call call;
	struct error err;

	for (uint32_t rank = 0; rank < RANKS; rank++) {
		goal_calls_cursor_start(&cursor, calls, rank);
		for (uint32_t op = 0; op < given[rank].op_count; op++) {
			const struct goal_call *expected = &given[rank].calls[op];

			assert_int_equal(goal_calls_find(&cursor, op, &call, &err), 0);
			assert_string_equal(call.function, expected->function);
			assert_int_equal(!call.communicator, !expected->communicator);
			if (call.communicator)
				assert_string_equal(call.communicator, expected->communicator);
			assert_int_equal(call.number, expected->number);
			assert_int_equal(call.time_ns, expected->time_ns);
			assert_int_equal(call.before, expected->before);
			assert_int_equal(call.repeats, expected->repeats);
			assert_int_equal(!call.site, !expected->site);
			if (call.site)
				assert_string_equal(call.site, expected->site);
		}
		assert_int_equal(goal_calls_find(&cursor, given[rank].op_count, &call, &err), 1);
	}
	goal_calls_cursor_release(&cursor);
}

static void operations_of_both_forms_lead_to_their_calls(void **state)
{
	static const char *const names[] = {"a.bin", "a.goal"};
	struct goal_calls calls;
	struct goal goal;
	struct error err;

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		write_graph(path_of(names[i]), 7 + i);
		assert_int_equal(goal_open(&goal, path_of(names[i]), &err), 0);
		assert_int_equal(goal_calls_open(&calls, &goal, path_of(names[i]), &err), 0);
		assert_true(calls.origin.timed);
		assert_int_equal(calls.origin.begin_ns, 12345);
		assert_int_equal(calls.origin.run_ns, 98765);
		assert_string_equal(calls.origin.crowded, crowded);
		assert_string_equal(calls.origin.how, how);
		for (uint32_t rank = 0; rank < RANKS; rank++)
			assert_int_equal(calls.origin.nodes[rank], nodes[rank]);
		expect_given_calls(&calls);
		goal_calls_release(&calls);
		goal_release(&goal);
	}
}

static void so_they_do_with_call_sites(void **state)
{
	with_sites = true;
	operations_of_both_forms_lead_to_their_calls(state);
	with_sites = false;
}

static void so_they_do_with_what_they_repeat(void **state)
{
	repeated = true;
	operations_of_both_forms_lead_to_their_calls(state);
	repeated = false;
}

static void a_graph_without_a_side_file_has_no_calls(void **state)
{
	struct goal_calls calls;
	struct goal goal;
	struct error err;

	(void)state;
	write_graph(path_of("a.bin"), 1);
	assert_int_equal(goal_open(&goal, path_of("a.bin"), &err), 0);
	unlink(path_of("a.bin.calls"));
	assert_int_equal(goal_calls_open(&calls, &goal, path_of("a.bin"), &err), 1);
	assert_int_equal(goal_calls_open(&calls, &goal, "-", &err), 1);
	goal_release(&goal);
}

static void the_side_file_of_another_graph_is_refused(void **state)
{
	struct goal_builder builder = {0};
	struct goal_writer writer;
	struct goal_calls calls;
	struct goal goal;
	struct error err;

	(void)state;
	/* Each rank has the same number of operations; one of them has another cost. */
	write_graph(path_of("a.bin"), 1);
	assert_int_equal(goal_open(&goal, path_of("a.bin"), &err), 0);
	assert_int_equal(goal_writer_open(&writer, path_of("a.bin"), GOAL_BINARY, RANKS, &err), 0);
	for (uint32_t rank = 0; rank < RANKS; rank++) {
		goal_builder_clear(&builder);
		for (uint32_t op = 0; op < goal.ranks[rank].op_count; op++)
			assert_int_equal(goal_builder_calc(&builder, op || rank != 3 ? 1 : 2, NULL,
							   &err),
					 0);
		assert_int_equal(goal_writer_rank(&writer, &builder, &err), 0);
	}
	assert_int_equal(goal_writer_close(&writer, &err), 0);
	goal_builder_release(&builder);
	assert_int_equal(goal_calls_open(&calls, &goal, path_of("a.bin"), &err), 0);
	goal_calls_release(&calls);
	goal_release(&goal);
	assert_int_equal(goal_open(&goal, path_of("a.bin"), &err), 0);
	assert_int_equal(goal_calls_open(&calls, &goal, path_of("a.bin"), &err), -1);
	assert_int_equal(err.status, STATUS_DATA);
	assert_non_null(strstr(err.text, "a.bin.calls: belongs to another graph"));
	goal_release(&goal);
}

static struct input read_file(const char *path)
{
	struct input input, copy = {0};
	struct error err;
	uint8_t *bytes;

	assert_int_equal(input_open(&input, path, &err), 0);
	bytes = malloc(input.count);
	assert_non_null(bytes);
	memcpy(bytes, input.bytes, input.count);
	copy.bytes = bytes;
	copy.count = input.count;
	input_release(&input);
	return copy;
}

static void write_file(const char *path, const uint8_t *bytes, size_t count)
{
	FILE *file = fopen(path, "wb");

	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, count, file), count);
	assert_int_equal(fclose(file), 0);
}

static struct error read_error;

/* Find the calls of all operations.  Returns 0, or -1 and read_error if that was refused. */
static int read_all(const struct goal *goal)
{
	struct goal_calls_cursor cursor = {0};
	struct goal_calls calls;
	struct goal_call call;
	int result = goal_calls_open(&calls, goal, path_of("a.bin"), &read_error);

	if (result < 0)
		return -1;
	for (uint32_t rank = 0; rank < RANKS && result >= 0; rank++) {
		goal_calls_cursor_start(&cursor, &calls, rank);
		for (uint32_t op = 0; op < goal->ranks[rank].op_count && result >= 0; op++)
			result = goal_calls_find(&cursor, op, &call, &read_error);
	}
	goal_calls_cursor_release(&cursor);
	goal_calls_release(&calls);
	return result < 0 ? -1 : 0;
}

static void damage_of_any_byte_is_refused(void **state)
{
	struct input input;
	struct goal goal;
	struct error err;

	(void)state;
	write_graph(path_of("a.bin"), 3);
	assert_int_equal(goal_open(&goal, path_of("a.bin"), &err), 0);
	input = read_file(path_of("a.bin.calls"));
	for (size_t count = 0; count < input.count; count += 1 + count / 50) {
		write_file(path_of("a.bin.calls"), input.bytes, count);
		assert_int_equal(read_all(&goal), -1);
	}
	for (size_t at = 0; at < input.count; at += 1 + at / 50) {
		uint8_t *byte = (uint8_t *)input.bytes + at;

		*byte ^= 0xff;
		write_file(path_of("a.bin.calls"), input.bytes, input.count);
		assert_int_equal(read_all(&goal), -1);
		*byte ^= 0xff;
	}
	for (size_t at = 0; at < input.count; at += 1 + at / 50) {
		uint8_t *byte = (uint8_t *)input.bytes + at;

		*byte ^= 1;
		write_file(path_of("a.bin.calls"), input.bytes, input.count);
		assert_int_equal(read_all(&goal), -1);
		*byte ^= 1;
	}
	free((void *)input.bytes);
	goal_release(&goal);
}

static void so_is_that_of_call_sites(void **state)
{
	with_sites = true;
	damage_of_any_byte_is_refused(state);
	with_sites = false;
}

static void so_is_that_of_what_calls_repeat(void **state)
{
	repeated = true;
	damage_of_any_byte_is_refused(state);
	repeated = false;
}

/* Store the checksum of the header again, after damage to what it covers.  Returns its end. */
static uint8_t *mend_header(uint8_t *bytes)
{
	uint8_t *at = bytes + GOAL_CALLS_HEADER_BYTES + goal_load32(bytes + GOAL_CALLS_LINES_AT) +
		      goal_load32(bytes + GOAL_CALLS_LINES_AT + 4) +
		      GOAL_CALLS_NODE_BYTES * goal_load32(bytes + 16);

	goal_store64(at, goal_hash_bytes(bytes, (size_t)(at - bytes)));
	return at + 8;
}

/* The same, and those of the ranks. */
static void mend_checksums(uint8_t *bytes, size_t count)
{
	for (uint8_t *at = mend_header(bytes); at < bytes + count;) {
		const size_t entries = (size_t)goal_load64(at + 12);

		goal_store64(at + 20, goal_hash_bytes(at + GOAL_CALLS_RANK_BYTES, entries));
		at += GOAL_CALLS_RANK_BYTES + entries;
	}
}

/* Place of the first entry of rank 1, which has some. */
static size_t entries_of_rank_1(const struct input *input)
{
	const uint8_t *header = input->bytes;
	const size_t rank_0 = GOAL_CALLS_HEADER_BYTES + goal_load32(header + GOAL_CALLS_LINES_AT) +
			      goal_load32(header + GOAL_CALLS_LINES_AT + 4) +
			      GOAL_CALLS_NODE_BYTES * RANKS + 8;

	return rank_0 + 2 * GOAL_CALLS_RANK_BYTES + (size_t)goal_load64(header + rank_0 + 12);
}

static void entries_that_lie_with_right_checksums_are_refused_with_their_place(void **state)
{
	uint64_t numbers = 11;
	uint32_t refused = 0;
	struct input input;
	struct goal goal;
	struct error err;
	size_t first;

	(void)state;
	write_graph(path_of("a.bin"), 3);
	assert_int_equal(goal_open(&goal, path_of("a.bin"), &err), 0);
	input = read_file(path_of("a.bin.calls"));
	first = entries_of_rank_1(&input);
	for (int round = 0; round < 3000; round++) {
		uint8_t *byte = (uint8_t *)input.bytes + first +
				random_below(&numbers, goal_load64(input.bytes + first - 16));
		const uint8_t before = *byte;

		*byte = random_below(&numbers, 2) ? 0xff : (uint8_t)random_below(&numbers, 256);
		mend_checksums((uint8_t *)input.bytes, input.count);
		write_file(path_of("a.bin.calls"), input.bytes, input.count);
		if (read_all(&goal) < 0) {
			assert_int_equal(read_error.status, STATUS_DATA);
			assert_non_null(strstr(read_error.text, "a.bin.calls: offset "));
			refused++;
		}
		*byte = before;
	}
	assert_true(refused > 1000);
	free((void *)input.bytes);
	goal_release(&goal);
}

/* Write a graph, change the version of its file of calls, and read it. */
static int read_as_version(uint32_t version)
{
	struct input input;
	struct goal goal;
	struct error err;
	int result;

	write_graph(path_of("a.bin"), 3);
	assert_int_equal(goal_open(&goal, path_of("a.bin"), &err), 0);
	input = read_file(path_of("a.bin.calls"));
	goal_store32((uint8_t *)input.bytes + 8, version);
	mend_header((uint8_t *)input.bytes);
	write_file(path_of("a.bin.calls"), input.bytes, input.count);
	result = read_all(&goal);
	free((void *)input.bytes);
	goal_release(&goal);
	return result;
}

static void files_of_other_versions_are_refused(void **state)
{
	(void)state;
	assert_int_equal(read_as_version(GOAL_CALLS_VERSION), 0);
	assert_int_equal(read_as_version(GOAL_CALLS_VERSION - 1), -1);
	assert_non_null(strstr(read_error.text, "written by an older schedgen"));
	assert_int_equal(read_as_version(GOAL_CALLS_VERSION + 1), -1);
	assert_non_null(strstr(read_error.text, "this llamp reads version"));
}

static void a_header_that_lies_with_a_right_checksum_is_refused(void **state)
{
	static const struct {
		size_t at;
		uint8_t byte;
		const char *text;
	} lies[] = {
		{GOAL_CALLS_HEADER_BYTES + 3, '\n', "a text is not a line"},
		{GOAL_CALLS_HEADER_BYTES + 3, 0, "a text is not a line"},
		{GOAL_CALLS_HEADER_BYTES + sizeof how - 1, 'x', "a text is not a line"},
		{GOAL_CALLS_HEADER_BYTES + sizeof how + 3, 0, "a text is not a line"},
		{GOAL_CALLS_HEADER_BYTES + sizeof how + sizeof crowded, RANKS,
		 "more nodes than ranks"},
		{8, GOAL_CALLS_VERSION + 1, "of the format: this llamp reads version"},
		{12, 16, "the flags are not of this version"},
		/* The last one: its checksum lies in the first rank. */
		{16, RANKS + 1, "belongs to another graph"},
	};
	struct input input;
	struct goal goal;
	struct error err;

	(void)state;
	write_graph(path_of("a.bin"), 3);
	assert_int_equal(goal_open(&goal, path_of("a.bin"), &err), 0);
	input = read_file(path_of("a.bin.calls"));
	for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
		uint8_t *byte = (uint8_t *)input.bytes + lies[i].at;
		const uint8_t before = *byte;

		*byte = lies[i].byte;
		mend_header((uint8_t *)input.bytes);
		write_file(path_of("a.bin.calls"), input.bytes, input.count);
		assert_int_equal(read_all(&goal), -1);
		assert_int_equal(read_error.status, STATUS_DATA);
		if (!strstr(read_error.text, lies[i].text))
			fail_msg("%s: not %s", read_error.text, lies[i].text);
		*byte = before;
	}
	free((void *)input.bytes);
	goal_release(&goal);
}

static void how_a_graph_was_made_is_one_line_whatever_its_options_hold(void **state)
{
	const struct goal_calls_origin origin = {.how = "schedgen a\nb\x1b[31m \xff caf\xc3\xa9"};
	struct goal_builder builder = {0};
	struct goal_writer writer;
	struct goal_calls calls;
	struct goal goal;
	struct error err;

	(void)state;
	assert_int_equal(goal_writer_open(&writer, path_of("a.bin"), GOAL_BINARY, 1, &err), 0);
	assert_int_equal(goal_writer_calls(&writer, &origin, &err), 0);
	goal_builder_clear(&builder);
	assert_int_equal(goal_writer_rank(&writer, &builder, &err), 0);
	assert_int_equal(goal_writer_close(&writer, &err), 0);
	goal_builder_release(&builder);
	assert_int_equal(goal_open(&goal, path_of("a.bin"), &err), 0);
	assert_int_equal(goal_calls_open(&calls, &goal, path_of("a.bin"), &err), 0);
	assert_string_equal(calls.origin.how, "schedgen a\\nb\\x1b[31m \\xff caf\xc3\xa9");
	assert_int_equal(calls.origin.run_ns, 0);
	assert_null(calls.origin.nodes);
	goal_calls_release(&calls);
	goal_release(&goal);
}

static void an_entry_of_a_usual_call_takes_at_most_six_bytes(void **state)
{
	enum { CALLS = 10000 };
	struct goal_builder builder = {0};
	struct goal_call call = {.communicator = "row"};
	struct error err;

	(void)state;
	goal_builder_clear(&builder);
	for (int i = 0; i < CALLS; i++) {
		/* Half of the calls have no communicator, as waits. */
		call.function = functions[i % 2];
		call.communicator = i % 2 ? NULL : "row";
		call.number++;
		call.time_ns += 8000;
		assert_int_equal(goal_builder_calc(&builder, 1, NULL, &err), 0);
		assert_int_equal(goal_builder_call(&builder, &call, &err), 0);
	}
	assert_true(builder.calls.entries.count <= 6 * CALLS);
	goal_builder_release(&builder);
}

static void a_side_file_of_the_first_version_is_refused_by_name(void **state)
{
	struct goal_calls calls;
	struct input input;
	struct goal goal;
	struct error err;

	(void)state;
	write_graph(path_of("a.bin"), 3);
	assert_int_equal(goal_open(&goal, path_of("a.bin"), &err), 0);
	input = read_file(path_of("a.bin.calls"));
	((uint8_t *)input.bytes)[8] = 1;
	write_file(path_of("a.bin.calls"), input.bytes, input.count);
	assert_int_equal(goal_calls_open(&calls, &goal, path_of("a.bin"), &err), -1);
	assert_int_equal(err.status, STATUS_DATA);
	assert_non_null(strstr(err.text, "version 1 of the format, written by an older schedgen: "
					 "run schedgen again"));
	free((void *)input.bytes);
	goal_release(&goal);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(operations_of_both_forms_lead_to_their_calls),
		cmocka_unit_test(so_they_do_with_call_sites),
		cmocka_unit_test(so_they_do_with_what_they_repeat),
		cmocka_unit_test(a_graph_without_a_side_file_has_no_calls),
		cmocka_unit_test(the_side_file_of_another_graph_is_refused),
		cmocka_unit_test(damage_of_any_byte_is_refused),
		cmocka_unit_test(so_is_that_of_call_sites),
		cmocka_unit_test(so_is_that_of_what_calls_repeat),
		cmocka_unit_test(files_of_other_versions_are_refused),
		cmocka_unit_test(
			entries_that_lie_with_right_checksums_are_refused_with_their_place),
		cmocka_unit_test(a_header_that_lies_with_a_right_checksum_is_refused),
		cmocka_unit_test(how_a_graph_was_made_is_one_line_whatever_its_options_hold),
		cmocka_unit_test(an_entry_of_a_usual_call_takes_at_most_six_bytes),
		cmocka_unit_test(a_side_file_of_the_first_version_is_refused_by_name),
	};

	return cmocka_run_group_tests_name("calls", tests, make_folder, remove_folder);
}
