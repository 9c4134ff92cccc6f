/* The LP engine on graphs of costs made here: against the path engine and the graphs themselves. */
#include "llamp/graph/cost_writer.h"
#include "llamp/lp/lp_engine.h"
#include "llamp/simulate/build.h"
#include "test/unit/lib/along.h"
#include "test/unit/lib/make/make_goal.h"
#include "test/unit/lib/make/random_graph.h"
#include "test/unit/lib/oracle/relax_solver.h"
#include "test/unit/lib/scratch_folder.h"

#include "common/units.h"

#include <glpk.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { MOST_VERTICES = 64, MOST_EDGES = 512 };

/*
 * A graph in arrays of its own; edges are added in the order of the vertices they
 * lead to.  A vertex without edges begins with the program.
 */
struct sample_cost {
	uint64_t ns, latencies, overheads, bytes, gaps;
};

struct sample_edge {
	uint32_t from;
	struct sample_cost cost;
};

struct sample {
	struct cost_graph graph; /* made by sample_finish */
	uint32_t vertex_count;
	uint64_t edge_count;
	struct sample_edge edges[MOST_EDGES];
	uint64_t first_edge[MOST_VERTICES + 1];
};

#define SUCCEEDS(call)                            \
	do {                                      \
		if ((call) < 0)                   \
			fail_msg("%s", err.text); \
	} while (0)

static void sample_init(struct sample *sample)
{
	memset(sample, 0, sizeof *sample);
}

static uint32_t add_vertex(struct sample *sample)
{
	uint32_t vertex = sample->vertex_count++;

	sample->first_edge[vertex + 1] = sample->edge_count;
	return vertex;
}

/* An edge into the vertex that was added last. */
static void add_edge(struct sample *sample, uint32_t from, struct sample_cost cost)
{
	sample->edges[sample->edge_count++] = (struct sample_edge){from, cost};
	sample->first_edge[sample->vertex_count] = sample->edge_count;
}

static void sample_finish(struct sample *sample)
{
	struct cost_writer writer;
	struct error err;

	SUCCEEDS(cost_writer_init(&writer, &err));
	for (uint32_t v = 0; v < sample->vertex_count; v++) {
		if (sample->first_edge[v] == sample->first_edge[v + 1])
			SUCCEEDS(cost_writer_edge(&writer, 0, 0, EXPRESSION_NONE, &err));
		for (uint64_t e = sample->first_edge[v]; e < sample->first_edge[v + 1]; e++) {
			const struct sample_edge *edge = &sample->edges[e];

			SUCCEEDS(cost_writer_edge(
				&writer, edge->from + 1, edge->cost.ns,
				expression_of(&writer.expressions,
					      (uint64_t[LOGGPS_COUNT]){
						      [VARIABLE_L] = edge->cost.latencies,
						      [VARIABLE_o] = edge->cost.overheads,
						      [VARIABLE_G] = edge->cost.bytes,
						      [VARIABLE_g] = edge->cost.gaps}),
				&err));
		}
		SUCCEEDS(cost_writer_vertex(&writer,
					    v + 1 < sample->vertex_count ? 2 * v : COST_EVENT_END,
					    &err));
	}
	SUCCEEDS(cost_writer_finish(&writer, &sample->graph, &err));
}

/* rank 0: calc c0, send 4, calc 1000; rank 1: calc 500, recv, calc 1000 (LLAMP, figure 4) */
static void worked_example(struct sample *sample, struct loggps *loggps, uint64_t c0)
{
	uint32_t calc0, send, calc1, calc2, recv, match, calc3;

	*loggps = loggps_of(500 * AS_PER_NS, 0, 5 * AS_PER_NS);
	sample_init(sample);
	calc0 = add_vertex(sample);
	send = add_vertex(sample);
	add_edge(sample, calc0, (struct sample_cost){.ns = c0});
	calc1 = add_vertex(sample);
	add_edge(sample, send, (struct sample_cost){.overheads = 1});
	calc2 = add_vertex(sample);
	recv = add_vertex(sample);
	add_edge(sample, calc2, (struct sample_cost){.ns = 500});
	match = add_vertex(sample);
	add_edge(sample, recv, (struct sample_cost){0});
	add_edge(sample, send, (struct sample_cost){.overheads = 1, .latencies = 1, .bytes = 3});
	calc3 = add_vertex(sample);
	add_edge(sample, match, (struct sample_cost){.overheads = 1});
	add_vertex(sample);
	add_edge(sample, calc1, (struct sample_cost){.ns = 1000});
	add_edge(sample, calc3, (struct sample_cost){.ns = 1000});
}

