#include "llamp/lp/lp_internal.h"

#include "common/array.h"
#include "common/units.h"

#include <math.h>

/* The program with the column of a variable, say l, as the objective. */
struct question {
	enum lp_start start;
	uint32_t variable;
	double low_ns;		/* l >= */
	double bound_ns;	/* t <= */
	bool unbounded;		/* start with l at its lower bound */
	const uint32_t *tight;
};

/*
 * The longest path at the tolerance point, and l >= `low`.  The line above the
 * point has a positive slope, for T exceeds the bound there: l is determined by
 * t = bound, and the dual value of that bound is 1 / slope.  An unbounded
 * tolerance is shown at a latency above the constants of all paths (they lead to
 * the end, so T is the largest), where every vertex has taken its steepest path:
 * nothing limits l from there on.
 */
static int find_path(struct lp_model *model, double percent, struct question *question,
		     uint32_t *tight, struct error *err)
{
	const struct direction direction =
		direction_of(&model->loggps.variables, question->variable);
	struct tolerance found = {.percent = percent};
	struct rational at = rational_from(direction.start_as);
	struct line line;

	TRY(path_tolerances(model->graph, &direction, &found, 1, err));
	question->unbounded = found.unbounded;
	if (found.unbounded) {
		TRY(path_evaluate(model->graph, &direction, at, SIDE_RIGHT, &line, NULL, err));
		at.numerator = line.constant + 1;
		question->low_ns = rational_value(at) / AS_PER_NS;
	} else {
		at = found.at;
	}
	question->tight = tight;
	return path_evaluate(model->graph, &direction, at, SIDE_RIGHT, &line, tight, err);
}

/* Pose the question and, warm, start from the path. */
static void pose(struct lp_model *model, const struct question *question)
{
	const int column = model->column_of[question->variable];
	glp_prob *problem = model->problem;

	lp_scale(model, question->bound_ns);
	lp_set_variables(model, GLP_FX);
	glp_set_obj_dir(problem, GLP_MAX);
	glp_set_obj_coef(problem, lp_column_t(model), 0);
	glp_set_obj_coef(problem, column, 1);
	glp_set_col_bnds(problem, column, GLP_LO, question->low_ns, 0);
	glp_set_col_bnds(problem, lp_column_t(model), GLP_UP, 0, question->bound_ns);
	if (question->start != LP_LONGEST_PATH)
		return;
	lp_set_basis(model, question->tight);
	if (!question->unbounded) {
		glp_set_col_stat(problem, lp_column_t(model), GLP_NU);
		glp_set_col_stat(problem, column, GLP_BS);
	}
}

static int maximise(struct lp_model *model, const struct question *question,
		    double *value_ns, int64_t *pivots, struct error *err)
{
	const int column = model->column_of[question->variable];
	int status;

	pose(model, question);
	TRY(lp_simplex(model, question->start, GLP_PRIMAL, &status, pivots, err));
	if (status != GLP_OPT && status != GLP_UNBND)
		return error_set(err, STATUS_LIMIT, "GLPK found no optimum (status %d)", status);
	/* Rounding may take a basic column below its bound. */
	*value_ns = status == GLP_UNBND ? INFINITY
					: fmax(glp_get_col_prim(model->problem, column),
					       question->low_ns);
	return 0;
}

static int maximise_guarded(struct lp_model *model, const struct question *question,
			    double *value_ns, int64_t *pivots, struct error *err)
{
	int result;

	if (setjmp(*lp_enter()))
		return lp_failed(err);
	result = maximise(model, question, value_ns, pivots, err);
	glp_set_obj_dir(model->problem, GLP_MIN);
	glp_set_obj_coef(model->problem, model->column_of[question->variable], 0);
	glp_set_obj_coef(model->problem, lp_column_t(model), 1);
	glp_set_col_bnds(model->problem, lp_column_t(model), GLP_FR, 0, 0);
	lp_leave();
	return result;
}

int lp_ask_tolerance(struct lp_model *model, uint32_t variable, double percent,
		     struct error *err)
{
	const struct direction direction = direction_of(&model->loggps.variables, variable);
	const struct rational at = rational_from(direction.start_as);
	struct question question = {
		.start = LP_COLD,
		.variable = variable,
		.low_ns = lp_value_ns(model, variable),
	};
	struct line line;

	TRY(lp_check(model, err));
	TRY(variables_require_on(&model->loggps.variables, variable, err));
	TRY(path_evaluate(model->graph, &direction, at, SIDE_RIGHT, &line, NULL, err));
	question.bound_ns = (1 + percent / 100) *
			    (double)(line.constant + line.slope * at.numerator) / AS_PER_NS;
	if (setjmp(*lp_enter()))
		return lp_failed(err);
	pose(model, &question);
	lp_leave();
	return 0;
}

int lp_tolerance(struct lp_model *model, enum lp_start start, uint32_t variable,
		 double runtime_ns, double percent, double *value_ns, int64_t *pivots,
		 struct error *err)
{
	struct question question = {
		.start = start,
		.variable = variable,
		.low_ns = lp_value_ns(model, variable),
		.bound_ns = (1 + percent / 100) * runtime_ns,
	};
	uint32_t *tight = NULL;
	int64_t iterations = 0;
	int result = 0;

	TRY(lp_check(model, err));
	TRY(variables_require_on(&model->loggps.variables, variable, err));
	if (!(percent >= 0))
		return error_set(err, STATUS_USAGE, "a tolerance of %g %% is below 0", percent);
	if (start == LP_LONGEST_PATH) {
		TRY(allocate(&tight, model->graph->vertex_count, sizeof *tight, err));
		result = find_path(model, percent, &question, tight, err);
	}
	if (result == 0)
		result = maximise_guarded(model, &question, value_ns, &iterations, err);
	free(tight);
	if (pivots)
		*pivots = iterations;
	return result;
}
