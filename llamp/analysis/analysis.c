#include "llamp/analysis/analysis.h"

#include "common/units.h"
#include "llamp/analysis/tolerance_orders.h"
#include "llamp/lp/lp_engine.h"

#include <math.h>
#include <stdio.h>

const char *const engine_names[] = {
	[ENGINE_AUTO] = "auto", [ENGINE_LP] = "lp", [ENGINE_PATH] = "path", NULL};

double rational_ns(struct rational as)
{
	return rational_value((struct rational){as.numerator, as.denominator * AS_PER_NS});
}

double line_runtime_ns(const struct line *line, struct rational at)
{
	return rational_ns(
		(struct rational){line->constant * at.denominator + line->slope * at.numerator,
				  at.denominator});
}

double share_of_runtime(double value_ns, double lambda, double runtime_ns)
{
	return runtime_ns > 0 ? value_ns * lambda / runtime_ns : 0;
}

/* ------------------------------------------------------------ path engine */

/* Find T and all slopes. */
static int path_slopes(struct analysis *analysis, const struct model *model,
		       const struct direction *varied, struct error *err)
{
	const struct variables *variables = &model->loggps.variables;
	const struct rational at = rational_from(varied->start_as);
	struct direction directions[VARIABLES_MOST];
	struct path_point points[VARIABLES_MOST + 1];
	struct line lines[VARIABLES_MOST + 1];
	const uint32_t count = variables->count;

	for (uint32_t v = 0; v < count; v++) {
		directions[v] = direction_of(variables, v);
		points[v] = (struct path_point){&directions[v],
						rational_from(directions[v].start_as), SIDE_RIGHT};
	}
	points[count] = (struct path_point){varied, at, SIDE_LEFT};
	TRY(path_evaluate_all(&model->graph, points, count + 1, lines, err));
	analysis->runtime_ns = line_runtime_ns(&lines[analysis->varied], at);
	for (uint32_t v = 0; v < count; v++)
		analysis->lambda[v] = (double)lines[v].slope;
	analysis->lambda_left = (double)lines[count].slope;
	return 0;
}

static int path_tolerance(struct analysis *analysis, const struct model *model,
			  const struct direction *varied, const struct critical_range *range,
			  const double *percents, size_t count, struct error *err)
{
	for (size_t i = 0; i < count; i++)
		TRY(array_push(&analysis->tolerance, ((struct tolerance){.percent = percents[i]}),
			       err));
	return path_tolerances_from(&model->graph, varied, range->lines, analysis->baseline_ns,
				    analysis->tolerance.items, count, err);
}

static int run_path_engine(struct analysis *analysis, const struct model *model,
			   const double *percents, size_t count, struct error *err)
{
	const struct direction varied = direction_of(&model->loggps.variables, analysis->varied);
	const struct rational at = rational_from(varied.start_as);
	struct critical_range range;

	TRY(path_slopes(analysis, model, &varied, err));
	TRY(path_critical_range(&model->graph, &varied, at, &range, err));
	analysis->critical.low = rational_ns(range.low);
	analysis->critical.high = range.unbounded ? INFINITY : rational_ns(range.high);
	analysis->rho = share_of_runtime(rational_ns(at), analysis->lambda[analysis->varied],
					 analysis->runtime_ns);
	return path_tolerance(analysis, model, &varied, &range, percents, count, err);
}

/* -------------------------------------------------------------- LP engine */

/* Answers of the path engine that the LP solver is to confirm. */
struct certification {
	struct analysis *analysis;
	const struct loggps *loggps;
	struct direction varied;
	struct lp_model *lp;
	struct lp_solution solution; /* of the longest path to the right of p0 */
};

/* Whether a and b differ by at most 1e-9 of the largest of a, b and `scale`. */
static bool same_value(double a, double b, double scale)
{
	if (isinf(a) || isinf(b))
		return a == b;
	return fabs(a - b) <= 1e-9 * fmax(fmax(fabs(a), fabs(b)), scale);
}

static int differ(const char *what, double lp, double path, struct error *err)
{
	return error_set(err, STATUS_LIMIT,
			 "the engines disagree on %s: the linear program says %.17g, the longest"
			 " path %.17g.  %s's arithmetic is not good enough for this model;"
			 " --engine path does not need it",
			 what, lp, path, lp_solvers[0]->name);
}