/* Random numbers, the same on every machine. */
static uint64_t numbers = 88172645463325252u;
static uint64_t below(uint64_t limit)
{
	return random_below(&numbers, limit);
}

static struct sample_cost random_cost(uint64_t ns)
{
	struct sample_cost cost = {.ns = below(ns)};

	if (below(2)) {
		cost.latencies = below(4);
		cost.overheads = below(4);
		cost.bytes = below(2) ? below(100000) : 0;
		cost.gaps = below(8) == 0;
	}
	return cost;
}

static void random_sample(struct sample *sample, struct loggps *loggps)
{
	uint32_t vertices = 1 + (uint32_t)below(40);
	uint8_t has_successor[MOST_VERTICES] = {0};
	uint64_t ns = below(3) ? 1000 : 3; /* few values: many ties */

	int64_t latency = (int64_t)below(4) * AS_PER_NS * 250;
	int64_t overhead, gap;

	latency += (int64_t)below(2) * 1234567;
	overhead = (int64_t)below(3) * AS_PER_NS * 100;
	gap = (int64_t)below(2) * AS_PER_NS * 40;
	*loggps = loggps_of(latency, overhead, (int64_t)below(3) * AS_PER_NS / 100);
	loggps_set(loggps, VARIABLE_g, gap);
	sample_init(sample);
	for (uint32_t v = 0; v < vertices; v++) {
		uint64_t edges = v == 0 ? 0 : below(4);

		add_vertex(sample);
		for (uint64_t i = 0; i < edges; i++) {
			uint32_t from = (uint32_t)below(v);

			add_edge(sample, from, random_cost(ns));
			has_successor[from] = 1;
		}
	}
	/* As in the graphs of programs, all paths lead to the end. */
	add_vertex(sample);
	for (uint32_t v = 0; v < vertices; v++)
		if (!has_successor[v])
			add_edge(sample, v, random_cost(ns));
}

static void close_to(double value, double expected)
{
	double scale = fabs(expected) > 1 ? fabs(expected) : 1;

	if (!(value == expected || fabs(value - expected) <= 1e-9 * scale))
		fail_msg("%.17g is not %.17g", value, expected);
}

static void worked_example_has_the_papers_numbers(void **state)
{
	(void)state;
	for (int start = LP_COLD; start <= LP_LONGEST_PATH; start++) {
		static struct sample sample;
		struct loggps loggps;
		struct lp_model *model;
		struct lp_solution solution;
		struct error err;
		double factor, tolerance_ns;

		worked_example(&sample, &loggps, 1000);
		sample_finish(&sample);
		SUCCEEDS(lp_build(&model, &sample.graph, &loggps, &err));
		SUCCEEDS(lp_solve(model, start, ALONG(&loggps, VARIABLE_L),
				  rational_from(loggps_value(&loggps, VARIABLE_L)), SIDE_RIGHT,
				  &solution, &err));
		close_to(solution.runtime_ns, 2515);
		close_to(solution.lambda[VARIABLE_L], 1);
		close_to(solution.lambda[VARIABLE_G], 3);
		close_to(solution.basis_low_ns, 0);
		assert_true(isinf(solution.basis_high_ns));
		lp_free(model);
		cost_graph_release(&sample.graph);

		worked_example(&sample, &loggps, 100);
		sample_finish(&sample);
		SUCCEEDS(lp_build(&model, &sample.graph, &loggps, &err));
		SUCCEEDS(lp_solve(model, start, ALONG(&loggps, VARIABLE_L),
				  rational_from(loggps_value(&loggps, VARIABLE_L)), SIDE_RIGHT,
				  &solution, &err));
		close_to(solution.runtime_ns, 1615);
		close_to(solution.basis_low_ns, 385);
		assert_true(isinf(solution.basis_high_ns));
		SUCCEEDS(lp_solve(model, start, ALONG(&loggps, VARIABLE_L),
				  rational_from(100 * AS_PER_NS), SIDE_RIGHT, &solution, &err));
		close_to(solution.runtime_ns, 1500);
		close_to(solution.lambda[VARIABLE_L], 0);
		close_to(solution.basis_high_ns, 385);
		factor = 2000.0 / 1615;
		SUCCEEDS(lp_tolerance(model, start, ALONG(&loggps, VARIABLE_L), 1615,
				      (factor - 1) * 100, &tolerance_ns, NULL, &err));
		close_to(tolerance_ns, 885);
		lp_free(model);
		cost_graph_release(&sample.graph);
	}
}

