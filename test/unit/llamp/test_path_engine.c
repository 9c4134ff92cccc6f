/* The path engine on small graphs whose answers can be worked out by hand. */
#include "test/unit/lib/make/make_goal.h"
#include "test/unit/lib/make/random_graph.h"
#include "test/unit/lib/must.h"

#include "common/units.h"
#include "llamp/path/path_engine.h"
#include "llamp/simulate/build.h"
#include "test/unit/lib/along.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

enum { NS = 1000000000 };

struct fixture {
	struct goal goal;
	struct loggps loggps;
	struct cost_graph graph;
};

static void fixture_init(struct fixture *f, const char *text, struct loggps loggps)
{
	struct error err;

	f->loggps = loggps;
	MUST(make_goal(&f->goal, text, &err));
	MUST(cost_graph_build(&f->graph, &f->goal, &f->loggps, &err));
}

static void fixture_release(struct fixture *f)
{
	cost_graph_release(&f->graph);
	goal_release(&f->goal);
}

static struct line line_at(const struct fixture *f, uint32_t parameter, int64_t at, enum side side)
{
	struct line line = {0};
	struct error err;

	MUST(path_evaluate(&f->graph, ALONG(&f->loggps, parameter), rational_from(at), side, &line,
			   NULL, &err));
	return line;
}

static void check_line(struct line line, int64_t constant_ns, int64_t slope)
{
	assert_true(line.constant == (int128)constant_ns * NS);
	assert_true(line.slope == slope);
}

static double tolerance_ns(const struct fixture *f, double percent)
{
	struct tolerance tolerance = {.percent = percent};
	struct error err;

	MUST(path_tolerances(&f->graph, ALONG(&f->loggps, VARIABLE_L), 0, &tolerance, 1, &err));
	assert_false(tolerance.unbounded);
	return tolerance.value_ns;
}

/* LLAMP, figure 4, with o = 0 and G = 5 ns. */
#define WORKED_EXAMPLE(c0)                                                                     \
	"num_ranks 2\nrank 0 {\na: calc " c0 "\nb: send 4b to 1\nc: calc 1000\nb requires a\n" \
	"c requires b\n}\nrank 1 {\na: calc 500\nb: recv 4b from 0\nc: calc 1000\n"            \
	"b requires a\nc requires b\n}\n"

static struct loggps worked_parameters(void)
{
	return loggps_of(0, 0, INT64_C(5) * NS);
}

static void late_sender_is_critical_at_any_latency(void **unused)
{
	struct fixture f;

	(void)unused;
	fixture_init(&f, WORKED_EXAMPLE("1000"), worked_parameters());
	check_line(line_at(&f, VARIABLE_L, 0, SIDE_RIGHT), 2015, 1);
	check_line(line_at(&f, VARIABLE_L, INT64_C(9000000) * NS, SIDE_LEFT), 2015, 1);
	fixture_release(&f);
}

static void early_sender_is_critical_from_385_ns(void **unused)
{
	struct breakpoints breakpoints;
	struct critical_range range;
	struct fixture f;
	struct error err;

	(void)unused;
	fixture_init(&f, WORKED_EXAMPLE("100"), worked_parameters());
	check_line(line_at(&f, VARIABLE_L, 0, SIDE_RIGHT), 1500, 0);
	check_line(line_at(&f, VARIABLE_L, INT64_C(385) * NS, SIDE_LEFT), 1500, 0);
	check_line(line_at(&f, VARIABLE_L, INT64_C(385) * NS, SIDE_RIGHT), 1115, 1);
	check_line(line_at(&f, VARIABLE_L, INT64_C(500) * NS, SIDE_LEFT), 1115, 1);
	MUST(path_breakpoints(&f.graph, ALONG(&f.loggps, VARIABLE_L), rational_from(0),
			      rational_from(INT64_C(1000) * NS), &breakpoints, &err));
	assert_int_equal(breakpoints.list.count, 1);
	assert_true(rational_value(breakpoints.list.items[0].at) == 385e9);
	breakpoints_release(&breakpoints);
	MUST(path_critical_range(&f.graph, ALONG(&f.loggps, VARIABLE_L), rational_from(0), &range,
				 &err));
	assert_true(range.low.numerator == 0 && rational_value(range.high) == 385e9);
	MUST(path_critical_range(&f.graph, ALONG(&f.loggps, VARIABLE_L),
				 rational_from(INT64_C(385) * NS), &range, &err));
	assert_true(rational_value(range.low) == 385e9 && range.unbounded);
	fixture_release(&f);
}

