#include "llamp/graph/cost_edges.h"

void cost_edges_release(struct cost_edges *edges)
{
	array_release(&edges->list);
	array_release(&edges->wide);
}

int cost_edges_set_wide_(struct cost_edges *edges, uint64_t index, const struct cost_edge *edge,
			 struct error *err)
{
	uint64_t *packed = &edges->list.items[index];
	const uint64_t wide_index = cost_packed_from_(*packed) == COST_WIDE
					    ? *packed >> COST_EXPRESSION_SHIFT
					    : edges->wide.count;

	if (wide_index == edges->wide.count)
		TRY(array_push(&edges->wide, (struct cost_edge){0}, err));
	edges->wide.items[wide_index] = (struct cost_edge){edge->ns, edge->from,
							   cost_edge_expression(edge)};
	*packed = wide_index << COST_EXPRESSION_SHIFT | (uint64_t)COST_WIDE << 1 |
		  edge->expression >> 31;
	return 0;
}
