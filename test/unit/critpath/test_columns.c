/* Blocks of intervals: they come back as they were, and damaged ones are errors. */
#include "critpath/parts/columns.h"
#include "critpath/parts/frame.h"
#include "test/unit/lib/random_graph.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>
#include <zstd.h>

#include "test/unit/lib/must.h"

enum { ROUNDS = 3000, INTERVALS = 40 };

static uint64_t some(uint64_t *numbers)
{
	/* All magnitudes are equally likely. */
	return random_below(numbers, UINT64_C(1) << random_below(numbers, 63));
}

/* Intervals in any order, of any times, with long and short runs of a rank and thread. */
static size_t make_intervals(struct compute_interval *intervals, uint64_t *numbers)
{
	const size_t count = random_below(numbers, INTERVALS);
	const uint64_t ranks = 1 + random_below(numbers, 3);
	const uint64_t unit = random_below(numbers, 2) ? 1 : 1 + random_below(numbers, 1000);

	for (size_t i = 0; i < count; i++) {
		intervals[i].start_ns = some(numbers) / unit * unit;
		intervals[i].end_ns = intervals[i].start_ns + unit * (1 + some(numbers) / unit);
		intervals[i].rank = (uint32_t)random_below(numbers, ranks) * (UINT32_MAX / 2);
		intervals[i].thread = random_below(numbers, 4) ? 0 : UINT32_MAX;
		intervals[i].call = (uint32_t)some(numbers);
		intervals[i].function = (uint32_t)random_below(numbers, 200);
		intervals[i].site = (uint32_t)some(numbers) - 1;
	}
	return count;
}

static bool is_same_interval(const struct compute_interval *a, const struct compute_interval *b)
{
	return memcmp(a, b, offsetof(struct compute_interval, site)) == 0 && a->site == b->site;
}

static void intervals_come_back_as_they_were(void **state)
{
	struct compute_interval intervals[INTERVALS];
	uint64_t numbers = 1;
	struct error err;

	(void)state;
	for (int round = 0; round < ROUNDS; round++) {
		const size_t count = make_intervals(intervals, &numbers);
		struct compute_intervals back = {0};
		struct byte_array block = {0};

		MUST(columns_encode(&block, intervals, count, round % 3, &err));
		if (round % 3 == 0)
			assert_true(block.bytes.count <=
				    1 + VARINT_BYTES + count * COLUMNS_RECORD_BYTES);
		/* It is appended to what is there. */
		MUST(array_push(&back.list, ((struct compute_interval){1, 2, 3, 4, 5, 6, 7}),
				&err));
		MUST(columns_decode(&back, block.bytes.items, block.bytes.count, count, &err));
		assert_int_equal(back.list.count, count + 1);
		for (size_t i = 0; i < count; i++)
			assert_true(is_same_interval(&back.list.items[i + 1], &intervals[i]));
		compute_intervals_release(&back);
		array_release(&block.bytes);
	}
}

/* ---------------------------------------------------------------------- damage */

/* What a decoder has read must be valid, whatever the block was. */
static bool decode_intervals(const struct byte_array *block, size_t most)
{
	struct compute_intervals found = {0};
	struct error err = {0};
	const bool good = columns_decode(&found, block->bytes.items, block->bytes.count, most,
					 &err) == 0;

	assert_true(good || err.status == STATUS_DATA);
	assert_true(found.list.count <= (good ? most : 0));
	for (size_t i = 0; i < found.list.count; i++)
		assert_true(found.list.items[i].start_ns < found.list.items[i].end_ns);
	compute_intervals_release(&found);
	return good;
}

static void damage(struct byte_array *block, size_t from, uint64_t *numbers)
{
	const size_t count = block->bytes.count;

	for (uint64_t i = 1 + random_below(numbers, 3); i && count > from; i--)
		block->bytes.items[from + random_below(numbers, count - from)] ^=
			(unsigned char)(1 + random_below(numbers, 255));
	if (count && random_below(numbers, 4) == 0)
		block->bytes.count = random_below(numbers, count);
}

