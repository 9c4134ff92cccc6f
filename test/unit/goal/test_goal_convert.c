/* Random graphs through both forms, and pairs of files made by txt2bin. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "goal/traversal/check.h"
#include "goal/image.h"
#include "test/unit/lib/make/make_goal.h"

static void assert_same(const struct input *a, const struct input *b)
{
	assert_int_equal(a->count, b->count);
	assert_memory_equal(a->bytes, b->bytes, a->count);
}

static struct goal compile(const struct input *text)
{
	struct input image;
	struct goal goal = {0};
	struct error err;

	if (goal_compile(text, "text", &image, &err) < 0 ||
	    goal_from_image(&goal, &image, "text", &err) < 0)
		fail_msg("%s", err.text);
	return goal;
}

static void binary_to_text_to_binary_is_the_same_byte_for_byte(void **state)
{
	const struct random_shape shape = {.most_ranks = 5, .most_ops = 40};
	uint64_t numbers = 2;

	(void)state;
	for (int round = 0; round < 500; round++) {
		struct goal goal, again;
		struct input text, binary;

		make_random_goal(&goal, &numbers, &shape);
		text = write_goal(&goal, GOAL_TEXT);
		again = compile(&text);
		assert_same(&goal.image, &again.image);
		binary = write_goal(&goal, GOAL_BINARY);
		assert_same(&goal.image, &binary);
		input_release(&text);
		input_release(&binary);
		goal_release(&goal);
		goal_release(&again);
	}
}

static bool starts_with(const char *text, const char *prefix)
{
	return !strncmp(text, prefix, strlen(prefix));
}

/*
 * Text as txt2bin requires it: statements in column 0, every label defined above its use,
 * nothing but one statement a line.
 */
static void check_line(const char *line, uint32_t *ops)
{
	unsigned int a, b;
	char verb[16], rest;

	if (!*line || starts_with(line, "num_ranks ") || !strcmp(line, "}"))
		return;
	if (starts_with(line, "rank ")) {
		*ops = 0;
		return;
	}
	if (sscanf(line, "l%u %15[a-z] l%u%c", &a, verb, &b, &rest) == 3) {
		assert_true(!strcmp(verb, "requires") || !strcmp(verb, "irequires"));
		assert_in_range(a, 1, *ops);
		assert_in_range(b, 1, *ops);
		return;
	}
	assert_int_equal(sscanf(line, "l%u: %15[a-z] ", &a, verb), 2);
	assert_int_equal(a, ++*ops);
	assert_true(!strcmp(verb, "calc") || !strcmp(verb, "send") || !strcmp(verb, "recv"));
}

static void txt2bin_can_read_the_written_text(void **state)
{
	const struct random_shape shape = {.most_ranks = 4, .most_ops = 30};
	uint64_t numbers = 3;

	(void)state;
	for (int round = 0; round < 100; round++) {
		struct goal goal;
		struct input text;
		uint32_t ops = 0;
		const char *at, *end;

		make_random_goal(&goal, &numbers, &shape);
		text = write_goal(&goal, GOAL_TEXT);
		at = (const char *)text.bytes;
		end = at + text.count;
		while (at < end) {
			const char *newline = memchr(at, '\n', (size_t)(end - at));
			char line[200];

			assert_non_null(newline);
			assert_true(newline - at < (ptrdiff_t)sizeof line);
			memcpy(line, at, (size_t)(newline - at));
			line[newline - at] = '\0';
			check_line(line, &ops);
			at = newline + 1;
		}
		input_release(&text);
		goal_release(&goal);
	}
}

/* A file beside the project, or NULL. */
static const char *data_file(const char *name, char path[static 1024])
{
	const char *source = getenv("SOURCE");

	snprintf(path, 1024, "%s/../shared/data/goal/%s", source ? source : ".", name);
	return access(path, R_OK) == 0 ? path : NULL;
}

static void check_pair(const char *text_name, const char *binary_name)
{
	char text_path[1024], binary_path[1024];
	struct goal from_text, from_binary;
	struct input text;
	struct goal again;
	struct error err;

	if (!data_file(text_name, text_path) || !data_file(binary_name, binary_path))
		skip();
	assert_int_equal(goal_open(&from_text, text_path, &err), 0);
	assert_int_equal(goal_open(&from_binary, binary_path, &err), 0);
	assert_same(&from_text.image, &from_binary.image);
	text = write_goal(&from_binary, GOAL_TEXT);
	again = compile(&text);
	assert_same(&again.image, &from_binary.image);
	assert_int_equal(goal_check(&again, NULL, &err), 0);
	input_release(&text);
	goal_release(&again);
	goal_release(&from_text);
	goal_release(&from_binary);
}

static void the_two_rank_example_compiles_as_by_txt2bin(void **state)
{
	(void)state;
	check_pair("two-rank.goal", "two-rank.bin");
}

static void the_lulesh_example_compiles_as_by_txt2bin(void **state)
{
	(void)state;
	check_pair("lulesh-8.goal", "lulesh-8.bin");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(binary_to_text_to_binary_is_the_same_byte_for_byte),
		cmocka_unit_test(txt2bin_can_read_the_written_text),
		cmocka_unit_test(the_two_rank_example_compiles_as_by_txt2bin),
		cmocka_unit_test(the_lulesh_example_compiles_as_by_txt2bin),
	};

	return cmocka_run_group_tests_name("goal convert", tests, NULL, NULL);
}
