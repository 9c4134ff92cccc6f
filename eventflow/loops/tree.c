#include "eventflow/loops/tree.h"

#include "common/number_map.h"
#include "trace/flow/flow_walk.h"
#include "trace/sequence/rounds.h"

#include <string.h>

struct folding {
	struct flow_tree *tree;
	const struct flow_loops *loops;
	ARRAY(uint32_t) next; /* the sequence, folded */
	ARRAY(uint32_t) run;  /* lists of the iterations of a run */
};

const struct flow_tree_symbol *flow_tree_symbol(const struct flow_tree *tree, uint32_t item)
{
	return item < tree->graph->nodes.count
		       ? NULL
		       : &tree->symbols.items[item - tree->graph->nodes.count];
}

struct flow_tree_list flow_tree_get(const struct flow_tree *tree, uint32_t list)
{
	return (struct flow_tree_list){(const uint32_t *)(const void *)
					       string_table_get(&tree->lists, list),
				       tree->list_counts.items[list]};
}

static uint32_t loop_of(const struct folding *folding, uint32_t item)
{
	const struct flow_tree_symbol *symbol = flow_tree_symbol(folding->tree, item);

	return symbol ? symbol->loop : folding->loops->of[item];
}

/* The loop just below `loop` that has the loop `at`, or NO_LOOP. */
static uint32_t loop_below(const struct folding *folding, uint32_t loop, uint32_t at)
{
	uint32_t below = NO_LOOP;

	for (; at != NO_LOOP && at != loop; at = folding->loops->loops.items[at].parent)
		below = at;
	return below;
}

/* First node of an item. */
static uint32_t first_of(const struct folding *folding, uint32_t item)
{
	const struct flow_tree_symbol *symbol = flow_tree_symbol(folding->tree, item);

	return symbol ? symbol->first : item;
}

/* Find the list of some items, or add it. */
static int find_list(struct flow_tree *tree, const uint32_t *items, size_t count, uint32_t *list,
		     struct error *err)
{
	const size_t before = tree->lists.starts.count;

	TRY(string_table_add(&tree->lists, (const char *)items, count * sizeof *items, list, err));
	return tree->lists.starts.count == before ? 0 : array_push(&tree->list_counts, count, err);
}

/* Find the variants of a symbol: which lists it has, and in which iterations. */
static int find_variants(struct flow_tree_symbol *symbol, const uint32_t *lists, size_t count,
			 struct error *err)
{
	ARRAY(struct flow_set) sets = {0};
	struct number_map variant_of = {0};
	int result = 0;

	for (size_t i = 0; i < count && result == 0; i++) {
		uint32_t v = number_map_get(&variant_of, lists[i], 0);

		if (v == NUMBER_MAP_EMPTY) {
			v = (uint32_t)symbol->variants.count;
			result = number_map_add(&variant_of, lists[i], 0, v, err);
			if (result == 0)
				result = array_push(&symbol->variants,
						    ((struct flow_tree_variant){.list = lists[i]}),
						    err);
			if (result == 0)
				result = array_push(&sets, (struct flow_set){0}, err);
		}
		if (result == 0)
			result = flow_set_add(&sets.items[v], i, err);
	}
	for (size_t v = 0; v < sets.count; v++) {
		if (result == 0)
			result = flow_set_end(&sets.items[v], err);
		symbol->variants.items[v].iterations = sets.items[v].blocks;
	}
	array_release(&sets);
	number_map_release(&variant_of);
	return result;
}

/* Add an iteration as a lap, in which a loop is one item, however often it goes round. */
static int add_lap(struct rounds *rounds, const struct folding *folding, uint32_t loop,
		   uint32_t list, struct error *err)
{
	const struct flow_tree_list items = flow_tree_get(folding->tree, list);
	const uint32_t node_count = (uint32_t)folding->tree->graph->nodes.count;
	const uint32_t header = folding->loops->loops.items[loop].header;
	uint32_t before = NO_LOOP;

	for (size_t i = 0; i < items.count; i++) {
		const uint32_t item = items.items[i];
		const uint32_t below = loop_below(folding, loop, loop_of(folding, item));

		if (item != header && (below == NO_LOOP || below != before))
			TRY(rounds_item(rounds, below == NO_LOOP ? item : node_count + below, err));
		before = below;
	}
	return rounds_lap(rounds, err);
}

/*
 * Find rounds in the variants of a symbol, whose iterations are laps of its loop
 * (trace/sequence/rounds.h).
 */
static int find_rounds(const struct folding *folding, struct flow_tree_symbol *symbol,
		       const uint32_t *lists, size_t count, struct error *err)
{
	struct rounds rounds = {0};
	uint32_t length, offset;
	bool sure;
	int result;

	if (symbol->variants.count < 2)
		return 0;
	result = rounds_run(&rounds, err);
	for (size_t i = 0; i < count && result == 0; i++)
		result = add_lap(&rounds, folding, symbol->loop, lists[i], err);
	length = rounds_length(&rounds, &offset, &sure);
	if (length > 1) {
		symbol->rounds = (count - offset) / length;
		symbol->round_length = length;
	}
	rounds_release(&rounds);
	return result;
}

