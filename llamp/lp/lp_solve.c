/* Runtime and sensitivity by the simplex method, and the range of the basis. */
#include "llamp/lp/lp_internal.h"

#include "common/array.h"
#include "common/units.h"

#include <math.h>

/*
 * Set the column that p would have in the program: in each row, the sum of the coefficients of
 * the variables that move, times their weights.
 */
static void set_column_of_p(const struct lp_model *model, const struct direction *direction,
			    struct lp_question *question)
{
	const struct cost_graph *graph = model->graph;

	question->moved = 0;
	for (uint64_t i = 0; i < graph->edge_count; i++) {
		uint32_t term_count;
		const struct cost_edge edge = cost_graph_edge(graph, i);
		const struct cost_term *terms = cost_terms(&graph->expressions,
							   cost_edge_expression(&edge),
							   &term_count);
		double sum = 0;

		for (uint32_t k = 0; k < term_count; k++)
			sum += (double)direction->weight[terms[k].variable] *
			       (double)terms[k].coefficient;
		if (sum > 0) {
			question->rows[++question->moved] = (int)i + 1;
			question->values[question->moved] = -sum;
		}
	}
}

static void set_slopes(const struct lp_model *model, const struct direction *direction,
		       struct lp_question *question, struct lp_solution *solution)
{
	solution->slope = 0;
	for (uint32_t v = 0; v < direction->count; v++) {
		const int column = model->column_of[v];

		solution->lambda[v] = column ? lp_listed(model, question, column)->reduced_cost : 0;
		solution->slope += (double)direction->weight[v] * solution->lambda[v];
	}
}

/* Memory that a question needs. */
struct solve_arrays {
	uint32_t *tight;
	int *rows; /* from 1 */
	double *values;
};

static int solve_with(struct lp_model *model, enum lp_start start,
		      const struct direction *direction, struct rational at, enum side side,
		      const struct solve_arrays *arrays, struct lp_solution *solution,
		      struct error *err)
{
	const double at_ns = rational_value(at) / AS_PER_NS;
	struct lp_question question;
	struct line line;

	/* For a cold start the path engine only tells the order of magnitude, for the scaling. */
	TRY(path_evaluate(model->graph, direction, at, side, &line, arrays->tight, err));
	/* A fixed column has a reduced cost, and it cannot become basic. */
	lp_pose(model, direction, at_ns, true,
		(double)line.constant / AS_PER_NS + (double)line.slope * at_ns, &question);
	if (start == LP_LONGEST_PATH)
		lp_set_tight(model, arrays->tight, &question);
	question.rows = arrays->rows;
	question.values = arrays->values;
	set_column_of_p(model, direction, &question);
	TRY(model->solver->solve(model->problem, &question, err));
	if (question.status != LP_OPTIMAL)
		return lp_no_optimum(model, &question, err);
	solution->runtime_ns = lp_listed(model, &question, question.objective)->value;
	solution->pivots = question.pivots;
	solution->basis_low_ns = fmax(at_ns + question.down, 0);
	solution->basis_high_ns = at_ns + question.up;
	set_slopes(model, direction, &question, solution);
	/* A solver's rounding errors depend on what it was asked before, and show in ends near 0. */
	if (start == LP_LONGEST_PATH && solution->pivots == 0)
		return lp_tree_range(model, direction, &question, solution, err);
	return 0;
}

int lp_solve(struct lp_model *model, enum lp_start start, const struct direction *direction,
	     struct rational at, enum side side, struct lp_solution *solution, struct error *err)
{
	const size_t rows = (size_t)model->row_count + 1;
	struct solve_arrays arrays = {0};
	int result = -1;

	TRY(lp_check_direction(model, direction, err));
	if ((start == LP_COLD ||
	     allocate(&arrays.tight, model->graph->vertex_count, sizeof *arrays.tight, err) == 0) &&
	    allocate(&arrays.rows, rows, sizeof *arrays.rows, err) == 0 &&
	    allocate(&arrays.values, rows, sizeof *arrays.values, err) == 0)
		result = solve_with(model, start, direction, at, side, &arrays, solution, err);
	free(arrays.tight);
	free(arrays.rows);
	free(arrays.values);
	return result;
}
