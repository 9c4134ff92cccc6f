/* A cost graph pruned between points has the breakpoints of the whole graph there. */
#include "test/unit/lib/make/random_graph.h"
#include "test/unit/lib/must.h"

#include "common/units.h"
#include "llamp/graph/cost_writer.h"
#include "llamp/graph/subgraph.h"
#include "llamp/path/path_engine.h"
#include "llamp/path/prune.h"
#include "llamp/simulate/build.h"
#include "test/unit/lib/along.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#ifdef __SANITIZE_ADDRESS__
enum { GRAPHS = 200, STAGES = 6000 };
#else
enum { GRAPHS = 2000, STAGES = 20000 };
#endif

static struct error err;

static void assert_same_line(struct line a, struct line b)
{
	assert_true(lines_same(a, b));
}

static void assert_same_breakpoints(const struct breakpoints *a, const struct breakpoints *b)
{
	assert_same_line(a->first, b->first);
	assert_same_line(a->last, b->last);
	assert_int_equal(a->list.count, b->list.count);
	for (size_t i = 0; i < a->list.count; i++) {
		assert_true(a->list.items[i].at.numerator == b->list.items[i].at.numerator);
		assert_true(a->list.items[i].at.denominator == b->list.items[i].at.denominator);
		assert_same_line(a->list.items[i].left, b->list.items[i].left);
		assert_same_line(a->list.items[i].right, b->list.items[i].right);
	}
}

static struct line line_at(const struct cost_graph *graph, const struct loggps *loggps,
			   uint32_t parameter, int64_t at)
{
	struct line line = {0};

	MUST(path_evaluate(graph, ALONG(loggps, parameter), rational_from(at), SIDE_RIGHT, &line,
			   NULL, &err));
	return line;
}

/* -------------------------------------------------------------- random graphs */

/* An interval of a random graph, and its breakpoints. */
struct sample {
	struct cost_graph graph;
	struct loggps loggps;
	uint32_t parameter;
	struct rational from, to;
	struct breakpoints whole;
};

/* How much there was to compare. */
static struct {
	unsigned intervals, parts, held;
	uint64_t edges, kept;
} seen;

/* Graphs of so few edges are halved. */
static void check_part(struct sample *sample)
{
	struct bounds bounds;
	struct cost_graph subgraph;
	struct breakpoints found;

	MUST(bounds_init(&bounds, BOUNDS_FIRST, sample->from, sample->to, sample->whole.first,
			 sample->whole.last, &err));
	MUST(prune_graph(&subgraph, &sample->graph, ALONG(&sample->loggps, sample->parameter),
			 &bounds, sample->graph.edge_count, &err));
	seen.intervals++;
	if (subgraph.edge_count > 0) {
		MUST(path_breakpoints(&subgraph, ALONG(&sample->loggps, sample->parameter),
				      sample->from, sample->to, &found, &err));
		seen.parts++;
		seen.edges += sample->graph.edge_count;
		seen.kept += subgraph.edge_count;
		if (bounds_hold(&bounds, &found)) {
			assert_same_breakpoints(&found, &sample->whole);
			seen.held++;
		}
		breakpoints_release(&found);
	}
	cost_graph_release(&subgraph);
	bounds_release(&bounds);
}

/* One limit above T is enough to know nothing, wherever it is. */
static void check_high_limit(struct sample *sample, uint64_t *numbers)
{
	struct bounds bounds;
	struct bound *point;

	MUST(bounds_init(&bounds, BOUNDS_FIRST, sample->from, sample->to, sample->whole.first,
			 sample->whole.last, &err));
	for (size_t i = 0; i < bounds.count; i++)
		bounds.points[i].limit = -1;
	assert_true(bounds_hold(&bounds, &sample->whole));
	point = &bounds.points[random_below(numbers, bounds.count)];
	point->limit = 1 + ((double)sample->whole.last.constant +
			    (double)sample->whole.last.slope * point->at) /
				   AS_PER_NS;
	if (point == &bounds.points[bounds.count - 1])
		assert_false(bounds_hold(&bounds, &sample->whole));
	point->limit = 1e300;
	assert_false(bounds_hold(&bounds, &sample->whole));
	bounds_release(&bounds);
}

