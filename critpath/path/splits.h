/*
 * Splits of a program graph: collectives that every path from the source to the sink goes through.
 * A path with the least wait is one with the least wait from each split to the next, so the parts
 * between splits can be searched on their own.
 *
 * A collective is a split if all ranks take part in it and each waits for all others, no member left
 * before the last one came, and no other edge leads past it: no message or request is under way
 * and no further thread runs.
 */
#ifndef CRITPATH_SPLITS_H
#define CRITPATH_SPLITS_H

#include "critpath/path/program_graph.h"

struct splits {
	const struct program_graph *graph;	/* not owned */
	ARRAY(uint32_t) hubs;			/* vertices, in the order in which paths meet them */
	/* [vertex]: its part, the number of splits before it.  A hub is in the part that it ends. */
	uint32_t *part_of;
};

/* Find all splits: linear in the edges, 4 bytes for each vertex.  End with splits_release. */
int splits_find(struct splits *splits, const struct program_graph *graph, struct error *err);
void splits_release(struct splits *splits);

#endif
