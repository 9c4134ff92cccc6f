#include "critpath/parts/rounded_blocks.h"
#include "critpath/parts/sorted_lists.h"
#include "critpath/parts/varint.h"
#include "critpath/share/share_groups_parts.h"

/* Steps of the tree: in step s, each 2^s-th process of its kind sends to the one 2^s before it. */
enum { MOST_STEPS = 32 };

/* What a process gets in a step, if it gets something. */
struct branch {
	bool is;
	struct rounded_groups arrived; /* list of the sender */
	struct rounded_groups merged;  /* with the own one of all steps before */
};

struct tree {
	struct groups groups; /* of own ranks */
	struct rounded_groups own;
	struct branch branches[MOST_STEPS];
	uint32_t steps;
	unsigned bits; /* that are not known yet */
	struct exchange *exchange;
	struct share_moved *moved;
	uint64_t *sizes; /* [process]: bytes to send */
	struct error *err;
};

/* The list of this process after some steps. */
static struct rounded_groups *list_after(struct tree *tree, uint32_t steps)
{
	while (steps--)
		if (tree->branches[steps].is)
			return &tree->branches[steps].merged;
	return &tree->own;
}

static bool sends(const struct tree *tree, uint32_t step)
{
	return tree->exchange->rank % (UINT64_C(2) << step) == UINT64_C(1) << step;
}

/* --------------------------------------------------------------------- messages */

/* Send a code to a process, if it has bytes, and get what another one sends to this one. */
static int transfer(struct tree *tree, int result, const struct range_coder *code, uint64_t to,
		    struct exchange_arrived *arrived)
{
	for (uint32_t p = 0; p < tree->exchange->size; p++)
		tree->sizes[p] = 0;
	TRY(exchange_agree(tree->exchange, result, tree->err));
	if (code->bytes.count)
		tree->sizes[to] = code->bytes.count;
	tree->moved->bytes += code->bytes.count;
	return exchange_all(tree->exchange, code->bytes.items, tree->sizes, arrived, tree->err);
}

/* Put a message into a code, or take it. */
typedef int message(struct tree *tree, uint32_t step, struct range_coder *coder);

/* Do a step of the tree, up or down: one process puts a message, another one takes it. */
static int do_step(struct tree *tree, uint32_t step, bool up, message *put, message *take)
{
	const uint32_t size = tree->exchange->size, rank = tree->exchange->rank;
	const uint64_t distance = UINT64_C(1) << step;
	const bool is = tree->branches[step].is;
	struct range_coder coder = range_put();
	struct exchange_arrived arrived;
	int result = 0;

	if (up ? sends(tree, step) : is)
		result = put(tree, step, &coder);
	if (result == 0)
		result = range_end(&coder, tree->err);
	result = transfer(tree, result, &coder, up ? rank - distance : rank + distance, &arrived);
	range_release(&coder);
	TRY(result);
	coder = range_take(arrived.bytes, arrived.ends[size - 1]);
	if (up ? is : sends(tree, step))
		result = take(tree, step, &coder);
	exchange_arrived_release(&arrived);
	return exchange_agree(tree->exchange, result, tree->err);
}

/* -------------------------------------------------------------- first rounding */

static int put_first(struct tree *tree, uint32_t step, struct range_coder *coder)
{
	struct rounded_groups *list = list_after(tree, step);

	tree->moved->groups += list->list.count;
	return rounded_blocks_first(coder, list, tree->bits, tree->err);
}

static int take_first(struct tree *tree, uint32_t step, struct range_coder *coder)
{
	struct branch *branch = &tree->branches[step];

	TRY(rounded_blocks_first(coder, &branch->arrived, tree->bits, tree->err));
	return rounded_groups_merge(&branch->merged, list_after(tree, step), &branch->arrived,
				    tree->bits, tree->err);
}

/* -------------------------------------------------------------------- more bits */

static int put_asked(struct tree *tree, uint32_t step, struct range_coder *coder)
{
	struct branch *branch = &tree->branches[step];

	rounded_groups_ask(list_after(tree, step), &branch->merged);
	return rounded_blocks_ask(coder, &branch->arrived, &branch->merged, tree->err);
}

static int take_asked(struct tree *tree, uint32_t step, struct range_coder *coder)
{
	return rounded_blocks_ask(coder, list_after(tree, step), NULL, tree->err);
}

/* How many bits the next message has for each figure. */
static unsigned more_bits(const struct tree *tree)
{
	return tree->bits < ROUNDED_MORE_BITS ? tree->bits : ROUNDED_MORE_BITS;
}

static int put_bits(struct tree *tree, uint32_t step, struct range_coder *coder)
{
	const unsigned more = more_bits(tree);

	return rounded_blocks_bits(coder, list_after(tree, step), more, more == tree->bits,
				   tree->err);
}

