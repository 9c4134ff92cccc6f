/*
 * On random graphs with limited CPUs, NICs and links both engines must agree exactly with an
 * event-driven simulation of the model.  With PROGRAMS in the environment that many are made.
 */
#include "test/unit/lib/make/random_graph.h"
#include "test/unit/lib/make/random_network.h"
#include "test/unit/lib/must.h"
#include "test/unit/lib/oracle/simulate.h"

#include "common/units.h"
#include "llamp/analysis/critical_path.h"
#include "llamp/analysis/order_range.h"
#include "llamp/lp/lp_engine.h"
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
 * Numbers of programs: of most tests, of those of their paths and of both engines, with limited
 * links, and of longer programs.  The sanitizers make the last three some ten times slower.
 */
static struct {
	uint64_t all, paths, linked, longer;
} programs =
#ifdef __SANITIZE_ADDRESS__
	{2000, 100, 100, 5};
#else
	{200, 200, 100, 2};
#endif

/* Number of times that each case happened: checked to be large enough. */
static struct {
	uint32_t compared, cyclic, limited, ends, slopes, kinks, bounded, sent, classes;
	uint32_t shared, within, linked, queued, left_out, told;
	uint32_t written, reached;
} seen;

/* Graph that is being looked at, to be named if the test fails. */
static struct {
	uint64_t seed;
	bool done, links; /* links: all programs have limited ones */
} now = {.done = true};

/* Program with parameters, and the varied one. */
struct instance {
	struct model model;
	struct simulate_network network;    /* in as */
	struct model_parameters parameters; /* with a network, in some programs */
	struct simulation simulation;
	uint32_t varied;
	uint64_t numbers;
};

static int64_t value_of(const struct instance *in)
{
	return loggps_value(&in->model.loggps, in->varied);
}

/* Least value that leaves the variable on: without g sends have no gaps. */
static int64_t least_of(const struct instance *in)
{
	return in->varied == VARIABLE_g;
}

/* Parameters with the varied one at a point, in fractions of as. */
static struct simulate_network network_at(const struct instance *in, struct rational at)
{
	struct simulate_network network = simulate_network_from(&in->model.loggps, at.denominator);

	switch (in->varied) {
	case VARIABLE_L:
		network.L = at.numerator;
		break;
	case VARIABLE_o:
		network.o = at.numerator;
		break;
	case VARIABLE_g:
		network.g = at.numerator;
		break;
	case VARIABLE_G:
		network.G = at.numerator;
		break;
	case VARIABLE_O:
		network.O = at.numerator;
		break;
	default:
		network.values[in->varied] = at.numerator;
	}
	return network;
}

static struct line line_at(const struct instance *in, struct rational at)
{
	struct line line;
	struct error err;

	MUST(path_evaluate(&in->model.graph, ALONG(&in->model.loggps, in->varied), at, SIDE_RIGHT,
			   &line, NULL, &err));
	return line;
}

/* T of the path engine at a point, in fractions of as. */
static wide runtime_at(const struct instance *in, struct rational at)
{
	const struct line line = line_at(in, at);

	return line.constant * at.denominator + line.slope * at.numerator;
}

/* ----------------------------------------------------------- inside the range */

/* The program simulated at a point is served in the order of the parameters, and takes T. */
static void check_inside(const struct instance *in, struct rational at)
{
	const struct simulate_network network = network_at(in, at);
	struct simulation there;

	assert_true(simulate(&there, &in->model.goal, &network));
	assert_true(simulation_same_order(&there, &in->simulation));
	assert_true(there.runtime == runtime_at(in, at));
	simulation_release(&there);
}

static void check_outside(const struct instance *in, struct rational at)
{
	const struct simulate_network network = network_at(in, at);
	struct simulation there;

	assert_true(simulate(&there, &in->model.goal, &network));
	assert_false(simulation_same_order(&there, &in->simulation) &&
		     simulation_same_waiters(&there, &in->simulation));
	simulation_release(&there);
	seen.ends++;
}

/* Largest value that a random point may have. */
static int64_t high_of(const struct order_range *range)
{
	const int64_t most = INT64_C(100000) * AS_PER_NS;

	return range->high_as < most ? range->high_as : most;
}

