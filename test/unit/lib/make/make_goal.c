#include "test/unit/lib/make/make_goal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <unistd.h>

#include "goal/image.h"

struct input make_input(const void *bytes, size_t count)
{
	struct input input = {.count = count};
	void *copy = malloc(count ? count : 1);

	assert_non_null(copy);
	memcpy(copy, bytes, count);
	input.bytes = copy;
	return input;
}

int make_goal(struct goal *goal, const char *text, struct error *err)
{
	struct input input = make_input(text, strlen(text)), image;
	int result = goal_compile(&input, "text", &image, err);

	input_release(&input);
	TRY(result);
	return goal_from_image(goal, &image, "text", err);
}

static void add_op(struct goal_builder *builder, uint64_t *numbers, uint32_t rank_count)
{
	struct goal_new_op op = {.kind = (uint8_t)(1 + random_below(numbers, 3))};
	struct error err;

	op.size = random_below(numbers, UINT64_MAX) >> random_below(numbers, 64);
	op.cpu = random_below(numbers, 4) ? 0 : (uint8_t)random_below(numbers, 256);
	if (op.kind != GOAL_CALC) {
		op.peer = random_below(numbers, rank_count);
		op.tag = random_below(numbers, 3);
		op.nic = random_below(numbers, 4) ? 0 : (uint8_t)random_below(numbers, 256);
		if (random_below(numbers, 8) == 0)
			op.tag = GOAL_ANY;
		if (op.kind == GOAL_RECV && random_below(numbers, 8) == 0)
			op.peer = GOAL_ANY;
	}
	assert_int_equal(goal_builder_add(builder, &op, NULL, &err), 0);
}

static void add_message(struct goal_builder *builders, uint64_t *numbers, uint32_t rank_count)
{
	uint32_t from = random_below(numbers, rank_count), to = random_below(numbers, rank_count);
	uint32_t tag = random_below(numbers, 3);
	uint64_t bytes = random_below(numbers, 5000);
	struct error err;

	assert_int_equal(goal_builder_send(&builders[from], bytes, to, tag, NULL, &err), 0);
	assert_int_equal(goal_builder_recv(&builders[to], bytes, from, tag, NULL, &err), 0);
}

static void add_dependencies(struct goal_builder *builder, uint64_t *numbers)
{
	uint32_t ops = (uint32_t)builder->ops.count;
	uint32_t count = ops > 1 ? random_below(numbers, 2 * ops) : 0;

	while (count--) {
		uint32_t a = random_below(numbers, ops), b = random_below(numbers, ops);
		struct error err;

		if (a == b)
			continue;
		if (random_below(numbers, 3))
			assert_int_equal(goal_builder_requires(builder, a, b, &err), 0);
		else
			assert_int_equal(goal_builder_irequires(builder, a, b, &err), 0);
	}
}

void make_random_goal(struct goal *goal, uint64_t *numbers, const struct random_shape *shape)
{
	uint32_t ranks = 1 + random_below(numbers, shape->most_ranks);
	struct goal_builder *builders = calloc(ranks, sizeof *builders);
	struct goal_writer writer;
	struct input image;
	struct error err;

	assert_non_null(builders);
	for (uint32_t rank = 0; rank < ranks; rank++)
		for (uint32_t i = random_below(numbers, shape->most_ops + 1); i > 0; i--) {
			if (!shape->matched)
				add_op(&builders[rank], numbers, ranks);
			else if (random_below(numbers, 2))
				add_message(builders, numbers, ranks);
			else
				assert_int_equal(goal_builder_calc(&builders[rank],
								   random_below(numbers, 1000),
								   NULL, &err), 0);
		}
	assert_int_equal(goal_writer_open_memory(&writer, ranks, &err), 0);
	for (uint32_t rank = 0; rank < ranks; rank++) {
		add_dependencies(&builders[rank], numbers);
		assert_int_equal(goal_writer_rank(&writer, &builders[rank], &err), 0);
		goal_builder_release(&builders[rank]);
	}
	free(builders);
	assert_int_equal(goal_writer_finish(&writer, &image, &err), 0);
	if (goal_from_image(goal, &image, "random", &err) < 0)
		fail_msg("%s", err.text);
}

struct input write_goal(const struct goal *goal, enum goal_format format)
{
	char path[] = "/tmp/test-goal-XXXXXX";
	int file = mkstemp(path);
	struct goal_writer writer;
	struct input input;
	struct error err;

	assert_true(file >= 0);
	close(file);
	assert_int_equal(goal_writer_open(&writer, path, format, goal->rank_count, &err), 0);
	for (uint32_t rank = 0; rank < goal->rank_count; rank++)
		assert_int_equal(goal_writer_block(&writer, &goal->ranks[rank], &err), 0);
	assert_int_equal(goal_writer_close(&writer, &err), 0);
	assert_int_equal(input_open(&input, path, &err), 0);
	unlink(path);
	return input;
}
