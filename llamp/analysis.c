#include "llamp/analysis.h"

#include "common/units.h"
#include "llamp/lp_engine.h"

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

double line_runtime_ns(const struct line *line, struct rational latency)
{
	return rational_ns((struct rational){
		line->constant * latency.denominator + line->slope * latency.numerator,
		latency.denominator});
}

double latency_share(double latency_ns, double lambda_L, double runtime_ns)
{
	return runtime_ns > 0 ? latency_ns * lambda_L / runtime_ns : 0;
}

/* ------------------------------------------------------------ path engine */

/* T and all slopes. */
static int path_slopes(struct analysis *analysis, const struct model *model, struct error *err)
{
	const struct loggps *loggps = &model->loggps;
	const struct rational latency = rational_from(loggps->L);
	const struct path_point points[] = {
		{PARAMETER_L, latency, SIDE_LEFT},
		{PARAMETER_L, latency, SIDE_RIGHT},
		{PARAMETER_G, rational_from(loggps->G), SIDE_RIGHT},
		{PARAMETER_O, rational_from(loggps->o), SIDE_RIGHT},
	};
	struct line lines[4];

	TRY(path_evaluate_all(&model->graph, loggps, points, 4, lines, err));
	analysis->runtime_ns = line_runtime_ns(&lines[1], latency);
	analysis->lambda_L_left = (double)lines[0].slope;
	analysis->lambda_L_right = (double)lines[1].slope;
	analysis->lambda_G = (double)lines[2].slope;
	analysis->lambda_o = (double)lines[3].slope;
	return 0;
}

static int path_critical(struct analysis *analysis, const struct model *model, struct error *err)
{
	struct critical_range range;

	TRY(path_critical_range(&model->graph, &model->loggps, PARAMETER_L,
				rational_from(model->loggps.L), &range, err));
	analysis->critical.low = rational_ns(range.low);
	analysis->critical.high = range.unbounded ? INFINITY : rational_ns(range.high);
	return 0;
}

