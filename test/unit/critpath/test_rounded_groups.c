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

static void code_mixed(struct range_coder *coder, struct mixed *mixed, uint64_t number)
{
	const uint64_t shown = coder->takes ? 0 : number;

	assert_true(range_code(coder, mixed->numbers, shown) == number);
	assert_int_equal(range_code_bit(coder, &mixed->bit, shown % 7 == 0), number % 7 == 0);
	assert_int_equal(range_code_bits(coder, mixed->bits, shown, 3), number % 8);
}

static void numbers_of_all_sizes_come_back(void **state)
{
	uint64_t numbers = 1;

	(void)state;
	for (int round = 0; round < ROUNDS / 10; round++) {
		struct mixed put = {.numbers = calloc(1, sizeof *put.numbers)};
		struct mixed taken = {.numbers = calloc(1, sizeof *taken.numbers)};
		struct range_coder coder = range_put(), reader;
		const uint64_t start = numbers, count = random_below(&numbers, 400);
		struct error err;

		numbers = start;
		for (uint64_t i = 0; i < count; i++)
			code_mixed(&coder, &put, some(&numbers));
		code_mixed(&coder, &put, UINT64_MAX);
		MUST(range_end(&coder, &err));
		reader = range_take(coder.bytes.items, coder.bytes.count);
		numbers = start;
		for (uint64_t i = 0; i < count; i++)
			code_mixed(&reader, &taken, some(&numbers));
		code_mixed(&reader, &taken, UINT64_MAX);
		range_release(&coder);
		free(put.numbers);
		free(taken.numbers);
	}
}

/* Bytes of numbers, each `least` or with a chance of 1 in `of` another one below least + more. */
static size_t bytes_of(uint64_t least, uint64_t more, uint64_t of)
{
	struct range_number *context = calloc(1, sizeof *context);
	struct range_coder coder = range_put();
	uint64_t numbers = 2;
	struct error err;
	size_t bytes;

	for (int i = 0; i < NUMBERS; i++)
		range_code(&coder, context,
			   least + (random_below(&numbers, of) ? 0 : random_below(&numbers, more)));
	MUST(range_end(&coder, &err));
	bytes = coder.bytes.count;
	range_release(&coder);
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

/* What a list might be joined to: groups of their own, of which some figures are asked. */
static void make_joint(struct rounded_groups *joint, struct rounded_groups *groups,
		       uint64_t *numbers)
{
	struct error err;

	joint->list.count = 0;
	for (size_t i = 0; i < groups->list.count; i++) {
		struct rounded_group group = groups->list.items[i];

		groups->list.items[i].into = i;
		group.asked = (unsigned char)random_below(numbers, 1 << FIGURES);
		MUST(array_push(&joint->list, group, &err));
	}
}

/* End the block that was written, and begin to read it. */
static struct range_coder turn(struct range_coder *coder)
{
	struct error err;

	MUST(range_end(coder, &err));
	return range_take(coder->bytes.items, coder->bytes.count);
}

static void send_first(struct rounded_groups *found, struct rounded_groups *sent, unsigned bits)
{
	struct range_coder coder = range_put(), reader;
	struct error err;

	MUST(rounded_blocks_first(&coder, sent, bits, &err));
	reader = turn(&coder);
	MUST(rounded_blocks_first(&reader, found, bits, &err));
	range_release(&coder);
	check_asked(found, sent);
}

static void send_asked(struct rounded_groups *found, struct rounded_groups *sent,
		       const struct rounded_groups *joint)
{
	struct range_coder coder = range_put(), reader;
	struct error err;

	MUST(rounded_blocks_ask(&coder, sent, joint, &err));
	reader = turn(&coder);
	MUST(rounded_blocks_ask(&reader, found, NULL, &err));
	range_release(&coder);
	for (size_t i = 0; i < sent->list.count; i++)
		assert_int_equal(sent->list.items[i].asked & ~joint->list.items[i].asked, 0);
	check_asked(found, sent);
}

static void send_bits(struct rounded_groups *found, struct rounded_groups *sent, unsigned more,
		      bool last)
{
	struct range_coder coder = range_put(), reader;
	struct error err;

	MUST(rounded_blocks_bits(&coder, sent, more, last, &err));
	reader = turn(&coder);
	MUST(rounded_blocks_bits(&reader, found, more, last, &err));
	range_release(&coder);
	check_asked(found, sent);
}

/* Send a list in some steps, as a process asks for ever fewer figures. */
static void send_list(struct groups *groups, uint64_t *numbers)
{
	struct rounded_groups sent = {0}, found = {0}, joint = {0};
	unsigned bits = (unsigned)random_below(numbers, 12), more;
	struct error err;

	MUST(rounded_groups_make(&sent, groups, 1, bits, &err));
	send_first(&found, &sent, bits);
	do {
		more = bits < ROUNDED_MORE_BITS ? bits : ROUNDED_MORE_BITS;
		make_joint(&joint, &sent, numbers);
		send_asked(&found, &sent, &joint);
		rounded_groups_know(&sent, groups, bits - more);
		send_bits(&found, &sent, more, more == bits);
		bits -= more;
	} while (bits);
	for (size_t i = 0; i < found.list.count; i++)
		if (found.list.items[i].asked >> FIGURE_LONGEST & 1)
			check_interval(&found.list.items[i].longest,
				       &groups->list.items[i].longest);
	rounded_groups_release(&sent);
	rounded_groups_release(&found);
	rounded_groups_release(&joint);
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
		struct range_coder coder = range_put(), reader;

		make_groups(&groups, &numbers);
		if (round % 2)
			stretch(&groups, 1 + random_below(&numbers, 1000));
		MUST(rounded_blocks_all(&coder, &groups, &err));
		reader = turn(&coder);
		MUST(rounded_blocks_all(&reader, &back, &err));
		assert_int_equal(back.list.count, groups.list.count);
		for (size_t i = 0; i < groups.list.count; i++) {
			assert_memory_equal(&back.list.items[i], &groups.list.items[i],
					    offsetof(struct compute_group, longest));
			check_interval(&back.list.items[i].longest, &groups.list.items[i].longest);
		}
		groups_release(&groups);
		groups_release(&back);
		range_release(&coder);
	}
}

