/* runs: slow */
/*
 * On thousands of random graphs and parameters the path engine must agree
 * exactly with an independent evaluation of the model, and GLPK, cold and from
 * the longest-path basis, with the path engine.
 */
#include "test/unit/lib/make/random_graph.h"
#include "test/unit/lib/make/random_network.h"
#include "test/unit/lib/must.h"
#include "test/unit/lib/oracle/brute_force.h"

#include "common/units.h"
#include "llamp/analysis/analysis.h"
#include "llamp/lp/lp_engine.h"
#include "llamp/network/topology.h"
#include "llamp/path/path_engine.h"
#include "llamp/simulate/build.h"
#include "test/unit/lib/along.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

/*
 * The sanitizers make everything some ten times slower; they see enough in fewer graphs.  With PROGRAMS in the
 * environment there are that many graphs.
 */
#ifdef __SANITIZE_ADDRESS__
static uint64_t graphs = 200;
#else
static uint64_t graphs = 1000;
#endif

enum { MOST_RANKS = 6, MOST_OPS = 200, SETTINGS = 2 };

static const uint32_t thousandths[] = {0, 500, 1000, 2000, 5000, 12345, 1000000};
#define TOLERANCES (sizeof thousandths / sizeof *thousandths)

/* Number of times that each case happened: checked to be large enough. */
static struct {
	uint32_t compared, cyclic, kinks, unbounded, none, below, bounded, gaps, rendezvous;
	uint32_t directions, direction_kinks, narrow_ranges;
	uint32_t networks, classes;
} seen;

/* Graph with parameters and the varied parameter. */
struct instance {
	struct goal goal;
	struct loggps loggps;
	struct model_parameters network;	/* what loggps points to */
	struct cost_graph graph;
	uint32_t parameter;
	struct envelope truth;
};

/* Whether GLPK finds tolerances from the standard basis: with O its simplex may not end. */
static bool ends_cold(const struct instance *in)
{
	return loggps_value(&in->loggps, VARIABLE_O) == 0;
}

static bool is_per_byte(const struct instance *in, uint32_t variable)
{
	return in->loggps.variables.of[variable].unit == UNIT_TIME_PER_BYTE;
}

static bool moves_per_byte(const struct instance *in, const struct direction *direction)
{
	for (uint32_t v = 0; v < direction->count; v++)
		if (direction->weight[v] && is_per_byte(in, v))
			return true;
	return false;
}

static int64_t value_of(const struct instance *in)
{
	return loggps_value(&in->loggps, in->parameter);
}

static void check_line(struct line line, struct brute_line truth)
{
	assert_true(line.slope == truth.slope);
	assert_true(line.constant == truth.constant);
}

/* T and its slopes at a point; a slope from below exists above 0 only. */
static void check_point(const struct instance *in, struct fraction at)
{
	const struct rational point = {at.numerator, at.denominator};
	struct line line;
	struct error err;

	MUST(path_evaluate(&in->graph, ALONG(&in->loggps, in->parameter), point, SIDE_RIGHT, &line,
			   NULL, &err));
	check_line(line, in->truth.lines.items[envelope_right(&in->truth, at)]);
	if (at.numerator == 0)
		return;
	MUST(path_evaluate(&in->graph, ALONG(&in->loggps, in->parameter), point, SIDE_LEFT, &line,
			   NULL, &err));
	check_line(line, in->truth.lines.items[envelope_left(&in->truth, at)]);
}

static void check_steepest(const struct instance *in)
{
	struct line line;
	struct error err;

	MUST(path_evaluate(&in->graph, ALONG(&in->loggps, in->parameter), RATIONAL_INFINITY,
			   SIDE_RIGHT, &line, NULL, &err));
	check_line(line, in->truth.lines.items[in->truth.lines.count - 1]);
}

