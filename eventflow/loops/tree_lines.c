#include "eventflow/loops/tree_lines.h"

/* A list that is being written, from `at` on. */
struct tree_level {
	struct flow_tree_list list;
	size_t at;
	const struct flow_tree_symbol *symbol; /* loop whose variants are written, or NULL */
	size_t variant;
	uint32_t parent;   /* line */
	uint32_t sequence; /* line of the sequence that calls belong to, or UINT32_MAX */
};

struct tree_writing {
	const struct flow_tree *tree;
	const struct flow_chains *chains;
	struct tree_lines *lines;
	size_t most;
	ARRAY(struct tree_level) levels;
};

static int add_line(struct tree_writing *writing, struct tree_line line, uint32_t parent,
		    uint32_t *number, struct error *err)
{
	line.parent = parent;
	line.depth = parent == UINT32_MAX ? 0 : writing->lines->items[parent].depth + 1;
	*number = (uint32_t)writing->lines->count;
	if (writing->lines->count >= writing->most)
		return error_set(
			err, STATUS_LIMIT,
			"the tree has more than %zu lines: too little is repeated (see --fold of build)",
			writing->most);
	return array_push(writing->lines, line, err);
}

/* Number of items, from `at` on, that are a chain as a whole; 0 if none. */
static uint32_t chain_at(const struct tree_writing *writing, const struct flow_tree_list *list,
			 size_t at)
{
	const uint32_t node = list->items[at];
	const struct flow_chain *chain;

	if (node >= writing->tree->graph->nodes.count || writing->chains->of[node] == NO_CHAIN)
		return 0;
	chain = &writing->chains->chains.items[writing->chains->of[node]];
	/* What begins a chain goes through it, but for a sequence that ends inside. */
	if (chain->first != node || at + chain->length > list->count ||
	    list->items[at + chain->length - 1] != chain->last)
		return 0;
	return chain->length;
}

/* Write a call, or a chain of calls. */
static int write_calls(struct tree_writing *writing, struct tree_level *level, struct error *err)
{
	const uint32_t node = level->list.items[level->at],
		       length = chain_at(writing, &level->list, level->at);
	struct tree_line line = {.kind = TREE_CALL, .node = node, .count = 1};
	uint32_t number;

	if (level->sequence == UINT32_MAX)
		TRY(add_line(writing, (struct tree_line){.kind = TREE_SEQUENCE}, level->parent,
			     &level->sequence, err));
	if (length) {
		line.kind = TREE_CHAIN;
		line.chain = writing->chains->of[node];
		line.count = length;
	}
	level->at += length ? length : 1;
	return add_line(writing, line, level->sequence, &number, err);
}

/* Begin a loop, and write it before what follows. */
static int begin_loop(struct tree_writing *writing, const struct flow_tree_symbol *symbol,
		      uint32_t parent, struct error *err)
{
	struct tree_level level = {.symbol = symbol};

	TRY(add_line(writing,
		     (struct tree_line){.kind = TREE_LOOP,
					.node = symbol->first,
					.chain = symbol->loop,
					.count = symbol->iterations,
					.rounds = symbol->rounds,
					.round_length = symbol->round_length},
		     parent, &level.parent, err));
	return array_push(&writing->levels, level, err);
}

/* Begin the next variant of a loop; the only one needs no line. */
static int begin_variant(struct tree_writing *writing, struct tree_level *level, struct error *err)
{
	const struct flow_tree_variant *variant = &level->symbol->variants.items[level->variant++];
	struct tree_level next = {.list = flow_tree_get(writing->tree, variant->list),
				  .parent = level->parent,
				  .sequence = UINT32_MAX};

	if (level->symbol->variants.count > 1) {
		TRY(add_line(writing,
			     (struct tree_line){.kind = TREE_SEQUENCE,
						.blocks = variant->iterations.items,
						.block_count = variant->iterations.count},
			     level->parent, &next.parent, err));
		next.sequence = next.parent;
	}
	return array_push(&writing->levels, next, err);
}

static int write_next(struct tree_writing *writing, struct error *err)
{
	struct tree_level *level = &writing->levels.items[writing->levels.count - 1];
	const struct flow_tree_symbol *symbol;

	if (level->symbol ? level->variant == level->symbol->variants.count
			  : level->at == level->list.count) {
		writing->levels.count--;
		return 0;
	}
	if (level->symbol)
		return begin_variant(writing, level, err);
	symbol = flow_tree_symbol(writing->tree, level->list.items[level->at]);
	if (!symbol)
		return write_calls(writing, level, err);
	level->at++;
	/* Calls after the loop are a sequence of their own, but in a sequence that has a predicate. */
	if (level->sequence != level->parent)
		level->sequence = UINT32_MAX;
	return begin_loop(writing, symbol, level->parent, err);
}

int tree_lines_make(struct tree_lines *lines, const struct flow_tree *tree,
		    const struct flow_chains *chains, size_t most, struct error *err)
{
	struct tree_writing writing = {.tree = tree,
				       .chains = chains,
				       .lines = lines,
				       .most = most};
	struct tree_level root = {.list = flow_tree_root(tree), .sequence = UINT32_MAX};
	int result = add_line(&writing, (struct tree_line){.kind = TREE_ROOT}, UINT32_MAX,
			      &root.parent, err);

	if (result == 0)
		result = array_push(&writing.levels, root, err);
	while (result == 0 && writing.levels.count)
		result = write_next(&writing, err);
	array_release(&writing.levels);
	return result;
}