static void many_groups_that_are_alike_take_little_and_come_back(void **state)
{
	struct rounded_groups groups = {0}, found = {0};
	struct range_coder coder = range_put(), reader;
	struct error err;

	(void)state;
	for (uint64_t i = 0; i < 300000; i++)
		MUST(array_push(&groups.list,
				((struct rounded_group){.figures = {UINT64_MAX - i, i, 1},
							.intervals = 1}),
				&err));
	MUST(rounded_blocks_first(&coder, &groups, 0, &err));
	reader = turn(&coder);
	assert_true(coder.bytes.count < 300000 / 50);
	MUST(rounded_blocks_first(&reader, &found, 0, &err));
	assert_int_equal(found.list.count, 300000);
	rounded_groups_release(&groups);
	rounded_groups_release(&found);
	range_release(&coder);
}

/* ---------------------------------------------------------------------- damage */

static void damage(struct range_coder *block, uint64_t *numbers)
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
static bool take_damaged(const struct range_coder *block, unsigned bits)
{
	struct range_coder first = range_take(block->bytes.items, block->bytes.count),
			   again = first;
	struct rounded_groups found = {0};
	struct groups groups = {0};
	struct error err = {0};
	bool good = rounded_blocks_first(&first, &found, bits, &err) == 0;

	if (good)
		good = rounded_blocks_bits(&again, &found, 3, true, &err) == 0;
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
		struct range_coder coder = range_put();
		struct groups groups = {0};

		make_groups(&groups, &numbers);
		MUST(rounded_groups_make(&rounded, &groups, 1, bits, &err));
		MUST(rounded_blocks_first(&coder, &rounded, bits, &err));
		MUST(range_end(&coder, &err));
		damage(&coder, &numbers);
		bad += !take_damaged(&coder, bits);
		rounded_groups_release(&rounded);
		groups_release(&groups);
		range_release(&coder);
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