static void check_breakpoints(const struct instance *in, int64_t from, int64_t to)
{
	const struct fraction low = {from, 1}, high = {to, 1}, zero = {0, 1};
	struct breakpoints found;
	struct error err;
	size_t count = 0;

	MUST(path_breakpoints(&in->graph, ALONG(&in->loggps, in->parameter), rational_from(from),
			      rational_from(to), &found, &err));
	check_line(found.last, in->truth.lines.items[envelope_right(&in->truth, high)]);
	check_line(found.first, in->truth.lines.items[from ? envelope_left(&in->truth, low)
							   : envelope_right(&in->truth, low)]);
	for (size_t i = 0; i + 1 < in->truth.lines.count; i++) {
		const struct fraction at = envelope_breakpoint(&in->truth, i);
		const struct breakpoint *b = &found.list.items[count];

		if (fraction_compare(at, zero) <= 0 || fraction_compare(at, low) < 0 ||
		    fraction_compare(at, high) > 0)
			continue;
		assert_true(count < found.list.count);
		assert_int_equal(fraction_compare(at, (struct fraction){b->at.numerator,
									b->at.denominator}), 0);
		check_line(b->left, in->truth.lines.items[i]);
		check_line(b->right, in->truth.lines.items[i + 1]);
		check_point(in, at);
		count++;
	}
	assert_int_equal(count, found.list.count);
	seen.kinks += (uint32_t)count;
	breakpoints_release(&found);
}

static void check_critical_range(const struct instance *in)
{
	const struct fraction at = {value_of(in), 1}, zero = {0, 1};
	const size_t line = envelope_right(&in->truth, at);
	struct fraction low = zero;
	struct critical_range range;
	struct error err;

	MUST(path_critical_range(&in->graph, ALONG(&in->loggps, in->parameter),
				 rational_from(value_of(in)), &range, &err));
	if (line > 0 && fraction_compare(envelope_breakpoint(&in->truth, line - 1), zero) > 0)
		low = envelope_breakpoint(&in->truth, line - 1);
	assert_int_equal(fraction_compare(low, (struct fraction){range.low.numerator,
								 range.low.denominator}), 0);
	assert_int_equal(range.unbounded, line + 1 == in->truth.lines.count);
	if (!range.unbounded)
		assert_int_equal(fraction_compare(envelope_breakpoint(&in->truth, line),
						  (struct fraction){range.high.numerator,
								    range.high.denominator}), 0);
}

static bool is_close(double a, double b)
{
	return fabs(a - b) <= 1e-9 * fmax(1, fmax(fabs(a), fabs(b)));
}

/* T at the parameters, in as. */
static wide runtime_of(const struct instance *in)
{
	const struct fraction at = {value_of(in), 1};
	const struct brute_line *line = &in->truth.lines.items[envelope_right(&in->truth, at)];

	return line->constant + line->slope * value_of(in);
}

static void check_tolerances(const struct instance *in)
{
	struct tolerance found[TOLERANCES];
	struct error err;

	for (size_t i = 0; i < TOLERANCES; i++)
		found[i].percent = thousandths[i] / 1000.0;
	MUST(path_tolerances(&in->graph, ALONG(&in->loggps, in->parameter), 0, found, TOLERANCES,
			     &err));
	for (size_t i = 0; i < TOLERANCES; i++) {
		const struct tolerance tolerance = found[i];
		struct fraction at;
		bool bounded = envelope_tolerance(&in->truth, runtime_of(in), thousandths[i], &at);

		assert_int_equal(tolerance.unbounded, !bounded);
		bounded ? seen.bounded++ : seen.unbounded++;
		if (bounded)
			/* The same fraction; both divisions round. */
			assert_true(fabs(tolerance.value_ns -
					 (double)((long double)at.numerator / AS_PER_NS /
						  (long double)at.denominator)) <=
				    4e-16 * tolerance.value_ns);
	}
}

/* Baseline in ns, mostly near T at the parameters or at p = 0, but also far from both; at least 1. */
static uint64_t random_baseline(const struct instance *in, uint64_t *numbers)
{
	static const uint32_t percents[] = {1, 50, 99, 100, 101, 200, 10000};
	const struct brute_line *at_0 =
		&in->truth.lines.items[envelope_right(&in->truth, (struct fraction){0, 1})];
	const wide runtime = random_below(numbers, 2) ? runtime_of(in) : at_0->constant;
	const wide ns = runtime / AS_PER_NS * percents[random_below(numbers, 7)] / 100;

	return (uint64_t)ns + random_below(numbers, 2) + (ns == 0);
}