static void kink_has_both_slopes(void **state)
{
	static struct sample sample;
	struct loggps loggps;
	struct lp_model *model;
	struct lp_solution solution;
	struct error err;

	(void)state;
	worked_example(&sample, &loggps, 100);
	sample_finish(&sample);
	SUCCEEDS(lp_build(&model, &sample.graph, &loggps, &err));
	for (int side = SIDE_LEFT; side <= SIDE_RIGHT; side++) {
		SUCCEEDS(lp_solve(model, LP_LONGEST_PATH, ALONG(&loggps, VARIABLE_L),
				  rational_from(385 * AS_PER_NS), side, &solution, &err));
		assert_int_equal(solution.pivots, 0);
		close_to(solution.runtime_ns, 1500);
		close_to(solution.lambda[VARIABLE_L], side == SIDE_RIGHT);
		close_to(side == SIDE_RIGHT ? solution.basis_low_ns : solution.basis_high_ns, 385);
	}
	lp_free(model);
	cost_graph_release(&sample.graph);
}

static int128 coefficient_of(const struct sample_cost *cost, uint32_t variable)
{
	return variable == VARIABLE_L	? (int128)cost->latencies
	       : variable == VARIABLE_G ? (int128)cost->bytes
	       : variable == VARIABLE_o ? (int128)cost->overheads
					: (int128)cost->gaps;
}

/* The slope of a cost in a direction. */
static int128 slope_of(const struct sample_cost *cost, const struct direction *direction)
{
	int128 slope = 0;

	for (uint32_t v = 0; v < direction->count; v++)
		slope += coefficient_of(cost, v) * direction->weight[v];
	return slope;
}

/* The value of a cost at the start of a direction. */
static int128 value_of(const struct sample_cost *cost, const struct direction *direction)
{
	int128 value = (int128)cost->ns * AS_PER_NS;

	for (uint32_t v = 0; v < direction->count; v++)
		value += coefficient_of(cost, v) *
			 (direction->origin_as[v] + direction->weight[v] * direction->start_as);
	return value;
}

/*
 * The range in which the edges that decide keep deciding, from the slacks of all
 * others; and T.  The other edges of vertices that are not on the path count too.
 */
static double range_by_slacks(const struct sample *sample, const struct direction *direction,
			      const uint32_t *tight, double *low, double *high)
{
	int128 value[MOST_VERTICES] = {0}, slope[MOST_VERTICES] = {0};
	uint32_t end = sample->vertex_count - 1;

	*low = 0;
	*high = INFINITY;
	for (uint32_t v = 0; v <= end; v++) {
		uint64_t first = sample->first_edge[v], last = sample->first_edge[v + 1];

		for (int pass = 0; pass < 2; pass++) {
			for (uint64_t e = first; e < last; e++) {
				const struct sample_edge *edge = &sample->edges[e];
				int128 v_e = value[edge->from] + value_of(&edge->cost, direction);
				int128 s_e = slope[edge->from] + slope_of(&edge->cost, direction);
				double point;

				if (pass == 0) {
					value[v] = e - first == tight[v] ? v_e : value[v];
					slope[v] = e - first == tight[v] ? s_e : slope[v];
					continue;
				}
				assert_true(v_e <= value[v]);
				if (s_e == slope[v])
					continue;
				point = ((double)direction->start_as +
					 (double)(value[v] - v_e) / (double)(s_e - slope[v])) /
					AS_PER_NS;
				if (s_e > slope[v] && point < *high)
					*high = point;
				if (s_e < slope[v] && point > *low)
					*low = point;
			}
		}
	}
	return (double)value[end] / AS_PER_NS;
}

static void check_solutions(struct sample *sample, const struct direction *direction,
			    struct lp_model *model)
{
	static uint32_t tight[MOST_VERTICES];
	const struct rational at = rational_from(direction->start_as);
	struct lp_solution cold, warm;
	struct line line[2];
	struct error err;
	double runtime_ns, low_ns, high_ns;

