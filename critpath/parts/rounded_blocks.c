#include "critpath/parts/rounded_blocks.h"

#include "critpath/parts/frame.h"
#include "critpath/parts/varint.h"

/* A group has at least 28 decisions of 0.0007 bits: no block can claim more for each of its bytes. */
enum { GROUPS_PER_BYTE = 500 };

/* A block at hand.  Contexts are large, so they are not on the stack. */
struct block {
	struct range_coder *coder;
	struct range_number unit, count, first, length, shorter, intervals;
	struct range_number offset, rank, thread, call, function, site;
	struct range_bit asked[FIGURES][1 << FIGURES];
	struct range_bit bits[FIGURES + 1][1 << ROUNDED_MORE_BITS];
	/* Of the group before. */
	uint64_t before_first;
	uint32_t before_call;
	unsigned before_asked;
};

static int begin(struct block **block, struct range_coder *coder, struct error *err)
{
	TRY(allocate(block, 1, sizeof **block, err));
	(*block)->coder = coder;
	return 0;
}

static bool is_asked(const struct rounded_group *group, int figure)
{
	return group->asked >> figure & 1;
}

/* -------------------------------------------------------------- first rounding */

static void code_group(struct block *block, struct rounded_group *group, unsigned bits)
{
	const uint64_t first = block->before_first +
			       range_code(block->coder, &block->first,
					  rounded_first(group, bits) - block->before_first);
	const uint64_t length = range_code(block->coder, &block->length,
					   rounded_end(group) - first);
	const uint64_t shorter = range_code(block->coder, &block->shorter,
					    length + 1 - group->figures[FIGURE_LONGEST]);

	group->intervals = range_code(block->coder, &block->intervals, group->intervals);
	group->since = (first - 1) << bits;
	group->figures[FIGURE_START] = (UINT64_MAX >> bits) - (first - 1);
	group->figures[FIGURE_END] = first + length - 1;
	group->figures[FIGURE_LONGEST] = length + 1 - shorter;
	block->before_first = first;
}

/* Make room for the groups that a block claims. */
static int add_groups(struct rounded_groups *groups, uint64_t count, uint64_t most,
		      struct error *err)
{
	if (count > most)
		return frame_damaged(err, "it has too many groups");
	TRY(array_reserve(&groups->list, count, err));
	while (groups->list.count < count)
		groups->list.items[groups->list.count++] = (struct rounded_group){
			.asked = (1 << FIGURES) - 1};
	return 0;
}

static int code_groups(struct block *block, struct rounded_groups *groups, unsigned bits,
		       struct error *err)
{
	struct range_coder *coder = block->coder;
	const uint64_t most = ((uint64_t)coder->size + 1) * GROUPS_PER_BYTE;
	const uint64_t count = range_code(coder, &block->count, groups->list.count);

	if (coder->takes)
		TRY(add_groups(groups, count, most, err));
	for (size_t i = 0; i < groups->list.count; i++)
		code_group(block, &groups->list.items[i], bits);
	return 0;
}

int rounded_blocks_first(struct range_coder *coder, struct rounded_groups *groups, unsigned bits,
			 struct error *err)
{
	struct block *block;
	int result;

	TRY(begin(&block, coder, err));
	result = code_groups(block, groups, bits, err);
	free(block);
	return result;
}

/* ----------------------------------------------------------------------- asked */

/* Each figure has contexts for what is known of those before it, and of it in the group before. */
static void code_asked(struct block *block, struct rounded_group *group, unsigned asked)
{
	unsigned known = 0;

	for (int k = 0; k < FIGURES; k++) {
		struct range_bit *contexts = block->asked[k];

		if (is_asked(group, k))
			known |= (unsigned)range_code_bit(
					 block->coder,
					 &contexts[2 * known + (block->before_asked >> k & 1)],
					 asked >> k & 1)
				 << k;
	}
	block->before_asked = group->asked = (unsigned char)known;
}

int rounded_blocks_ask(struct range_coder *coder, struct rounded_groups *groups,
		       const struct rounded_groups *merged, struct error *err)
{
	struct block *block;

	TRY(begin(&block, coder, err));
	for (size_t i = 0; i < groups->list.count; i++) {
		struct rounded_group *group = &groups->list.items[i];

		code_asked(block, group, coder->takes ? 0 : rounded_group_asked(group, merged));
	}
	free(block);
	return 0;
}