/* Lambda is the finite difference of simulations up to a value of the same order and line. */
static void check_slope(const struct instance *in, int64_t high)
{
	const wide slope = line_at(in, rational_from(value_of(in))).slope;
	struct critical_range critical;
	struct simulate_network network;
	struct simulation there;
	struct error err;

	MUST(path_critical_range(&in->model.graph, ALONG(&in->model.loggps, in->varied),
				 rational_from(value_of(in)), &critical, &err));
	if (!critical.unbounded && critical.high.numerator / critical.high.denominator < high)
		high = (int64_t)(critical.high.numerator / critical.high.denominator);
	network = network_at(in, rational_from(high));
	assert_true(simulate(&there, &in->model.goal, &network));
	assert_true(there.runtime - in->simulation.runtime == slope * (high - value_of(in)));
	simulation_release(&there);
	seen.slopes += high > value_of(in);
}

/* The range that one pass tells is a part of the exact one. */
static void check_least_range(const struct instance *in, const struct order_range *exact)
{
	const struct direction *along = ALONG(&in->model.loggps, in->varied);
	struct order_range range;
	struct sim_result start;
	struct error err;

	MUST(order_simulate(&start, &in->model, along, along->start_as, &err));
	range = order_range_of(&start, along);
	assert_true(range.low_as <= along->start_as && range.high_as >= along->start_as);
	check_inside(in, rational_from(range.low_as < least_of(in) ? least_of(in) : range.low_as));
	check_inside(in, rational_from(high_of(&range)));
	if (exact->low_exact)
		assert_true(range.low_as >= exact->low_as);
	if (exact->high_exact)
		assert_true(range.high_as <= exact->high_as);
	seen.told += range.high_as > along->start_as;
}

static void check_range(struct instance *in)
{
	struct order_range range;
	struct error err;
	int64_t high;

	if (!in->model.loggps.resources)
		return;
	MUST(order_range_find(&range, &in->model, ALONG(&in->model.loggps, in->varied), &err));
	assert_true(range.low_as >= 0 && range.low_as <= value_of(in));
	check_least_range(in, &range);
	if (range.low_as < least_of(in))
		range.low_as = least_of(in);
	assert_true(range.high_as >= value_of(in));
	high = high_of(&range);
	check_inside(in, rational_from(range.low_as));
	check_inside(in, rational_from(high));
	if (high > range.low_as) {
		const uint64_t length = (uint64_t)(high - range.low_as);
		const int64_t inside = range.low_as + (int64_t)random_below(&in->numbers, length);

		check_inside(in, (struct rational){(wide)3 * inside + 1, 3});
	}
	if (high >= value_of(in))
		check_slope(in, high);
	if (range.high_exact && range.high_as < INT64_MAX)
		check_outside(in, rational_from(range.high_as + 1));
	if (range.low_exact && range.low_as > least_of(in))
		check_outside(in, rational_from(range.low_as - 1));
}

/* ------------------------------------------------- T as a function of the value */

static void check_t(struct instance *in)
{
	struct simulate_network network = in->network;
	struct simulation unlimited;

	assert_true(runtime_at(in, rational_from(value_of(in))) == in->simulation.runtime);
	seen.compared++;
	network.link = false;
	assert_true(simulate(&unlimited, &in->model.goal, &network));
	seen.queued += unlimited.runtime != in->simulation.runtime;
	simulation_release(&unlimited);
	network.cpu = network.nic = false;
	assert_true(simulate(&unlimited, &in->model.goal, &network));
	seen.limited += unlimited.runtime != in->simulation.runtime;
	simulation_release(&unlimited);
}

static void check_again(const struct instance *in, struct rational at)
{
	const struct simulate_network network = network_at(in, at);
	struct simulation there;

	simulate_again(&there, &in->model.goal, &network, &in->simulation);
	assert_true(there.runtime == runtime_at(in, at));
	simulation_release(&there);
}

static struct rational middle(struct rational a, struct rational b)
{
	return rational_reduced(a.numerator * b.denominator + b.numerator * a.denominator,
				2 * a.denominator * b.denominator);
}

/*
 * The function of the engine is that of the simulation with the same order of service: both are
 * convex, and they are equal at the engine's breakpoints and between each two of them.
 */