/* Find the largest p >= 0 with T(p) <= (1 + thousandth/1000 %) baseline from the lines of T. */
static void true_tolerance(const struct instance *in, uint64_t baseline_ns, uint32_t thousandth,
			   struct tolerance *truth)
{
	const wide baseline = (wide)baseline_ns * AS_PER_NS;
	struct fraction at = {0, 1};

	*truth = (struct tolerance){.percent = thousandth / 1000.0};
	truth->unbounded = !envelope_tolerance(&in->truth, baseline, thousandth, &at);
	truth->none = !truth->unbounded && at.numerator < 0;
	for (size_t i = 0; i < in->truth.lines.count; i++)
		truth->none |= in->truth.lines.items[i].slope == 0 &&
			       in->truth.lines.items[i].constant * 100000 >
				       baseline * (100000 + (wide)thousandth);
	truth->unbounded &= !truth->none;
	truth->value_ns = truth->none ? -INFINITY : truth->unbounded ? INFINITY :
			  (double)((long double)at.numerator / AS_PER_NS /
				   (long double)at.denominator);
}

static void check_lp_baseline(const struct instance *in, struct lp_model *model,
			      enum lp_start start, uint64_t baseline_ns,
			      const struct tolerance *exact)
{
	const double least_ns = 1e-9 * (1 + exact->percent / 100) * (double)baseline_ns;
	double found_ns;
	struct error err;
	int64_t pivots;

	MUST(lp_tolerance_to(model, start, ALONG(&in->loggps, in->parameter), baseline_ns,
			     exact->percent, &found_ns, &pivots, &err));
	if (exact->none)
		assert_true(found_ns == -INFINITY || found_ns <= least_ns);
	else if (exact->unbounded)
		assert_true(found_ns == INFINITY);
	else if (found_ns == -INFINITY)
		assert_true(exact->value_ns * exact->slope <= least_ns);
	else
		assert_true(fabs(found_ns - exact->value_ns) * exact->slope <=
			    fmax(least_ns, 1e-9 * exact->value_ns * exact->slope));
	if (start == LP_LONGEST_PATH && !exact->unbounded && !exact->none)
		assert_int_equal(pivots, 0);
}

/* Tolerances relative to a baseline are those of the lines of T, and GLPK's. */
static void check_baselines(const struct instance *in, uint64_t numbers)
{
	const uint64_t baseline_ns = random_baseline(in, &numbers);
	struct tolerance found[TOLERANCES], truth;
	struct lp_model *model;
	struct error err;

	for (size_t i = 0; i < TOLERANCES; i++)
		found[i] = (struct tolerance){.percent = thousandths[i] / 1000.0};
	MUST(path_tolerances(&in->graph, ALONG(&in->loggps, in->parameter), baseline_ns, found,
				TOLERANCES, &err));
	for (size_t i = 0; i < TOLERANCES; i++) {
		true_tolerance(in, baseline_ns, thousandths[i], &truth);
		assert_int_equal(found[i].none, truth.none);
		assert_int_equal(found[i].unbounded, truth.unbounded);
		if (truth.none || truth.unbounded)
			assert_true(found[i].value_ns == truth.value_ns);
		else
			assert_true(fabs(found[i].value_ns - truth.value_ns) <=
				    4e-16 * truth.value_ns);
		seen.none += truth.none;
		seen.below += !truth.none && found[i].delta_ns < 0;
	}
	if (!variable_is_on(&in->loggps.variables.of[in->parameter]))
		return;
	MUST(lp_build(&model, &in->graph, &in->loggps, &err));
	for (size_t i = 0; i < TOLERANCES; i += 3)
		check_lp_baseline(in, model, LP_LONGEST_PATH, baseline_ns, &found[i]);
	lp_free(model);
}

/* The linear program agrees with the line that T follows at the parameters. */
static void check_lp_point(const struct instance *in, const struct direction *direction,
			   struct lp_model *model)
{
	const struct rational p = rational_from(direction->start_as);
	const struct fraction at = {value_of(in), 1};
	const struct brute_line *lines = in->truth.lines.items;
	const double runtime_ns = (double)runtime_of(in) / AS_PER_NS;
	const double left = (double)lines[envelope_left(&in->truth, at)].slope;
	const double right = (double)lines[envelope_right(&in->truth, at)].slope;
	struct lp_solution solution;
	struct error err;

