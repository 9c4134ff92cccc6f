#include "llamp/graph/cost_edges.h"

#include "common/memory.h"

void cost_edges_release(struct cost_edges *edges)
{
	array_release(&edges->list);
	array_release(&edges->wide);
}

/*
 * Make room for one more wide edge.  The memory that is required for an analysis leaves wide edges
 * out, so a long array asks for what it grows by.
 */
static int reserve_wide(struct cost_edges *edges, struct error *err)
{
	enum { FEW = 1 << 12 };
	const uint64_t bytes = edges->wide.capacity * sizeof *edges->wide.items;

	if (edges->wide.count == edges->wide.capacity && edges->wide.capacity >= FEW)
		TRY(memory_require(bytes, "the cost graph with edges of 24 bytes", err));
	return array_reserve(&edges->wide, 1, err);
}

int cost_edges_set_wide_(struct cost_edges *edges, uint64_t index, const struct cost_edge *edge,
			 struct error *err)
{
	uint64_t *packed = &edges->list.items[index];
	const uint64_t wide_index = cost_packed_from_(*packed) == COST_WIDE
					    ? *packed >> COST_EXPRESSION_SHIFT
					    : edges->wide.count;

	if (wide_index == edges->wide.count) {
		TRY(reserve_wide(edges, err));
		edges->wide.count++;
	}
	edges->wide.items[wide_index] = (struct cost_edge){edge->ns, edge->from,
							   cost_edge_expression(edge)};
	*packed = wide_index << COST_EXPRESSION_SHIFT | (uint64_t)COST_WIDE << 1 |
		  edge->expression >> 31;
	return 0;
}
