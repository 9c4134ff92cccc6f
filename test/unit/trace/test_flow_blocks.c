/* Tests of what event flow files are made of: numbers, and sets of visits as blocks. */
#include "test/unit/lib/make/random_graph.h"
#include "test/unit/lib/must.h"
#include "trace/flow/flow_blocks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* ------------------------------------------------------------------------- numbers */

/* Numbers of all lengths, random digits of each. */
static uint64_t make_number(uint64_t *numbers, uint32_t i)
{
	const uint64_t digits = (uint64_t)random_below(numbers, UINT32_MAX) << 32 |
				random_below(numbers, UINT32_MAX);

	return digits >> i % 64;
}

static void numbers_are_read_alike_by_both_readers(void **state)
{
	uint64_t numbers = 13, again = 13;
	struct flow_bytes bytes = {0};
	struct flow_cursor cursor, varied;
	struct error err;

	(void)state;
	for (uint32_t i = 0; i < 64000; i++)
		MUST(flow_put(&bytes, make_number(&numbers, i), &err));
	cursor = varied = flow_cursor(bytes.items, bytes.count);
	for (uint32_t i = 0; i < 64000; i++) {
		const uint64_t expected = make_number(&again, i);

		assert_true(flow_get(&cursor) == expected);
		assert_true(flow_get_varied(&varied) == expected);
		assert_ptr_equal(cursor.at, varied.at);
	}
	assert_int_equal(flow_left(&varied), 0);
	assert_int_equal(flow_get_varied(&varied), 0);
	assert_true(varied.damaged);
	array_release(&bytes);
}

static void numbers_are_written_alike_by_both_writers(void **state)
{
	/* The first and the last number of each length. */
	uint64_t numbers = 17;
	struct flow_bytes plain = {0}, varied = {0};
	struct error err;

	(void)state;
	for (uint32_t i = 0; i < 64000; i++) {
		const uint64_t number = i < 128 ? ((uint64_t)1 << i / 2) - (i % 2)
						: make_number(&numbers, i);

		MUST(flow_put(&plain, number, &err));
		MUST(flow_put_varied(&varied, number, &err));
	}
	assert_int_equal(plain.count, varied.count);
	assert_memory_equal(plain.items, varied.items, plain.count);
	array_release(&plain);
	array_release(&varied);
}

static void numbers_that_do_not_end_are_damaged(void **state)
{
	uint8_t bytes[16];

	(void)state;
	for (size_t count = 1; count <= sizeof bytes; count++) {
		struct flow_cursor cursor, varied;

		memset(bytes, 0xff, sizeof bytes);
		cursor = varied = flow_cursor(bytes, count);
		flow_get(&cursor);
		flow_get_varied(&varied);
		assert_true(cursor.damaged);
		assert_true(varied.damaged);
		assert_in_range(flow_left(&varied), 0, count);
	}
}

/* ------------------------------------------------------------------ sets of visits */

/* Blocks of the numbers whose digits are in a text. */
static const char *blocks_of(const char *digits)
{
	static char text[256];
	struct flow_set set = {0};
	struct error err;

	for (; *digits; digits++)
		MUST(flow_set_add(&set, (uint64_t)(*digits - '0'), &err));
	MUST(flow_set_end(&set, &err));
	flow_blocks_text(set.blocks.items, set.blocks.count, text, sizeof text);
	array_release(&set.blocks);
	return text;
}

static void blocks_are_runs_at_equal_distances(void **state)
{
	(void)state;
	assert_string_equal(blocks_of("3"), "[3,3,0,1]");
	assert_string_equal(blocks_of("1"), "[1,1,0,1]");
	assert_string_equal(blocks_of("0245"), "[0,2,2,1 | 4,5,0,2]");
	assert_string_equal(blocks_of("02468"), "[0,8,2,1]");
	assert_string_equal(blocks_of("0123"), "[0,3,0,4]");
	assert_string_equal(blocks_of("013467"), "[0,7,3,2]");
	assert_string_equal(blocks_of("0136"), "[0,1,0,2 | 3,6,3,1]");
}

/* Add the numbers below `end` whose place in a period of 24 is in the mask, after `before` numbers of another one. */
static void add_periods(struct flow_set *set, uint32_t mask, uint64_t before, uint64_t end)
{
	struct error err;

	for (uint64_t i = 0; i < end; i++)
		if ((i < before ? mask >> 3 : mask) >> (i % 24) & 1)
			MUST(flow_set_add(set, i, &err));
}