	MUST(lp_solve(model, LP_LONGEST_PATH, direction, p, SIDE_RIGHT, &solution, &err));
	assert_int_equal(solution.pivots, 0);
	assert_true(is_close(solution.runtime_ns, runtime_ns));
	assert_true(is_close(solution.lambda[in->parameter], right));
	if (value_of(in) > 0) {
		MUST(lp_solve(model, LP_LONGEST_PATH, direction, p, SIDE_LEFT, &solution, &err));
		assert_int_equal(solution.pivots, 0);
		assert_true(is_close(solution.lambda[in->parameter], left));
	}
	MUST(lp_solve(model, LP_COLD, direction, p, SIDE_RIGHT, &solution, &err));
	assert_true(is_close(solution.runtime_ns, runtime_ns));
	/* A cold solution may stop anywhere between the two slopes. */
	assert_true(solution.lambda[in->parameter] <= right * (1 + 1e-9) + 1e-9);
	if (value_of(in) > 0)
		assert_true(solution.lambda[in->parameter] >= left * (1 - 1e-9) - 1e-9);
}

static void check_lp_tolerance(const struct instance *in, const struct direction *direction,
			       struct lp_model *model, enum lp_start start, double runtime_ns,
			       uint32_t thousandth)
{
	const double percent = thousandth / 1000.0;
	struct tolerance exact = {.percent = percent};
	double found_ns;
	struct error err;
	int64_t pivots;

	MUST(path_tolerances(&in->graph, direction, 0, &exact, 1, &err));
	MUST(lp_tolerance(model, start, direction, runtime_ns, percent, &found_ns, &pivots, &err));
	assert_int_equal(!!isinf(found_ns), exact.unbounded);
	/* Where T reaches the bound an error in T is one in p by its slope. */
	if (!exact.unbounded)
		assert_true(fabs(found_ns - exact.value_ns) * exact.slope <=
			    1e-9 * fmax(runtime_ns * (1 + percent / 100),
					exact.value_ns * exact.slope));
	if (start == LP_LONGEST_PATH && !exact.unbounded)
		assert_int_equal(pivots, 0);
}

static void check_lp(const struct instance *in)
{
	const struct direction direction = direction_of(&in->loggps.variables, in->parameter);
	const double runtime_ns = (double)runtime_of(in) / AS_PER_NS;
	struct lp_model *model;
	struct error err;

	MUST(lp_build(&model, &in->graph, &in->loggps, &err));
	check_lp_point(in, &direction, model);
	for (size_t i = 0; i < TOLERANCES; i += 2) {
		check_lp_tolerance(in, &direction, model, LP_LONGEST_PATH, runtime_ns,
				   thousandths[i]);
		/* Cold and without room, GLPK may lose its way between 1 and 10^6 bytes. */
		if (ends_cold(in) && (!is_per_byte(in, in->parameter) || thousandths[i] > 0))
			check_lp_tolerance(in, &direction, model, LP_COLD, runtime_ns,
					   thousandths[i]);
	}
	lp_free(model);
}

/*
 * Sums over the rows of a table of sizes: each message has the variable of its row and the common
 * one.  With links of one class, each route has a link more than switches.
 */
static void check_sums(const struct instance *in)
{
	const struct network *network = in->loggps.network;
	const struct direction direction = direction_of(&in->loggps.variables, VARIABLE_L);
	struct lp_solution solution;
	double o = 0, L = 0, G = 0;
	struct lp_model *model;
	struct error err;

	MUST(lp_build(&model, &in->graph, &in->loggps, &err));
	MUST(lp_solve(model, LP_LONGEST_PATH, &direction, rational_from(direction.start_as),
		      SIDE_RIGHT, &solution, &err));
	lp_free(model);
	for (uint32_t i = 0; i < network->row_count; i++) {
		const struct network_row *row = &network->rows[i];

		o += row->o != NO_VARIABLE ? solution.lambda[row->o] : 0;
		L += row->L != NO_VARIABLE ? solution.lambda[row->L] : 0;
		G += row->G != NO_VARIABLE ? solution.lambda[row->G] : 0;
	}
	if (network->rows[0].o != NO_VARIABLE)
		assert_true(is_close(o, solution.lambda[VARIABLE_o]));
	if (network->rows[0].L != NO_VARIABLE)
		assert_true(is_close(L, solution.lambda[VARIABLE_L]));
	if (network->rows[0].G != NO_VARIABLE)
		assert_true(is_close(G, solution.lambda[VARIABLE_G]));
	if (network->topology && network->topology->class_count == 1)
		assert_true(is_close(solution.lambda[network->first_link] -
					     solution.lambda[network->switch_variable],
				     solution.lambda[VARIABLE_L]));
	seen.networks++;
	seen.classes += in->loggps.variables.count - LOGGPS_COUNT;
}

