#include "llamp/lp/lp_internal.h"

#include "common/array.h"
#include "common/units.h"

#include <float.h>
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
	 * Cold, a row that is violated by less than the tolerance may hide the
	 * longest path; the program is scaled to 1, so this is relative to T.
	 * From the longest path the tolerance only has to cover rounding.
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

/* A question, and what is needed to answer it. */
struct question {
	enum lp_start start;
	uint32_t variable;
	double at_ns, runtime_ns;
	const uint32_t *tight;
};

static void find_range(struct lp_model *model, int column, struct lp_solution *solution)
{
	double low, high;

	glp_analyze_bound(model->problem, model->row_count + column, &low, NULL, &high, NULL);
	solution->basis_low_ns = low > 0 ? low : 0;
	solution->basis_high_ns = high == DBL_MAX ? INFINITY : high;
}

static int solve(struct lp_model *model, const struct question *question,
		 struct lp_solution *solution, struct error *err)
{
	int column = model->column_of[question->variable];
	bool cold = question->start == LP_COLD;
	int status;

	/* Fixed columns have reduced costs like others, and cannot become basic. */
	lp_set_variables(model, GLP_FX);
	glp_set_col_bnds(model->problem, column, GLP_FX, question->at_ns, question->at_ns);
	lp_scale(model, question->runtime_ns);
	if (!cold)
		lp_set_basis(model, question->tight);
	TRY(lp_simplex(model, question->start, cold ? GLP_DUAL : GLP_PRIMAL, &status,
		       &solution->pivots, err));
	if (status != GLP_OPT)
		return error_set(err, STATUS_LIMIT, "GLPK found no optimum (status %d)", status);
	solution->runtime_ns = glp_get_col_prim(model->problem, lp_column_t(model));
	for (uint32_t v = 0; v < model->loggps.variables.count; v++)
		solution->lambda[v] = model->column_of[v] ? glp_get_col_dual(model->problem,
									     model->column_of[v])
							  : 0;
	find_range(model, column, solution);
	return 0;
}

static int solve_guarded(struct lp_model *model, const struct question *question,
			 struct lp_solution *solution, struct error *err)
{
	int result;

	if (setjmp(*lp_enter()))
		return lp_failed(err);
	result = solve(model, question, solution, err);
	lp_leave();
	return result;
}

int lp_solve(struct lp_model *model, enum lp_start start, uint32_t variable,
	     struct rational at, enum side side, struct lp_solution *solution, struct error *err)
{
	struct question question = {.start = start, .variable = variable};
	const struct direction direction = direction_of(&model->loggps.variables, variable);
	uint32_t *tight = NULL;
	struct line line;
	int result = 0;

	TRY(lp_check(model, err));
	TRY(variables_require_on(&model->loggps.variables, variable, err));
	question.at_ns = rational_value(at) / AS_PER_NS;
	if (start == LP_LONGEST_PATH)
		TRY(allocate(&tight, model->graph->vertex_count, sizeof *tight, err));
	/* Cold, the path engine only tells the order of magnitude, for the scaling. */
	result = path_evaluate(model->graph, &direction, at, side, &line, tight, err);
	if (result == 0) {
		question.tight = tight;
		question.runtime_ns = (double)line.constant / AS_PER_NS +
				      (double)line.slope * question.at_ns;
		result = solve_guarded(model, &question, solution, err);
	}
	free(tight);
	return result;
}
