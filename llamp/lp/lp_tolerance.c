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

	TRY(path_tolerances(model->graph, direction, question->baseline_ns, &found, 1, err));
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

/* ---------------------------------------------------------- linear program */

static void pose(const struct lp_model *model, struct question *question, struct lp_question *lp)
{
	const struct direction *direction = question->direction;
	struct lp_column *first, *t;

	lp_pose(model, direction, question->low_ns, true, question->bound_ns, lp);
	lp_pose_maximum(model, direction, question->bound_ns, lp);
	for (int i = 0; i < lp->tie_count; i++) {
		struct lp_column *tied = lp_listed(model, lp, lp->ties[i].columns[1]);

		tied->low = -INFINITY;
		tied->high = INFINITY;
		tied->place = LP_BASIC;
	}
	first = lp_listed(model, lp, lp->objective);
	first->high = INFINITY;
	if (!question->tight)
		return;
	lp_set_tight(model, question->tight, lp);
	if (question->at_low)
		return;
	t = lp_listed(model, lp, lp_column_t(model));
	t->place = LP_AT_HIGH;
	first->place = LP_BASIC;
}

/* Compute p from the first variable that moves, which rounding may put below its bound. */
static double p_at(const struct question *question, double value_ns)
{
	const struct direction *direction = question->direction;
	const double origin_ns = (double)direction->origin_as[question->first] / AS_PER_NS;

	return fmax((value_ns - origin_ns) / (double)direction->weight[question->first],
		    question->low_ns);
}

static int maximise(struct lp_model *model, struct question *question, double *value_ns,
		    int64_t *pivots, struct error *err)
{
	struct lp_question lp;

	pose(model, question, &lp);
	TRY(model->solver->solve(model->problem, &lp, err));
	*pivots = lp.pivots;
	if (lp.status == LP_INFEASIBLE && question->baseline_ns)
		*value_ns = -INFINITY;
	else if (lp.status == LP_UNBOUNDED)
		*value_ns = INFINITY;
	else if (lp.status == LP_OPTIMAL)
		*value_ns = p_at(question, lp_listed(model, &lp, lp.objective)->value);
	else
		return lp_no_optimum(model, &lp, err);
	return 0;
}

static int maximise_from_path(struct lp_model *model, struct question *question, double percent,
			      double *value_ns, int64_t *pivots, struct error *err)
{
	int result;

	TRY(allocate(&question->tight, model->graph->vertex_count, sizeof *question->tight, err));
	result = lp_tolerance_find_path(model, percent, question, err);
	if (result == 0)
		result = maximise(model, question, value_ns, pivots, err);
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
		       : maximise(model, question, value_ns, pivots, err);
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
	model->written = *direction;
	model->written_most_ns = question.bound_ns;
	return 0;
}