static void check_parameter(struct instance *in, uint64_t *numbers)
{
	const int64_t value = value_of(in);

	if (!brute_force(&in->truth, &in->goal, &in->loggps, in->parameter))
		fail_msg("the equations have no solution although the graph is acyclic");
	check_point(in, (struct fraction){value, 1});
	check_point(in, (struct fraction){0, 1});
	check_point(in, (struct fraction){(wide)random_below(numbers, 1000000000000), 7});
	check_steepest(in);
	check_breakpoints(in, 0, INT64_C(1) << 60);
	check_breakpoints(in, value / 2, value * 2);
	check_critical_range(in);
	check_tolerances(in);
	check_baselines(in, *numbers);
	if (variable_is_on(&in->loggps.variables.of[in->parameter]))
		check_lp(in);
	envelope_release(&in->truth);
}

static void check_setting(struct instance *in, uint64_t *numbers)
{
	struct error err;

	if (cost_graph_build(&in->graph, &in->goal, &in->loggps, &err) < 0) {
		assert_int_equal(err.status, STATUS_DATA);
		assert_false(brute_force(&in->truth, &in->goal, &in->loggps, VARIABLE_L));
		envelope_release(&in->truth);
		seen.cyclic++;
		return;
	}
	if (in->loggps.network)
		check_sums(in);
	for (uint32_t v = 0; v < in->loggps.variables.count; v++) {
		in->parameter = v;
		check_parameter(in, numbers);
	}
	seen.compared++;
	seen.gaps += loggps_value(&in->loggps, VARIABLE_g) > 0;
	seen.rendezvous += in->loggps.S != LOGGPS_NO_RENDEZVOUS;
	cost_graph_release(&in->graph);
}

static void check_network(struct instance *in, uint64_t numbers)
{
	random_network(&in->network, &in->loggps, &numbers);
	in->loggps = in->network.loggps;
	check_setting(in, &numbers);
	in->loggps.network = NULL;
	parameters_release(&in->network);
}

static void path_engine_glpk_and_the_equations_agree_on_random_graphs(void **unused)
{
	(void)unused;
	for (uint64_t seed = 0; seed < graphs; seed++) {
		uint64_t numbers = seed;
		struct instance in = {0};

		random_graph(&in.goal, &numbers, MOST_RANKS, MOST_OPS);
		for (int i = 0; i < SETTINGS; i++) {
			random_loggps(&in.loggps, &numbers);
			check_setting(&in, &numbers);
		}
		if (seed % 4 == 0)
			check_network(&in, seed);
		goal_release(&in.goal);
	}
}

/* ------------------------------------------- variables that move together */

/* Parameters at a point of a direction. */
static struct loggps moved(const struct instance *in, const struct direction *direction, int64_t p)
{
	struct loggps loggps = in->loggps;

	for (uint32_t v = 0; v < direction->count; v++)
		loggps_set(&loggps, v, direction->origin_as[v] + direction->weight[v] * p);
	return loggps;
}

/* T on the lines that the path engine finds is T where the variables have been moved. */
static void check_moved(const struct instance *in, const struct direction *direction,
			uint64_t *numbers)
{
	struct breakpoints found;
	struct error err;

	MUST(path_breakpoints(&in->graph, direction, rational_from(0),
			      rational_from(20000 * AS_PER_NS), &found, &err));
	for (int i = 0; i < 5; i++) {
		const int64_t p = (int64_t)random_below(numbers, 20000) * AS_PER_NS;
		const struct loggps there = moved(in, direction, p);
		struct line line, along = found.first;

		MUST(path_evaluate(&in->graph, ALONG(&there, VARIABLE_L),
				   rational_from(loggps_value(&there, VARIABLE_L)), SIDE_RIGHT,
				   &line, NULL, &err));
		for (size_t k = 0; k < found.list.count; k++)
			if (rational_value(found.list.items[k].at) <= (double)p)
				along = found.list.items[k].right;
		assert_true(along.constant + along.slope * p ==
			    line.constant + line.slope * loggps_value(&there, VARIABLE_L));
	}
	breakpoints_release(&found);
}