	SUCCEEDS(lp_solve(model, LP_COLD, direction, at, SIDE_RIGHT, &cold, &err));
	for (int side = SIDE_LEFT; side <= SIDE_RIGHT; side++) {
		SUCCEEDS(path_evaluate(&sample->graph, direction, at, side, &line[side], tight,
				       &err));
		runtime_ns = range_by_slacks(sample, direction, tight, &low_ns, &high_ns);
		SUCCEEDS(lp_solve(model, LP_LONGEST_PATH, direction, at, side, &warm, &err));
		assert_int_equal(warm.pivots, 0);
		close_to(warm.runtime_ns, runtime_ns);
		close_to(cold.runtime_ns, runtime_ns);
		close_to(warm.slope, (double)line[side].slope);
		close_to(warm.basis_low_ns, low_ns);
		close_to(warm.basis_high_ns, high_ns);
	}
	assert_true(cold.slope >= (double)line[SIDE_LEFT].slope - 1e-6);
	assert_true(cold.slope <= (double)line[SIDE_RIGHT].slope + 1e-6);
}

static void check_tolerance(struct sample *sample, const struct direction *direction,
			    struct lp_model *model, double percent, int *unbounded)
{
	const struct rational at = rational_from(direction->start_as);
	struct tolerance path = {.percent = percent};
	struct line line;
	struct error err;
	int64_t pivots;
	double runtime_ns, cold_ns, warm_ns;

	SUCCEEDS(path_evaluate(&sample->graph, direction, at, SIDE_RIGHT, &line, NULL, &err));
	runtime_ns = (double)(line.constant + line.slope * at.numerator) / AS_PER_NS;
	SUCCEEDS(path_tolerances(&sample->graph, direction, 0, &path, 1, &err));
	/* Cold and without room, GLPK may lose its way between 1 and 10^6 bytes. */
	if (percent > 0 || !direction->weight[VARIABLE_G])
		SUCCEEDS(lp_tolerance(model, LP_COLD, direction, runtime_ns, percent, &cold_ns,
				      NULL, &err));
	else
		cold_ns = path.value_ns;
	SUCCEEDS(lp_tolerance(model, LP_LONGEST_PATH, direction, runtime_ns, percent, &warm_ns,
			      &pivots, &err));
	assert_int_equal(pivots, 0);
	assert_int_equal(path.unbounded, !!isinf(cold_ns));
	assert_int_equal(path.unbounded, !!isinf(warm_ns));
	*unbounded += path.unbounded;
	if (path.unbounded)
		return;
	close_to(cold_ns, path.value_ns);
	close_to(warm_ns, path.value_ns);
}

static void random_graphs_agree(void **state)
{
	int unbounded = 0;
	const int rounds = 400;

	(void)state;
	for (int round = 0; round < rounds; round++) {
		static struct sample sample;
		struct direction several;
		struct loggps loggps;
		struct lp_model *model;
		struct error err;

		random_sample(&sample, &loggps);
		sample_finish(&sample);
		SUCCEEDS(lp_build(&model, &sample.graph, &loggps, &err));
		for (uint32_t parameter = 0; parameter < LOGGPS_COUNT; parameter++)
			if (variable_is_on(&loggps.variables.of[parameter]))
				check_solutions(&sample, ALONG(&loggps, parameter), model);
		random_direction(&several, &loggps, &numbers);
		for (int i = 0; i < 2; i++) {
			const struct direction *direction = i == 0 ? ALONG(&loggps, VARIABLE_L)
								   : &several;

			check_tolerance(&sample, direction, model, 0, &unbounded);
			check_tolerance(&sample, direction, model, 1.5, &unbounded);
			check_tolerance(&sample, direction, model, 300, &unbounded);
			/* the tolerance must leave the model as it was */
			check_solutions(&sample, direction, model);
		}
		lp_free(model);
		cost_graph_release(&sample.graph);
	}
	assert_in_range(unbounded, 1, 6 * rounds - 1);
}

static void single_operation_needs_no_message(void **state)
{
	static struct sample sample;
	struct loggps loggps = loggps_of(3000 * AS_PER_NS, 0, 0);
	struct lp_model *model;
	struct error err;

	(void)state;
	sample_init(&sample);
	add_vertex(&sample);
	add_vertex(&sample);
	add_edge(&sample, 0, (struct sample_cost){.ns = 700});
	sample_finish(&sample);
	SUCCEEDS(lp_build(&model, &sample.graph, &loggps, &err));
	for (int start = LP_COLD; start <= LP_LONGEST_PATH; start++) {
		struct lp_solution solution;
		double tolerance_ns;

		SUCCEEDS(lp_solve(model, start, ALONG(&loggps, VARIABLE_L),
				  rational_from(loggps_value(&loggps, VARIABLE_L)), SIDE_RIGHT,
				  &solution, &err));
		close_to(solution.runtime_ns, 700);
		close_to(solution.lambda[VARIABLE_L], 0);
		close_to(solution.basis_low_ns, 0);
		assert_true(isinf(solution.basis_high_ns));
		SUCCEEDS(lp_tolerance(model, start, ALONG(&loggps, VARIABLE_L), 700, 5,
				      &tolerance_ns, NULL, &err));
		assert_true(isinf(tolerance_ns));
	}
	lp_free(model);
	cost_graph_release(&sample.graph);
}

