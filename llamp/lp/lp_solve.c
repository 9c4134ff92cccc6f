/* Runtime and sensitivity by the simplex method, and the range of the basis. */
#include "llamp/lp/lp_internal.h"

#include "common/array.h"
#include "common/units.h"

#include <math.h>

void lp_set_basis(struct lp_model *model, const uint32_t *tight)
{
	const struct cost_graph *graph = model->graph;
	glp_prob *problem = model->problem;
	uint32_t vertex = 0, place = 0;

	for (int column = 1; column <= model->column_count; column++)
		glp_set_col_stat(problem, column,
				 column < model->first_y || column > lp_column_t(model) ? GLP_NL
											 : GLP_BS);
	for (uint64_t i = 0; i < graph->edge_count; i++) {
		glp_set_row_stat(problem, (int)i + 1, place++ == tight[vertex] ? GLP_NL : GLP_BS);
		if (graph->edges[i].expression & COST_LAST_EDGE) {
			vertex++;
			place = 0;
		}
	}
}

int lp_simplex(struct lp_model *model, enum lp_start start, int method, int *status,
	       int64_t *pivots, struct error *err)
{
	glp_smcp control;
	int result;

	glp_init_smcp(&control);
	control.msg_lev = GLP_MSG_OFF;
	control.meth = method;
	/*
	 * From a cold start, a row violated by less than the tolerance may hide the longest path.
	 * The program is scaled to 1, so that the tolerance is relative to T.  From the longest
	 * path it only has to cover rounding.
	 */
	control.tol_bnd = start == LP_COLD ? 1e-12 : 1e-9;
	control.tol_dj = 1e-9;
	if (start == LP_COLD)
		glp_std_basis(model->problem);
	glp_set_it_cnt(model->problem, 0);
	result = glp_simplex(model->problem, &control);
	if (result != 0)
		return error_set(err, STATUS_LIMIT, "GLPK's simplex failed (code %d)", result);
	*status = glp_get_status(model->problem);
	*pivots = glp_get_it_cnt(model->problem);
	return 0;
}

/* Question with the memory that its answer needs. */
struct question {
	enum lp_start start;
	const struct direction *direction;
	double at_ns, runtime_ns;
	uint32_t *tight;	/* NULL for a cold start */
	int *indices;		/* of rows or variables, from 1 as GLPK counts */
	double *values;
};

/*
 * Set the column that p would have in the program: in each row, the sum of the coefficients of
 * the variables that move, times their weights.  Returns the number of values.
 */
static int column_of_p(const struct lp_model *model, const struct question *question)
{
	const struct cost_graph *graph = model->graph;
	int count = 0;

	for (uint64_t i = 0; i < graph->edge_count; i++) {
		uint32_t term_count;
		const struct cost_term *terms = cost_terms(&graph->expressions,
							   cost_edge_expression(&graph->edges[i]),
							   &term_count);
		double sum = 0;

		for (uint32_t k = 0; k < term_count; k++)
			sum += (double)question->direction->weight[terms[k].variable] *
			       (double)terms[k].coefficient;
		if (sum > 0) {
			question->indices[++count] = (int)i + 1;
			question->values[count] = -sum;
		}
	}
	return count;
}

/*
 * Find how far p may go up (way 1) or down (-1) before the basis is infeasible.  Of the basic
 * variables only rows are bounded.
 */
static double range_end(const struct lp_model *model, const struct question *question, int count,
			int way)
{
	const int first = glp_prim_rtest(model->problem, count, question->indices, question->values,
					 way, 1e-9);
	int row;

	if (first == 0)
		return way * INFINITY;
	row = question->indices[first];
	return question->at_ns +
	       (glp_get_row_lb(model->problem, row) - glp_get_row_prim(model->problem, row)) /
		       question->values[first];
}

static void find_range(const struct lp_model *model, const struct question *question,
		       struct lp_solution *solution)
{
	/* Replace the column of p by the change of each basic variable with p. */
	const int count = glp_transform_col(model->problem, column_of_p(model, question),
					    question->indices, question->values);

	solution->basis_low_ns = fmax(range_end(model, question, count, -1), 0);
	solution->basis_high_ns = range_end(model, question, count, 1);
}

static void set_slopes(const struct lp_model *model, const struct direction *direction,
		       struct lp_solution *solution)
{
	solution->slope = 0;
	for (uint32_t v = 0; v < direction->count; v++) {
		const int column = model->column_of[v];

		solution->lambda[v] = column ? glp_get_col_dual(model->problem, column) : 0;
		solution->slope += (double)direction->weight[v] * solution->lambda[v];
	}
}

static int lp_solve_question(struct lp_model *model, const struct question *question,
			     struct lp_solution *solution, struct error *err)
{
	const bool cold = question->start == LP_COLD;
	int status;

	/* A fixed column has a reduced cost, and it cannot become basic. */
	lp_set_variables(model, question->direction, question->at_ns, GLP_FX);
	lp_scale(model, question->runtime_ns);
	if (!cold)
		lp_set_basis(model, question->tight);
	TRY(lp_simplex(model, question->start, cold ? GLP_DUAL : GLP_PRIMAL, &status,
		       &solution->pivots, err));
	if (status != GLP_OPT)
		return error_set(err, STATUS_LIMIT, "GLPK found no optimum (status %d)", status);
	solution->runtime_ns = glp_get_col_prim(model->problem, lp_column_t(model));
	set_slopes(model, question->direction, solution);
	find_range(model, question, solution);
	return 0;
}

static int solve_guarded(struct lp_model *model, const struct question *question,
			 struct lp_solution *solution, struct error *err)
{
	int result;

	if (setjmp(*lp_enter()))
		return lp_failed(err);
	result = lp_solve_question(model, question, solution, err);
	lp_leave();
	return result;
}

static int solve_from_path(struct lp_model *model, struct question *question, struct rational at,
			   enum side side, struct lp_solution *solution, struct error *err)
{
	struct line line;

	/* For a cold start the path engine only tells the order of magnitude, for the scaling. */
	TRY(path_evaluate(model->graph, question->direction, at, side, &line, question->tight,
			  err));
	question->at_ns = rational_value(at) / AS_PER_NS;
	question->runtime_ns = (double)line.constant / AS_PER_NS +
			       (double)line.slope * question->at_ns;
	return solve_guarded(model, question, solution, err);
}

int lp_solve(struct lp_model *model, enum lp_start start, const struct direction *direction,
	     struct rational at, enum side side, struct lp_solution *solution, struct error *err)
{
	const size_t rows = (size_t)model->row_count + 1;
	struct question question = {.start = start, .direction = direction};
	int result = -1;

	TRY(lp_check_direction(model, direction, err));
	if ((start == LP_COLD || allocate(&question.tight, model->graph->vertex_count,
					  sizeof *question.tight, err) == 0) &&
	    allocate(&question.indices, rows, sizeof *question.indices, err) == 0 &&
	    allocate(&question.values, rows, sizeof *question.values, err) == 0)
		result = solve_from_path(model, &question, at, side, solution, err);
	/* GLPK's rounding errors depend on what it was asked before, and show in ends near 0. */
	if (result == 0 && start == LP_LONGEST_PATH && solution->pivots == 0)
		result = lp_tree_range(model, direction, question.tight, solution, err);
	free(question.tight);
	free(question.indices);
	free(question.values);
	return result;
}