/* 2000 ns is 25 % above T(485 ns). */
static void latency_up_to_885_ns_keeps_the_runtime_below_2000_ns(void **unused)
{
	struct fixture f;

	(void)unused;
	fixture_init(&f, WORKED_EXAMPLE("100"), worked_parameters());
	loggps_set(&f.loggps, VARIABLE_L,
		   INT64_C(685) * NS); /* T = 1800 ns, and 25 % more is 2250 ns */
	assert_true(tolerance_ns(&f, 25) == 1135);
	loggps_set(&f.loggps, VARIABLE_L, 0); /* T = 1500 ns */
	assert_true(tolerance_ns(&f, 0) == 385);
	assert_true(tolerance_ns(&f, 20) == 685);
	loggps_set(&f.loggps, VARIABLE_L,
		   INT64_C(485) * NS); /* T = 1600 ns, and 25 % more is 2000 ns */
	assert_true(tolerance_ns(&f, 25) == 885);
	fixture_release(&f);
}

static void slopes_count_bytes_and_overheads(void **unused)
{
	struct loggps loggps = worked_parameters();
	struct fixture f;

	(void)unused;
	loggps_set(&loggps, VARIABLE_L, INT64_C(500) * NS);
	fixture_init(&f, WORKED_EXAMPLE("100"), loggps);
	check_line(line_at(&f, VARIABLE_G, loggps_value(&loggps, VARIABLE_G), SIDE_RIGHT), 1600, 3);
	check_line(line_at(&f, VARIABLE_o, 0, SIDE_RIGHT), 1615, 2);
	fixture_release(&f);
}

/* Three ranks that meet: T = max(900, 600 + L, 2L + 100), kinks at 300 and 500. */
static void breakpoints_on_the_ends_of_the_interval_are_in_it(void **unused)
{
	static const char text[] =
		"num_ranks 3\nrank 0 {\na: calc 100\nb: send 1b to 1\nb requires a\n}\n"
		"rank 1 {\na: recv 1b from 0\nb: calc 600\nc: send 1b to 2\nd: send 1b to 2 tag 1\n"
		"c requires a\nd requires b\n}\n"
		"rank 2 {\na: recv 1b from 1\nb: recv 1b from 1 tag 1\nc: calc 900\n}\n";
	struct breakpoints found;
	struct fixture f;
	struct error err;

	(void)unused;
	fixture_init(&f, text, worked_parameters());
	MUST(path_breakpoints(&f.graph, ALONG(&f.loggps, VARIABLE_L),
			      rational_from(INT64_C(300) * NS), rational_from(INT64_C(500) * NS),
			      &found, &err));
	assert_int_equal(found.list.count, 2);
	check_line(found.first, 900, 0);
	check_line(found.list.items[0].right, 600, 1);
	check_line(found.last, 100, 2);
	breakpoints_release(&found);
	MUST(path_breakpoints(&f.graph, ALONG(&f.loggps, VARIABLE_L),
			      rational_from(INT64_C(301) * NS), rational_from(INT64_C(499) * NS),
			      &found, &err));
	assert_int_equal(found.list.count, 0);
	check_line(found.first, 600, 1);
	breakpoints_release(&found);
	fixture_release(&f);
}