static void empty_program_takes_no_time(void **state)
{
	static struct sample sample;
	struct loggps loggps = loggps_of(3000 * AS_PER_NS, 0, 0);
	struct lp_model *model;
	struct error err;

	(void)state;
	sample_init(&sample);
	add_vertex(&sample);
	sample_finish(&sample);
	SUCCEEDS(lp_build(&model, &sample.graph, &loggps, &err));
	for (int start = LP_COLD; start <= LP_LONGEST_PATH; start++) {
		struct lp_solution solution;

		SUCCEEDS(lp_solve(model, start, ALONG(&loggps, VARIABLE_L),
				  rational_from(loggps_value(&loggps, VARIABLE_L)), SIDE_RIGHT,
				  &solution, &err));
		close_to(solution.runtime_ns, 0);
	}
	lp_free(model);
	cost_graph_release(&sample.graph);
}

static void long_programs_are_as_exact(void **state)
{
	/* Hours of compute, latencies of a microsecond: rounding must not look like a violation. */
	static struct sample sample;
	struct loggps loggps;
	struct lp_model *model;
	struct error err;
	int unbounded = 0;

	(void)state;
	for (uint64_t c0 = 1000; c0 < 1000000000000u; c0 *= 10) {
		uint32_t last;

		worked_example(&sample, &loggps, c0);
		loggps_set(&loggps, VARIABLE_o, 123456789);
		loggps_set(&loggps, VARIABLE_G, 17999999);
		last = sample.vertex_count - 1;
		for (int i = 0; i < 40; i++) {
			add_vertex(&sample);
			add_edge(&sample, last, (struct sample_cost){.ns = c0, .bytes = 7});
			add_edge(&sample, last, (struct sample_cost){.ns = c0, .latencies = 1});
			add_edge(&sample, last, (struct sample_cost){.ns = c0, .overheads = 3});
			last = sample.vertex_count - 1;
		}
		sample_finish(&sample);
		SUCCEEDS(lp_build(&model, &sample.graph, &loggps, &err));
		for (int start = LP_COLD; start <= LP_LONGEST_PATH; start++) {
			struct lp_solution solution;
			struct line line;

			SUCCEEDS(path_evaluate(&sample.graph, ALONG(&loggps, VARIABLE_L),
					       rational_from(loggps_value(&loggps, VARIABLE_L)),
					       SIDE_RIGHT, &line, NULL, &err));
			SUCCEEDS(lp_solve(model, start, ALONG(&loggps, VARIABLE_L),
					  rational_from(loggps_value(&loggps, VARIABLE_L)),
					  SIDE_RIGHT, &solution, &err));
			close_to(solution.runtime_ns,
				 (double)(line.constant +
					  line.slope * loggps_value(&loggps, VARIABLE_L)) /
					 AS_PER_NS);
			close_to(solution.lambda[VARIABLE_L], (double)line.slope);
			if (start == LP_LONGEST_PATH)
				assert_int_equal(solution.pivots, 0);
		}
		check_tolerance(&sample, ALONG(&loggps, VARIABLE_L), model, 10, &unbounded);
		lp_free(model);
		cost_graph_release(&sample.graph);
	}
	assert_int_equal(unbounded, 0);
}

static void tolerance_of_nothing_ends_where_t_begins_to_rise(void **state)
{
	/* Points on a scale at which a double does not tell one attosecond from the next. */
	int unbounded = 0;

	(void)state;
	for (uint64_t more = 0; more < 20; more++) {
		static struct sample sample;
		struct loggps loggps;
		struct lp_model *model;
		struct error err;

		worked_example(&sample, &loggps, 100);
		assert_int_equal(sample.edges[2].cost.ns, 500);
		sample.edges[2].cost.ns = 1000000000000000u + more;
		sample_finish(&sample);
		SUCCEEDS(lp_build(&model, &sample.graph, &loggps, &err));
		check_tolerance(&sample, ALONG(&loggps, VARIABLE_L), model, 0, &unbounded);
		lp_free(model);
		cost_graph_release(&sample.graph);
	}
	assert_int_equal(unbounded, 0);
}