static void check_interval(struct sample *sample, uint64_t *numbers)
{
	const uint64_t most = UINT64_C(1) << (26 + random_below(numbers, 20));
	const int64_t from = (int64_t)random_below(numbers, most / 16);

	sample->from = rational_from(from);
	sample->to = rational_from(from + 1 + (int64_t)random_below(numbers, most));
	MUST(path_breakpoints(&sample->graph, ALONG(&sample->loggps, sample->parameter),
			      sample->from, sample->to, &sample->whole, &err));
	if (sample->whole.list.count > 0) {
		check_part(sample);
		check_high_limit(sample, numbers);
	}
	breakpoints_release(&sample->whole);
}

static void parts_of_random_graphs_have_their_breakpoints_if_limits_hold(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < GRAPHS; seed++) {
		uint64_t numbers = seed;
		struct sample sample;
		struct goal goal;

		random_graph(&goal, &numbers, 6, 300);
		random_loggps(&sample.loggps, &numbers);
		if (cost_graph_build(&sample.graph, &goal, &sample.loggps, &err) == 0) {
			for (int i = 0; i < LOGGPS_COUNT; i++) {
				sample.parameter = (uint32_t)i;
				assert_true(prune_fits(&sample.graph, BOUNDS_FIRST));
				check_interval(&sample, &numbers);
			}
			cost_graph_release(&sample.graph);
		}
		goal_release(&goal);
	}
	assert_true(seen.intervals > GRAPHS / 10);
	assert_true(seen.parts > seen.intervals / 2);
	assert_true(seen.held > seen.parts / 2);
	assert_true(seen.kept < seen.edges / 2);
}

/* ---------------------------------------------------------------- large graphs */

/* One after the other: either a time or a message, and what neither needs to wait for. */
struct stages {
	struct cost_graph graph;
	int64_t bends[STAGES]; /* where the message takes longer, in ns */
};

static uint32_t message_expression(struct cost_writer *writer)
{
	const uint64_t coefficients[LOGGPS_COUNT] = {[VARIABLE_L] = 1, [VARIABLE_o] = 2};
	const uint32_t number = expression_of(&writer->expressions, coefficients);

	assert_true(number != EXPRESSION_FAILED);
	return number;
}

static void make_stages(struct stages *stages, int others, uint64_t base, uint64_t *numbers)
{
	struct cost_writer writer;
	uint32_t expression;

	MUST(cost_writer_init(&writer, &err));
	expression = message_expression(&writer);
	for (uint32_t v = 0; v < STAGES; v++) {
		const uint64_t ns = base + 2 * random_below(numbers, 50000);

		/* Overheads are 0. */
		stages->bends[v] = (int64_t)ns / 2;
		MUST(cost_writer_edge(&writer, v, ns, EXPRESSION_NONE, &err));
		MUST(cost_writer_edge(&writer, v, ns - (uint64_t)stages->bends[v], expression,
				      &err));
		for (int i = 0; i < others; i++)
			MUST(cost_writer_edge(&writer, v, random_below(numbers, ns / 8),
					      i % 2 ? expression : EXPRESSION_NONE, &err));
		MUST(cost_writer_vertex(&writer, v + 1 < STAGES ? 2 * v : COST_EVENT_END, &err));
	}
	MUST(cost_writer_finish(&writer, &stages->graph, &err));
}