static void sets_of_equal_iterations_take_no_more_items_for_more_of_them(void **state)
{
	uint64_t numbers = 12;

	(void)state;
	for (int round = 0; round < 100; round++) {
		const uint32_t mask = 1 + random_below(&numbers, (1 << 24) - 1);
		const uint64_t before = random_below(&numbers, 50);
		struct flow_run run;
		size_t items = 0;

		for (uint64_t end = 24 * 400; end <= 24 * 40000; end *= 10) {
			struct flow_set set = {.repeats = true};
			uint64_t at = 0;

			add_periods(&set, mask, before, end);
			for (int copied = 0; copied < 2; copied++) {
				struct flow_blocks blocks = {0};
				struct error err;

				MUST(flow_set_copy(&set, &blocks, &err));
				/* The last group may be incomplete. */
				assert_true(!items || blocks.count <= items + 3 * FLOW_MOST_AGAIN);
				items = items ? items : blocks.count;
				assert_int_equal(flow_blocks_count(blocks.items, blocks.count),
						 set.count);
				at = 0;
				for (run = flow_run_first(blocks.items, blocks.count);
				     run.begin != UINT64_MAX; flow_run_next(&run)) {
					assert_true(run.begin >= at);
					for (; at < run.begin; at++)
						assert_false((at < before ? mask >> 3 : mask) >>
								     (at % 24) &
							     1);
					for (; at <= run.last; at++)
						assert_true((at < before ? mask >> 3 : mask) >>
								    (at % 24) &
							    1);
				}
				assert_int_equal(at - 1,
						 flow_blocks_last(blocks.items, blocks.count));
				array_release(&blocks);
				MUST(flow_set_end(&set, &err));
			}
			array_release(&set.blocks);
		}
	}
}

static void items_that_repeat_are_shown(void **state)
{
	struct flow_set set = {.repeats = true};
	char text[128];

	(void)state;
	add_periods(&set, 0x000013, 0, 24 * 40 + 1);
	flow_blocks_text(set.blocks.items, set.blocks.count, text, sizeof text);
	assert_string_equal(text,
			    "[0,1,0,2 | 4,4,0,1 | 2 again 38 by 24 | 936,937,0,2 | 940,940,0,1]");
	array_release(&set.blocks);
}

static void sets_survive_their_bytes(void **state)
{
	uint64_t numbers = 11;

	(void)state;
	for (int round = 0; round < 600; round++) {
		struct flow_set set = {.repeats = round >= 300};
		struct flow_bytes bytes = {0};
		struct flow_blocks read = {0};
		struct flow_cursor cursor;
		struct flow_run run;
		struct error err;
		bool in[200];
		const uint32_t period = 1 + random_below(&numbers, 7);

		for (uint64_t i = 0; i < 200; i++) {
			in[i] = round & 1 ? random_below(&numbers, 3) == 0
					  : i % period < period / 2 + 1;
			if (in[i])
				MUST(flow_set_add(&set, i, &err));
		}
		MUST(flow_set_end(&set, &err));
		MUST(flow_blocks_put(&bytes, set.blocks.items, set.blocks.count, &err));
		cursor = flow_cursor(bytes.items, bytes.count);
		MUST(flow_blocks_get(&cursor, &read, &err));
		assert_false(cursor.damaged);
		assert_int_equal(flow_left(&cursor), 0);
		assert_int_equal(flow_blocks_count(read.items, read.count), set.count);
		run = flow_run_first(read.items, read.count);
		for (uint64_t i = 0; i < 200; i++) {
			if (run.begin != UINT64_MAX && i > run.last)
				flow_run_next(&run);
			assert_int_equal(in[i], run.begin <= i && i <= run.last);
		}
		array_release(&set.blocks);
		array_release(&read);
		array_release(&bytes);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_are_read_alike_by_both_readers),
		cmocka_unit_test(numbers_are_written_alike_by_both_writers),
		cmocka_unit_test(numbers_that_do_not_end_are_damaged),
		cmocka_unit_test(blocks_are_runs_at_equal_distances),
		cmocka_unit_test(sets_of_equal_iterations_take_no_more_items_for_more_of_them),
		cmocka_unit_test(items_that_repeat_are_shown),
		cmocka_unit_test(sets_survive_their_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
