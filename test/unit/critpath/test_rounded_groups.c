/* The range coder, and blocks of rounded groups: what was put comes back, in few bytes; damage does no harm. */
#include "critpath/parts/range_code.h"
#include "critpath/parts/rounded_blocks.h"
#include "test/unit/lib/random_graph.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>

#include "test/unit/lib/must.h"

enum { ROUNDS = 2000, NUMBERS = 3000 };

/* --------------------------------------------------------------------- numbers */

struct mixed {
	struct range_number *numbers;
	struct range_bit bit, bits[8];
};

static uint64_t some(uint64_t *numbers)
{
	const uint64_t number = random_below(numbers, UINT64_MAX);

	return number >> random_below(numbers, 64);
}

static void put_mixed(struct range_encoder *encoder, struct mixed *mixed, uint64_t number)
{
	range_put(encoder, mixed->numbers, number);
	range_put_bit(encoder, &mixed->bit, number % 7 == 0);
	range_put_bits(encoder, mixed->bits, number, 3);
}

static void check_mixed(struct range_decoder *decoder, struct mixed *mixed, uint64_t number)
{
	assert_true(range_take(decoder, mixed->numbers) == number);
	assert_int_equal(range_take_bit(decoder, &mixed->bit), number % 7 == 0);
	assert_int_equal(range_take_bits(decoder, mixed->bits, 3), number % 8);
}

static void numbers_of_all_sizes_come_back(void **state)
{
	uint64_t numbers = 1;

	(void)state;
	for (int round = 0; round < ROUNDS / 10; round++) {
		struct mixed put = {.numbers = calloc(1, sizeof *put.numbers)};
		struct mixed taken = {.numbers = calloc(1, sizeof *taken.numbers)};
		struct range_encoder encoder = {0};
		struct range_decoder decoder;
		const uint64_t start = numbers, count = random_below(&numbers, 400);
		struct error err;

		numbers = start;
		for (uint64_t i = 0; i < count; i++)
			put_mixed(&encoder, &put, some(&numbers));
		put_mixed(&encoder, &put, UINT64_MAX);
		MUST(range_end(&encoder, &err));
		decoder = range_begin(encoder.bytes.items, encoder.bytes.count);
		numbers = start;
		for (uint64_t i = 0; i < count; i++)
			check_mixed(&decoder, &taken, some(&numbers));
		check_mixed(&decoder, &taken, UINT64_MAX);
		range_release(&encoder);
		free(put.numbers);
		free(taken.numbers);
	}
}

/* Bytes of numbers, each `least` or with a chance of 1 in `of` another one below least + more. */
static size_t bytes_of(uint64_t least, uint64_t more, uint64_t of)
{
	struct range_number *context = calloc(1, sizeof *context);
	struct range_encoder encoder = {0};
	uint64_t numbers = 2;
	struct error err;
	size_t bytes;

	for (int i = 0; i < NUMBERS; i++)
		range_put(&encoder, context,
			  least + (random_below(&numbers, of) ? 0 : random_below(&numbers, more)));
	MUST(range_end(&encoder, &err));
	bytes = encoder.bytes.count;
	range_release(&encoder);
	free(context);
	return bytes;
}

static void numbers_take_little_more_than_their_entropy(void **state)
{
	(void)state;
	assert_true(bytes_of(0, 1, 1) < NUMBERS / 8 / 20);
	assert_true(bytes_of(1000000, 1, 1) < NUMBERS * 14 / 8);
	assert_true(bytes_of(0, 16, 1) < NUMBERS * 4.3 / 8);
	assert_true(bytes_of(0, 1 << 20, 1) < NUMBERS * 20.5 / 8);
	/* 1 in 20: 0.29 bits, and 6 bits for which. */
	assert_true(bytes_of(0, 64, 20) < NUMBERS * 0.8 / 8);
}

/* ---------------------------------------------------------------------- blocks */

