/* Builders that keep few operations in memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "goal/builder.h"
#include "test/unit/lib/make/random_graph.h"
#include "test/unit/lib/must.h"
#include "test/unit/lib/scratch_folder.h"

enum { RANKS = 3, FEW = 16 };

static const char *path_of(const char *name, char path[static 128])
{
	snprintf(path, 128, "%s/%s", scratch, name);
	return path;
}

static void expect_same_file(const char *name, const char *as)
{
	struct input a, b;
	struct error err;
	char path[128];

	MUST(input_open(&a, path_of(name, path), &err));
	MUST(input_open(&b, path_of(as, path), &err));
	assert_int_equal(a.count, b.count);
	assert_memory_equal(a.bytes, b.bytes, a.count);
	input_release(&a);
	input_release(&b);
}

/* Most dependencies are between operations that are near each other, but not all. */
static uint32_t draw_op(uint64_t *numbers, uint32_t op_count)
{
	if (op_count > 50 && random_below(numbers, 5))
		return op_count - 1 - (uint32_t)random_below(numbers, 50);
	return (uint32_t)random_below(numbers, op_count);
}

static struct goal_new_op draw_new_op(uint64_t *numbers)
{
	struct goal_new_op op = {
		.kind = (uint8_t)(GOAL_SEND + random_below(numbers, 3)),
		.size = random_below(numbers, 1000), .cpu = (uint8_t)random_below(numbers, 3)
	};

	if (op.kind != GOAL_CALC) {
		op.peer = (uint32_t)random_below(numbers, RANKS);
		op.tag = (uint32_t)random_below(numbers, 9);
		op.nic = (uint8_t)random_below(numbers, 2);
	}
	return op;
}

/* Change every third size. */
static int change(void *data, struct goal_new_op *op, struct error *err)
{
	uint64_t *seen = data;

	(void)err;
	if ((*seen)++ % 3)
		return 0;
	*op = (struct goal_new_op){.kind = GOAL_CALC, .size = *seen};
	return 1;
}

static void build(struct goal_builder *builder, uint64_t *numbers, uint32_t op_count)
{
	static const char *const functions[] = {"MPI_Send", "MPI_Recv", "MPI_Barrier"};
	struct goal_call call = {0};
	struct error err;
	uint64_t seen = 0;

	goal_builder_clear(builder);
	while (goal_builder_op_count(builder) < op_count) {
		const struct goal_new_op op = draw_new_op(numbers);
		uint32_t added, before;

		MUST(goal_builder_add(builder, &op, &added, &err));
		for (uint64_t n = random_below(numbers, 4); n && added; n--) {
			before = draw_op(numbers, added);
			MUST(random_below(numbers, 3)
				     ? goal_builder_requires(builder, added, before, &err)
				     : goal_builder_irequires(builder, added, before, &err));
		}
		if (random_below(numbers, 20) == 0) {
			const struct goal_new_op other = draw_new_op(numbers);

			MUST(goal_builder_replace(builder, draw_op(numbers, added + 1), &other,
						  &err));
		}
		call.function = functions[random_below(numbers, 3)];
		call.number++;
		call.time_ns += random_below(numbers, 100000);
		if (random_below(numbers, 3))
			MUST(goal_builder_call(builder, &call, &err));
	}
	if (op_count % 2)
		MUST(goal_builder_each(builder, change, &seen, &err));
}

static void write_ranks(const char *name, uint64_t seed, uint32_t most_ops, bool few)
{
	struct goal_builder builder = {.keep = few ? FEW : 0};
	struct goal_writer writer;
	struct error err;
	char path[128];

	MUST(goal_writer_open(&writer, path_of(name, path),
			      strstr(name, ".bin") ? GOAL_BINARY : GOAL_TEXT, RANKS, &err));
	MUST(goal_writer_calls(&writer, &(struct goal_calls_origin){.timed = true}, &err));
	if (few)
		goal_builder_spill(&builder, &writer);
	for (int rank = 0; rank < RANKS; rank++) {
		build(&builder, &seed, (uint32_t)random_below(&seed, most_ops));
		assert_true(!builder.first_op || few);
		assert_true(builder.first_op || !few ||
			    goal_builder_op_count(&builder) <= 4 * FEW);
		MUST(goal_writer_rank(&writer, &builder, &err));
	}
	MUST(goal_writer_close(&writer, &err));
	goal_builder_release(&builder);
}