/* Slope of a solution in a direction. */
static double slope_along(const struct direction *direction, const struct lp_solution *solution)
{
	double sum = 0;

	for (uint32_t v = 0; v < direction->count; v++)
		sum += (double)direction->weight[v] * solution->lambda[v];
	return sum;
}

/*
 * Confirm a slope.  If several paths are longest, c->solution may have the slope of another path
 * than the expected one.  Only then another program is solved.
 */
static int certify_slope(struct certification *c, uint32_t variable, enum side side,
			 double expected, struct error *err)
{
	const struct direction direction = direction_of(&c->loggps->variables, variable);
	struct lp_solution solution;
	char what[VARIABLE_NAME_BYTES + 32];

	if (same_value(slope_along(&direction, &c->solution), expected, 1))
		return 0;
	TRY(lp_solve(c->lp, LP_LONGEST_PATH, &direction, rational_from(direction.start_as), side,
		     &solution, err));
	c->analysis->pivots += solution.pivots;
	if (same_value(solution.slope, expected, 1))
		return 0;
	snprintf(what, sizeof what, "lambda_%s%s", c->loggps->variables.of[variable].name,
		 side == SIDE_LEFT ? " from the left" : "");
	return differ(what, solution.slope, expected, err);
}

static int certify_slopes(struct certification *c, struct error *err)
{
	const struct analysis *analysis = c->analysis;

	TRY(certify_slope(c, analysis->varied, SIDE_LEFT, analysis->lambda_left, err));
	for (uint32_t v = 0; v < c->loggps->variables.count; v++)
		if (v == analysis->varied || variable_is_on(&c->loggps->variables.of[v]))
			TRY(certify_slope(c, v, SIDE_RIGHT, analysis->lambda[v], err));
	return 0;
}

/* Let the solver find a tolerance.  It has to leave the longest path to find that there is none. */
static int lp_answer(struct certification *c, const struct tolerance *exact, double *found_ns,
		     struct error *err)
{
	const uint64_t baseline_ns = c->analysis->baseline_ns;
	int64_t pivots;

	if (baseline_ns)
		TRY(lp_tolerance_to(c->lp, LP_LONGEST_PATH, &c->varied, baseline_ns, exact->percent,
				    found_ns, &pivots, err));
	else
		TRY(lp_tolerance(c->lp, LP_LONGEST_PATH, &c->varied, c->solution.runtime_ns,
				 exact->percent, found_ns, &pivots, err));
	if (!exact->none)
		c->analysis->pivots += pivots;
	return 0;
}

/*
 * Confirm a tolerance.  An error in T causes an error in p, divided by the slope of T there.  A
 * tolerance of 0 and none are the same but for rounding.
 */
static int certify_tolerance(struct certification *c, const struct tolerance *exact,
			     struct error *err)
{
	const uint64_t baseline_ns = c->analysis->baseline_ns;
	const double bound_ns = (1 + exact->percent / 100) *
				(baseline_ns ? (double)baseline_ns : c->solution.runtime_ns);
	const double least_ns = 1e-9 * bound_ns;
	double found_ns;

	TRY(lp_answer(c, exact, &found_ns, err));
	if (exact->none ? found_ns <= least_ns
	    : found_ns == -INFINITY
		    ? exact->value_ns <= least_ns
		    : same_value(found_ns, exact->value_ns, bound_ns / exact->slope))
		return 0;
	return differ("a tolerance", found_ns, exact->value_ns, err);
}

/*
 * Set the basis range.  It contains p and lies inside the critical range, so values beyond them
 * are due to rounding and are cut: of the solver after pivots, or of the ends to doubles.
 */
static void set_basis(struct analysis *analysis, const struct lp_solution *solution,
		      double value_ns)
{
	const struct range_ns *critical = &analysis->critical;
	analysis->has_basis = true;
	analysis->basis.low = fmin(fmax(solution->basis_low_ns, critical->low), value_ns);
	analysis->basis.high = fmax(fmin(solution->basis_high_ns, critical->high), value_ns);
}