static void sums_beyond_64_bits_are_solved(void **state)
{
	static struct sample sample;
	struct loggps loggps = loggps_of(0, 0, 0);
	struct lp_solution solution;
	struct lp_model *model;
	struct error err;

	(void)state;
	sample_init(&sample);
	add_vertex(&sample);
	for (uint32_t v = 0; v < 3; v++) {
		add_vertex(&sample);
		add_edge(&sample, v, (struct sample_cost){.ns = UINT64_MAX / 2});
	}
	sample_finish(&sample);
	SUCCEEDS(lp_build(&model, &sample.graph, &loggps, &err));
	SUCCEEDS(lp_solve(model, LP_LONGEST_PATH, ALONG(&loggps, VARIABLE_L), rational_from(0),
			  SIDE_RIGHT, &solution, &err));
	close_to(solution.runtime_ns, 1.5 * 0x1p64);
	assert_int_equal(solution.pivots, 0);
	lp_free(model);
	cost_graph_release(&sample.graph);
}

/* ----------------------------------------------------------- written programs */

/* Optimum of a program in a file, and the value of a column there. */
static double read_and_solve(const char *path, const char *column, double *value)
{
	glp_prob *problem = glp_create_prob();
	const bool mps = strstr(path, ".mps");
	double optimum;

	glp_term_out(GLP_OFF);
	assert_int_equal(mps ? glp_read_mps(problem, GLP_MPS_FILE, NULL, path)
			     : glp_read_lp(problem, NULL, path),
			 0);
	assert_int_equal(glp_simplex(problem, NULL), 0);
	assert_int_equal(glp_get_status(problem), GLP_OPT);
	glp_create_index(problem);
	assert_true(glp_find_col(problem, column) > 0);
	*value = glp_get_col_prim(problem, glp_find_col(problem, column));
	optimum = glp_get_obj_val(problem);
	glp_delete_prob(problem);
	return mps ? -optimum : optimum;
}

/* L = 40 ns + 2 p and o = 7 ns + 5 p, from p = 100 ns on. */
static void a_written_tolerance_keeps_variables_together(void **state)
{
	static const char text[] = "num_ranks 2\n"
				   "rank 0 {\na: calc 100\nb: send 4b to 1\nb requires a\n}\n"
				   "rank 1 {\na: calc 500\nb: recv 4b from 0\nb requires a\n}\n";
	static const char *const names[] = {"together.lp", "together.mps"};
	const struct loggps loggps = loggps_of(500 * AS_PER_NS, 10 * AS_PER_NS, 5 * AS_PER_NS);
	struct direction direction = direction_fixed(&loggps.variables);
	struct tolerance exact = {.percent = 30};
	struct execution_graph execution;
	struct cost_graph graph;
	struct error err;
	struct goal goal;

	(void)state;
	direction.weight[VARIABLE_L] = 2;
	direction.origin_as[VARIABLE_L] = 40 * AS_PER_NS;
	direction.weight[VARIABLE_o] = 5;
	direction.origin_as[VARIABLE_o] = 7 * AS_PER_NS;
	direction.start_as = 100 * AS_PER_NS;
	SUCCEEDS(make_goal(&goal, text, &err));
	SUCCEEDS(graphs_build(&execution, &graph, &goal, &loggps, &err));
	SUCCEEDS(path_tolerances(&graph, &direction, 0, &exact, 1, &err));
	/* T = 169 + 12 p is 1369 at the start. */
	close_to(exact.value_ns, (1369 * 1.3 - 169) / 12);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		struct lp_model *model;
		char path[128];
		double o_ns;

		SUCCEEDS(lp_build(&model, &graph, &loggps, &err));
		SUCCEEDS(lp_ask_tolerance(model, &direction, 30, &err));
		snprintf(path, sizeof path, "%s/%s", scratch, names[i]);
		SUCCEEDS(lp_write(model, &goal, path, strstr(path, ".mps"), &err));
		lp_free(model);
		close_to(read_and_solve(path, "o", &o_ns), 40 + 2 * exact.value_ns);
		close_to(o_ns, 7 + 5 * exact.value_ns);
	}
	execution_graph_release(&execution);
	cost_graph_release(&graph);
	goal_release(&goal);
}