/* A latency that differs from L0 by less than `noise_ns` is L0. */
static int add_tolerance(struct analysis *analysis, const struct loggps *loggps,
			 const struct tolerance *found, double noise_ns, struct error *err)
{
	const double value_as = found->unbounded ? INFINITY : found->value_as;
	const double delta_ns = (value_as - (double)loggps->L) / (double)AS_PER_NS;
	/* Rounding must not make the tolerated latency smaller than L0. */
	const bool at_L0 = delta_ns <= noise_ns;
	struct tolerated tolerated = {
		.percent = found->percent,
		.latency_ns = (at_L0 ? (double)loggps->L : value_as) / (double)AS_PER_NS,
		.delta_ns = at_L0 ? 0 : delta_ns,
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
	result = path_tolerances(&model->graph, &model->loggps, PARAMETER_L, found, count, err);
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
	struct lp_solution right;

	TRY(lp_solve(lp, LP_LONGEST_PATH, PARAMETER_L, rational_from(loggps->L), SIDE_RIGHT, &right,
		     err));
	analysis->runtime_ns = right.runtime_ns;
	analysis->has_basis = true;
	analysis->basis.low = right.basis_low_ns;
	analysis->basis.high = right.basis_high_ns;
	analysis->pivots = right.pivots;
	analysis->lambda_L_right = analysis->lambda_L_left = right.lambda[PARAMETER_L];
	analysis->lambda_G = right.lambda[PARAMETER_G];
	analysis->lambda_o = right.lambda[PARAMETER_O];
	TRY(lp_slope(analysis, lp, PARAMETER_L, loggps->L, SIDE_LEFT, path->lambda_L_left,
		     &analysis->lambda_L_left, err));
	TRY(lp_slope(analysis, lp, PARAMETER_G, loggps->G, SIDE_RIGHT, path->lambda_G,
		     &analysis->lambda_G, err));
	return lp_slope(analysis, lp, PARAMETER_O, loggps->o, SIDE_RIGHT, path->lambda_o,
			&analysis->lambda_o, err);
}

static int lp_answers(struct analysis *analysis, struct lp_model *lp, const struct loggps *loggps,
		      const double *percents, size_t count, const struct analysis *path,
		      struct error *err)
{
	struct tolerance found;
	double noise_ns;
	int64_t pivots;

	TRY(lp_slopes(analysis, lp, loggps, path, err));
	/* GLPK rounds where T is: a difference far below that means nothing. */
	noise_ns = 1e-14 * analysis->runtime_ns;
	for (size_t i = 0; i < count; i++) {
		TRY(lp_tolerance(lp, LP_LONGEST_PATH, analysis->runtime_ns, percents[i], &found,
				 &pivots, err));
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
		{"lambda_L (left)", lp->lambda_L_left, path->lambda_L_left},
		{"lambda_L (right)", lp->lambda_L_right, path->lambda_L_right},
		{"lambda_G", lp->lambda_G, path->lambda_G},
		{"lambda_o", lp->lambda_o, path->lambda_o},
	};

	for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
		if (!same(pairs[i].lp, pairs[i].path, 1))
			return differ(pairs[i].what, pairs[i].lp, pairs[i].path, err);
	/*
	 * T rises by at least 1 ns per ns where it reaches the bound, so an error
	 * of 1e-9 in T is one of at most 1e-9 T in L.
	 */
	for (size_t i = 0; i < lp->tolerance.count; i++) {
		double a = lp->tolerance.items[i].latency_ns;
		double b = path->tolerance.items[i].latency_ns;

		if (!same(a, b, path->runtime_ns) || isinf(a) != isinf(b))
			return differ("a tolerance", a, b, err);
	}
	return 0;
}

/* ---------------------------------------------------------------- analysis */

/*
 * L lies inside the basis range, and T follows one line throughout: only rounding
 * can take the range beyond L or the critical range.
 */
static void clip_basis(struct range_ns *basis, const struct range_ns *critical, double latency_ns)
{
	basis->low = fmin(fmax(basis->low, critical->low), latency_ns);
	basis->high = fmax(fmin(basis->high, critical->high), latency_ns);
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
	clip_basis(&lp->basis, &path->critical, rational_ns(rational_from(model->loggps.L)));
	path->has_basis = true;
	path->basis = lp->basis;
	path->pivots = lp->pivots;
	return 0;
}

static int finish(struct analysis *analysis, const struct model *model, int result)
{
	if (result < 0) {
		analysis_release(analysis);
		return -1;
	}
	analysis->rho_L = latency_share((double)model->loggps.L / (double)AS_PER_NS,
					analysis->lambda_L_right, analysis->runtime_ns);
	return 0;
}

int analysis_run(struct analysis *analysis, const struct model *model, enum engine engine,
		 const double *percents, size_t percent_count, struct error *err)
{
	struct analysis path = {.engine = ENGINE_PATH};
	int result;

	if (engine == ENGINE_AUTO)
		engine = model->graph.edge_count < LP_ROW_LIMIT ? ENGINE_LP : ENGINE_PATH;
	*analysis = (struct analysis){.engine = engine};
	if (engine == ENGINE_LP)
		result = run_both(analysis, &path, model, percents, percent_count, err);
	else
		result = run_path_engine(analysis, model, percents, percent_count, err);
	analysis_release(&path);
	return finish(analysis, model, result);
}

int analysis_certify(struct analysis *analysis, const struct model *model,
		     const double *percents, size_t percent_count, struct error *err)
{
	struct analysis lp = {.engine = ENGINE_LP};
	int result;

	*analysis = (struct analysis){.engine = ENGINE_PATH, .certified = true};
	result = run_both(&lp, analysis, model, percents, percent_count, err);
	analysis_release(&lp);
	return finish(analysis, model, result);
}

void analysis_release(struct analysis *analysis)
{
	array_release(&analysis->tolerance);
}