static int ascending(const void *a, const void *b)
{
	const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* The slope is the number of stages of which the message takes longer. */
static void check_stages(struct stages *stages)
{
	const struct loggps loggps = loggps_of(0, 0, 0);
	const int64_t to = INT64_C(9000000000000000000);
	struct breakpoints found;
	size_t place = 0;

	qsort(stages->bends, STAGES, sizeof *stages->bends, ascending);
	MUST(path_breakpoints(&stages->graph, ALONG(&loggps, VARIABLE_L), rational_from(0),
			      rational_from(to), &found, &err));
	for (size_t i = 0; i < STAGES && stages->bends[i] <= to / AS_PER_NS; i++) {
		if (i > 0 && stages->bends[i] == stages->bends[i - 1])
			continue;
		assert_true(place < found.list.count);
		assert_true(found.list.items[place].at.numerator ==
			    (int128)stages->bends[i] * AS_PER_NS);
		assert_true(found.list.items[place].at.denominator == 1);
		assert_true(found.list.items[place].left.slope == (int128)i);
		place++;
	}
	assert_int_equal(place, found.list.count);
	assert_true(found.last.slope == STAGES);
	breakpoints_release(&found);
	cost_graph_release(&stages->graph);
}

static struct stages stages;

static void all_breakpoints_are_found_where_most_edges_can_be_left_out(void **state)
{
	uint64_t numbers = 1;

	(void)state;
	make_stages(&stages, 6, 1000, &numbers);
	check_stages(&stages);
}

static void all_breakpoints_are_found_where_no_edge_can_be_left_out(void **state)
{
	uint64_t numbers = 2;

	(void)state;
	make_stages(&stages, 0, 1000, &numbers);
	check_stages(&stages);
}

/* Floats cannot tell these from each other. */
static void all_breakpoints_are_found_where_times_hardly_differ(void **state)
{
	uint64_t numbers = 3;

	(void)state;
	make_stages(&stages, 2, UINT64_C(10000000000), &numbers);
	check_stages(&stages);
}

/*
 * Path i has `i` messages and takes (count^2 - i^2) ns, so it is the longest from 2 i - 1 ns to
 * 2 i + 1 ns.
 */
static void make_fan(struct cost_graph *graph, uint64_t count)
{
	struct cost_writer writer;

	MUST(cost_writer_init(&writer, &err));
	for (uint64_t i = 1; i <= count; i++) {
		const uint64_t coefficients[LOGGPS_COUNT] = {[VARIABLE_L] = i};

		MUST(cost_writer_edge(&writer, 0, count * count - i * i,
				      expression_of(&writer.expressions, coefficients), &err));
	}
	MUST(cost_writer_vertex(&writer, COST_EVENT_END, &err));
	MUST(cost_writer_finish(&writer, graph, &err));
}

/* Returns the steps of the search. */
static uint64_t check_fan(uint64_t count)
{
	const struct loggps loggps = loggps_of(0, 0, 0);
	const int64_t to = 2 * (int64_t)count * AS_PER_NS;
	struct breakpoints found;
	struct cost_graph graph;

	make_fan(&graph, count);
	MUST(path_breakpoints(&graph, ALONG(&loggps, VARIABLE_L), rational_from(0),
			      rational_from(to), &found, &err));
	assert_int_equal(found.list.count, count - 1);
	for (size_t i = 0; i < found.list.count; i++) {
		const struct breakpoint *point = &found.list.items[i];

		assert_true(point->at.denominator == 1);
		assert_true(point->at.numerator == (int128)(2 * i + 3) * AS_PER_NS);
		assert_true(point->left.slope == (int128)i + 1);
		assert_true(point->right.slope == (int128)i + 2);
	}
	breakpoints_release(&found);
	cost_graph_release(&graph);
	return found.steps;
}

static void the_search_for_many_breakpoints_is_not_quadratic(void **state)
{
	enum { FEW = 2000, MANY = 8 * FEW };
	const uint64_t few = check_fan(FEW);

	(void)state;
	assert_true(few > FEW);
	assert_true(check_fan(MANY) < 2 * few * MANY / FEW);
}

/* ------------------------------------------------------------------------ parts */

static void a_part_of_all_edges_has_the_lines_of_the_graph(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < GRAPHS / 4; seed++) {
		uint64_t numbers = seed, *wanted;
		struct cost_graph graph, subgraph;
		struct loggps loggps;
		struct goal goal;

		random_graph(&goal, &numbers, 6, 300);
		random_loggps(&loggps, &numbers);
		if (cost_graph_build(&graph, &goal, &loggps, &err) == 0) {
			MUST(allocate(&wanted, graph.edge_count / 64 + 1, sizeof *wanted, &err));
			memset(wanted, 0xff, (graph.edge_count / 64 + 1) * sizeof *wanted);
			MUST(subgraph_build(&subgraph, &graph, wanted, &err));
			for (int i = 0; i < LOGGPS_COUNT; i++) {
				const int64_t at = (int64_t)random_below(&numbers, 1u << 30) << 20;

				assert_same_line(line_at(&subgraph, &loggps, (uint32_t)i, at),
						 line_at(&graph, &loggps, (uint32_t)i, at));
			}
			cost_graph_release(&subgraph);
			cost_graph_release(&graph);
			free(wanted);
		}
		goal_release(&goal);
	}
}

