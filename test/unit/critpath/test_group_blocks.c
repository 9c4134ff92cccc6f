/* Blocks of intervals and of groups: rows come back as they were, and damaged blocks are errors. */
#include "critpath/groups/group_blocks.h"
#include "test/unit/lib/make/random_graph.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>
#include <zstd.h>

#include "test/unit/lib/must.h"

enum { ROUNDS = 3000, ROWS = 40 };

static uint64_t some(uint64_t *numbers)
{
	/* All magnitudes are equally likely. */
	return random_below(numbers, UINT64_C(1) << random_below(numbers, 63));
}

/* An interval of any time, rank and call that there are. */
static struct compute_interval make_interval(uint64_t *numbers)
{
	struct compute_interval interval = {.start_ns = some(numbers)};

	interval.end_ns = interval.start_ns + 1 + some(numbers);
	interval.rank = (uint32_t)random_below(numbers, 3) * (UINT32_MAX / 2);
	interval.thread = random_below(numbers, 4) ? 0 : UINT32_MAX;
	interval.call = random_below(numbers, 4) ? (uint32_t)some(numbers) : UINT32_MAX;
	interval.function = (uint32_t)random_below(numbers, 200);
	interval.site = (uint32_t)some(numbers) - 1;
	return interval;
}

static size_t make_intervals(struct compute_interval *intervals, uint64_t *numbers)
{
	const size_t count = random_below(numbers, ROWS);

	for (size_t i = 0; i < count; i++)
		intervals[i] = make_interval(numbers);
	return count;
}

static size_t make_groups(struct compute_group *groups, uint64_t *numbers)
{
	const size_t count = random_below(numbers, ROWS);

	for (size_t i = 0; i < count; i++) {
		struct compute_group *group = &groups[i];

		group->longest = make_interval(numbers);
		group->start_ns = random_below(numbers, group->longest.start_ns + 1);
		group->end_ns = group->longest.end_ns +
				random_below(numbers, UINT64_MAX - group->longest.end_ns);
		group->intervals = some(numbers);
	}
	return count;
}

static bool is_same_interval(const struct compute_interval *a, const struct compute_interval *b)
{
	return memcmp(a, b, offsetof(struct compute_interval, site)) == 0 && a->site == b->site;
}

static bool is_same_group(const struct compute_group *a, const struct compute_group *b)
{
	return memcmp(a, b, offsetof(struct compute_group, longest)) == 0 &&
	       is_same_interval(&a->longest, &b->longest);
}

static void intervals_come_back_as_they_were(void **state)
{
	struct compute_interval intervals[ROWS];
	uint64_t numbers = 1;
	struct error err;

	(void)state;
	for (int round = 0; round < ROUNDS; round++) {
		const size_t count = make_intervals(intervals, &numbers);
		struct compute_intervals back = {0};
		struct byte_array block = {0};

		MUST(block_put_intervals(&block, intervals, count, round % 3, &err));
		if (round % 3 == 0)
			assert_int_equal(block.bytes.count, 2 + count * INTERVAL_RECORD_BYTES);
		/* They are appended to what is there. */
		MUST(array_push(&back.list, ((struct compute_interval){1, 2, 3, 4, 5, 6, 7}),
				&err));
		MUST(block_take_intervals(&back, block.bytes.items, block.bytes.count, &err));
		assert_int_equal(back.list.count, count + 1);
		for (size_t i = 0; i < count; i++)
			assert_true(is_same_interval(&back.list.items[i + 1], &intervals[i]));
		compute_intervals_release(&back);
		array_release(&block.bytes);
	}
}

static void groups_come_back_as_they_were(void **state)
{
	struct compute_group made[ROWS];
	uint64_t numbers = 2;
	struct error err;

	(void)state;
	for (int round = 0; round < ROUNDS; round++) {
		const size_t count = make_groups(made, &numbers);
		struct byte_array block = {0};
		struct groups back = {0};

		MUST(block_put_groups(&block, made, count, round % 3, &err));
		if (round % 3 == 0)
			assert_int_equal(block.bytes.count, 2 + count * GROUP_RECORD_BYTES);
		MUST(block_take_groups(&back, block.bytes.items, block.bytes.count, &err));
		assert_int_equal(back.list.count, count);
		for (size_t i = 0; i < count; i++)
			assert_true(is_same_group(&back.list.items[i], &made[i]));
		groups_release(&back);
		array_release(&block.bytes);
	}
}