static void files_do_not_depend_on_how_much_is_kept(void **state)
{
	static const char *const names[][2] = {{"a.bin", "b.bin"}, {"a.goal", "b.goal"}};
	char name[32], other[32];

	(void)state;
	for (uint64_t seed = 1; seed <= 40; seed++) {
		for (int i = 0; i < 2; i++) {
			const uint32_t most_ops = seed % 8 ? 300 : 6000;

			write_ranks(names[i][0], seed, most_ops, false);
			write_ranks(names[i][1], seed, most_ops, true);
			expect_same_file(names[i][0], names[i][1]);
			snprintf(name, sizeof name, "%s.calls", names[i][0]);
			snprintf(other, sizeof other, "%s.calls", names[i][1]);
			expect_same_file(name, other);
		}
		assert_int_equal(scratch_empty(), 8);
	}
}

static void text_and_binary_are_the_same_graph(void **state)
{
	char path[128];

	(void)state;
	for (uint64_t seed = 1; seed <= 10; seed++) {
		struct goal a, b;
		struct error err;

		write_ranks("a.bin", seed, 5000, true);
		write_ranks("a.goal", seed, 5000, true);
		MUST(goal_open(&a, path_of("a.bin", path), &err));
		MUST(goal_open(&b, path_of("a.goal", path), &err));
		assert_int_equal(a.image.count, b.image.count);
		assert_memory_equal(a.image.bytes, b.image.bytes, a.image.count);
		goal_release(&a);
		goal_release(&b);
	}
	scratch_empty();
}

static void *copy(void *data)
{
	char path[128], bytes[4096];
	FILE *from = fopen(data, "rb"), *to = fopen(path_of("copy", path), "wb");
	size_t count;

	while (from && to && (count = fread(bytes, 1, sizeof bytes, from)) > 0)
		fwrite(bytes, 1, count, to);
	if (from)
		fclose(from);
	if (to)
		fclose(to);
	return NULL;
}

static void a_pipe_gets_what_a_file_gets(void **state)
{
	static const char *const names[][2] = {{"a.bin", "pipe.bin"}, {"a.goal", "pipe.goal"}};
	char path[128];

	(void)state;
	for (int i = 0; i < 2; i++) {
		pthread_t reader;

		write_ranks(names[i][0], 7, 3000, true);
		assert_int_equal(mkfifo(path_of(names[i][1], path), 0600), 0);
		assert_int_equal(pthread_create(&reader, NULL, copy, path), 0);
		write_ranks(names[i][1], 7, 3000, true);
		pthread_join(reader, NULL);
		expect_same_file(names[i][0], "copy");
	}
	scratch_empty();
}

static void old_operations_can_be_looked_up(void **state)
{
	struct goal_builder builder = {.keep = FEW};
	struct goal_writer writer;
	struct goal_new_op op;
	struct error err;
	char path[128];

	(void)state;
	MUST(goal_writer_open(&writer, path_of("x.bin", path), GOAL_BINARY, 1, &err));
	goal_builder_spill(&builder, &writer);
	for (uint32_t i = 0; i < 1000; i++)
		MUST(goal_builder_calc(&builder, i, NULL, &err));
	for (uint32_t i = 0; i < 1000; i += 7) {
		MUST(goal_builder_get(&builder, i, &op, &err));
		assert_int_equal(op.size, i);
	}
	/* Temporary files have no names, so only the output is there, not yet in its place. */
	assert_int_equal(scratch_empty(), 1);
	goal_builder_release(&builder);
	goal_writer_discard(&writer);
}

static void a_file_that_may_not_grow_is_an_error(void **state)
{
	struct goal_builder builder = {.keep = FEW};
	struct goal_writer writer;
	struct error err;
	char path[128];
	int result = 0;

	(void)state;
	if (access("/dev/full", W_OK) != 0)
		skip();
	MUST(goal_writer_open(&writer, path_of("x.bin", path), GOAL_BINARY, 1, &err));
	goal_builder_spill(&builder, &writer);
	/* In place of the temporary file. */
	builder.old_ops = (struct goal_spill){.beside = &writer.output, .open = true,
					      .file = open("/dev/full", O_RDWR)};
	for (uint32_t i = 0; i < 1000 && result == 0; i++)
		result = goal_builder_calc(&builder, i, NULL, &err);
	assert_int_equal(result, -1);
	assert_int_equal(err.status, STATUS_SYSTEM);
	assert_non_null(strstr(err.text, "x.bin: cannot be written"));
	goal_builder_release(&builder);
	goal_writer_discard(&writer);
	assert_int_equal(scratch_empty(), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(files_do_not_depend_on_how_much_is_kept),
		cmocka_unit_test(text_and_binary_are_the_same_graph),
		cmocka_unit_test(a_pipe_gets_what_a_file_gets),
		cmocka_unit_test(old_operations_can_be_looked_up),
		cmocka_unit_test(a_file_that_may_not_grow_is_an_error),
	};

	return cmocka_run_group_tests_name("builders that keep little", tests, scratch_make,
					   scratch_remove);
}