/* Find the symbol of the run at hand, or add it. */
static int find_symbol(struct folding *folding, uint32_t loop, uint32_t *item, struct error *err)
{
	struct flow_tree *tree = folding->tree;
	const size_t before = tree->runs.starts.count;
	struct flow_tree_symbol symbol = {.loop = loop, .iterations = folding->run.count - 1};
	uint32_t number;

	folding->run.items[0] = loop;
	TRY(string_table_add(&tree->runs, (const char *)folding->run.items,
			     folding->run.count * sizeof *folding->run.items, &number, err));
	*item = (uint32_t)tree->graph->nodes.count + number;
	if (tree->runs.starts.count == before)
		return 0;
	symbol.first = first_of(folding, flow_tree_get(tree, folding->run.items[1]).items[0]);
	TRY(array_push(&tree->symbols, symbol, err));
	TRY(find_variants(&tree->symbols.items[number], folding->run.items + 1,
			  folding->run.count - 1, err));
	return find_rounds(folding, &tree->symbols.items[number], folding->run.items + 1,
			   folding->run.count - 1, err);
}

/* Fold the run of a loop that begins at a place of the sequence.  *end becomes the place after it. */
static int fold_run(struct folding *folding, uint32_t loop, size_t begin, size_t *end,
		    struct error *err)
{
	const struct flow_tree *tree = folding->tree;
	const uint32_t *items = tree->root.items;
	const uint32_t header = folding->loops->loops.items[loop].header;
	size_t at = begin;
	uint32_t item;

	folding->run.count = 0;
	TRY(array_push(&folding->run, 0, err));
	while (at < tree->root.count &&
	       flow_loop_is_in(folding->loops, loop_of(folding, items[at]), loop)) {
		const size_t first = at++;
		uint32_t list;

		while (at < tree->root.count && first_of(folding, items[at]) != header &&
		       flow_loop_is_in(folding->loops, loop_of(folding, items[at]), loop))
			at++;
		TRY(find_list(folding->tree, items + first, at - first, &list, err));
		TRY(array_push(&folding->run, list, err));
	}
	*end = at;
	if (folding->run.count > 2) {
		TRY(find_symbol(folding, loop, &item, err));
		return array_push(&folding->next, item, err);
	}
	for (; begin < at; begin++)
		TRY(array_push(&folding->next, items[begin], err));
	return 0;
}

static int fold_loop(struct folding *folding, uint32_t loop, struct error *err)
{
	struct flow_tree *tree = folding->tree;
	const uint32_t header = folding->loops->loops.items[loop].header;

	folding->next.count = 0;
	for (size_t at = 0; at < tree->root.count;) {
		const uint32_t item = tree->root.items[at];

		if (first_of(folding, item) == header &&
		    flow_loop_is_in(folding->loops, loop_of(folding, item), loop)) {
			TRY(fold_run(folding, loop, at, &at, err));
			continue;
		}
		TRY(array_push(&folding->next, item, err));
		at++;
	}
	tree->root.count = 0;
	TRY(array_reserve(&tree->root, folding->next.count, err));
	memcpy(tree->root.items, folding->next.items,
	       folding->next.count * sizeof *tree->root.items);
	tree->root.count = folding->next.count;
	return 0;
}

static int expand(struct flow_tree *tree, struct error *err)
{
	struct flow_walk walk;
	int more;

	TRY(flow_walk_begin(&walk, tree->graph, err));
	while ((more = flow_walk_next(&walk, err)) > 0)
		if (array_push(&tree->root, walk.node, err) < 0) {
			more = -1;
			break;
		}
	flow_walk_release(&walk);
	return more;
}

int flow_tree_make(struct flow_tree *tree, const struct flow_graph *graph,
		   const struct flow_loops *loops, struct error *err)
{
	struct folding folding = {.tree = tree, .loops = loops};
	uint32_t deepest = 0;
	int result;

	*tree = (struct flow_tree){.graph = graph};
	result = expand(tree, err);
	for (size_t l = 0; l < loops->loops.count; l++)
		if (loops->loops.items[l].depth > deepest)
			deepest = loops->loops.items[l].depth;
	for (uint32_t depth = deepest + 1; depth-- > 0;)
		for (uint32_t l = 0; l < loops->loops.count && result == 0; l++)
			if (loops->loops.items[l].depth == depth)
				result = fold_loop(&folding, l, err);
	array_release(&folding.next);
	array_release(&folding.run);
	return result;
}

void flow_tree_release(struct flow_tree *tree)
{
	for (size_t s = 0; s < tree->symbols.count; s++) {
		struct flow_tree_symbol *symbol = &tree->symbols.items[s];

		for (size_t v = 0; v < symbol->variants.count; v++)
			array_release(&symbol->variants.items[v].iterations);
		array_release(&symbol->variants);
	}
	array_release(&tree->symbols);
	array_release(&tree->root);
	array_release(&tree->list_counts);
	string_table_release(&tree->lists);
	string_table_release(&tree->runs);
}
