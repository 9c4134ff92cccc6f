/*
 * The loop tree of a thread: its events as sequences and loops, in which the iterations that are
 * equal are one variant, with the set of iterations that are so.  All events can be read off the
 * tree.
 *
 * Loops are taken from the inside out.  Each maximal run of events of a loop that begins at its
 * header is cut at the visits of the header into iterations, and becomes one symbol.  A run of one
 * iteration stays as it is.
 */
#ifndef EVENTFLOW_TREE_H
#define EVENTFLOW_TREE_H

#include "trace/sequence/loops.h"

/*
 * Events and symbols, one after the other: a number below the number of nodes is a node, else a
 * symbol.
 */
struct flow_tree_list {
	const uint32_t *items;
	size_t count;
};

struct flow_tree_symbol {
	uint32_t loop, first; /* its loop, and the first node of its events */
	uint64_t iterations;
	/*
	 * Rounds of its iterations (trace/sequence/rounds.h): how many whole ones there are, and
	 * how many iterations a round has.  0 if each is one iteration.
	 */
	uint64_t rounds, round_length;
	/* Variants in the order of their first iteration. */
	ARRAY(struct flow_tree_variant {
		uint32_t list;
		struct flow_blocks iterations;
	})
	variants;
};

/* Owned arrays. */
struct flow_tree {
	const struct flow_graph *graph;
	ARRAY(uint32_t) root;
	ARRAY(struct flow_tree_symbol) symbols;
	struct string_table lists; /* of iterations, as bytes */
	ARRAY(size_t) list_counts;
	struct string_table runs; /* symbols as bytes: loop, lists */
};

/* Make the tree of a graph.  Needs memory for all of its events at first. */
int flow_tree_make(struct flow_tree *tree, const struct flow_graph *graph,
		   const struct flow_loops *loops, struct error *err);
void flow_tree_release(struct flow_tree *tree);

/* Events of a variant. */
struct flow_tree_list flow_tree_get(const struct flow_tree *tree, uint32_t list);

static inline struct flow_tree_list flow_tree_root(const struct flow_tree *tree)
{
	return (struct flow_tree_list){tree->root.items, tree->root.count};
}

/* The symbol of an item, or NULL if it is a node. */
const struct flow_tree_symbol *flow_tree_symbol(const struct flow_tree *tree, uint32_t item);

#endif