static void computation_and_calls_that_are_alike_take_a_tenth_of_their_records(void **state)
{
	enum { ALIKE = 10000 };
	struct compute_intervals intervals = {0};
	struct byte_array block = {0};
	struct error err;

	(void)state;
	for (uint64_t i = 0; i < ALIKE; i++)
		MUST(array_push(&intervals.list,
				((struct compute_interval){1000 * i, 1000 * i + 900 + i % 8, 3, 0,
							   (uint32_t)i, i % 2, UINT32_MAX}),
				&err));
	MUST(block_put_intervals(&block, intervals.list.items, ALIKE, 3, &err));
	assert_true(block.bytes.count < ALIKE * INTERVAL_RECORD_BYTES / 10);
	array_release(&block.bytes);
	compute_intervals_release(&intervals);
}

/* ---------------------------------------------------------------------- damage */

/* Read a block of intervals or of groups.  What is found must be valid, whatever the block was. */
static bool take(const struct byte_array *block, bool groups)
{
	struct compute_intervals intervals = {0};
	struct groups found = {0};
	struct error err = {0};
	const bool good = (groups ? block_take_groups(&found, block->bytes.items,
						      block->bytes.count, &err)
				  : block_take_intervals(&intervals, block->bytes.items,
							 block->bytes.count, &err)) == 0;

	assert_true(good || err.status == STATUS_DATA);
	assert_true(good || intervals.list.count + found.list.count == 0);
	for (size_t i = 0; i < intervals.list.count; i++)
		assert_true(intervals.list.items[i].start_ns < intervals.list.items[i].end_ns);
	for (size_t i = 0; i < found.list.count; i++) {
		const struct compute_group *group = &found.list.items[i];

		assert_true(group->longest.start_ns < group->longest.end_ns);
		assert_true(group->start_ns <= group->longest.start_ns &&
			    group->longest.end_ns <= group->end_ns);
	}
	compute_intervals_release(&intervals);
	groups_release(&found);
	return good;
}

static void damage(struct byte_array *block, uint64_t *numbers)
{
	const size_t count = block->bytes.count;

	for (uint64_t i = 1 + random_below(numbers, 3); i && count; i--)
		block->bytes.items[random_below(numbers, count)] ^=
			(unsigned char)(1 + random_below(numbers, 255));
	if (count && random_below(numbers, 4) == 0)
		block->bytes.count = random_below(numbers, count);
}

/* Append bytes to a block, as a frame. */
static void put_frame(struct byte_array *block, const unsigned char *bytes, size_t count)
{
	const size_t room = ZSTD_compressBound(count);
	struct error err;
	size_t written;

	MUST(array_reserve(&block->bytes, room, &err));
	written = ZSTD_compress(block->bytes.items + block->bytes.count, room, bytes, count, 1);
	assert_false(ZSTD_isError(written));
	block->bytes.count += written;
}

/* Damage the columns of a block before they are compressed. */
static void damage_columns(struct byte_array *block, uint64_t *numbers)
{
	const size_t head = 2, most = ROWS * 10 * VARINT_BYTES;
	struct byte_array columns = {0};
	struct error err;

	MUST(array_reserve(&columns.bytes, most, &err));
	columns.bytes.count = ZSTD_decompress(columns.bytes.items, most, block->bytes.items + head,
					      block->bytes.count - head);
	assert_false(ZSTD_isError(columns.bytes.count));
	damage(&columns, numbers);
	block->bytes.count = head;
	put_frame(block, columns.bytes.items, columns.bytes.count);
	array_release(&columns.bytes);
}

/* Damage a block often.  Returns how often this was found. */
static uint32_t damage_often(const struct byte_array *block, bool groups, uint64_t *numbers)
{
	uint32_t bad = 0;

	for (int i = 0; i < 10; i++) {
		struct byte_array copy = {0};
		struct error err;

		MUST(array_reserve(&copy.bytes, block->bytes.count, &err));
		memcpy(copy.bytes.items, block->bytes.items, block->bytes.count);
		copy.bytes.count = block->bytes.count;
		if (block->bytes.items[0] == BLOCK_ZSTD && i % 2)
			damage_columns(&copy, numbers);
		else
			damage(&copy, numbers);
		bad += !take(&copy, groups);
		array_release(&copy.bytes);
	}
	return bad;
}

