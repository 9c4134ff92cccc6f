/* Tolerance by a second linear program, whose objective is the varied variable. */
#include "llamp/lp/lp_internal.h"

#include "common/array.h"
#include "common/units.h"

#include <math.h>

/* Question for the largest p. */
struct question {
	enum lp_start start;
	const struct direction *direction;
	uint32_t first;		/* variable that moves: its column is the objective */
	double low_ns;		/* p >= */
	double bound_ns;	/* t <= */
	uint64_t baseline_ns;	/* 0: T at the start of the direction; else p is at least 0 */
	bool at_low;		/* start with p at its lower bound */
	uint32_t *tight;	/* NULL for a cold start */
};

static int question_init(struct question *question, const struct lp_model *model,
			 const struct direction *direction, double runtime_ns, double percent,
			 struct error *err)
{
	*question = (struct question){
		.direction = direction,
		.first = direction_first(direction),
		.low_ns = (double)direction->start_as / AS_PER_NS,
		.bound_ns = (1 + percent / 100) * runtime_ns,
	};
	TRY(lp_check_direction(model, direction, err));
	if (question->first == direction->count)
		return error_set(err, STATUS_USAGE, "a tolerance needs a variable that moves");
	return 0;
}

/* ------------------------------------------------------------ longest path */

/*
 * Find the longest path at the tolerance.  T exceeds the bound above this point, so that the line
 * there has a positive slope: t = bound determines p, and the dual value of the bound
 * is 1 / slope.
 *
 * If the tolerance is unbounded, take the longest path at a p above the constants of all paths.
 * All paths lead to the end, and T has slope 0: no constant is above T.  At such a p every
 * vertex is on its steepest path, and nothing limits p from there on.
 *
 * If the tolerance is none, take the longest path at p = 0, where T is above the bound.
 */
static int lp_tolerance_find_path(const struct lp_model *model, double percent,
				  struct question *question, struct error *err)
{
	const struct direction *direction = question->direction;
	struct rational at = rational_from(direction->start_as);
	struct tolerance found = {.percent = percent};
	struct line line;

	TRY(path_tolerances_to(model->graph, direction, question->baseline_ns, &found, 1, err));
	question->at_low = found.unbounded || found.none;
	if (found.none) {
		at = rational_from(0);
	} else if (found.unbounded) {
		TRY(path_evaluate(model->graph, direction, at, SIDE_RIGHT, &line, NULL, err));
		at.numerator = line.constant + 1;
		question->low_ns = rational_value(at) / AS_PER_NS;
	} else {
		at = found.at;
	}
	return path_evaluate(model->graph, direction, at, SIDE_RIGHT, &line, question->tight, err);
}

/* -------------------------------------------- variables that move together */

/* Add the row that ties a variable to the first one that moves. */
static void add_together(struct lp_model *model, const struct question *question, uint32_t v)
{
	const struct direction *direction = question->direction;
	const int64_t weight = direction->weight[v], of_first = direction->weight[question->first];
	const int columns[] = {0, model->column_of[v], model->column_of[question->first]};
	const double values[] = {0, (double)of_first, -(double)weight};
	const double origin_ns = (double)((int128)of_first * direction->origin_as[v] -
					  (int128)weight * direction->origin_as[question->first]) /
				 AS_PER_NS;
	const int row = glp_add_rows(model->problem, 1);

	glp_set_mat_row(model->problem, row, 2, columns, values);
	glp_set_row_bnds(model->problem, row, GLP_FX, origin_ns, origin_ns);
	glp_set_rii(model->problem, row, 1 / model->unit_ns);
	glp_set_col_bnds(model->problem, columns[1], GLP_FR, 0, 0);
	if (question->tight) {
		glp_set_row_stat(model->problem, row, GLP_NS);
		glp_set_col_stat(model->problem, columns[1], GLP_BS);
	}
}

static void remove_together(struct lp_model *model)
{
	int rows[1 + VARIABLES_MOST], count = 0;

	for (int row = model->row_count + 1; row <= glp_get_num_rows(model->problem); row++)
		rows[++count] = row;
	if (count > 0)
		glp_del_rows(model->problem, count, rows);
}

/* ---------------------------------------------------------- linear program */

/* Pose the question; for a warm start, set the basis of the path. */
static void pose(struct lp_model *model, const struct question *question)
{
	const struct direction *direction = question->direction;
	const int column = model->column_of[question->first];
	glp_prob *problem = model->problem;

	lp_scale(model, question->bound_ns);
	lp_set_variables(model, direction, question->low_ns, GLP_FX);
	glp_set_obj_dir(problem, GLP_MAX);
	glp_set_obj_coef(problem, lp_column_t(model), 0);
	glp_set_obj_coef(problem, column, 1);
	glp_set_col_bnds(problem, column, GLP_LO,
			 lp_value_ns(direction, question->first, question->low_ns), 0);
	glp_set_col_bnds(problem, lp_column_t(model), GLP_UP, 0, question->bound_ns);
	if (question->tight)
		lp_set_basis(model, question->tight);
	for (uint32_t v = question->first + 1; v < direction->count; v++)
		if (direction->weight[v])
			add_together(model, question, v);
	if (question->tight && !question->at_low) {
		glp_set_col_stat(problem, lp_column_t(model), GLP_NU);
		glp_set_col_stat(problem, column, GLP_BS);
	}
}

