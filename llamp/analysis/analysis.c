#include "llamp/analysis/analysis.h"

#include "common/units.h"
#include "llamp/lp/lp_engine.h"

#include <math.h>
#include <string.h>

const char *engine_name(enum engine engine)
{
	static const char *const names[] = {
		[ENGINE_AUTO] = "auto", [ENGINE_LP] = "lp", [ENGINE_PATH] = "path"};

	return names[engine];
}

double rational_ns(struct rational as)
{
	return rational_value((struct rational){as.numerator, as.denominator * AS_PER_NS});
}

double line_runtime_ns(const struct line *line, struct rational at)
{
	return rational_ns((struct rational){
		line->constant * at.denominator + line->slope * at.numerator, at.denominator});
}

double share_of_runtime(double value_ns, double lambda, double runtime_ns)
{
	return runtime_ns > 0 ? value_ns * lambda / runtime_ns : 0;
}

/* The value of the varied parameter. */
static int64_t varied_as(const struct analysis *analysis, const struct loggps *loggps)
{
	return loggps_value(loggps, analysis->varied);
}

/* ------------------------------------------------------------ path engine */

/* T and all slopes. */
static int path_slopes(struct analysis *analysis, const struct model *model, struct error *err)
{
	const struct loggps *loggps = &model->loggps;
	const struct rational at = rational_from(varied_as(analysis, loggps));
	struct path_point points[PARAMETER_COUNT + 1];
	struct line lines[PARAMETER_COUNT + 1];

	for (int p = 0; p < PARAMETER_COUNT; p++)
		points[p] = (struct path_point){
			(enum parameter)p, rational_from(loggps_value(loggps, (enum parameter)p)),
			SIDE_RIGHT};
	points[PARAMETER_COUNT] = (struct path_point){analysis->varied, at, SIDE_LEFT};
	TRY(path_evaluate_all(&model->graph, loggps, points, PARAMETER_COUNT + 1, lines, err));
	analysis->runtime_ns = line_runtime_ns(&lines[analysis->varied], at);
	for (int p = 0; p < PARAMETER_COUNT; p++)
		analysis->lambda[p] = (double)lines[p].slope;
	analysis->lambda_left = (double)lines[PARAMETER_COUNT].slope;
	return 0;
}

static int path_critical(struct analysis *analysis, const struct model *model, struct error *err)
{
	struct critical_range range;

	TRY(path_critical_range(&model->graph, &model->loggps, analysis->varied,
				rational_from(varied_as(analysis, &model->loggps)), &range, err));
	analysis->critical.low = rational_ns(range.low);
	analysis->critical.high = range.unbounded ? INFINITY : rational_ns(range.high);
	return 0;
}

/* A value that differs from p0 by less than `noise_ns` is p0. */
static int add_tolerance(struct analysis *analysis, const struct loggps *loggps,
			 const struct tolerance *found, double noise_ns, struct error *err)
{
	const double from_as = (double)varied_as(analysis, loggps);
	const double value_as = found->unbounded ? INFINITY : found->value_as;
	const double delta_ns = (value_as - from_as) / (double)AS_PER_NS;
	/* Rounding must not make the tolerated value smaller than p0. */
	const bool at_start = delta_ns <= noise_ns;
	struct tolerated tolerated = {
		.percent = found->percent,
		.value_ns = (at_start ? from_as : value_as) / (double)AS_PER_NS,
		.delta_ns = at_start ? 0 : delta_ns,
		.slope = found->slope,
	};

	return array_push(&analysis->tolerance, tolerated, err);
}

static int path_tolerated(struct analysis *analysis, const struct model *model,
			  const double *percents, size_t count, struct error *err)
{
	struct tolerance *found;
	int result;

	TRY(allocate(&found, count, sizeof *found, err));
	for (size_t i = 0; i < count; i++)
		found[i].percent = percents[i];
	result = path_tolerances(&model->graph, &model->loggps, analysis->varied, found, count,
				 err);
	for (size_t i = 0; i < count && result == 0; i++)
		result = add_tolerance(analysis, &model->loggps, &found[i], 0, err);
	free(found);
	return result;
}

