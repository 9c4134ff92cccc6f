#include "llamp/cost_builder.h"

#include "goal/dag.h"

static void count_edge(void *context, uint32_t from, uint32_t to, uint32_t op,
		       const struct cost *cost)
{
	uint64_t *count = context;

	(void)to, (void)op, (void)cost;
	count[from]++;
}

static void fill_successor(void *context, uint32_t from, uint32_t to, uint32_t op,
			   const struct cost *cost)
{
	struct cost_builder *builder = context;

	(void)op, (void)cost;
	builder->successor[--builder->first[from]] = to;
}

void cost_builder_add_up(uint64_t *counts, uint32_t count)
{
	for (uint32_t v = 1; v < count; v++)
		counts[v] += counts[v - 1];
	counts[count] = count ? counts[count - 1] : 0;
}

/* Set the topological order; 0, -1, or 1 if there is a cycle, as dag_order says. */
static int order_vertices(struct cost_builder *builder, uint32_t **cycle, uint32_t *cycle_count,
			  struct error *err)
{
	struct dag dag = {.vertex_count = builder->vertex_count};

	free(builder->successor);
	builder->successor = NULL;
	memset(builder->first, 0, ((size_t)builder->vertex_count + 1) * sizeof *builder->first);
	cost_builder_edges(builder, count_edge, builder->first);
	cost_builder_add_up(builder->first, builder->vertex_count);
	TRY(allocate(&builder->successor, builder->first[builder->vertex_count],
		     sizeof *builder->successor, err));
	cost_builder_edges(builder, fill_successor, builder);
	dag.first = builder->first;
	dag.successor = builder->successor;
	return dag_order(&dag, builder->order, cycle, cycle_count, err);
}

/*
 * Direct every gap from the send with the shorter longest chain of edges before
 * it to the other one (in file order where they are equal).  Every edge then
 * leads to a longer chain, or to a later send, so that there is no cycle.  The
 * vertices must stand in the order of the graph without the gaps.
 */
static int direct_gaps(const struct cost_builder *builder, struct gap_pairs *gaps,
		       struct error *err)
{
	uint32_t *depth;

	TRY(allocate(&depth, builder->vertex_count, sizeof *depth, err));
	for (uint32_t i = 0; i < builder->vertex_count; i++) {
		uint32_t v = builder->order[i];

		for (uint64_t k = builder->first[v]; k < builder->first[v + 1]; k++)
			if (depth[builder->successor[k]] <= depth[v])
				depth[builder->successor[k]] = depth[v] + 1;
	}
	for (size_t i = 0; i < gaps->list.count; i++) {
		struct gap_pair *pair = &gaps->list.items[i];

		if (depth[pair->second] < depth[pair->first])
			*pair = (struct gap_pair){pair->second, pair->first};
	}
	free(depth);
	return 0;
}

/* Add the gaps to a graph that is acyclic without them, and order it again. */
static int add_gaps(struct cost_builder *builder, struct error *err)
{
	struct gap_pairs gaps;
	uint32_t *cycle = NULL, cycle_count;
	int status;

	TRY(gap_pairs_find(&builder->gaps, builder->goal, err));
	status = order_vertices(builder, &cycle, &cycle_count, err);
	free(cycle);
	if (status <= 0)
		return status;
	gaps = builder->gaps;
	builder->gaps = (struct gap_pairs){0};
	status = order_vertices(builder, &cycle, &cycle_count, err);
	if (status == 0)
		status = direct_gaps(builder, &gaps, err);
	builder->gaps = gaps;
	if (status == 0)
		status = order_vertices(builder, &cycle, &cycle_count, err);
	return status;
}

int cost_builder_order(struct cost_builder *builder, struct error *err)
{
	uint32_t *cycle = NULL, cycle_count = 0;
	int status;

	TRY(allocate(&builder->first, (size_t)builder->vertex_count + 1, sizeof *builder->first,
		     err));
	TRY(allocate(&builder->order, builder->vertex_count, sizeof *builder->order, err));
	status = order_vertices(builder, &cycle, &cycle_count, err);
	if (status > 0)
		status = cost_cycle_error(builder, cycle, cycle_count, err);
	else if (status == 0 && builder->loggps->g > 0)
		status = add_gaps(builder, err);
	free(cycle);
	return status;
}
