#include "llamp/traversal/traversal_edges.h"

int traversal_edges_init(struct traversal_edges *edges, struct error *err)
{
	*edges = (struct traversal_edges){.err = err};
	TRY(cost_writer_init(&edges->writer, err));
	return edge_merge_init(&edges->merge, &edges->writer.expressions, err);
}

void traversal_edges_release(struct traversal_edges *edges)
{
	cost_writer_release(&edges->writer);
	edge_merge_release(&edges->merge);
}

/* Turn the open event, with the edges of merge.open, into a vertex. */
static int keep_several(struct traversal_edges *edges)
{
	const uint64_t first = edges->writer.edges.list.count;

	TRY(edge_merge_write(&edges->merge, &edges->writer));
	TRY(cost_writer_vertex(&edges->writer, edges->event, edges->err));
	TRY(edge_merge_add_source(&edges->merge, &edges->writer.edges, first));
	edges->count = 1;
	edges->one[0] = (struct way){.source = edges->merge.next_source - 1};
	return 0;
}

static struct in_edge in_edge_of(struct way way)
{
	return (struct in_edge){way.ns, way.source, way.expression, 0};
}

/* Copy up to two edges into the open event to merge.open. */
static int copy_few(struct traversal_edges *edges)
{
	struct edge_merge *merge = &edges->merge;

	TRY(array_reserve(&merge->open, 2, edges->err));
	for (size_t i = 0; i < edges->count; i++)
		merge->open.items[i] = in_edge_of(edges->one[i]);
	merge->open.count = edges->count;
	return 0;
}

int traversal_keep_(struct traversal_edges *edges)
{
	if (edges->count <= 2)
		TRY(copy_few(edges));
	return keep_several(edges);
}

static void take_gathered(struct edge_merge *merge, const struct gathered *gathered)
{
	const struct in_edge *pool = merge->pool.items;
	const struct way *first = &gathered->first;

	edge_merge_take(merge, first->ns, first->source, first->expression);
	if (!gathered->others)
		return;
	for (uint32_t i = gathered->others; i; i = pool[i].next)
		edge_merge_take(merge, pool[i].ns, pool[i].source, pool[i].expression);
	edge_merge_free(merge, gathered->others);
}

/* Close the open event, the edges of which are in merge.open. */
static int close_open(struct traversal_edges *edges, uint32_t uses)
{
	struct edge_merge *merge = &edges->merge;
	const struct in_edge *open;

	TRY(edge_merge_close(merge, &edges->writer.edges));
	open = merge->open.items;
	edges->count = merge->open.count;
	if (edges->count > MOST_BYPASSED || (edges->count > 1 && uses != 1))
		return keep_several(edges);
	for (size_t i = 0; i < edges->count && i < 2; i++)
		edges->one[i] = (struct way){open[i].ns, open[i].source, open[i].expression};
	return 0;
}

int traversal_open_pair_(struct traversal_edges *edges, uint32_t uses)
{
	const struct way a = edges->one[0], b = edges->one[1];

	edges->merge.open.count = 0;
	edge_merge_take(&edges->merge, a.ns, a.source, a.expression);
	edge_merge_take(&edges->merge, b.ns, b.source, b.expression);
	return close_open(edges, uses);
}

int traversal_open_several_(struct traversal_edges *edges, const struct gathered *gathered,
			    uint32_t uses)
{
	edges->merge.open.count = 0;
	take_gathered(&edges->merge, gathered);
	return close_open(edges, uses);
}

int traversal_add_other_(struct traversal_edges *edges, struct gathered *to, struct way way)
{
	struct edge_merge *merge = &edges->merge;
	struct way *first = &to->first;
	struct in_edge *added;
	uint32_t number;

	if (way.source == first->source) {
		struct in_edge known = in_edge_of(*first);
		const struct in_edge edge = in_edge_of(way);

		if (edge_merge_replace_(merge, &known, &edge)) {
			*first = (struct way){known.ns, known.source, known.expression};
			return 0;
		}
	}
	number = edge_merge_new(merge);
	if (!number)
		return -1;
	added = &merge->pool.items[number];
	/* Write single fields: a field is read soon, and would wait for a wider store. */
	added->ns = way.ns;
	added->source = way.source;
	added->expression = way.expression;
	added->next = to->others;
	to->others = number;
	return 0;
}

/* Extend two edges into the open event.  False if a sum does not fit. */
static bool extend_pair(struct traversal_edges *edges, uint64_t ns, uint32_t expression,
			struct way ways[2])
{
	struct cost_expressions *expressions = edges->merge.expressions;

	for (int i = 0; i < 2; i++) {
		ways[i].source = edges->one[i].source;
		ways[i].expression = cost_expressions_add(expressions, edges->one[i].expression,
							  expression);
		if (ways[i].expression == EXPRESSION_FAILED ||
		    __builtin_add_overflow(edges->one[i].ns, ns, &ways[i].ns))
			return false;
	}
	return true;
}

int traversal_lead_pair_(struct traversal_edges *edges, struct gathered *to, uint64_t ns,
			 uint32_t expression)
{
	struct way ways[2];

	if (extend_pair(edges, ns, expression, ways)) {
		TRY(traversal_add(edges, to, ways[0]));
		return traversal_add_(edges, to, ways[1]);
	}
	if (edges->merge.expressions->failed)
		return -1;
	TRY(traversal_keep_(edges));
	return traversal_lead(edges, to, ns, expression);
}

int traversal_lead_several_(struct traversal_edges *edges, struct gathered *to, uint64_t ns,
			    uint32_t expression)
{
	struct edge_merge *merge = &edges->merge;
	struct in_edge sum = {0};

	for (size_t i = 0; i < merge->open.count; i++) {
		struct way way;

		if (!edge_merge_extend(merge, &merge->open.items[i], ns, expression, &sum)) {
			if (merge->expressions->failed)
				return -1;
			/* The edge from the vertex dominates those that were added. */
			TRY(keep_several(edges));
			to->arrived -= i > 0;
			return traversal_lead(edges, to, ns, expression);
		}
		way = (struct way){sum.ns, sum.source, sum.expression};
		TRY(i ? traversal_add_(edges, to, way) : traversal_add(edges, to, way));
	}
	return 0;
}

int traversal_write_end(struct traversal_edges *edges)
{
	edges->event = COST_EVENT_END;
	TRY(edge_merge_close(&edges->merge, &edges->writer.edges));
	return keep_several(edges);
}
