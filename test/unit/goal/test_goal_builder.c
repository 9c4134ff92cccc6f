/* Builder and writer: refusals, and the files after an error. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "test/unit/lib/make/make_goal.h"
#include "test/unit/lib/scratch_folder.h"

static const char *path_of(const char *name)
{
	static char path[128];

	snprintf(path, sizeof path, "%s/%s", scratch, name);
	return path;
}

static void dependencies_must_be_between_two_operations_that_exist(void **state)
{
	struct goal_builder builder = {0};
	struct error err;
	uint32_t a, b;

	(void)state;
	assert_int_equal(goal_builder_calc(&builder, 1, &a, &err), 0);
	assert_int_equal(goal_builder_calc(&builder, 1, &b, &err), 0);
	assert_int_equal(a, 0);
	assert_int_equal(b, 1);
	assert_int_equal(goal_builder_requires(&builder, b, a, &err), 0);
	assert_int_equal(goal_builder_irequires(&builder, a, a, &err), -1);
	assert_string_equal(err.text, "operation 0 depends on itself");
	assert_int_equal(goal_builder_requires(&builder, 2, a, &err), -1);
	assert_string_equal(err.text, "there is no operation 2 to depend on or from");
	assert_int_equal(goal_builder_irequires(&builder, a, 3, &err), -1);
	assert_string_equal(err.text, "there is no operation 3 to depend on or from");
	assert_int_equal(builder.dependencies.count, 1);
	goal_builder_release(&builder);
}

static void a_cleared_builder_is_like_a_new_one(void **state)
{
	struct goal_builder builder = {0};
	struct goal_block block;
	struct error err;
	uint32_t op;

	(void)state;
	assert_int_equal(goal_builder_calc(&builder, 1, NULL, &err), 0);
	assert_int_equal(goal_builder_calc(&builder, 1, NULL, &err), 0);
	assert_int_equal(goal_builder_requires(&builder, 1, 0, &err), 0);
	goal_builder_clear(&builder);
	assert_int_equal(goal_builder_send(&builder, 8, 3, 4, &op, &err), 0);
	assert_int_equal(op, 0);
	assert_int_equal(goal_builder_encode(&builder, &block, &err), 0);
	assert_int_equal(block.op_count, 1);
	assert_int_equal(block.root_count, 1);
	assert_int_equal(block.successor_count, 0);
	assert_int_equal(goal_op(&block, 0).peer, 3);
	goal_builder_release(&builder);
}

static void a_closed_rank_gets_no_more_operations_and_dependencies(void **state)
{
	const struct goal_new_op replaced = {.kind = GOAL_CALC, .size = 7};
	struct goal_builder builder = {0};
	struct goal_block block;
	struct error err;
	uint32_t op;

	(void)state;
	for (int i = 0; i < 3; i++)
		assert_int_equal(goal_builder_calc(&builder, 1, &op, &err), 0);
	assert_int_equal(goal_builder_requires(&builder, 1, 0, &err), 0);
	goal_builder_close(&builder);
	assert_int_equal(goal_builder_requires(&builder, 2, 0, &err), 0);
	assert_int_equal(goal_builder_calc(&builder, 1, &op, &err), 0);
	assert_int_equal(op, 3);
	assert_int_equal(goal_builder_requires(&builder, op, 1, &err), 0);
	assert_int_equal(goal_builder_requires(&builder, op + 1, 1, &err), -1);
	assert_int_equal(goal_builder_replace(&builder, op, &replaced, &err), 0);
	assert_int_equal(goal_builder_replace(&builder, 2, &replaced, &err), 0);
	assert_int_equal(goal_builder_op_count(&builder), 3);
	assert_int_equal(goal_builder_encode(&builder, &block, &err), 0);
	assert_int_equal(block.op_count, 3);
	assert_int_equal(block.root_count, 2);
	assert_int_equal(block.successor_count, 1);
	assert_int_equal(goal_op(&block, 2).size, 7);
	goal_builder_clear(&builder);
	assert_int_equal(goal_builder_calc(&builder, 1, &op, &err), 0);
	assert_int_equal(op, 0);
	assert_int_equal(goal_builder_op_count(&builder), 1);
	goal_builder_release(&builder);
}

static void successors_keep_the_order_of_the_dependencies(void **state)
{
	struct goal_builder builder = {0};
	struct goal_block block;
	struct goal_op op;
	struct error err;

	(void)state;
	for (int i = 0; i < 4; i++)
		assert_int_equal(goal_builder_calc(&builder, 1, NULL, &err), 0);
	assert_int_equal(goal_builder_irequires(&builder, 1, 0, &err), 0);
	assert_int_equal(goal_builder_requires(&builder, 3, 0, &err), 0);
	assert_int_equal(goal_builder_requires(&builder, 2, 0, &err), 0);
	assert_int_equal(goal_builder_requires(&builder, 1, 3, &err), 0);
	assert_int_equal(goal_builder_encode(&builder, &block, &err), 0);
	op = goal_op(&block, 0);
	assert_int_equal(op.requires_count, 2);
	assert_int_equal(op.irequires_count, 1);
	assert_int_equal(goal_successor(&block, op.requires_first), 3);
	assert_int_equal(goal_successor(&block, op.requires_first + 1), 2);
	assert_int_equal(goal_successor(&block, op.irequires_first), 1);
	op = goal_op(&block, 3);
	assert_int_equal(op.requires_count, 1);
	assert_int_equal(goal_successor(&block, op.requires_first), 1);
	assert_int_equal(goal_op(&block, 1).dependencies, 2);
	goal_builder_release(&builder);
}

static void a_file_with_too_few_ranks_is_not_left_behind(void **state)
{
	const enum goal_format formats[] = {GOAL_TEXT, GOAL_BINARY};

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct goal_builder builder = {0};
		struct goal_writer writer;
		struct error err;

		assert_int_equal(goal_writer_open(&writer, path_of("few"), formats[i], 2, &err), 0);
		assert_int_equal(goal_writer_rank(&writer, &builder, &err), 0);
		assert_int_equal(goal_writer_close(&writer, &err), -1);
		assert_string_equal(err.text, "only 1 of 2 ranks written");
		assert_int_equal(scratch_empty(), 0);
		goal_builder_release(&builder);
	}
}

static void more_ranks_than_announced_are_refused(void **state)
{
	struct goal_builder builder = {0};
	struct goal_writer writer;
	struct error err;

	(void)state;
	assert_int_equal(goal_writer_open(&writer, path_of("many"), GOAL_BINARY, 1, &err), 0);
	assert_int_equal(goal_writer_rank(&writer, &builder, &err), 0);
	assert_int_equal(goal_writer_rank(&writer, &builder, &err), -1);
	assert_string_equal(err.text, "more than the 1 rank announced");
	goal_writer_discard(&writer);
	assert_int_equal(scratch_empty(), 0);
	assert_int_equal(goal_writer_open(&writer, path_of("none"), GOAL_TEXT, 0, &err), -1);
	assert_int_equal(scratch_empty(), 0);
	goal_builder_release(&builder);
}

static void binary_is_the_same_in_a_pipe_and_in_a_file(void **state)
{
	const char *fifo = path_of("fifo");
	struct goal goal;
	struct goal_writer writer;
	struct error err;
	uint8_t bytes[512];
	int reader;

	(void)state;
	assert_int_equal(make_goal(&goal, "num_ranks 2\nrank 0 {\nsend 1b to 1\n}\nrank 1 {\n"
				   "recv 1b from 0 cpu 4 nic 3\n}\n", &err), 0);
	assert_int_equal(mkfifo(fifo, 0600), 0);
	reader = open(fifo, O_RDONLY | O_NONBLOCK);
	assert_true(reader >= 0);
	assert_int_equal(goal_writer_open(&writer, fifo, GOAL_BINARY, 2, &err), 0);
	assert_int_equal(goal_writer_block(&writer, &goal.ranks[0], &err), 0);
	assert_int_equal(goal_writer_block(&writer, &goal.ranks[1], &err), 0);
	assert_int_equal(goal_writer_close(&writer, &err), 0);
	assert_int_equal(read(reader, bytes, sizeof bytes), goal.image.count);
	assert_memory_equal(bytes, goal.image.bytes, goal.image.count);
	close(reader);
	assert_int_equal(scratch_empty(), 1);
	goal_release(&goal);
}

static void a_full_device_is_an_error_of_the_system(void **state)
{
	const enum goal_format formats[] = {GOAL_TEXT, GOAL_BINARY};

	(void)state;
	if (access("/dev/full", W_OK) != 0)
		skip();
	for (int i = 0; i < 2; i++) {
		struct goal_builder builder = {0};
		struct goal_writer writer;
		struct error err;
		int result;

		assert_int_equal(goal_builder_calc(&builder, 1, NULL, &err), 0);
		assert_int_equal(goal_writer_open(&writer, "/dev/full", formats[i], 1, &err), 0);
		result = goal_writer_rank(&writer, &builder, &err);
		if (result == 0)
			result = goal_writer_close(&writer, &err);
		else
			goal_writer_discard(&writer);
		assert_int_equal(result, -1);
		assert_int_equal(err.status, STATUS_SYSTEM);
		goal_builder_release(&builder);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(dependencies_must_be_between_two_operations_that_exist),
		cmocka_unit_test(a_cleared_builder_is_like_a_new_one),
		cmocka_unit_test(a_closed_rank_gets_no_more_operations_and_dependencies),
		cmocka_unit_test(successors_keep_the_order_of_the_dependencies),
		cmocka_unit_test(a_file_with_too_few_ranks_is_not_left_behind),
		cmocka_unit_test(more_ranks_than_announced_are_refused),
		cmocka_unit_test(binary_is_the_same_in_a_pipe_and_in_a_file),
		cmocka_unit_test(a_full_device_is_an_error_of_the_system),
	};

	return cmocka_run_group_tests_name("goal builder", tests, scratch_make, scratch_remove);
}