static void check_function(struct instance *in)
{
	const struct rational end = rational_from(INT64_C(1) << 56);
	struct rational last = rational_from(least_of(in));
	struct breakpoints found;
	struct error err;

	check_t(in);
	MUST(path_breakpoints(&in->model.graph, ALONG(&in->model.loggps, in->varied), last, end,
			      &found, &err));
	check_again(in, last);
	for (size_t i = 0; i < found.list.count; i++) {
		check_again(in, found.list.items[i].at);
		check_again(in, middle(last, found.list.items[i].at));
		last = found.list.items[i].at;
	}
	check_again(in, middle(last, end));
	check_again(in, end);
	seen.kinks += (uint32_t)found.list.count;
	breakpoints_release(&found);
}

/* ------------------------------------------------------------- critical path */

/* Times of variables on the path: with computation they add up to T; slopes bound them. */
static void check_variables(const struct instance *in, const struct critical_path *path)
{
	const struct variables *variables = &in->model.loggps.variables;
	wide sum = 0;

	for (size_t i = 0; i < path->segments.count; i++) {
		const struct critical_segment *segment = &path->segments.items[i];

		if (segment->category == CATEGORY_COMPUTE)
			sum += segment->end_as - segment->start_as;
	}
	for (uint32_t v = 0; v < variables->count; v++) {
		const struct rational at = rational_from(variables->of[v].value_as);
		struct line line;
		struct error err;

		MUST(path_evaluate(&in->model.graph, ALONG(&in->model.loggps, v), at, SIDE_RIGHT,
				   &line, NULL, &err));
		assert_true(path->variable_as[v] <= line.slope * at.numerator);
		sum += path->variable_as[v];
	}
	assert_true(sum == path->runtime_as);
}

/* The segments add up to T, and their latencies to the slope. */
static void check_path(struct instance *in)
{
	const struct rational latency = rational_from(loggps_value(&in->model.loggps, VARIABLE_L));
	struct critical_path path;
	struct error err;
	struct line line;

	MUST(path_evaluate(&in->model.graph, ALONG(&in->model.loggps, VARIABLE_L), latency,
			   SIDE_RIGHT, &line, NULL, &err));
	MUST(critical_path_find(&path, &in->model, &err));
	assert_true(path.runtime_as == in->simulation.runtime);
	assert_true(path.lambda == line.slope);
	check_variables(in, &path);
	for (size_t i = 0; i < path.segments.count; i++)
		seen.sent += path.segments.items[i].kind == GOAL_SEND;
	critical_path_release(&path);
}

/* ----------------------------------------------------------------- LP engine */

static bool is_close(double a, double b)
{
	return fabs(a - b) <= 1e-9 * fmax(1, fmax(fabs(a), fabs(b)));
}

static void check_lp_point(const struct instance *in, struct lp_model *model, enum lp_start start)
{
	const double slope = (double)line_at(in, rational_from(value_of(in))).slope;
	struct lp_solution solution;
	struct error err;

	MUST(lp_solve(model, start, ALONG(&in->model.loggps, in->varied),
		      rational_from(value_of(in)), SIDE_RIGHT, &solution, &err));
	assert_true(is_close(solution.runtime_ns, (double)in->simulation.runtime / AS_PER_NS));
	if (start == LP_LONGEST_PATH) {
		assert_int_equal(solution.pivots, 0);
		assert_true(is_close(solution.lambda[in->varied], slope));
	} else {
		/* A cold solution may have the slope on the left or one in between. */
		assert_true(solution.lambda[in->varied] <= slope * (1 + 1e-9) + 1e-9);
	}
}

static void check_lp_tolerance(const struct instance *in, struct lp_model *model, double percent)
{
	const double runtime_ns = (double)in->simulation.runtime / AS_PER_NS;
	struct tolerance exact = {.percent = percent};
	struct error err;
	double found_ns;

	MUST(path_tolerances(&in->model.graph, ALONG(&in->model.loggps, in->varied), 0, &exact, 1,
			     &err));
	MUST(lp_tolerance(model, LP_LONGEST_PATH, ALONG(&in->model.loggps, in->varied), runtime_ns,
			  percent, &found_ns, NULL, &err));
	assert_int_equal(!!isinf(found_ns), exact.unbounded);
	if (exact.unbounded)
		return;
	/* Where T reaches the bound an error in T is one in the parameter by its slope. */
	assert_true(fabs(found_ns - exact.value_ns) * exact.slope <=
		    1e-9 * fmax(runtime_ns * (1 + percent / 100), exact.value_ns * exact.slope));
	check_again(in, exact.at);
	seen.bounded++;
}