/* Numbers in columns of a valid frame, damaged before they are compressed. */
static void damage_columns(struct byte_array *block, size_t head, uint64_t *numbers)
{
	unsigned char raw[INTERVALS * 10 * VARINT_BYTES];
	const size_t size = ZSTD_decompress(raw, sizeof raw, block->bytes.items + head,
					    block->bytes.count - head);
	struct byte_array columns = {0};
	struct error err;

	assert_false(ZSTD_isError(size));
	MUST(array_reserve(&columns.bytes, size + 1, &err));
	memcpy(columns.bytes.items, raw, size);
	columns.bytes.count = size;
	damage(&columns, 0, numbers);
	block->bytes.count = head;
	MUST(frame_put(block, &columns, NULL, 1, &err));
	array_release(&columns.bytes);
}

static uint32_t damage_often(struct byte_array *block, size_t head, size_t most, uint64_t *numbers)
{
	uint32_t bad = 0;

	for (int i = 0; i < 10; i++) {
		struct byte_array copy = {0};
		struct error err;

		MUST(array_reserve(&copy.bytes, block->bytes.count, &err));
		memcpy(copy.bytes.items, block->bytes.items, block->bytes.count);
		copy.bytes.count = block->bytes.count;
		if (head && i % 2)
			damage_columns(&copy, head, numbers);
		else
			damage(&copy, 0, numbers);
		bad += !decode_intervals(&copy, most);
		array_release(&copy.bytes);
	}
	return bad;
}

static void damaged_blocks_of_intervals_are_errors(void **state)
{
	struct compute_interval intervals[INTERVALS];
	uint64_t numbers = 3;
	uint32_t bad = 0;
	struct error err;

	(void)state;
	for (int round = 0; round < ROUNDS; round++) {
		const size_t count = make_intervals(intervals, &numbers);
		struct byte_array block = {0};

		MUST(columns_encode(&block, intervals, count, round % 2, &err));
		assert_true(decode_intervals(&block, count));
		if (count)
			assert_false(decode_intervals(&block, count - 1));
		bad += damage_often(&block, round % 2 ? 2 : 0, count, &numbers);
		array_release(&block.bytes);
	}
	assert_true(bad > ROUNDS);
}

static void put_numbers(struct byte_array *block, uint64_t count, const uint64_t *numbers,
			size_t number_count)
{
	struct byte_array columns = {0};
	struct error err;

	block->bytes.count = 0;
	MUST(array_reserve(&block->bytes, 1 + VARINT_BYTES, &err));
	block->bytes.items[block->bytes.count++] = COLUMNS_ZSTD;
	varint_put(block, count);
	MUST(array_reserve(&columns.bytes, number_count * VARINT_BYTES, &err));
	for (size_t i = 0; i < number_count; i++)
		varint_put(&columns, numbers[i]);
	MUST(frame_put(block, &columns, NULL, 1, &err));
	array_release(&columns.bytes);
}

#define NUMBERS(...) (const uint64_t[]){__VA_ARGS__}, sizeof((uint64_t[]){__VA_ARGS__}) / 8