static void damaged_blocks_are_errors_or_valid_rows(void **state)
{
	uint64_t numbers = 3;
	uint32_t bad = 0;
	struct error err;

	(void)state;
	for (int round = 0; round < ROUNDS; round++) {
		struct compute_interval intervals[ROWS];
		struct compute_group groups[ROWS];
		struct byte_array block = {0};
		const bool of_groups = round / 2 % 2;

		if (of_groups)
			MUST(block_put_groups(&block, groups, make_groups(groups, &numbers),
					      round % 2, &err));
		else
			MUST(block_put_intervals(&block, intervals,
						 make_intervals(intervals, &numbers), round % 2,
						 &err));
		assert_true(take(&block, of_groups));
		bad += damage_often(&block, of_groups, &numbers);
		array_release(&block.bytes);
	}
	assert_true(bad > ROUNDS);
}

#define BYTES(...) (const unsigned char[]){__VA_ARGS__}, sizeof((unsigned char[]){__VA_ARGS__})

/* Whether a block of so many intervals with these columns is read. */
static bool takes_columns(uint64_t count, const unsigned char *columns, size_t bytes)
{
	struct byte_array block = {0};
	struct error err;
	bool good;

	MUST(array_reserve(&block.bytes, 1 + VARINT_BYTES, &err));
	block.bytes.items[block.bytes.count++] = BLOCK_ZSTD;
	varint_put(&block, count);
	put_frame(&block, columns, bytes);
	good = take(&block, false);
	array_release(&block.bytes);
	return good;
}

/* An interval: start 5, end 6, rank 7, and the first thread, call, function and site. */
static void columns_of_impossible_numbers_are_errors(void **state)
{
	(void)state;
	assert_true(takes_columns(1, BYTES(10, 2, 14, 0, 0, 0, 0)));
	assert_false(takes_columns(1, BYTES(10, 0, 14, 0, 0, 0, 0)));	 /* it is empty */
	assert_false(takes_columns(1, BYTES(10, 1, 14, 0, 0, 0, 0)));	 /* it ends before */
	assert_false(takes_columns(1, BYTES(10, 2, 14, 0, 0, 0)));	 /* one number less */
	assert_false(takes_columns(1, BYTES(10, 2, 14, 0, 0, 0, 0, 0))); /* one more */
	assert_false(takes_columns(1, BYTES(10, 2, 14, 0, 0, 0, 0x80))); /* a part of one */
	assert_false(takes_columns(2, BYTES(10, 2, 14, 0, 0, 0, 0)));
	assert_false(takes_columns(UINT64_MAX, BYTES(10, 2, 14, 0, 0, 0, 0)));
}

static void a_block_that_claims_too_much_takes_no_memory(void **state)
{
	/* A frame of zstd that says that it has 2^56 bytes, with one empty block. */
	static const unsigned char frame[] = {BLOCK_ZSTD, 1, 0x28, 0xb5, 0x2f, 0xfd, 0xe0, 0, 0,
					      0,	  0, 0,	   0,	 0,    1,    1,	   0, 0};
	/* 2^35 records. */
	static const unsigned char records[] = {BLOCK_RECORDS, 0x80, 0x80, 0x80, 0x80, 0x80, 1, 0};
	struct compute_intervals found = {0};
	struct error err;

	(void)state;
	assert_int_equal(ZSTD_getFrameContentSize(frame + 2, sizeof frame - 2), UINT64_C(1) << 56);
	assert_true(block_take_intervals(&found, frame, sizeof frame, &err) < 0);
	assert_int_equal(err.status, STATUS_DATA);
	assert_true(block_take_intervals(&found, records, sizeof records, &err) < 0);
	assert_int_equal(err.status, STATUS_DATA);
	assert_true(block_take_intervals(&found, records, 0, &err) < 0);
	assert_int_equal(found.list.capacity, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(intervals_come_back_as_they_were),
		cmocka_unit_test(groups_come_back_as_they_were),
		cmocka_unit_test(
			computation_and_calls_that_are_alike_take_a_tenth_of_their_records),
		cmocka_unit_test(damaged_blocks_are_errors_or_valid_rows),
		cmocka_unit_test(columns_of_impossible_numbers_are_errors),
		cmocka_unit_test(a_block_that_claims_too_much_takes_no_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