static void check_lp(struct instance *in)
{
	struct lp_model *model;
	struct error err;

	MUST(lp_build(&model, &in->model.graph, &in->model.loggps, &err));
	check_lp_point(in, model, LP_LONGEST_PATH);
	check_lp_point(in, model, LP_COLD);
	check_lp_tolerance(in, model, 1);
	check_lp_tolerance(in, model, 20);
	lp_free(model);
}

/* ------------------------------------------------ graphs for one direction only */

/* All slopes at the given values, and what is asked in the direction, are those of the graph of `in`. */
static void compare_answers(const struct instance *in, const struct cost_graph *asked)
{
	const struct direction *direction = ALONG(&in->model.loggps, in->varied);
	struct tolerance all_tolerance[] = {{.percent = 1}, {.percent = 20}};
	struct tolerance tolerance[] = {{.percent = 1}, {.percent = 20}};
	struct breakpoints all_points, points;
	struct line all, line;
	struct error err;

	for (uint32_t v = 0; v < in->model.loggps.variables.count; v++) {
		const struct direction *along = ALONG(&in->model.loggps, v);
		const struct rational start = rational_from(along->start_as);

		/* Values are at least 0: there is no slope to the left of that. */
		for (int left = 0; left < 1 + (along->start_as > 0); left++) {
			const enum side side = left ? SIDE_LEFT : SIDE_RIGHT;

			MUST(path_evaluate(&in->model.graph, along, start, side, &all, NULL, &err));
			MUST(path_evaluate(asked, along, start, side, &line, NULL, &err));
			assert_true(line.constant == all.constant && line.slope == all.slope);
		}
	}
	MUST(path_tolerances(&in->model.graph, direction, 0, all_tolerance, 2, &err));
	MUST(path_tolerances(asked, direction, 0, tolerance, 2, &err));
	for (int i = 0; i < 2; i++)
		assert_true(tolerance[i].value_ns == all_tolerance[i].value_ns);
	MUST(path_breakpoints(&in->model.graph, direction, rational_from(0),
			      rational_from(INT64_C(1) << 56), &all_points, &err));
	MUST(path_breakpoints(asked, direction, rational_from(0), rational_from(INT64_C(1) << 56),
			      &points, &err));
	assert_int_equal(points.list.count, all_points.list.count);
	for (size_t i = 0; i < points.list.count; i++)
		assert_true(rational_value(points.list.items[i].at) ==
			    rational_value(all_points.list.items[i].at));
	breakpoints_release(&all_points);
	breakpoints_release(&points);
}

static void check_asked(struct instance *in)
{
	struct loggps loggps = in->model.loggps;
	struct cost_graph asked;
	struct error err;

	loggps.asked = ALONG(&in->model.loggps, in->varied);
	MUST(cost_graph_build(&asked, &in->model.goal, &loggps, &err));
	seen.left_out += asked.edge_count < in->model.graph.edge_count;
	compare_answers(in, &asked);
	cost_graph_release(&asked);
}

/* --------------------------------------------- simulations with and without a graph */

static bool same_time(const struct event_time *a, const struct event_time *b)
{
	return a->time == b->time && a->left == b->left && a->right == b->right;
}

static bool same_reach(const struct reach *a, const struct reach *b)
{
	return a->below == b->below && a->above == b->above;
}

/*
 * The simulation that writes the cost graph of a model tells all that one for the results alone
 * tells, and one without slopes takes as long.
 */