static void kinks_between_attoseconds_are_exact(void **unused)
{
	/* 100 ns against 3 L: the kink is at 100/3 ns. */
	static const char text[] =
		"num_ranks 2\nrank 0 {\na: calc 100\nb: send 1b to 1\nc: recv 1b from 1\n"
		"d: send 1b to 1\nd requires c\n}\n"
		"rank 1 {\na: recv 1b from 0\nb: send 1b to 0\nb requires a\nc: recv 1b from 0\n"
		"}\n";
	struct breakpoints found;
	struct fixture f;
	struct error err;

	(void)unused;
	fixture_init(&f, text, worked_parameters());
	MUST(path_breakpoints(&f.graph, ALONG(&f.loggps, VARIABLE_L), rational_from(0),
			      rational_from(INT64_C(1000) * NS), &found, &err));
	assert_int_equal(found.list.count, 1);
	assert_true(found.list.items[0].at.numerator == (int128)100 * NS);
	assert_true(found.list.items[0].at.denominator == 3);
	breakpoints_release(&found);
	fixture_release(&f);
}

static void without_messages_the_tolerance_is_unbounded(void **unused)
{
	struct tolerance tolerance = {.percent = 1};
	struct critical_range range;
	struct fixture f;
	struct error err;

	(void)unused;
	fixture_init(&f, "num_ranks 3\nrank 0 {\n}\nrank 1 {\na: calc 7\n}\nrank 2 {\n}\n",
		     loggps_default);
	check_line(line_at(&f, VARIABLE_L, 5, SIDE_RIGHT), 7, 0);
	MUST(path_tolerances(&f.graph, ALONG(&f.loggps, VARIABLE_L), 0, &tolerance, 1, &err));
	assert_true(tolerance.unbounded);
	MUST(path_critical_range(&f.graph, ALONG(&f.loggps, VARIABLE_L), rational_from(5), &range,
				 &err));
	assert_true(range.unbounded && range.low.numerator == 0);
	fixture_release(&f);
}

static void a_program_without_operations_takes_no_time(void **unused)
{
	struct fixture f;

	(void)unused;
	fixture_init(&f, "num_ranks 2\nrank 0 {\n}\nrank 1 {\n}\n", loggps_default);
	assert_int_equal(f.graph.vertex_count, 1);
	check_line(line_at(&f, VARIABLE_L, 0, SIDE_RIGHT), 0, 0);
	fixture_release(&f);
}

static void a_program_that_takes_no_time_tolerates_no_latency(void **unused)
{
	struct loggps loggps = loggps_of(0, 0, 0);
	struct fixture f;

	(void)unused;
	fixture_init(&f,
		     "num_ranks 2\nrank 0 {\na: send 0b to 1\n}\nrank 1 {\na: recv 0b from 0\n}\n",
		     loggps);
	assert_true(tolerance_ns(&f, 5) == 0);
	fixture_release(&f);
}

static void negative_tolerances_are_refused(void **unused)
{
	struct tolerance tolerance = {.percent = 1};
	struct fixture f;
	struct error err;

	(void)unused;
	fixture_init(&f, WORKED_EXAMPLE("100"), worked_parameters());
	tolerance.percent = -1;
	assert_int_equal(path_tolerances(&f.graph, ALONG(&f.loggps, VARIABLE_L), 0, &tolerance, 1,
					 &err),
			 -1);
	assert_int_equal(err.status, STATUS_USAGE);
	fixture_release(&f);
}

static void costs_near_the_largest_number_stay_exact(void **unused)
{
	static const char text[] =
		"num_ranks 1\nrank 0 {\na: calc 9223372036854775807\nb: calc 18446744073709551615\n"
		"b requires a\n}\n";
	struct fixture f;
	struct line line;

	(void)unused;
	fixture_init(&f, text, loggps_default);
	line = line_at(&f, VARIABLE_L, INT64_MAX, SIDE_RIGHT);
	assert_true(line.constant == ((int128)INT64_MAX + UINT64_MAX) * NS && line.slope == 0);
	fixture_release(&f);
}