/* Groups in order of time; some of them touch, some are as short as a nanosecond. */
static void make_groups(struct groups *groups, uint64_t *numbers)
{
	const uint64_t unit = UINT64_C(1) << random_below(numbers, 20);
	const size_t count = random_below(numbers, 40);
	uint64_t at_ns = some(numbers) >> 1;
	struct error err;

	for (size_t i = 0; i < count; i++) {
		struct compute_group group = {.start_ns = at_ns, .intervals = 1 + i % 3};

		group.end_ns = at_ns + 1 + random_below(numbers, 3) * random_below(numbers, unit);
		group.longest = (struct compute_interval){group.start_ns,
							  group.end_ns,
							  (uint32_t)random_below(numbers, 99),
							  (uint32_t)(i % 2),
							  (uint32_t)random_below(numbers, 9) - 1,
							  (uint32_t)(i % 5),
							  (uint32_t)(i % 7) - 1};
		if (group.intervals > 1)
			group.longest.start_ns = group.end_ns - 1 -
						 random_below(numbers,
							      group.end_ns - group.start_ns);
		at_ns = group.end_ns + random_below(numbers, 3) * random_below(numbers, unit);
		MUST(array_push(&groups->list, group, &err));
	}
}

static void check_interval(const struct compute_interval *a, const struct compute_interval *b)
{
	assert_memory_equal(a, b, offsetof(struct compute_interval, site));
	assert_int_equal(a->site, b->site);
}

static void check_asked(const struct rounded_groups *found, const struct rounded_groups *sent)
{
	assert_int_equal(found->list.count, sent->list.count);
	for (size_t i = 0; i < found->list.count; i++) {
		const struct rounded_group *a = &found->list.items[i], *b = &sent->list.items[i];

		assert_int_equal(a->asked, b->asked);
		assert_int_equal(a->intervals, b->intervals);
		assert_int_equal(a->since, b->since);
		for (int k = 0; k < FIGURES; k++)
			if (a->asked >> k & 1)
				assert_int_equal(a->figures[k], b->figures[k]);
	}
}

static void forget_some(struct rounded_groups *groups, uint64_t *numbers)
{
	for (size_t i = 0; i < groups->list.count; i++) {
		struct rounded_group *group = &groups->list.items[i];

		group->was_asked = group->asked;
		group->asked &= (unsigned char)random_below(numbers, 1 << FIGURES);
	}
}

/* Send a list in some steps, as a process asks for ever fewer figures. */
static void send_list(struct groups *groups, uint64_t *numbers)
{
	struct rounded_groups sent = {0}, found = {0};
	unsigned bits = (unsigned)random_below(numbers, 12), more;
	struct byte_array block = {0};
	struct error err;

	MUST(rounded_groups_make(&sent, groups, 1, bits, &err));
	MUST(rounded_blocks_put(&block, &sent, bits, &err));
	MUST(rounded_blocks_take(&found, block.bytes.items, block.bytes.count, bits, &err));
	check_asked(&found, &sent);
	do {
		more = bits < ROUNDED_MORE_BITS ? bits : ROUNDED_MORE_BITS;
		forget_some(&sent, numbers);
		block.bytes.count = 0;
		MUST(rounded_blocks_put_asked(&block, &sent, &err));
		MUST(rounded_blocks_take_asked(&found, block.bytes.items, block.bytes.count, &err));
		check_asked(&found, &sent);
		rounded_groups_know(&sent, groups, bits - more);
		block.bytes.count = 0;
		MUST(rounded_blocks_put_bits(&block, &sent, more, more == bits, &err));
		MUST(rounded_blocks_take_bits(&found, block.bytes.items, block.bytes.count, more,
					      more == bits, &err));
		check_asked(&found, &sent);
		bits -= more;
	} while (bits);
	for (size_t i = 0; i < found.list.count; i++)
		if (found.list.items[i].asked >> FIGURE_LONGEST & 1)
			check_interval(&found.list.items[i].longest, &sent.list.items[i].longest);
	rounded_groups_release(&sent);
	rounded_groups_release(&found);
	array_release(&block.bytes);
}

static void blocks_of_all_steps_come_back(void **state)
{
	uint64_t numbers = 3;

	(void)state;
	for (int round = 0; round < ROUNDS; round++) {
		struct groups groups = {0};

		make_groups(&groups, &numbers);
		send_list(&groups, &numbers);
		groups_release(&groups);
	}
}

/* Let times be multiples of a unit. */
static void stretch(struct groups *groups, uint64_t unit)
{
	const size_t count = groups->list.count;

	if (!count || groups->list.items[count - 1].end_ns > UINT64_MAX / unit)
		return;
	for (size_t i = 0; i < count; i++) {
		struct compute_group *group = &groups->list.items[i];

		group->start_ns *= unit;
		group->end_ns *= unit;
		group->longest.start_ns *= unit;
		group->longest.end_ns *= unit;
	}
}