static void check_results(struct instance *in)
{
	const struct direction *along = ALONG(&in->model.loggps, in->varied);
	struct loggps loggps = in->model.loggps;
	struct execution_graph execution;
	struct cost_graph graph;
	struct sim_result written, alone;
	__int128 runtime_as;
	struct error err;

	if (!loggps.resources)
		return;
	loggps.asked = along;
	MUST(graphs_simulate(&execution, &graph, &written, &in->model.goal, &loggps, &err));
	cost_graph_release(&graph);
	execution_graph_release(&execution);
	MUST(order_simulate(&alone, &in->model, along, along->start_as, &err));
	MUST(order_runtime(&runtime_as, &in->model, along, along->start_as, &err));
	assert_true(written.unit_as == alone.unit_as && written.order_hash == alone.order_hash);
	assert_true(same_time(&written.end, &alone.end));
	assert_true(same_reach(&written.order, &alone.order));
	assert_true(same_reach(&written.waits, &alone.waits));
	assert_true(written.late_ties == alone.late_ties);
	assert_true((wide)written.end.time * written.unit_as == in->simulation.runtime);
	assert_true(runtime_as == in->simulation.runtime);
	seen.written++;
	seen.reached += alone.order.above < INT64_MAX || alone.waits.above < INT64_MAX;
}

/* --------------------------------------------------------------- the programs */

static int say_seed(void **unused)
{
	(void)unused;
	if (!now.done)
		print_message("seed %u\n", (unsigned)now.seed);
	now.done = true;
	return 0;
}

static void check_program(struct instance *in, bool runs, void (*check)(struct instance *))
{
	struct model *model = &in->model;
	struct error err;

	if (graphs_build(&model->execution, &model->graph, &model->goal, &model->loggps, &err) <
	    0) {
		assert_int_equal(err.status, STATUS_DATA);
		assert_false(runs);
		seen.cyclic++;
		return;
	}
	assert_true(runs);
	for (uint32_t op = 0; op < model->goal.op_count; op++)
		seen.within += model->loggps.resources & RESOURCE_NIC &&
			       model->execution.classes.list[execution_class(&model->execution, op)]
				       .within_node;
	check(in);
	execution_graph_release(&model->execution);
	cost_graph_release(&model->graph);
}

/* Give the network a topology whose links are limited, and mostly slow, so that messages wait. */
static void limit_links(struct instance *in, uint64_t *numbers)
{
	while (!in->parameters.network.topology) {
		parameters_release(&in->parameters);
		random_network(&in->parameters, &in->model.loggps, numbers);
	}
	in->parameters.loggps.resources |= RESOURCE_LINK;
	if (random_below(numbers, 4))
		loggps_set(&in->parameters.loggps, VARIABLE_G, 100 * AS_PER_NS);
	seen.linked++;
}

/* Give messages variables of their own.  The graphs that follow stay as they are. */
static void add_network(struct instance *in)
{
	uint64_t other = ~in->numbers;

	random_network(&in->parameters, &in->model.loggps, &other);
	if (in->parameters.loggps.resources & RESOURCE_NIC && random_below(&other, 2)) {
		in->parameters.loggps.resources |= RESOURCE_NODE_NIC;
		in->parameters.loggps.network = &in->parameters.network;
		seen.shared++;
	}
	if (now.links)
		limit_links(in, &other);
	in->model.loggps = in->parameters.loggps;
	seen.classes += in->model.loggps.variables.count - LOGGPS_COUNT;
}

/* Simulate random programs, build their graphs, and check those that run. */
static void check_programs(uint64_t count, uint32_t most_ranks, uint32_t most_ops,
			   void (*check)(struct instance *))
{
	for (now.seed = 0; now.seed < count; now.seed++) {
		struct instance in = {.numbers = now.seed, .model.path = "random graph"};
		struct loggps *loggps = &in.model.loggps;
		bool runs;

		now.done = false;
		random_program(&in.model.goal, loggps, &in.numbers, most_ranks, most_ops);
		if (most_ranks <= 8 && (now.seed % 3 == 0 || now.links))
			add_network(&in);
		in.network = simulate_network_from(loggps, 1);
		in.varied = (uint32_t)random_below(&in.numbers, loggps->variables.count);
		if (!variable_is_on(&loggps->variables.of[in.varied]))
			in.varied = VARIABLE_L;
		runs = simulate(&in.simulation, &in.model.goal, &in.network);
		check_program(&in, runs, check);
		simulation_release(&in.simulation);
		parameters_release(&in.parameters);
		goal_release(&in.model.goal);
		now.done = true;
	}
}