/* A run of an interval of rank 7, then functions, sites, a call, a duration and a start: unit, width, bytes. */
static void columns_of_impossible_numbers_are_errors(void **state)
{
	struct byte_array block = {0};

	(void)state;
	put_numbers(&block, 1, NUMBERS(1, 1, 7, 0, 0, 0, 0, 0, 1, 1, 4, 5, 1, 2, 1, 1, 20));
	assert_true(decode_intervals(&block, 1));
	put_numbers(&block, 1, NUMBERS(1, 2, 7, 0, 0, 0, 0, 0, 1, 1, 4, 5, 1, 2, 1, 1, 20));
	assert_false(decode_intervals(&block, 1)); /* run of 2 */
	put_numbers(&block, 1,
		    NUMBERS(1, UINT64_MAX, 7, 0, 0, 0, 0, 0, 1, 1, 4, 5, 1, 2, 1, 1, 20));
	assert_false(decode_intervals(&block, 1));
	put_numbers(&block, 1,
		    NUMBERS(UINT64_MAX, 0, 7, 0, 0, 0, 0, 0, 1, 1, 4, 5, 1, 2, 1, 1, 20));
	assert_false(decode_intervals(&block, 1)); /* empty run */
	put_numbers(&block, 1,
		    NUMBERS(1, 1, UINT64_C(1) << 32, 0, 0, 0, 0, 0, 1, 1, 4, 5, 1, 2, 1, 1, 20));
	assert_false(decode_intervals(&block, 1));
	put_numbers(&block, 1, NUMBERS(1, 1, 7, 0, 0, 0, 0, 0, 1, 1, 4, 5, 1, 0, 1, 1, 20));
	assert_false(decode_intervals(&block, 1)); /* empty interval */
	put_numbers(&block, 1, NUMBERS(1, 1, 7, 0, 0, 0, 0, 0, 1, 1, 4, 5, 1, 1, 1, 1, 20));
	assert_false(decode_intervals(&block, 1)); /* ends before it starts */
	put_numbers(&block, 1, NUMBERS(1, 1, 7, 0, 0, 0, 0, 0, 1, 1, 3, 5, 1, 2, 1, 1, 20));
	assert_false(decode_intervals(&block, 1)); /* call -2 */
	put_numbers(&block, 1,
		    NUMBERS(1, 1, 7, 0, 1, 5, 2, 2, 3, 4, 5, 0, 0, 1, 1, 4, 5, 1, 2, 1, 1, 20));
	assert_false(decode_intervals(&block, 1)); /* function beyond 2^32 */
	put_numbers(&block, 1, NUMBERS(1, 1, 7, 0, 0, 0, 0, 0, 1, 1, 4, 5, 1, 2, 1, 1, 1));
	assert_false(decode_intervals(&block, 1)); /* starts at 2^64 - 1 */
	put_numbers(&block, 1, NUMBERS(1, 1, 7, 0, 0, 0, 0, 0, 1, 1, 4, 5, 1, 2, 1, 1, 20, 0));
	assert_false(decode_intervals(&block, 1)); /* one number more */
	put_numbers(&block, 1, NUMBERS(1, 1, 7, 0, 0, 0, 0, 0, 1, 1, 4, 5, 1, 2, 1, 2, 20));
	assert_false(decode_intervals(&block, 1)); /* one byte less */
	put_numbers(&block, 1,
		    NUMBERS(1, 1, 7, 0, 0, 0, 0, 0, 1, 1, 4, 5, 1, 2, 1, 9, 20, 0, 0, 0, 0, 0, 0, 0,
			    0));
	assert_false(decode_intervals(&block, 1)); /* too wide */
	put_numbers(&block, UINT64_MAX, NUMBERS(1));
	assert_false(decode_intervals(&block, 1));
	array_release(&block.bytes);
}

static void a_frame_that_claims_too_much_takes_no_memory(void **state)
{
	const size_t size = 1 << 20;
	unsigned char *zeros = calloc(1, size);
	struct byte_array raw = {0}, block = {0};
	struct compute_intervals found = {0};
	struct error err;

	(void)state;
	raw.bytes.items = zeros;
	raw.bytes.count = size;
	MUST(array_reserve(&block.bytes, 2, &err));
	block.bytes.items[0] = COLUMNS_ZSTD;
	block.bytes.items[1] = 1;
	block.bytes.count = 2;
	MUST(frame_put(&block, &raw, NULL, 1, &err));
	assert_false(decode_intervals(&block, 1));
	assert_true(columns_decode(&found, block.bytes.items, block.bytes.count, 1, &err) < 0);
	assert_non_null(strstr(err.text, "too large"));
	compute_intervals_release(&found);
	array_release(&block.bytes);
	free(zeros);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(intervals_come_back_as_they_were),
		cmocka_unit_test(damaged_blocks_of_intervals_are_errors),
		cmocka_unit_test(columns_of_impossible_numbers_are_errors),
		cmocka_unit_test(a_frame_that_claims_too_much_takes_no_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