static void a_direction_moves_variables_that_are_on(void **state)
{
	static struct sample sample;
	struct direction direction;
	struct lp_solution solution;
	struct loggps loggps;
	struct lp_model *model;
	struct error err;
	double value_ns;

	(void)state;
	worked_example(&sample, &loggps, 100);
	sample_finish(&sample);
	SUCCEEDS(lp_build(&model, &sample.graph, &loggps, &err));
	direction = direction_fixed(&loggps.variables);
	SUCCEEDS(lp_solve(model, LP_LONGEST_PATH, &direction, rational_from(0), SIDE_RIGHT,
			  &solution, &err));
	close_to(solution.runtime_ns, 1615);
	close_to(solution.slope, 0);
	assert_int_equal(lp_tolerance(model, LP_LONGEST_PATH, &direction, 1615, 1, &value_ns, NULL,
				      &err),
			 -1);
	assert_int_equal(err.status, STATUS_USAGE);
	direction.weight[VARIABLE_L] = 1;
	direction.weight[VARIABLE_g] = 1;
	assert_int_equal(lp_solve(model, LP_LONGEST_PATH, &direction, rational_from(0), SIDE_RIGHT,
				  &solution, &err),
			 -1);
	assert_int_equal(err.status, STATUS_USAGE);
	assert_non_null(strstr(err.text, "g is switched off"));
	assert_int_equal(lp_tolerance(model, LP_LONGEST_PATH, &direction, 1615, 1, &value_ns, NULL,
				      &err),
			 -1);
	assert_int_equal(err.status, STATUS_USAGE);
	lp_free(model);
	cost_graph_release(&sample.graph);
}

/* ------------------------------------------------------------- errors in GLPK */

static void check_lost(struct lp_model *model)
{
	struct lp_solution solution;
	struct error err;

	assert_int_equal(lp_solve(model, LP_COLD, ALONG(&loggps_default, VARIABLE_L),
				  rational_from(0), SIDE_RIGHT, &solution, &err),
			 -1);
	assert_int_equal(err.status, STATUS_SYSTEM);
	assert_non_null(strstr(err.text, "earlier error"));
	lp_free(model);
}

/* Leave GLPK not much more than `rest` bytes; an error frees all of it. */
static void use_up_memory(size_t rest)
{
	const size_t limit = 1 << 20;
	size_t used;

	glp_mem_usage(NULL, NULL, &used, NULL);
	glp_mem_limit(1);
	assert_true(used + rest < limit);
	assert_non_null(glp_alloc(1, (int)(limit - used - rest)));
}

static void errors_in_glpk_are_returned(void **state)
{
	static struct sample sample;
	struct loggps loggps;
	struct lp_model *model, *other;
	struct lp_solution solution;
	struct error err;
	double tolerance_ns;

	(void)state;
	worked_example(&sample, &loggps, 100);
	for (int call = 0; call < 3; call++) {
		sample_finish(&sample);
		SUCCEEDS(lp_build(&model, &sample.graph, &loggps, &err));
		use_up_memory(500);
		if (call == 0)
			assert_int_equal(lp_build(&other, &sample.graph, &loggps, &err), -1);
		if (call == 1)
			assert_int_equal(lp_solve(model, LP_LONGEST_PATH,
						  ALONG(&loggps, VARIABLE_L),
						  rational_from(loggps_value(&loggps, VARIABLE_L)),
						  SIDE_RIGHT, &solution, &err),
					 -1);
		if (call == 2)
			assert_int_equal(lp_tolerance(model, LP_LONGEST_PATH,
						      ALONG(&loggps, VARIABLE_L), 1615, 1,
						      &tolerance_ns, NULL, &err),
					 -1);
		assert_int_equal(err.status, STATUS_SYSTEM);
		assert_non_null(strstr(err.text, "memory"));
		check_lost(model);
		cost_graph_release(&sample.graph);
	}
	sample_finish(&sample);
	SUCCEEDS(lp_build(&model, &sample.graph, &loggps, &err));
	SUCCEEDS(lp_solve(model, LP_LONGEST_PATH, ALONG(&loggps, VARIABLE_L),
			  rational_from(loggps_value(&loggps, VARIABLE_L)), SIDE_RIGHT, &solution,
			  &err));
	close_to(solution.runtime_ns, 1615);
	lp_free(model);
	cost_graph_release(&sample.graph);
}

/* ------------------------------------------------------------- another solver */