static void t_is_that_of_the_simulation_and_of_its_order_at_other_values(void **unused)
{
	(void)unused;
	check_programs(programs.all, 6, 200, check_function);
}

static void the_order_of_service_holds_in_its_range_and_not_beyond(void **unused)
{
	(void)unused;
	check_programs(programs.all, 6, 200, check_range);
}

static void long_programs_take_the_time_of_the_simulation(void **unused)
{
	(void)unused;
	check_programs(programs.longer, 16, 4000, check_t);
}

static void the_segments_of_the_path_add_up(void **unused)
{
	(void)unused;
	check_programs(programs.paths, 6, 200, check_path);
}

static void a_graph_for_one_direction_gives_the_answers_of_the_graph_for_all(void **unused)
{
	(void)unused;
	check_programs(programs.all, 6, 200, check_asked);
}

static void the_simulation_of_a_model_tells_what_one_without_a_graph_tells(void **unused)
{
	(void)unused;
	check_programs(programs.all, 6, 200, check_results);
	check_programs(programs.longer, 16, 4000, check_results);
}

static void glpk_agrees_with_the_path_engine(void **unused)
{
	(void)unused;
	check_programs(programs.paths, 6, 200, check_lp);
}

static void all_of_it_holds_with_limited_links(void **unused)
{
	(void)unused;
	now.links = true;
	check_programs(programs.linked, 8, 200, check_function);
	check_programs(programs.linked, 8, 200, check_range);
	check_programs(programs.linked, 8, 200, check_results);
	check_programs(programs.linked / 2, 8, 200, check_path);
	check_programs(programs.linked / 2, 8, 200, check_lp);
	now.links = false;
}

/* A test that compares nothing would also pass. */
static void the_random_graphs_had_queues_kinks_and_ranges(void **unused)
{
	(void)unused;
	assert_true(seen.compared > programs.all / 2);
	assert_true(seen.limited > programs.all / 5);
	assert_true(seen.cyclic > programs.all / 20);
	assert_true(seen.ends > programs.all / 4);
	assert_true(seen.slopes > programs.all / 4);
	assert_true(seen.kinks > programs.all / 4);
	assert_true(seen.told > programs.all / 4);
	assert_true(seen.written > programs.all / 2);
	assert_true(seen.reached > programs.all / 4);
	assert_true(seen.bounded > programs.paths / 2);
	assert_true(seen.classes > programs.all);
	assert_true(seen.shared > programs.all / 20);
	assert_true(seen.within > programs.all);
	print_message("links were limited %u times, and messages waited for them %u times\n",
		      seen.linked, seen.queued);
	assert_true(seen.queued > programs.linked / 10);
	assert_true(seen.sent > programs.paths);
	print_message("%u graphs for one direction had fewer edges\n", seen.left_out);
	assert_true(seen.left_out > programs.all / 20);
}

/* Take the number of programs from the environment. */
static void take_count(void)
{
	const char *const count = getenv("PROGRAMS");

	if (!count)
		return;
	programs.all = programs.paths = strtoull(count, NULL, 10);
	programs.linked = programs.all * 3 / 10;
	programs.longer = programs.all / 100;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(
			t_is_that_of_the_simulation_and_of_its_order_at_other_values, say_seed),
		cmocka_unit_test_teardown(the_order_of_service_holds_in_its_range_and_not_beyond,
					  say_seed),
		cmocka_unit_test_teardown(long_programs_take_the_time_of_the_simulation, say_seed),
		cmocka_unit_test_teardown(the_segments_of_the_path_add_up, say_seed),
		cmocka_unit_test_teardown(
			a_graph_for_one_direction_gives_the_answers_of_the_graph_for_all, say_seed),
		cmocka_unit_test_teardown(
			the_simulation_of_a_model_tells_what_one_without_a_graph_tells, say_seed),
		cmocka_unit_test_teardown(glpk_agrees_with_the_path_engine, say_seed),
		cmocka_unit_test_teardown(all_of_it_holds_with_limited_links, say_seed),
		cmocka_unit_test(the_random_graphs_had_queues_kinks_and_ranges),
	};

	take_count();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