static void whole_lists_come_back(void **state)
{
	uint64_t numbers = 5;
	struct error err;

	(void)state;
	for (int round = 0; round < ROUNDS; round++) {
		struct groups groups = {0}, back = {0};
		struct byte_array block = {0};

		make_groups(&groups, &numbers);
		if (round % 2)
			stretch(&groups, 1 + random_below(&numbers, 1000));
		MUST(rounded_blocks_put_all(&block, &groups, &err));
		MUST(rounded_blocks_take_all(&back, block.bytes.items, block.bytes.count, &err));
		assert_int_equal(back.list.count, groups.list.count);
		for (size_t i = 0; i < groups.list.count; i++) {
			assert_memory_equal(&back.list.items[i], &groups.list.items[i],
					    offsetof(struct compute_group, longest));
			check_interval(&back.list.items[i].longest, &groups.list.items[i].longest);
		}
		groups_release(&groups);
		groups_release(&back);
		array_release(&block.bytes);
	}
}

static void many_groups_that_are_alike_take_little_and_come_back(void **state)
{
	struct rounded_groups groups = {0}, found = {0};
	struct byte_array block = {0};
	struct error err;

	(void)state;
	for (uint64_t i = 0; i < 300000; i++)
		MUST(array_push(&groups.list,
				((struct rounded_group){.figures = {UINT64_MAX - i, i, 1},
							.intervals = 1}),
				&err));
	MUST(rounded_blocks_put(&block, &groups, 0, &err));
	assert_true(block.bytes.count < 300000 / 50);
	MUST(rounded_blocks_take(&found, block.bytes.items, block.bytes.count, 0, &err));
	assert_int_equal(found.list.count, 300000);
	rounded_groups_release(&groups);
	rounded_groups_release(&found);
	array_release(&block.bytes);
}

/* ---------------------------------------------------------------------- damage */

static void damage(struct byte_array *block, uint64_t *numbers)
{
	struct error err;

	MUST(array_push(&block->bytes, (unsigned char)random_below(numbers, 256), &err));
	for (uint64_t i = random_below(numbers, 4); i; i--)
		block->bytes.items[random_below(numbers, block->bytes.count)] = (unsigned char)
			random_below(numbers, 256);
	if (random_below(numbers, 4) == 0)
		block->bytes.count = random_below(numbers, block->bytes.count);
}

/* The lists that are found are valid, or an error is. */
static bool take_damaged(const struct byte_array *block, unsigned bits)
{
	struct rounded_groups found = {0};
	struct groups groups = {0};
	struct error err = {0};
	bool good = rounded_blocks_take(&found, block->bytes.items, block->bytes.count, bits,
					&err) == 0;

	for (size_t i = 1; good && i < found.list.count; i++)
		assert_true(rounded_first(&found.list.items[i], bits) >=
			    rounded_end(&found.list.items[i - 1]));
	if (good)
		good = rounded_blocks_take_bits(&found, block->bytes.items, block->bytes.count, 3,
						true, &err) == 0;
	if (good)
		good = rounded_groups_end(&groups, &found, &err) == 0;
	assert_true(good || err.status == STATUS_DATA);
	for (size_t i = 1; good && i < groups.list.count; i++)
		assert_true(groups.list.items[i].start_ns >= groups.list.items[i - 1].end_ns);
	rounded_groups_release(&found);
	groups_release(&groups);
	return good;
}

static void damaged_blocks_are_errors_or_valid_groups(void **state)
{
	uint64_t numbers = 4;
	uint32_t bad = 0;
	struct error err;

	(void)state;
	for (int round = 0; round < ROUNDS; round++) {
		const unsigned bits = (unsigned)random_below(&numbers, 64);
		struct rounded_groups rounded = {0};
		struct byte_array block = {0};
		struct groups groups = {0};

		make_groups(&groups, &numbers);
		MUST(rounded_groups_make(&rounded, &groups, 1, bits, &err));
		MUST(rounded_blocks_put(&block, &rounded, bits, &err));
		damage(&block, &numbers);
		bad += !take_damaged(&block, bits);
		rounded_groups_release(&rounded);
		groups_release(&groups);
		array_release(&block.bytes);
	}
	assert_true(bad > ROUNDS / 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_of_all_sizes_come_back),
		cmocka_unit_test(numbers_take_little_more_than_their_entropy),
		cmocka_unit_test(blocks_of_all_steps_come_back),
		cmocka_unit_test(whole_lists_come_back),
		cmocka_unit_test(many_groups_that_are_alike_take_little_and_come_back),
		cmocka_unit_test(damaged_blocks_are_errors_or_valid_groups),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