static int certify_all(struct certification *c, struct error *err)
{
	struct analysis *analysis = c->analysis;
	const struct rational at = rational_from(c->varied.start_as);

	TRY(lp_solve(c->lp, LP_LONGEST_PATH, &c->varied, at, SIDE_RIGHT, &c->solution, err));
	analysis->pivots = c->solution.pivots;
	set_basis(analysis, &c->solution, rational_ns(at));
	if (!same_value(c->solution.runtime_ns, analysis->runtime_ns, 1))
		return differ("T", c->solution.runtime_ns, analysis->runtime_ns, err);
	TRY(certify_slopes(c, err));
	for (size_t i = 0; i < analysis->tolerance.count; i++)
		TRY(certify_tolerance(c, &analysis->tolerance.items[i], err));
	return 0;
}

/* Let the solver confirm the path engine's answers, and add its basis range. */
static int certify_analysis(struct analysis *analysis, const struct model *model, struct error *err)
{
	struct certification c = {
		.analysis = analysis,
		.loggps = &model->loggps,
		.varied = direction_of(&model->loggps.variables, analysis->varied),
	};
	int result;

	TRY(lp_build(&c.lp, &model->graph, &model->loggps, err));
	result = certify_all(&c, err);
	lp_free(c.lp);
	return result;
}

/* --------------------------------------------------------------- order of service */

/* Keep the tolerances of the order at p, and decide the order again for others. */
static int resimulate(struct analysis *analysis, const struct model *model,
		      const struct direction *direction, const struct sim_result *start,
		      struct error *err)
{
	for (size_t i = 0; i < analysis->tolerance.count; i++)
		TRY(array_push(&analysis->frozen, analysis->tolerance.items[i], err));
	TRY(tolerance_orders(analysis->tolerance.items, analysis->tolerance.count, model, direction,
			     analysis->baseline_ns, (int128)start->end.time * start->unit_as,
			     &analysis->simulations, err));
	analysis->resimulated = true;
	return 0;
}

/* Simulate at the start of a direction, unless that has written the cost graph. */
static int simulate_start(struct sim_result *start, const struct model *model,
			  const struct direction *direction, struct error *err)
{
	const struct direction *asked = model->loggps.asked;

	if (model->simulation.unit_as == 0 || !asked || !direction_is(asked, direction))
		return order_simulate(start, model, direction, direction->start_as, err);
	*start = model->simulation;
	return 0;
}

static int find_orders(struct analysis *analysis, const struct model *model,
		       const struct analysis_request *request, struct error *err)
{
	const struct direction direction = direction_of(&model->loggps.variables, request->varied);
	struct sim_result start;

	analysis->has_order = true;
	TRY(simulate_start(&start, model, &direction, err));
	analysis->order = order_range_of(&start, &direction);
	analysis->order_hash = start.order_hash;
	if (request->exact_order_range)
		TRY(order_range_find(&analysis->order, model, &direction, err));
	return request->frozen_order ? 0 : resimulate(analysis, model, &direction, &start, err);
}

/* ---------------------------------------------------------------- analysis */

struct range_ns order_in_ns(const struct order_range *order)
{
	return (struct range_ns){order->low_as > 1 ? rational_ns(rational_from(order->low_as)) : 0,
				 order->high_as == INT64_MAX
					 ? INFINITY
					 : rational_ns(rational_from(order->high_as))};
}

int analysis_run(struct analysis *analysis, const struct model *model,
		 const struct analysis_request *request, struct error *err)
{
	enum engine engine = request->engine;
	int result;

	*analysis = (struct analysis){0};
	TRY(variables_require_on(&model->loggps.variables, request->varied, err));
	if (engine == ENGINE_AUTO)
		engine = model->graph.edge_count < LP_ROW_LIMIT ? ENGINE_LP : ENGINE_PATH;
	*analysis = (struct analysis){.engine = engine,
				      .varied = request->varied,
				      .baseline_ns = request->baseline_ns};
	result = run_path_engine(analysis, model, request->percents, request->percent_count, err);
	if (result == 0 && engine == ENGINE_LP)
		result = certify_analysis(analysis, model, err);
	if (result == 0 && model->loggps.resources)
		result = find_orders(analysis, model, request, err);
	if (result < 0)
		analysis_release(analysis);
	return result;
}

void analysis_release(struct analysis *analysis)
{
	array_release(&analysis->tolerance);
	array_release(&analysis->frozen);
}