/* Return to the program that minimises t. */
static void withdraw(struct lp_model *model, const struct question *question)
{
	glp_set_obj_dir(model->problem, GLP_MIN);
	glp_set_obj_coef(model->problem, model->column_of[question->first], 0);
	glp_set_obj_coef(model->problem, lp_column_t(model), 1);
	glp_set_col_bnds(model->problem, lp_column_t(model), GLP_FR, 0, 0);
	remove_together(model);
}

/* Compute p from the first variable that moves, which rounding may put below its bound. */
static double p_at(const struct question *question, double value_ns)
{
	const struct direction *direction = question->direction;
	const double origin_ns = (double)direction->origin_as[question->first] / AS_PER_NS;

	return fmax((value_ns - origin_ns) / (double)direction->weight[question->first],
		    question->low_ns);
}

static int maximise(struct lp_model *model, const struct question *question, double *value_ns,
		    int64_t *pivots, struct error *err)
{
	int status;

	pose(model, question);
	TRY(lp_simplex(model, question->start, GLP_PRIMAL, &status, pivots, err));
	if (status == GLP_NOFEAS && question->baseline_ns) {
		*value_ns = -INFINITY;
		return 0;
	}
	if (status != GLP_OPT && status != GLP_UNBND)
		return error_set(err, STATUS_LIMIT, "GLPK found no optimum (status %d)", status);
	*value_ns = status == GLP_UNBND
			    ? INFINITY
			    : p_at(question, glp_get_col_prim(model->problem,
							      model->column_of[question->first]));
	return 0;
}

static int maximise_guarded(struct lp_model *model, const struct question *question,
			    double *value_ns, int64_t *pivots, struct error *err)
{
	int result;

	if (setjmp(*lp_enter()))
		return lp_failed(err);
	result = maximise(model, question, value_ns, pivots, err);
	withdraw(model, question);
	lp_leave();
	return result;
}

static int maximise_from_path(struct lp_model *model, struct question *question, double percent,
			      double *value_ns, int64_t *pivots, struct error *err)
{
	int result;

	TRY(allocate(&question->tight, model->graph->vertex_count, sizeof *question->tight, err));
	result = lp_tolerance_find_path(model, percent, question, err);
	if (result == 0)
		result = maximise_guarded(model, question, value_ns, pivots, err);
	free(question->tight);
	return result;
}

static int lp_tolerance_ask(struct lp_model *model, struct question *question, double percent,
			    double *value_ns, int64_t *pivots, struct error *err)
{
	int64_t ignored;

	if (!(percent >= 0))
		return error_set(err, STATUS_USAGE, "a tolerance of %g %% is below 0", percent);
	if (!pivots)
		pivots = &ignored;
	*pivots = 0;
	return question->start == LP_LONGEST_PATH
		       ? maximise_from_path(model, question, percent, value_ns, pivots, err)
		       : maximise_guarded(model, question, value_ns, pivots, err);
}

int lp_tolerance(struct lp_model *model, enum lp_start start, const struct direction *direction,
		 double runtime_ns, double percent, double *value_ns, int64_t *pivots,
		 struct error *err)
{
	struct question question;

	TRY(question_init(&question, model, direction, runtime_ns, percent, err));
	question.start = start;
	return lp_tolerance_ask(model, &question, percent, value_ns, pivots, err);
}

int lp_tolerance_to(struct lp_model *model, enum lp_start start,
		    const struct direction *direction, uint64_t baseline_ns, double percent,
		    double *value_ns, int64_t *pivots, struct error *err)
{
	struct question question;

	TRY(question_init(&question, model, direction, (double)baseline_ns, percent, err));
	question.start = start;
	question.baseline_ns = baseline_ns;
	question.low_ns = 0;
	return lp_tolerance_ask(model, &question, percent, value_ns, pivots, err);
}

int lp_ask_tolerance(struct lp_model *model, const struct direction *direction, double percent,
		     struct error *err)
{
	const struct rational at = rational_from(direction->start_as);
	struct question question;
	struct line line;

	TRY(path_evaluate(model->graph, direction, at, SIDE_RIGHT, &line, NULL, err));
	TRY(question_init(&question, model, direction,
			  (double)(line.constant + line.slope * at.numerator) / AS_PER_NS, percent,
			  err));
	if (setjmp(*lp_enter()))
		return lp_failed(err);
	pose(model, &question);
	lp_leave();
	model->written = *direction;
	return 0;
}
