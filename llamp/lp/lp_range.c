/*
 * Range of p in which the basis of the longest path stays optimal, in exact arithmetic.
 *
 * The basis is a tree: one edge into each vertex.  As p moves, each vertex follows the line of its path in
 * the tree.  The basis is optimal up to where the line by way of another edge passes that one.
 */
#include "llamp/lp/lp_internal.h"

#include "common/array.h"
#include "common/units.h"

#include <math.h>

/* Line of a cost expression along a direction. */
static struct line line_of(const struct cost_expressions *expressions, uint32_t expression,
			   const struct direction *direction)
{
	struct line line = {0};
	uint32_t count;
	const struct cost_term *terms = cost_terms(expressions, expression, &count);

	for (uint32_t i = 0; i < count; i++) {
		const int128 coefficient = (int128)terms[i].coefficient;

		line.constant += coefficient * direction->origin_as[terms[i].variable];
		line.slope += coefficient * direction->weight[terms[i].variable];
	}
	return line;
}

/* Line to the end of an edge by way of it. */
static struct line line_by(const struct cost_edge *edge, const struct line *expressions,
			   const struct line *slots)
{
	const struct line *cost = &expressions[cost_edge_expression(edge)];
	const struct line *from = &slots[edge->from];

	return (struct line){
		.constant = from->constant + cost->constant + (int128)edge->ns * AS_PER_NS,
		.slope = from->slope + cost->slope,
	};
}

/* Where two lines meet, in ns. */
static double meet_at(struct line flatter, struct line steeper)
{
	return rational_in_ns((struct rational){flatter.constant - steeper.constant,
						steeper.slope - flatter.slope});
}

/* End the range where the line of another edge passes that of the tree. */
static void end_at(struct lp_solution *solution, struct line tree, struct line other)
{
	if (other.slope > tree.slope)
		solution->basis_high_ns = fmin(solution->basis_high_ns, meet_at(tree, other));
	else if (other.slope < tree.slope)
		solution->basis_low_ns = fmax(solution->basis_low_ns, meet_at(other, tree));
}

static void find_range(const struct cost_graph *graph, const uint32_t *tight,
		       const struct line *expressions, struct line *slots,
		       struct lp_solution *solution)
{
	uint64_t i = 0;

	for (uint32_t v = 0; v < graph->vertex_count; v++) {
		struct cost_edge edge = cost_graph_edge(graph, tight[v] - 1);
		const struct line tree = line_by(&edge, expressions, slots);

		do {
			edge = cost_graph_edge(graph, i++);
			end_at(solution, tree, line_by(&edge, expressions, slots));
		} while (!(edge.expression & COST_LAST_EDGE));
		slots[graph->slots[v]] = tree;
	}
}

int lp_tree_range(const struct lp_model *model, const struct direction *direction,
		  const struct lp_question *question, struct lp_solution *solution,
		  struct error *err)
{
	const struct cost_graph *graph = model->graph;
	const size_t count = graph->expressions.list.count;
	struct line *expressions, *slots;

	TRY(allocate(&expressions, count, sizeof *expressions, err));
	if (allocate(&slots, graph->slot_count, sizeof *slots, err) < 0) {
		free(expressions);
		return -1;
	}
	for (size_t i = 0; i < count; i++)
		expressions[i] = line_of(&graph->expressions, (uint32_t)i, direction);
	solution->basis_low_ns = 0;
	solution->basis_high_ns = INFINITY;
	find_range(graph, question->tight, expressions, slots, solution);
	free(expressions);
	free(slots);
	return 0;
}
