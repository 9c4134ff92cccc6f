/* Trees whose nodes pass segments on while they receive the next ones. */
#include "schedgen/collectives/coll_algorithms.h"

/* Number of places from the root to this rank. */
static uint32_t coll_pipeline_place(const struct coll_run *run)
{
	return coll_after(run, run->size - run->root);
}

static uint32_t rank_at(const struct coll_run *run, uint64_t place)
{
	return (uint32_t)((run->root + place) % run->size);
}

static void add_child(const struct coll_run *run, struct coll_tree *tree, uint64_t place)
{
	if (place < run->size)
		tree->children[tree->child_count++] = rank_at(run, place);
}

struct coll_tree coll_chain(const struct coll_run *run)
{
	const uint32_t v = coll_pipeline_place(run);
	struct coll_tree tree = {.top = v == 0, .parent = rank_at(run, v ? v - 1 : 0)};

	add_child(run, &tree, (uint64_t)v + 1);
	return tree;
}

struct coll_tree coll_binary_tree(const struct coll_run *run)
{
	const uint32_t v = coll_pipeline_place(run);
	const uint32_t width = UINT32_C(1) << (31 - __builtin_clz(v + 1));
	struct coll_tree tree = {.top = v == 0};

	/* The level above is half as wide and ends with place width - 2. */
	if (v)
		tree.parent = rank_at(run, v - width / 2 < width - 1 ? v - width / 2 : v - width);
	add_child(run, &tree, (uint64_t)v + width);
	add_child(run, &tree, (uint64_t)v + 2 * (uint64_t)width);
	return tree;
}

struct coll_tree coll_doubling_tree(const struct coll_run *run)
{
	const uint32_t v = coll_pipeline_place(run);
	uint64_t distance = v ? UINT64_C(1) << (31 - __builtin_clz(v)) : 1;
	struct coll_tree tree = {.top = v == 0};

	if (v) {
		tree.parent = rank_at(run, v - distance);
		distance *= 2;
	}
	for (; distance < run->size - v; distance *= 2)
		add_child(run, &tree, v + distance);
	return tree;
}

struct coll_tree coll_knomial_tree(const struct coll_run *run)
{
	const uint32_t radix = run->call->parameters.radix ? run->call->parameters.radix : 4;
	const uint32_t v = coll_pipeline_place(run);
	struct coll_tree tree = {.top = v == 0};
	uint64_t mask = 1;

	while (mask < run->size && v % (mask * radix) == 0)
		mask *= radix;
	if (v)
		tree.parent = rank_at(run, v - v % (mask * radix));
	for (mask /= radix; mask; mask /= radix) {
		for (uint32_t i = 1; i < radix; i++)
			add_child(run, &tree, v + i * mask);
	}
	return tree;
}

/*
 * Subtree of the in-order tree: `size` ranks from `first` on, with the last one at its top.  The
 * top's left child is the rank before it, with the upper half of the rest below.  Its right child,
 * if any, is the last rank of the lower half.
 */
struct coll_tree coll_in_order_tree(const struct coll_run *run)
{
	uint32_t first = 0, size = run->size, parent = 0, lower;
	struct coll_tree tree = {.top = run->rank == run->size - 1};

	for (;;) {
		const uint32_t top = first + size - 1;

		lower = size > 2 ? size / 2 : 0;
		if (run->rank == top)
			break;
		parent = top;
		if (run->rank >= first + lower) {
			first += lower;
			size -= lower + 1;
		} else {
			size = lower;
		}
	}
	tree.parent = parent;
	if (size > 1)
		tree.children[tree.child_count++] = run->rank - 1;
	if (lower)
		tree.children[tree.child_count++] = first + lower - 1;
	return tree;
}

int coll_pipeline_down(struct coll_run *run, const struct coll_tree *tree, struct coll_slots slots)
{
	const uint32_t lag = tree->top ? 0 : 1;

	for (uint32_t i = 0; i < slots.count + lag; i++) {
		if (!tree->top && i < slots.count)
			TRY(coll_recv(run, tree->parent, coll_slot(slots.area, slots.first + i),
				      COLL_STORE));
		for (uint32_t j = 0; i >= lag && j < tree->child_count; j++)
			TRY(coll_send(run, tree->children[j],
				      coll_slot(slots.area, slots.first + i - lag)));
		TRY(coll_round_end(run));
	}
	return 0;
}

int coll_pipeline_up(struct coll_run *run, const struct coll_tree *tree, struct coll_slots slots)
{
	const uint32_t lag = tree->child_count ? 1 : 0;

	for (uint32_t i = 0; i < slots.count + lag; i++) {
		for (uint32_t j = 0; i < slots.count && j < tree->child_count; j++)
			TRY(coll_recv(run, tree->children[j],
				      coll_slot(slots.area, slots.first + i), COLL_COMBINE));
		if (!tree->top && i >= lag)
			TRY(coll_send(run, tree->parent,
				      coll_slot(slots.area, slots.first + i - lag)));
		TRY(coll_round_end(run));
	}
	return 0;
}