/* Each reduced cost is a slope of T in its variable alone. */
static void check_lambdas(const struct instance *in, const struct direction *direction,
			  struct lp_model *model)
{
	const struct loggps there = moved(in, direction, direction->start_as);
	struct lp_solution solution;
	struct error err;
	double sum = 0;

	MUST(lp_solve(model, LP_LONGEST_PATH, direction, rational_from(direction->start_as),
		      SIDE_RIGHT, &solution, &err));
	for (uint32_t v = 0; v < direction->count; v++) {
		const struct rational at = rational_from(loggps_value(&there, v));
		const double lambda = solution.lambda[v];
		struct line line;

		MUST(path_evaluate(&in->graph, ALONG(&there, v), at, SIDE_RIGHT, &line, NULL,
				   &err));
		assert_true(lambda <= (double)line.slope * (1 + 1e-9) + 1e-9);
		if (at.numerator > 0)
			MUST(path_evaluate(&in->graph, ALONG(&there, v), at, SIDE_LEFT, &line, NULL,
					   &err));
		if (at.numerator > 0)
			assert_true(lambda >= (double)line.slope * (1 - 1e-9) - 1e-9);
		sum += lambda * (double)direction->weight[v];
	}
	assert_true(is_close(solution.slope, sum));
}

/* The basis range holds p and lies within the critical range. */
static void check_basis_range(const struct instance *in, const struct direction *direction,
			      struct rational at, const struct lp_solution *solution)
{
	const double p_ns = rational_in_ns(at);
	struct critical_range range;
	struct error err;

	MUST(path_critical_range(&in->graph, direction, at, &range, &err));
	assert_true(solution->basis_low_ns <= p_ns || is_close(solution->basis_low_ns, p_ns));
	assert_true(solution->basis_high_ns >= p_ns || is_close(solution->basis_high_ns, p_ns));
	assert_true(solution->basis_low_ns >= rational_in_ns(range.low) ||
		    is_close(solution->basis_low_ns, rational_in_ns(range.low)));
	if (range.unbounded)
		return;
	assert_true(solution->basis_high_ns <= rational_in_ns(range.high) ||
		    is_close(solution->basis_high_ns, rational_in_ns(range.high)));
	seen.narrow_ranges += solution->basis_high_ns < rational_in_ns(range.high) * (1 - 1e-6);
}

/* T, slopes on both sides, ranges: of the linear program and of the longest path. */
static void check_direction_point(const struct instance *in, const struct direction *direction,
				  struct rational at, struct lp_model *model)
{
	struct lp_solution solution, right = {0};
	struct line lines[2];
	double runtime_ns = 0;
	struct error err;

	for (int side = SIDE_RIGHT; side >= (at.numerator > 0 ? SIDE_LEFT : SIDE_RIGHT); side--) {
		struct line *line = &lines[side];

		MUST(path_evaluate(&in->graph, direction, at, (enum side)side, line, NULL, &err));
		runtime_ns = line_runtime_ns(line, at);
		MUST(lp_solve(model, LP_LONGEST_PATH, direction, at, (enum side)side, &solution,
			      &err));
		assert_int_equal(solution.pivots, 0);
		assert_true(is_close(solution.runtime_ns, runtime_ns));
		assert_true(is_close(solution.slope, (double)line->slope));
		if (side == SIDE_RIGHT) {
			check_basis_range(in, direction, at, &solution);
			right = solution;
		}
	}
	MUST(lp_solve(model, LP_COLD, direction, at, SIDE_RIGHT, &solution, &err));
	assert_true(is_close(solution.runtime_ns, runtime_ns));
	assert_true(solution.slope <= (double)lines[SIDE_RIGHT].slope * (1 + 1e-9) + 1e-9);
	if (at.numerator > 0) {
		assert_true(solution.slope >= (double)lines[SIDE_LEFT].slope * (1 - 1e-9) - 1e-9);
		seen.direction_kinks += lines[SIDE_LEFT].slope < lines[SIDE_RIGHT].slope;
	}
	/* The basis range does not depend on what was asked before. */
	MUST(lp_solve(model, LP_LONGEST_PATH, direction, at, SIDE_RIGHT, &solution, &err));
	assert_true(solution.basis_low_ns == right.basis_low_ns);
	assert_true(solution.basis_high_ns == right.basis_high_ns);
}