/* Sums over several ranks, where a join and a chain have to become vertices after all. */
static void sums_of_messages_too_long_for_64_bits_stay_exact(void **unused)
{
	static const char text[] =
		"num_ranks 3\nrank 0 {\na: calc 9223372036854775808\nb: send 1b to 1\n"
		"b requires a\n}\n"
		"rank 1 {\na: calc 9223372036854785808\nb: recv 1b from 0\nb requires a\n"
		"c: calc 9223372036854775808\nc requires b\nd: send 1b to 2\nd requires c\n}\n"
		"rank 2 {\na: recv 1b from 1\nb: calc 18446744073709551615\nb requires a\n}\n";
	const int128 half = (int128)1 << 63, rest = (half + UINT64_MAX) * NS;
	const int64_t o = loggps_value(&loggps_default, VARIABLE_o);
	struct fixture f;
	struct line line;

	(void)unused;
	fixture_init(&f, text, loggps_default);
	line = line_at(&f, VARIABLE_L, INT64_C(3000) * NS, SIDE_RIGHT);
	assert_true(line.constant == (half + 10000) * NS + rest + 3 * o && line.slope == 1);
	line = line_at(&f, VARIABLE_L, INT64_C(5000) * NS, SIDE_LEFT);
	assert_true(line.slope == 1);
	line = line_at(&f, VARIABLE_L, INT64_C(5000) * NS, SIDE_RIGHT);
	assert_true(line.constant == half * NS + rest + 4 * o && line.slope == 2);
	fixture_release(&f);
}

static void times_that_128_bits_might_not_hold_are_refused(void **unused)
{
	static const char text[] = "num_ranks 2\nrank 0 {\na: send 18446744073709551615b to 1\n}\n"
				   "rank 1 {\na: recv 1b from 0\n}\n";
	struct loggps loggps = loggps_default;
	struct tolerance tolerance = {.percent = 1};
	struct line line;
	struct fixture f;
	struct error err;

	(void)unused;
	loggps_set(&loggps, VARIABLE_G, INT64_MAX);
	fixture_init(&f, text, loggps);
	assert_int_equal(path_evaluate(&f.graph, ALONG(&f.loggps, VARIABLE_L), rational_from(0),
				       SIDE_LEFT, &line, NULL, &err),
			 -1);
	assert_int_equal(err.status, STATUS_LIMIT);
	assert_int_equal(path_evaluate(&f.graph, ALONG(&f.loggps, VARIABLE_L), RATIONAL_INFINITY,
				       SIDE_RIGHT, &line, NULL, &err),
			 -1);
	assert_int_equal(err.status, STATUS_LIMIT);
	assert_int_equal(path_tolerances(&f.graph, ALONG(&f.loggps, VARIABLE_L), 0, &tolerance, 1,
					 &err),
			 -1);
	assert_int_equal(err.status, STATUS_LIMIT);
	fixture_release(&f);
}

/* Sum the costs along the edges that decide, from the end back to the beginning. */
static struct line order(const struct fixture *f, const uint32_t *tight)
{
	const struct cost_graph *graph = &f->graph;
	uint32_t *sources, v = graph->vertex_count - 1;
	uint64_t first = graph->edge_count;
	struct line sum = {0};
	struct error err;

	MUST(cost_graph_sources(graph, &sources, &err));
	/* Back from vertex to vertex, adding where the path comes by. */
	for (uint32_t at = v; at != UINT32_MAX; at--) {
		struct cost_edge edge;
		uint32_t expression;

		do
			first--;
		while (first > 0 && !cost_graph_is_last(graph, first - 1));
		if (at != v)
			continue;
		edge = cost_graph_edge(graph, first + tight[at]);
		expression = cost_edge_expression(&edge);
		sum.constant += (int128)edge.ns * NS;
		for (uint32_t i = VARIABLE_L + 1; i < LOGGPS_COUNT; i++)
			sum.constant += (int128)coefficient_in(&graph->expressions, expression, i) *
					loggps_value(&f->loggps, i);
		sum.slope += coefficient_in(&graph->expressions, expression, VARIABLE_L);
		v = sources[first + tight[at]];
	}
	assert_int_equal(first, 0);
	free(sources);
	return sum;
}