/* Both solvers' tolerance in a direction. */
static void compare_tolerances(struct lp_model *const models[2], const struct direction *direction,
			       double runtime_ns, double percent)
{
	for (int start = LP_COLD; start <= LP_LONGEST_PATH; start++) {
		double value_ns[2], to_ns[2];
		struct error err;

		for (int i = 0; i < 2; i++) {
			SUCCEEDS(lp_tolerance(models[i], start, direction, runtime_ns, percent,
					      &value_ns[i], NULL, &err));
			SUCCEEDS(lp_tolerance_to(models[i], start, direction, 1000, percent,
						 &to_ns[i], NULL, &err));
		}
		close_to(value_ns[1], value_ns[0]);
		close_to(to_ns[1], to_ns[0]);
	}
}

static void compare_solvers(struct lp_model *const models[2], const struct direction *direction)
{
	const struct rational at = rational_from(direction->start_as);
	struct lp_solution solutions[2];
	struct error err;

	for (int side = SIDE_LEFT; side <= SIDE_RIGHT; side++) {
		for (int i = 0; i < 2; i++)
			SUCCEEDS(lp_solve(models[i], LP_LONGEST_PATH, direction, at, side,
					  &solutions[i], &err));
		close_to(solutions[1].runtime_ns, solutions[0].runtime_ns);
		close_to(solutions[1].slope, solutions[0].slope);
		close_to(solutions[1].basis_low_ns, solutions[0].basis_low_ns);
		close_to(solutions[1].basis_high_ns, solutions[0].basis_high_ns);
		for (uint32_t v = 0; v < direction->count; v++)
			close_to(solutions[1].lambda[v], solutions[0].lambda[v]);
	}
	SUCCEEDS(lp_solve(models[1], LP_COLD, direction, at, SIDE_RIGHT, &solutions[1], &err));
	close_to(solutions[1].runtime_ns, solutions[0].runtime_ns);
	for (double percent = 0; percent < 500; percent = 3 * percent + 1)
		compare_tolerances(models, direction, solutions[0].runtime_ns, percent);
}

static void another_solver_gives_the_same_answers(void **state)
{
	static struct sample sample;
	struct lp_model *models[2], *written;
	struct direction several;
	struct loggps loggps;
	char path[128], line[128];
	struct error err;
	FILE *file;

	(void)state;
	for (int round = 0; round < 100; round++) {
		random_sample(&sample, &loggps);
		sample_finish(&sample);
		SUCCEEDS(lp_build(&models[0], &sample.graph, &loggps, &err));
		SUCCEEDS(lp_build_with(&models[1], &relax_solver, &sample.graph, &loggps, &err));
		random_direction(&several, &loggps, &numbers);
		relax_solved = 0;
		compare_solvers(models, ALONG(&loggps, VARIABLE_L));
		compare_solvers(models, &several);
		assert_true(relax_solved > 2 * 3);
		lp_free(models[0]);
		lp_free(models[1]);
		cost_graph_release(&sample.graph);
	}
	snprintf(path, sizeof path, "%s/relax.lp", scratch);
	worked_example(&sample, &loggps, 100);
	sample_finish(&sample);
	SUCCEEDS(lp_build_with(&written, &relax_solver, &sample.graph, &loggps, &err));
	SUCCEEDS(lp_ask_tolerance(written, ALONG(&loggps, VARIABLE_L), 30, &err));
	SUCCEEDS(lp_write(written, &(struct goal){0}, path, false, &err));
	lp_free(written);
	file = fopen(path, "r");
	assert_non_null(file);
	assert_non_null(fgets(line, sizeof line, file));
	fclose(file);
	assert_string_equal(line, "tolerance: 10 rows, 11 columns, 21 names, 0 ties\n");
	cost_graph_release(&sample.graph);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(worked_example_has_the_papers_numbers),
		cmocka_unit_test(kink_has_both_slopes),
		cmocka_unit_test(random_graphs_agree),
		cmocka_unit_test(single_operation_needs_no_message),
		cmocka_unit_test(empty_program_takes_no_time),
		cmocka_unit_test(long_programs_are_as_exact),
		cmocka_unit_test(tolerance_of_nothing_ends_where_t_begins_to_rise),
		cmocka_unit_test(sums_beyond_64_bits_are_solved),
		cmocka_unit_test(a_written_tolerance_keeps_variables_together),
		cmocka_unit_test(a_direction_moves_variables_that_are_on),
		cmocka_unit_test(errors_in_glpk_are_returned),
		cmocka_unit_test(another_solver_gives_the_same_answers),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
