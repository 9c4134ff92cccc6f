/*
 * Edges of a cost graph, in 8 bytes each.
 *
 *	bit	0	1 ... 20		21 ... 33	34 ... 63
 *		last	place of the source	expression	ns
 *
 * An edge with a number that does not fit has the place COST_WIDE, and above it an index in `wide`
 * instead of the rest.  Few edges are wide: those longer than a second, and those in graphs with many
 * thousands of expressions or of values in use at a time.
 */
#ifndef LLAMP_COST_EDGES_H
#define LLAMP_COST_EDGES_H

#include "common/array.h"

#include <stdbool.h>
#include <stdint.h>

/* An edge into a vertex, after those before it into the same vertex. */
struct cost_edge {
	uint64_t ns;
	uint32_t from; /* place of its source: in a cost graph its slot, see struct cost_graph */
	uint32_t expression; /* number; + COST_LAST_EDGE on the last in-edge of a vertex */
};

#define COST_LAST_EDGE (UINT32_C(1) << 31)

enum { COST_FROM_BITS = 20, COST_EXPRESSION_BITS = 13 };

/* The place of a wide edge. */
enum { COST_WIDE = (1 << COST_FROM_BITS) - 1 };

#define COST_EXPRESSION_SHIFT (1 + COST_FROM_BITS)
#define COST_NS_SHIFT (COST_EXPRESSION_SHIFT + COST_EXPRESSION_BITS)

struct cost_edges {
	ARRAY(uint64_t) list;
	ARRAY(struct cost_edge) wide; /* those that do not fit 8 bytes, without COST_LAST_EDGE */
};

void cost_edges_release(struct cost_edges *edges);

/* Number of the edge's expression. */
static inline uint32_t cost_edge_expression(const struct cost_edge *edge)
{
	return edge->expression & ~COST_LAST_EDGE;
}

/* Whether an edge is the last one into its vertex. */
static inline bool cost_edge_is_last(uint64_t packed)
{
	return packed & 1;
}

static inline uint32_t cost_packed_from_(uint64_t packed)
{
	return packed >> 1 & COST_WIDE;
}

static inline struct cost_edge cost_unpack_(const struct cost_edge *wide_edges, uint64_t packed)
{
	const uint32_t from = cost_packed_from_(packed);
	const uint32_t last = (uint32_t)packed << 31;
	struct cost_edge edge;

	if (__builtin_expect(from == COST_WIDE, false)) {
		edge = wide_edges[packed >> COST_EXPRESSION_SHIFT];
		edge.expression |= last;
		return edge;
	}
	edge.ns = packed >> COST_NS_SHIFT;
	edge.from = from;
	edge.expression = (packed >> COST_EXPRESSION_SHIFT &
			   ((UINT32_C(1) << COST_EXPRESSION_BITS) - 1)) |
			  last;
	return edge;
}

/* The edge at an index. */
static inline struct cost_edge cost_edges_at(const struct cost_edges *edges, uint64_t index)
{
	return cost_unpack_(edges->wide.items, edges->list.items[index]);
}

/* Whether an edge fits 8 bytes. */
static inline bool cost_edge_fits(const struct cost_edge *edge)
{
	return (edge->from < COST_WIDE) & !(edge->ns >> (64 - COST_NS_SHIFT)) &
	       !(cost_edge_expression(edge) >> COST_EXPRESSION_BITS);
}

/* Pack an edge that fits. */
static inline uint64_t cost_pack_(const struct cost_edge *edge)
{
	return edge->ns << COST_NS_SHIFT |
	       (uint64_t)cost_edge_expression(edge) << COST_EXPRESSION_SHIFT |
	       (uint64_t)edge->from << 1 | edge->expression >> 31;
}

/* Fails with STATUS_LIMIT before there is no memory for more wide edges. */
int cost_edges_set_wide_(struct cost_edges *edges, uint64_t index, const struct cost_edge *edge,
			 struct error *err);

/* Replace the edge at an index. */
static inline int cost_edges_set(struct cost_edges *edges, uint64_t index,
				 const struct cost_edge *edge, struct error *err)
{
	if (!cost_edge_fits(edge))
		return cost_edges_set_wide_(edges, index, edge, err);
	edges->list.items[index] = cost_pack_(edge);
	return 0;
}

/* Replace the place of the source of an edge. */
static inline int cost_edges_set_from(struct cost_edges *edges, uint64_t index, uint32_t from,
				      struct error *err)
{
	uint64_t *packed = &edges->list.items[index];
	struct cost_edge edge;

	if (from < COST_WIDE && cost_packed_from_(*packed) != COST_WIDE) {
		*packed = (*packed & ~((uint64_t)COST_WIDE << 1)) | (uint64_t)from << 1;
		return 0;
	}
	edge = cost_edges_at(edges, index);
	edge.from = from;
	return cost_edges_set_wide_(edges, index, &edge, err);
}

/* Mark the edge that was added last as the last one into its vertex. */
static inline void cost_edges_end_vertex(struct cost_edges *edges)
{
	edges->list.items[edges->list.count - 1] |= 1;
}

#endif
