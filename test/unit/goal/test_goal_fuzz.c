/* Damaged and random input: an error with its place, or a valid graph; never anything else. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

#include "goal/traversal/check.h"
#include "goal/image.h"
#include "test/unit/lib/make/make_goal.h"

static const char example[] = "num_ranks 2\n\nrank 0 { // from\nl1: calc 100\n"
			      "l2: send 10b to 1 tag 5 cpu 0 nic 0\nl2 requires l1\nfoo: calc 3\n"
			      "}\n\nrank 1 {\nl1: recv 10b from 0 tag 5\n/* one */"
			      " l2: calc 7 cpu 1\n"
			      "l2 irequires l1\n}\n";

/* "name:LINE: text" or "name: offset BYTE: text". */
static void assert_has_place(const struct error *err, const char *name)
{
	const char *at = err->text;

	assert_true(err->status == STATUS_DATA || err->status == STATUS_LIMIT);
	assert_int_equal(strncmp(at, name, strlen(name)), 0);
	at += strlen(name);
	assert_true(*at++ == ':');
	if (!strcmp(at, " the file is empty"))
		return;
	if (!strncmp(at, " offset ", 8))
		at += 8;
	assert_true(isdigit((unsigned char)*at));
	while (isdigit((unsigned char)*at))
		at++;
	assert_true(*at == ':');
}

/* An opened graph must be sound: it can be checked, written and read again. */
static void use(struct goal *goal)
{
	struct error err = {0};
	struct input text, image;
	struct goal again;

	if (goal_check(goal, NULL, &err) < 0)
		assert_true(err.status == STATUS_DATA || err.status == STATUS_LIMIT);
	text = write_goal(goal, GOAL_TEXT);
	if (goal_compile(&text, "text", &image, &err) < 0 ||
	    goal_from_image(&again, &image, "text", &err) < 0)
		fail_msg("%s", err.text);
	assert_int_equal(again.image.count, goal->image.count);
	assert_memory_equal(again.image.bytes, goal->image.bytes, goal->image.count);
	input_release(&text);
	goal_release(&again);
	goal_release(goal);
}

/* Whether the text was accepted. */
static bool try_text(const char *bytes, size_t count)
{
	struct input text = make_input(bytes, count), image;
	struct error err = {0};
	struct goal goal;
	bool accepted = goal_compile(&text, "text", &image, &err) == 0 &&
			goal_from_image(&goal, &image, "text", &err) == 0;

	input_release(&text);
	if (accepted)
		use(&goal);
	else
		assert_has_place(&err, "text");
	return accepted;
}

static bool try_binary(const uint8_t *bytes, size_t count)
{
	struct input image = make_input(bytes, count);
	struct error err = {0};
	struct goal goal;
	bool accepted = goal_from_image(&goal, &image, "image", &err) == 0;

	if (accepted)
		use(&goal);
	else
		assert_has_place(&err, "image");
	return accepted;
}

static struct goal open_example(void)
{
	struct goal goal;
	struct error err;

	if (make_goal(&goal, example, &err) < 0)
		fail_msg("%s", err.text);
	return goal;
}

static void text_cut_anywhere_is_an_error(void **state)
{
	(void)state;
	/* Up to the last brace; what follows is a newline. */
	for (size_t count = 0; count < sizeof example - 3; count++)
		assert_false(try_text(example, count));
	assert_true(try_text(example, sizeof example - 2));
}

static void binary_cut_anywhere_is_an_error(void **state)
{
	struct goal goal = open_example();

	(void)state;
	for (size_t count = 0; count < goal.image.count; count++)
		assert_false(try_binary(goal.image.bytes, count));
	goal_release(&goal);
}

static void text_with_any_byte_changed_does_no_harm(void **state)
{
	static const char bytes[] = "\0\n\r\t {}:/*-019abcdlnrsz_\x7f\xff";
	char text[sizeof example];

	(void)state;
	for (size_t i = 0; i < sizeof example - 1; i++) {
		for (size_t k = 0; k < sizeof bytes - 1; k++) {
			memcpy(text, example, sizeof example);
			text[i] = bytes[k];
			try_text(text, sizeof example - 1);
		}
	}
}