static int take_bits(struct tree *tree, uint32_t step, struct range_coder *coder)
{
	struct branch *branch = &tree->branches[step];
	const unsigned more = more_bits(tree);

	TRY(rounded_blocks_bits(coder, &branch->arrived, more, more == tree->bits, tree->err));
	rounded_groups_refine(&branch->merged, list_after(tree, step), &branch->arrived);
	return 0;
}

/* Ask for more bits, and get them. */
static int refine(struct tree *tree)
{
	for (uint32_t step = tree->steps; step--;)
		TRY(do_step(tree, step, false, put_asked, take_asked));
	rounded_groups_know(&tree->own, &tree->groups, tree->bits - more_bits(tree));
	for (uint32_t step = 0; step < tree->steps; step++)
		TRY(do_step(tree, step, true, put_bits, take_bits));
	tree->bits -= more_bits(tree);
	return 0;
}

/* ----------------------------------------------------------------------- begin */

/* Find the unit of the times of all processes. */
static int find_unit(struct tree *tree, uint64_t *unit)
{
	const struct exchange *exchange = tree->exchange;

	tree->sizes[exchange->rank] = rounded_groups_unit(&tree->groups);
	TRY(exchange_reduce(tree->exchange, tree->sizes, exchange->size, EXCHANGE_SUM, tree->err));
	*unit = 0;
	for (uint32_t p = 0; p < exchange->size; p++)
		*unit = greatest_divisor(tree->sizes[p], *unit);
	if (!*unit)
		*unit = 1;
	return 0;
}

/*
 * Begin with a quarter of the time that processes wait between groups: about what differs between their
 * figures.  It is the geometric mean, so some long waits do not count.
 */
static int choose_bits(struct tree *tree, uint64_t unit)
{
	uint64_t sums[2] = {0, 0};

	for (size_t i = 1; i < tree->groups.list.count; i++) {
		const struct compute_group *group = &tree->groups.list.items[i];

		sums[0] += bits_of((group->start_ns - group[-1].end_ns) / unit);
		sums[1]++;
	}
	TRY(exchange_reduce(tree->exchange, sums, 2, EXCHANGE_SUM, tree->err));
	tree->bits = sums[1] ? (unsigned)(sums[0] / sums[1]) : 0;
	tree->bits -= tree->bits < 1 ? tree->bits : 1;
	return 0;
}

static int begin(struct tree *tree, const struct share_intervals *intervals)
{
	const struct exchange *exchange = tree->exchange;
	uint64_t unit;
	int result = sorted_lists_group(&tree->groups, intervals->ranks.items,
					(uint32_t)intervals->ranks.count, tree->err);

	if (result == 0)
		result = allocate(&tree->sizes, exchange->size, sizeof *tree->sizes, tree->err);
	TRY(exchange_agree(tree->exchange, result, tree->err));
	TRY(find_unit(tree, &unit));
	TRY(choose_bits(tree, unit));
	for (; UINT64_C(1) << tree->steps < exchange->size; tree->steps++) {
		const uint64_t distance = UINT64_C(1) << tree->steps;

		tree->branches[tree->steps].is = exchange->rank % (2 * distance) == 0 &&
						 exchange->rank + distance < exchange->size;
	}
	result = rounded_groups_make(&tree->own, &tree->groups, unit, tree->bits, tree->err);
	return exchange_agree(tree->exchange, result, tree->err);
}

static int find(struct tree *tree, const struct share_intervals *intervals, struct groups *groups)
{
	int result = 0;

	TRY(begin(tree, intervals));
	for (uint32_t step = 0; step < tree->steps; step++)
		TRY(do_step(tree, step, true, put_first, take_first));
	do
		TRY(refine(tree));
	while (tree->bits);
	if (tree->exchange->rank == 0)
		result = rounded_groups_end(groups, list_after(tree, tree->steps), tree->err);
	return exchange_agree(tree->exchange, result, tree->err);
}

int share_groups_merge(struct groups *groups, const struct share_intervals *intervals,
		       struct exchange *exchange, struct share_moved *moved, struct error *err)
{
	struct tree tree = {.exchange = exchange, .moved = moved, .err = err};
	int result;

	*groups = (struct groups){0};
	*moved = (struct share_moved){0};
	result = find(&tree, intervals, groups);
	for (uint32_t step = 0; step < tree.steps; step++) {
		rounded_groups_release(&tree.branches[step].arrived);
		rounded_groups_release(&tree.branches[step].merged);
	}
	rounded_groups_release(&tree.own);
	groups_release(&tree.groups);
	free(tree.sizes);
	return share_groups_end(groups, exchange, moved, result, err);
}