/* ------------------------------------------------------------------- more bits */

/* The longest interval often is the whole group, whose length is known if both its ends are asked. */
static void code_figure(struct block *block, struct rounded_group *group, int figure, unsigned more)
{
	const uint64_t most = (UINT64_C(1) << more) - 1;
	uint64_t *number = &group->figures[figure], expected = 0;
	struct range_bit *context = block->bits[figure];

	if (figure == FIGURE_LONGEST && is_asked(group, FIGURE_START) &&
	    is_asked(group, FIGURE_END)) {
		expected = group->figures[FIGURE_START] + group->figures[FIGURE_END];
		context = block->bits[FIGURES];
	}
	if (block->coder->takes)
		*number <<= more;
	*number = (*number & ~most) |
		  ((range_code_bits(block->coder, context, *number - expected, more) + expected) &
		   most);
}

/* Its place: the time up to the end of the group, if that is known, or since the begin of the group. */
static void code_place(struct block *block, struct rounded_group *group)
{
	struct compute_interval *longest = &group->longest;
	const uint64_t length = group->figures[FIGURE_LONGEST];

	if (is_asked(group, FIGURE_END)) {
		const uint64_t end = rounded_end(group);

		longest->end_ns = end -
				  range_code(block->coder, &block->offset, end - longest->end_ns);
		longest->start_ns = longest->end_ns - length;
	} else {
		longest->start_ns = group->since + range_code(block->coder, &block->offset,
							      longest->start_ns - group->since);
		longest->end_ns = longest->start_ns + length;
	}
}

static void code_number(struct block *block, struct range_number *context, uint32_t *number)
{
	*number = (uint32_t)range_code(block->coder, context, *number);
}

static void code_longest(struct block *block, struct rounded_group *group)
{
	struct compute_interval *longest = &group->longest;
	uint32_t site = longest->site + 1;

	code_place(block, group);
	code_number(block, &block->rank, &longest->rank);
	code_number(block, &block->thread, &longest->thread);
	longest->call = block->before_call +
			(uint32_t)unzigzag(
				range_code(block->coder, &block->call,
					   zigzag((uint64_t)longest->call - block->before_call)));
	code_number(block, &block->function, &longest->function);
	code_number(block, &block->site, &site);
	longest->site = site - 1;
	block->before_call = longest->call;
}

static void code_bits(struct block *block, struct rounded_groups *groups, unsigned more, bool last)
{
	for (size_t i = 0; i < groups->list.count; i++) {
		struct rounded_group *group = &groups->list.items[i];

		for (int k = 0; k < FIGURES; k++)
			if (is_asked(group, k))
				code_figure(block, group, k, more);
		if (last && is_asked(group, FIGURE_LONGEST))
			code_longest(block, group);
	}
}

int rounded_blocks_bits(struct range_coder *coder, struct rounded_groups *groups, unsigned more,
			bool last, struct error *err)
{
	struct block *block;

	TRY(begin(&block, coder, err));
	code_bits(block, groups, more, last);
	free(block);
	return 0;
}

/* ----------------------------------------------------------------- all at once */

static int code_all(struct range_coder *coder, struct rounded_groups *exact, struct error *err)
{
	struct block *block;
	int result;

	TRY(begin(&block, coder, err));
	exact->unit = range_code(coder, &block->unit, exact->unit);
	result = code_groups(block, exact, 0, err);
	if (result == 0)
		code_bits(block, exact, 0, true);
	free(block);
	return result;
}

int rounded_blocks_all(struct range_coder *coder, struct groups *groups, struct error *err)
{
	struct rounded_groups exact = {0};
	int result = 0;

	if (!coder->takes)
		result = rounded_groups_make(&exact, groups, rounded_groups_unit(groups), 0, err);
	if (result == 0)
		result = code_all(coder, &exact, err);
	if (result == 0 && coder->takes)
		result = rounded_groups_end(groups, &exact, err);
	rounded_groups_release(&exact);
	return result;
}