static void binary_with_any_bit_flipped_does_no_harm(void **state)
{
	struct goal goal = open_example();
	int accepted = 0, refused = 0;

	(void)state;
	for (size_t bit = 0; bit < goal.image.count * 8; bit++) {
		struct input copy = make_input(goal.image.bytes, goal.image.count);

		((uint8_t *)copy.bytes)[bit / 8] ^= (uint8_t)(1 << bit % 8);
		if (try_binary(copy.bytes, copy.count))
			accepted++;
		else
			refused++;
		input_release(&copy);
	}
	/*
	 * Sizes and tags may be anything; the peer may be the other rank, a cpu 1
	 * instead of 0, a calc a message of its rank; all else is tied to something.
	 */
	assert_int_equal(accepted, 5 * 64 + 2 * 32 + 2 + 4 + 3 * 2);
	assert_int_equal(refused, goal.image.count * 8 - (size_t)accepted);
	goal_release(&goal);
}

static void binary_with_any_word_changed_does_no_harm(void **state)
{
	static const uint64_t words[] = {0, 1, 2, 3, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff,
					 INT64_MAX, UINT64_MAX, UINT64_MAX - 7};
	struct goal goal = open_example();

	(void)state;
	for (size_t at = 0; at + 8 <= goal.image.count; at++) {
		for (size_t i = 0; i < 2 * sizeof words / sizeof *words; i++) {
			struct input copy = make_input(goal.image.bytes, goal.image.count);

			memcpy((uint8_t *)copy.bytes + at, &words[i / 2], i % 2 ? 8 : 4);
			try_binary(copy.bytes, copy.count);
			input_release(&copy);
		}
	}
	goal_release(&goal);
}

static void random_bytes_are_errors(void **state)
{
	uint64_t numbers = 7;

	(void)state;
	for (int round = 0; round < 2000; round++) {
		uint8_t bytes[300];
		size_t count = 40 + random_below(&numbers, sizeof bytes - 40);

		for (size_t i = 0; i < count; i++)
			bytes[i] = (uint8_t)random_below(&numbers, 256);
		assert_false(try_text((const char *)bytes, count));
		assert_false(try_binary(bytes, count));
		goal_store64(bytes, GOAL_COOKIE);
		goal_store32(bytes + 8, 1 + (uint32_t)random_below(&numbers, 2));
		assert_false(try_binary(bytes, count));
	}
}

static void random_words_do_no_harm(void **state)
{
	static const char *const words[] = {
		"rank ", "0 ", "1 ", "{\n", "}\n", "l1", "l2", "x", ": ", "calc ", "send ", "recv ",
		"b ", "to ", "from ", "-1", " tag ", " cpu ", " nic ", " requires ", " irequires ",
		"\n", "\n", " ", "//", "/*", "*/", "18446744073709551616", "300", "calc 5\n",
		"l3: calc 5\n", "l4: send 1b to 0\n", "l5: recv 1b from 0 tag 3\n",
	};
	uint64_t numbers = 8;
	int accepted = 0;

	(void)state;
	for (int round = 0; round < 6000; round++) {
		char text[1024];
		size_t used = (size_t)sprintf(text, "num_ranks 1\nrank 0 {\n");

		for (uint64_t i = random_below(&numbers, round % 2 ? 30 : 4); i > 0; i--)
			used += (size_t)sprintf(text + used, "%s", words[random_below(&numbers,
					sizeof words / sizeof *words)]);
		if (round % 2 == 0)
			used += (size_t)sprintf(text + used, "\n}\n");
		accepted += try_text(text, used);
	}
	assert_in_range(accepted, 300, 5700);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_cut_anywhere_is_an_error),
		cmocka_unit_test(binary_cut_anywhere_is_an_error),
		cmocka_unit_test(text_with_any_byte_changed_does_no_harm),
		cmocka_unit_test(binary_with_any_bit_flipped_does_no_harm),
		cmocka_unit_test(binary_with_any_word_changed_does_no_harm),
		cmocka_unit_test(random_bytes_are_errors),
		cmocka_unit_test(random_words_do_no_harm),
	};

	return cmocka_run_group_tests_name("goal fuzz", tests, NULL, NULL);
}