static void check_direction_tolerances(const struct instance *in, const struct direction *direction,
				       struct lp_model *model)
{
	const struct rational start = rational_from(direction->start_as);
	double runtime_ns;
	struct line line;
	struct error err;

	MUST(path_evaluate(&in->graph, direction, start, SIDE_RIGHT, &line, NULL, &err));
	runtime_ns = line_runtime_ns(&line, start);
	for (size_t i = 0; i < TOLERANCES; i++) {
		check_lp_tolerance(in, direction, model, LP_LONGEST_PATH, runtime_ns,
				   thousandths[i]);
		/* As above, GLPK may lose its way where bytes count. */
		if (ends_cold(in) && (!moves_per_byte(in, direction) || thousandths[i] > 0))
			check_lp_tolerance(in, direction, model, LP_COLD, runtime_ns,
					   thousandths[i]);
	}
}

static void check_lp_direction(const struct instance *in, const struct direction *direction)
{
	struct breakpoints kinks;
	struct lp_model *model;
	struct error err;

	MUST(lp_build(&model, &in->graph, &in->loggps, &err));
	check_lambdas(in, direction, model);
	check_direction_point(in, direction, rational_from(direction->start_as), model);
	check_direction_tolerances(in, direction, model);
	/* A tolerance leaves the model as it was. */
	MUST(path_breakpoints(&in->graph, direction, rational_from(0),
			      rational_from(20000 * AS_PER_NS), &kinks, &err));
	for (size_t i = 0; i < kinks.list.count && i < 3; i++)
		check_direction_point(in, direction, kinks.list.items[i].at, model);
	breakpoints_release(&kinks);
	lp_free(model);
	seen.directions++;
}

static void engines_agree_where_variables_move_together(void **unused)
{
	(void)unused;
	for (uint64_t seed = 0; seed < graphs / 2; seed++) {
		struct instance in = {0};
		uint64_t numbers = seed;
		struct error err;

		random_graph(&in.goal, &numbers, MOST_RANKS, MOST_OPS);
		random_loggps(&in.loggps, &numbers);
		if (seed % 2) {
			random_network(&in.network, &in.loggps, &numbers);
			in.loggps = in.network.loggps;
		}
		if (cost_graph_build(&in.graph, &in.goal, &in.loggps, &err) == 0) {
			struct direction direction;

			random_direction(&direction, &in.loggps, &numbers);
			check_moved(&in, &direction, &numbers);
			check_lp_direction(&in, &direction);
			cost_graph_release(&in.graph);
		}
		parameters_release(&in.network);
		goal_release(&in.goal);
	}
}

/* A test that compares nothing would also pass. */
static void the_random_graphs_had_cycles_kinks_gaps_and_rendezvous(void **unused)
{
	(void)unused;
	assert_true(seen.compared > graphs);
	assert_true(seen.cyclic > graphs / 20);
	assert_true(seen.kinks > graphs);
	assert_true(seen.unbounded > graphs / 10);
	assert_true(seen.none > graphs);
	assert_true(seen.below > graphs);
	assert_true(seen.bounded > graphs);
	assert_true(seen.gaps > graphs / 10);
	assert_true(seen.rendezvous > graphs / 4);
	assert_true(seen.directions > graphs / 4);
	assert_true(seen.direction_kinks > graphs / 20);
	assert_true(seen.narrow_ranges > graphs / 20);
	assert_true(seen.networks > graphs / 6);
	assert_true(seen.classes > graphs);
}

int main(void)
{
	if (getenv("PROGRAMS"))
		graphs = strtoull(getenv("PROGRAMS"), NULL, 10);

	const struct CMUnitTest tests[] = {
		cmocka_unit_test(path_engine_glpk_and_the_equations_agree_on_random_graphs),
		cmocka_unit_test(engines_agree_where_variables_move_together),
		cmocka_unit_test(the_random_graphs_had_cycles_kinks_gaps_and_rendezvous),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