static int run_path_engine(struct analysis *analysis, const struct model *model,
			   const double *percents, size_t count, struct error *err)
{
	TRY(path_slopes(analysis, model, err));
	TRY(path_critical(analysis, model, err));
	return path_tolerated(analysis, model, percents, count, err);
}

/* -------------------------------------------------------------- LP engine */

/* Equal to 1e-9 of the values, or of `scale` if that is more. */
static bool same(double a, double b, double scale)
{
	return a == b || fabs(a - b) <= 1e-9 * fmax(fmax(fabs(a), fabs(b)), scale);
}

/*
 * One more slope.  *slope is that of the solution at hand, which is an optimal one:
 * only where several meet, and the one wanted is another, is there more to solve.
 */
static int lp_slope(struct analysis *analysis, struct lp_model *lp, enum parameter parameter,
		    int64_t at_as, enum side side, double wanted, double *slope, struct error *err)
{
	struct lp_solution solution;

	if (same(*slope, wanted, 1))
		return 0;
	TRY(lp_solve(lp, LP_LONGEST_PATH, parameter, rational_from(at_as), side, &solution, err));
	*slope = solution.lambda[parameter];
	analysis->pivots += solution.pivots;
	return 0;
}

static int lp_slopes(struct analysis *analysis, struct lp_model *lp, const struct loggps *loggps,
		     const struct analysis *path, struct error *err)
{
	const int64_t at_as = varied_as(analysis, loggps);
	struct lp_solution right;

	TRY(lp_solve(lp, LP_LONGEST_PATH, analysis->varied, rational_from(at_as), SIDE_RIGHT,
		     &right, err));
	analysis->runtime_ns = right.runtime_ns;
	analysis->has_basis = true;
	analysis->basis.low = right.basis_low_ns;
	analysis->basis.high = right.basis_high_ns;
	analysis->pivots = right.pivots;
	analysis->lambda_left = right.lambda[analysis->varied];
	TRY(lp_slope(analysis, lp, analysis->varied, at_as, SIDE_LEFT, path->lambda_left,
		     &analysis->lambda_left, err));
	for (int i = 0; i < PARAMETER_COUNT; i++) {
		const enum parameter p = (enum parameter)i;

		analysis->lambda[p] = right.lambda[p];
		TRY(lp_slope(analysis, lp, p, loggps_value(loggps, p), SIDE_RIGHT, path->lambda[p],
			     &analysis->lambda[p], err));
	}
	return 0;
}

static int lp_answers(struct analysis *analysis, struct lp_model *lp, const struct loggps *loggps,
		      const double *percents, size_t count, const struct analysis *path,
		      struct error *err)
{
	struct tolerance found = {0};
	double slope, noise_ns;
	int64_t pivots;

	TRY(lp_slopes(analysis, lp, loggps, path, err));
	/* GLPK rounds where T is: a difference far below that means nothing. */
	slope = analysis->lambda[analysis->varied];
	noise_ns = slope >= 0.5 ? 1e-14 * analysis->runtime_ns / slope : 0;
	for (size_t i = 0; i < count; i++) {
		TRY(lp_tolerance(lp, LP_LONGEST_PATH, analysis->varied, analysis->runtime_ns,
				 percents[i], &found, &pivots, err));
		TRY(add_tolerance(analysis, loggps, &found, noise_ns, err));
		analysis->pivots += pivots;
	}
	return 0;
}

static int run_lp_engine(struct analysis *analysis, const struct model *model,
			 const double *percents, size_t count, const struct analysis *path,
			 struct error *err)
{
	struct lp_model *lp;
	int result;

	TRY(lp_build(&lp, &model->graph, &model->loggps, err));
	result = lp_answers(analysis, lp, &model->loggps, percents, count, path, err);
	lp_free(lp);
	return result;
}

/* ------------------------------------------------------------ certificate */

static int differ(const char *what, double lp, double path, struct error *err)
{
	return error_set(err, STATUS_LIMIT,
			 "the engines disagree on %s: the linear program says %.17g, the longest"
			 " path %.17g; GLPK's arithmetic is not good enough for this model, and"
			 " --engine path does without it", what, lp, path);
}

