/*
 * Edges into the events of a traversal.  Private to llamp/traversal/traversal.h.
 *
 * They begin at vertices of the cost graph.  An event with several edges into it and several out
 * of it becomes a vertex.  Any other event hands its edges on, extended by the costs of the edges
 * out of it.  `others` of gathered edges is a list in the pool of the merge.
 */
#ifndef LLAMP_TRAVERSAL_EDGES_H
#define LLAMP_TRAVERSAL_EDGES_H

#include "goal/traversal/traversal_ranks.h"
#include "llamp/graph/edge_merge.h"

/* The edges into the open event are one[0], one[0] and one[1], or if it has more, merge.open. */
struct traversal_edges {
	struct cost_writer writer;
	struct edge_merge merge;
	struct way one[2];
	size_t count;
	uint32_t event; /* number of the open event, see cost_event */
	struct error *err;
};

int traversal_edges_init(struct traversal_edges *edges, struct error *err);
void traversal_edges_release(struct traversal_edges *edges);

int traversal_open_pair_(struct traversal_edges *edges, uint32_t uses);
int traversal_open_several_(struct traversal_edges *edges, const struct gathered *gathered,
			    uint32_t uses);
int traversal_add_other_(struct traversal_edges *edges, struct gathered *to, struct way way);
int traversal_lead_pair_(struct traversal_edges *edges, struct gathered *to, uint64_t ns,
			 uint32_t expression);
int traversal_lead_several_(struct traversal_edges *edges, struct gathered *to, uint64_t ns,
			    uint32_t expression);
int traversal_keep_(struct traversal_edges *edges);

/*
 * Open an event: take the edges into it.  It becomes a vertex if it has several, and `uses`, the
 * number of edges out of it, is not 1.
 */
static inline int traversal_open(struct traversal_edges *edges, const struct gathered *gathered,
				 uint32_t event, uint32_t uses)
{
	edges->event = event;
	edges->count = 1;
	edges->one[0] = gathered->first;
	return gathered->others ? traversal_open_several_(edges, gathered, uses) : 0;
}

/* The same for an event with two edges into it. */
static inline int traversal_open_pair(struct traversal_edges *edges, struct way a, struct way b,
				      uint32_t event, uint32_t uses)
{
	edges->event = event;
	edges->count = 2;
	edges->one[0] = a;
	edges->one[1] = b;
	return uses == 1 && edge_merge_apart(&edges->merge, a.source, b.source)
		       ? 0
		       : traversal_open_pair_(edges, uses);
}

/*
 * Extend the only edge into the open event by a cost.  The event becomes a vertex if a sum does
 * not fit 64 bits.
 */
static inline int traversal_extend(struct traversal_edges *edges, uint64_t ns, uint32_t expression,
				   struct way *way)
{
	if (!__builtin_add_overflow(edges->one->ns, ns, &way->ns)) {
		way->source = edges->one->source;
		way->expression = cost_expressions_add(edges->merge.expressions,
						       edges->one->expression, expression);
		if (way->expression != EXPRESSION_FAILED)
			return 0;
	}
	if (edges->merge.expressions->failed)
		return -1;
	TRY(traversal_keep_(edges));
	*way = (struct way){ns, edges->one->source, expression};
	return 0;
}

/* Add an edge to those into an event, unless the first one dominates it. */
static inline int traversal_add_(struct traversal_edges *edges, struct gathered *to, struct way way)
{
	if (way.source == to->first.source && way.expression == to->first.expression) {
		to->first.ns = way.ns > to->first.ns ? way.ns : to->first.ns;
		return 0;
	}
	return traversal_add_other_(edges, to, way);
}

/* Lead an edge to an event. */
static inline int traversal_add(struct traversal_edges *edges, struct gathered *to, struct way way)
{
	if (to->arrived++ == 0) {
		to->first = way;
		return 0;
	}
	return traversal_add_(edges, to, way);
}

/* Lead the edges into the open event on to another one, extended by a cost. */
static inline int traversal_lead(struct traversal_edges *edges, struct gathered *to, uint64_t ns,
				 uint32_t expression)
{
	struct way way;

	if (edges->count == 2)
		return traversal_lead_pair_(edges, to, ns, expression);
	if (edges->count > 2)
		return traversal_lead_several_(edges, to, ns, expression);
	TRY(traversal_extend(edges, ns, expression, &way));
	return traversal_add(edges, to, way);
}

/* Write the end of the program, the edges into which are in merge.open. */
int traversal_write_end(struct traversal_edges *edges);

#endif
