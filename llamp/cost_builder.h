/* The cost graph while it is being built; shared by cost_graph.c and its parts. */
#ifndef LLAMP_COST_BUILDER_H
#define LLAMP_COST_BUILDER_H

#include "common/array.h"
#include "goal/match.h"
#include "llamp/cost_graph.h"

/*
 * Two sends of a rank that the gap keeps apart, by number, in the order of the
 * file: the first one starts first.
 */
struct gap_pair {
	uint32_t first, second;
};

struct gap_pairs {
	ARRAY(struct gap_pair) list;
};

/*
 * Vertices are numbered by kind here: s(v) by the number of v, then m(v) by the
 * receive v, then the end.  cost_graph_build renumbers them in topological order.
 */
struct cost_builder {
	const struct goal *goal;
	const struct loggps *loggps;
	struct goal_matching matching;
	uint32_t *match_vertex;		/* of every send and receive, by number */
	struct gap_pairs gaps;
	uint32_t vertex_count;
	/* The edges without their costs, as dag_order takes them. */
	uint64_t *first;
	uint32_t *successor;
	uint32_t *order;		/* vertices in topological order */
};

/* Receives one edge. */
typedef void edge_visitor(void *context, uint32_t from, uint32_t to, uint32_t op,
			  const struct cost *cost);

/* Visit all edges, always in the same order. */
void cost_builder_edges(const struct cost_builder *builder, edge_visitor *visit, void *context);

/*
 * Set the topological order of the vertices, with the gaps if there are any.  On
 * failure the caller still frees what the builder holds.
 */
int cost_builder_order(struct cost_builder *builder, struct error *err);

/*
 * Turn counts of the vertices 0 ... count - 1 into where the share of each ends,
 * and set the entry behind them to their sum.
 */
void cost_builder_add_up(uint64_t *counts, uint32_t count);

/*
 * Find the pairs of successive sends of a rank that no path within the rank
 * connects.  The dependencies within each rank must be acyclic.  Linear where
 * sends stand in an order that their dependencies allow, as in generated graphs.
 */
int gap_pairs_find(struct gap_pairs *gaps, const struct goal *goal, struct error *err);

/* Say which operations are on the cycle of vertices that dag_order found; returns -1. */
int cost_cycle_error(const struct cost_builder *builder, const uint32_t *cycle,
		     uint32_t cycle_count, struct error *err);

#endif