/* Compare the LP engine's answers with the path engine's. */
static int certify(const struct analysis *lp, const struct analysis *path, struct error *err)
{
	const struct {
		const char *what;
		double lp, path;
	} pairs[] = {
		{"T", lp->runtime_ns, path->runtime_ns},
		{"the slope from the left", lp->lambda_left, path->lambda_left},
		{"lambda_L", lp->lambda[PARAMETER_L], path->lambda[PARAMETER_L]},
		{"lambda_G", lp->lambda[PARAMETER_G], path->lambda[PARAMETER_G]},
		{"lambda_o", lp->lambda[PARAMETER_O], path->lambda[PARAMETER_O]},
	};

	for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
		if (!same(pairs[i].lp, pairs[i].path, 1))
			return differ(pairs[i].what, pairs[i].lp, pairs[i].path, err);
	/* Where T reaches the bound an error in T is one in p by its slope. */
	for (size_t i = 0; i < lp->tolerance.count; i++) {
		const struct tolerated *exact = &path->tolerance.items[i];
		const double bound_ns = (1 + exact->percent / 100) * path->runtime_ns;
		const double found_ns = lp->tolerance.items[i].value_ns;

		if (isinf(found_ns) != isinf(exact->value_ns) ||
		    !same(found_ns, exact->value_ns, bound_ns / exact->slope))
			return differ("a tolerance", found_ns, exact->value_ns, err);
	}
	return 0;
}

/* ---------------------------------------------------------------- analysis */

/*
 * p lies inside the basis range, and T follows one line throughout: only rounding
 * can take the range beyond p or the critical range.
 */
static void clip_basis(struct range_ns *basis, const struct range_ns *critical, double value_ns)
{
	basis->low = fmin(fmax(basis->low, critical->low), value_ns);
	basis->high = fmax(fmin(basis->high, critical->high), value_ns);
}

/*
 * Run both engines and compare them.  What is common to both, and the basis range,
 * is added to each.
 */
static int run_both(struct analysis *lp, struct analysis *path, const struct model *model,
		    const double *percents, size_t count, struct error *err)
{
	TRY(run_path_engine(path, model, percents, count, err));
	TRY(run_lp_engine(lp, model, percents, count, path, err));
	TRY(certify(lp, path, err));
	lp->critical = path->critical;
	clip_basis(&lp->basis, &path->critical,
		   rational_ns(rational_from(varied_as(path, &model->loggps))));
	path->has_basis = true;
	path->basis = lp->basis;
	path->pivots = lp->pivots;
	return 0;
}

static int finish(struct analysis *analysis, const struct model *model, int result)
{
	const int64_t value_as = varied_as(analysis, &model->loggps);

	if (result < 0) {
		analysis_release(analysis);
		return -1;
	}
	analysis->rho = share_of_runtime((double)value_as / (double)AS_PER_NS,
					 analysis->lambda[analysis->varied], analysis->runtime_ns);
	return 0;
}

int analysis_run(struct analysis *analysis, const struct model *model, enum engine engine,
		 enum parameter varied, const double *percents, size_t percent_count,
		 struct error *err)
{
	struct analysis path = {.engine = ENGINE_PATH, .varied = varied};
	int result;

	if (engine == ENGINE_AUTO)
		engine = model->graph.edge_count < LP_ROW_LIMIT ? ENGINE_LP : ENGINE_PATH;
	*analysis = (struct analysis){.engine = engine, .varied = varied};
	if (engine == ENGINE_LP)
		result = run_both(analysis, &path, model, percents, percent_count, err);
	else
		result = run_path_engine(analysis, model, percents, percent_count, err);
	analysis_release(&path);
	return finish(analysis, model, result);
}

int analysis_certify(struct analysis *analysis, const struct model *model,
		     enum parameter varied, const double *percents, size_t percent_count,
		     struct error *err)
{
	struct analysis lp = {.engine = ENGINE_LP, .varied = varied};
	int result;

	*analysis = (struct analysis){.engine = ENGINE_PATH, .varied = varied, .certified = true};
	result = run_both(&lp, analysis, model, percents, percent_count, err);
	analysis_release(&lp);
	return finish(analysis, model, result);
}

void analysis_release(struct analysis *analysis)
{
	array_release(&analysis->tolerance);
}