/* Chain of edges of the same time, each parallel to an edge that takes no time. */
static void make_chain(struct cost_graph *graph, uint32_t length, uint64_t ns)
{
	struct cost_writer writer;

	MUST(cost_writer_init(&writer, &err));
	for (uint32_t v = 0; v < length; v++) {
		MUST(cost_writer_edge(&writer, v, ns, EXPRESSION_NONE, &err));
		MUST(cost_writer_edge(&writer, v, 0, message_expression(&writer), &err));
		MUST(cost_writer_vertex(&writer, v + 1 < length ? 2 * v : COST_EVENT_END, &err));
	}
	MUST(cost_writer_finish(&writer, graph, &err));
}

static void a_chain_that_is_left_becomes_one_edge(void **state)
{
	const uint64_t wanted[] = {UINT64_C(0x5555555555555555), 0x5555};
	const struct loggps loggps = loggps_of(0, 0, 0);
	struct cost_graph graph, subgraph;

	(void)state;
	make_chain(&graph, 40, 7);
	MUST(subgraph_build(&subgraph, &graph, wanted, &err));
	assert_int_equal(subgraph.edge_count, 1);
	assert_int_equal(cost_graph_edge(&subgraph, 0).ns, 40 * 7);
	assert_true(line_at(&subgraph, &loggps, VARIABLE_L, 1).constant == 40 * 7 * AS_PER_NS);
	cost_graph_release(&subgraph);
	cost_graph_release(&graph);
}

static void a_chain_too_long_for_64_bits_becomes_several_edges(void **state)
{
	const uint64_t wanted[] = {0x5555};
	const struct loggps loggps = loggps_of(0, 0, 0);
	struct cost_graph graph, subgraph;

	(void)state;
	make_chain(&graph, 7, UINT64_C(1) << 63);
	MUST(subgraph_build(&subgraph, &graph, wanted, &err));
	assert_int_equal(subgraph.edge_count, 7);
	assert_same_line(line_at(&subgraph, &loggps, VARIABLE_L, 1),
			 line_at(&graph, &loggps, VARIABLE_L, 1));
	cost_graph_release(&subgraph);
	cost_graph_release(&graph);
}

static void edges_that_lead_nowhere_make_no_part(void **state)
{
	/* The last vertex has none, or those before it have none. */
	const uint64_t wanted[][1] = {{0x3f}, {0xc0}, {0}};
	struct cost_graph graph, subgraph;

	(void)state;
	make_chain(&graph, 4, 7);
	for (int i = 0; i < 3; i++) {
		MUST(subgraph_build(&subgraph, &graph, wanted[i], &err));
		assert_int_equal(subgraph.edge_count, 0);
		cost_graph_release(&subgraph);
	}
	cost_graph_release(&graph);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parts_of_random_graphs_have_their_breakpoints_if_limits_hold),
		cmocka_unit_test(all_breakpoints_are_found_where_most_edges_can_be_left_out),
		cmocka_unit_test(all_breakpoints_are_found_where_no_edge_can_be_left_out),
		cmocka_unit_test(all_breakpoints_are_found_where_times_hardly_differ),
		cmocka_unit_test(the_search_for_many_breakpoints_is_not_quadratic),
		cmocka_unit_test(a_part_of_all_edges_has_the_lines_of_the_graph),
		cmocka_unit_test(a_chain_that_is_left_becomes_one_edge),
		cmocka_unit_test(a_chain_too_long_for_64_bits_becomes_several_edges),
		cmocka_unit_test(edges_that_lead_nowhere_make_no_part),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