static void the_tight_edges_are_the_critical_path(void **unused)
{
	uint64_t numbers = 1;
	struct error err;

	(void)unused;
	for (int i = 0; i < 100; i++) {
		struct fixture f;
		struct line line, path;
		uint32_t *tight;

		random_graph(&f.goal, &numbers, 4, 60);
		random_loggps(&f.loggps, &numbers);
		f.loggps.S = LOGGPS_NO_RENDEZVOUS;
		if (cost_graph_build(&f.graph, &f.goal, &f.loggps, &err) == 0) {
			MUST(allocate(&tight, f.graph.vertex_count, sizeof *tight, &err));
			MUST(path_evaluate(&f.graph, ALONG(&f.loggps, VARIABLE_L),
					   rational_from(loggps_value(&f.loggps, VARIABLE_L)),
					   SIDE_RIGHT, &line, tight, &err));
			path = order(&f, tight);
			assert_true(path.constant == line.constant && path.slope == line.slope);
			free(tight);
			cost_graph_release(&f.graph);
		}
		goal_release(&f.goal);
	}
}

static void lulesh_takes_19437360954_ps(void **unused)
{
	const char *source = getenv("SOURCE");
	struct loggps loggps = loggps_default;
	char path[4096];
	struct fixture f;
	struct line line;
	struct error err;

	(void)unused;
	snprintf(path, sizeof path, "%s/../shared/data/goal/lulesh-8.bin", source ? source : ".");
	if (access(path, R_OK) != 0)
		skip();
	f.loggps = loggps;
	MUST(goal_open(&f.goal, path, &err));
	MUST(cost_graph_build(&f.graph, &f.goal, &loggps, &err));
	line = line_at(&f, VARIABLE_L, loggps_value(&loggps, VARIABLE_L), SIDE_RIGHT);
	assert_true(line.constant + line.slope * loggps_value(&loggps, VARIABLE_L) ==
		    (int128)19437360954 * 1000000);
	assert_true(line.slope == 37);
	fixture_release(&f);
}

static void protocols_have_names(void **unused)
{
	enum rendezvous rendezvous;
	struct error err;

	(void)unused;
	for (int i = 0; i < RENDEZVOUS_COUNT; i++) {
		MUST(rendezvous_parse(rendezvous_name((enum rendezvous)i), &rendezvous, &err));
		assert_int_equal(rendezvous, i);
	}
	assert_int_equal(rendezvous_parse("write", &rendezvous, &err), -1);
	assert_int_equal(err.status, STATUS_USAGE);
	assert_true(loggps_value(&loggps_default, VARIABLE_G) * 1000 == INT64_C(18) * AS_PER_NS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(late_sender_is_critical_at_any_latency),
		cmocka_unit_test(early_sender_is_critical_from_385_ns),
		cmocka_unit_test(latency_up_to_885_ns_keeps_the_runtime_below_2000_ns),
		cmocka_unit_test(slopes_count_bytes_and_overheads),
		cmocka_unit_test(breakpoints_on_the_ends_of_the_interval_are_in_it),
		cmocka_unit_test(kinks_between_attoseconds_are_exact),
		cmocka_unit_test(without_messages_the_tolerance_is_unbounded),
		cmocka_unit_test(a_program_without_operations_takes_no_time),
		cmocka_unit_test(a_program_that_takes_no_time_tolerates_no_latency),
		cmocka_unit_test(negative_tolerances_are_refused),
		cmocka_unit_test(costs_near_the_largest_number_stay_exact),
		cmocka_unit_test(sums_of_messages_too_long_for_64_bits_stay_exact),
		cmocka_unit_test(times_that_128_bits_might_not_hold_are_refused),
		cmocka_unit_test(the_tight_edges_are_the_critical_path),
		cmocka_unit_test(lulesh_takes_19437360954_ps),
		cmocka_unit_test(protocols_have_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
