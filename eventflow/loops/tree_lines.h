/* A loop tree as lines, each with its depth: what a text shows below each other. */
#ifndef EVENTFLOW_TREE_LINES_H
#define EVENTFLOW_TREE_LINES_H

#include "eventflow/graph/chains.h"
#include "eventflow/loops/tree.h"

enum tree_kind { TREE_ROOT, TREE_LOOP, TREE_SEQUENCE, TREE_CALL, TREE_CHAIN };

struct tree_line {
	enum tree_kind kind;
	uint32_t depth, parent;	       /* parent: number of a line, UINT32_MAX of the root */
	uint32_t node;		       /* TREE_CALL, the first of a chain, the header of a loop */
	uint32_t chain;		       /* TREE_CHAIN: its number; TREE_LOOP: that of the loop */
	uint64_t count;		       /* TREE_LOOP: iterations; TREE_CHAIN: calls */
	uint64_t rounds, round_length; /* TREE_LOOP, as struct flow_tree_symbol */
	/* TREE_SEQUENCE that is not in all iterations of its loop: in which, else none. */
	const struct flow_block *blocks;
	size_t block_count;
};

struct tree_lines {
	struct tree_line *items; /* a growable array (common/array.h) */
	size_t count, capacity;
};

/* Write a tree as lines; STATUS_LIMIT if there are more than `most`. */
int tree_lines_make(struct tree_lines *lines, const struct flow_tree *tree,
		    const struct flow_chains *chains, size_t most, struct error *err);

#endif
