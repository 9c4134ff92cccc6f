/* Executions: their edges and costs, cycles, the gap between messages; cost graphs. */
#include "test/unit/lib/check/cost_graph_check.h"
#include "test/unit/lib/make/make_goal.h"
#include "test/unit/lib/make/random_graph.h"
#include "test/unit/lib/must.h"
#include "test/unit/lib/processors.h"

#include "common/units.h"
#include "llamp/graph/event_times.h"
#include "llamp/path/path_engine.h"
#include "llamp/simulate/build.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

/* All edges of an execution as a text. */
struct description {
	const struct execution_graph *execution;
	struct event from;
	char text[4096];
	size_t used;
	uint32_t edges;
};

static const char *event_name(struct event event, char text[16])
{
	snprintf(text, 16, "%c%" PRIu32, event.match ? 'm' : 's', event.op);
	return text;
}

/* "s0>m1:1o1L3B0g0 " and so on: from, to, cost. */
static void describe_edge(void *context, const struct edge *edge)
{
	struct description *description = context;
	const struct cost *cost = edge->cost;
	const size_t room = sizeof description->text - description->used;
	char from[16], to[16] = "end";

	if (edge->target != TARGET_END)
		event_name(execution_target(description->execution, edge), to);
	description->used += (size_t)snprintf(description->text + description->used, room,
					      "%s>%s:%uo%uL%" PRIu64 "B%ug%" PRIu64 " ",
					      event_name(description->from, from), to,
					      (unsigned)cost_symbol(cost, VARIABLE_o),
					      (unsigned)cost_symbol(cost, VARIABLE_L),
					      cost_symbol(cost, VARIABLE_G),
					      (unsigned)cost_symbol(cost, VARIABLE_g), cost->ns);
	assert_true(description->used < sizeof description->text);
	description->edges++;
}

static void describe(struct description *description, const struct execution_graph *execution)
{
	*description = (struct description){.execution = execution, .text = " ", .used = 1};
	for (uint32_t op = 0; op < execution->goal->op_count; op++) {
		description->from = (struct event){op, false};
		execution_edges(execution, description->from, describe_edge, description);
		if (execution_find(execution, op).op.kind != GOAL_RECV)
			continue;
		description->from.match = true;
		execution_edges(execution, description->from, describe_edge, description);
	}
}

/* The execution must have these edges and no others, in any order. */
static void check_edges(const char *goal_text, struct loggps loggps, const char *const *edges,
			size_t edge_count)
{
	struct execution_graph execution;
	struct description found;
	struct goal goal;
	struct error err;
	char wanted[128];

	MUST(make_goal(&goal, goal_text, &err));
	MUST(execution_graph_build(&execution, &goal, &loggps, &err));
	describe(&found, &execution);
	for (size_t i = 0; i < edge_count; i++) {
		snprintf(wanted, sizeof wanted, " %s ", edges[i]);
		if (!strstr(found.text, wanted))
			fail_msg("no edge %s in%s", edges[i], found.text);
	}
	assert_int_equal(found.edges, edge_count);
	execution_graph_release(&execution);
	goal_release(&goal);
}

#define CHECK_EDGES(text, loggps, ...)                                    \
	check_edges((text), (loggps), (const char *const[]){__VA_ARGS__}, \
		    sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

/* send 8 bytes and compute 5 after it; receive them (in a larger buffer) and compute 7 */
static const char message[] = "num_ranks 2\nrank 0 {\na: send 8b to 1\nb: calc 5\nb requires a\n}\n"
			      "rank 1 {\na: recv 9b from 0\nb: calc 7\nb requires a\n}\n";

static void an_eager_message_costs_o_L_and_B(void **unused)
{
	struct loggps loggps = loggps_default;

	(void)unused;
	loggps.S = 8;
	CHECK_EDGES(message, loggps, "s0>s1:1o0L0B0g0", "s0>m2:1o1L7B0g0", "s2>m2:0o0L0B0g0",
		    "m2>s3:1o0L0B0g0", "s1>end:0o0L0B0g5", "s3>end:0o0L0B0g7");
}

static void a_rendezvous_read_costs_3L_and_ends_the_send_L_later(void **unused)
{
	struct loggps loggps = loggps_default;

	(void)unused;
	loggps.S = 7;
	CHECK_EDGES(message, loggps, "m2>s1:1o3L7B0g0", "s0>m2:1o1L0B0g0", "s2>m2:0o0L0B0g0",
		    "m2>s3:1o2L7B0g0", "s1>end:0o0L0B0g5", "s3>end:0o0L0B0g7");
}

static void a_synchronous_send_ends_with_its_receive(void **unused)
{
	struct loggps loggps = loggps_default;

	(void)unused;
	loggps.S = 0;
	loggps.rendezvous = RENDEZVOUS_SYNC;
	CHECK_EDGES(message, loggps, "m2>s1:1o0L0B0g0", "s0>m2:1o1L7B0g0", "s2>m2:0o0L0B0g0",
		    "m2>s3:1o0L0B0g0", "s1>end:0o0L0B0g5", "s3>end:0o0L0B0g7");
}

static void the_paper_s_rendezvous_costs_4L(void **unused)
{
	struct loggps loggps = loggps_default;

	(void)unused;
	loggps.S = 0;
	loggps.rendezvous = RENDEZVOUS_PAPER;
	CHECK_EDGES(message, loggps, "m2>s1:3o3L7B0g0", "s0>m2:0o1L0B0g0", "s2>m2:0o0L0B0g0",
		    "m2>s3:2o3L7B0g0", "s1>end:0o0L0B0g5", "s3>end:0o0L0B0g7");
}

static void irequires_waits_while_the_operation_is_busy(void **unused)
{
	(void)unused;
	CHECK_EDGES("num_ranks 1\nrank 0 {\na: calc 5\nb: send 0b to 0\nc: recv 0b from 0\n"
		    "d: calc 9\nb irequires a\nc irequires b\nd irequires c\n}\n",
		    loggps_default, "s0>s1:0o0L0B0g5", "s1>s2:1o0L0B0g0", "s2>s3:0o0L0B0g0",
		    "s1>m2:1o1L0B0g0", "s2>m2:0o0L0B0g0", "m2>end:1o0L0B0g0", "s3>end:0o0L0B0g9");
}

/* Sends 0 and 1 are independent; 1 and 3 are connected through 2. */
#define SENDS                                                                                   \
	"num_ranks 2\nrank 0 {\na: send 8b to 1\nb: send 9b to 1\nc: calc 1\nd: send 1b to 1\n" \
	"c requires b\nd irequires c\n}\n"                                                      \
	"rank 1 {\na: recv 8b from 0\nb: recv 9b from 0\nc: recv 1b from 0\n}\n"

static void the_gap_keeps_unconnected_sends_apart(void **unused)
{
	struct loggps loggps = loggps_default;

	(void)unused;
	loggps_set(&loggps, VARIABLE_g, 1);
	CHECK_EDGES(SENDS, loggps, "s0>s1:0o0L0B1g0", "s0>s1:0o0L8B0g0", "s1>s2:1o0L0B0g0",
		    "s2>s3:0o0L0B0g1", "s0>m4:1o1L7B0g0", "s4>m4:0o0L0B0g0", "s1>m5:1o1L8B0g0",
		    "s5>m5:0o0L0B0g0", "s3>m6:1o1L0B0g0", "s6>m6:0o0L0B0g0", "m4>end:1o0L0B0g0",
		    "m5>end:1o0L0B0g0", "m6>end:1o0L0B0g0");
}

static void without_g_sends_do_not_wait_for_each_other(void **unused)
{
	(void)unused;
	CHECK_EDGES(SENDS, loggps_default, "s1>s2:1o0L0B0g0", "s2>s3:0o0L0B0g1", "s0>m4:1o1L7B0g0",
		    "s4>m4:0o0L0B0g0", "s1>m5:1o1L8B0g0", "s5>m5:0o0L0B0g0", "s3>m6:1o1L0B0g0",
		    "s6>m6:0o0L0B0g0", "m4>end:1o0L0B0g0", "m5>end:1o0L0B0g0", "m6>end:1o0L0B0g0");
}

/* Send 1 starts first, for send 0 of the file waits for the answer to it. */
static void the_gap_follows_the_dependencies_where_the_file_does_not(void **unused)
{
	static const char text[] =
		"num_ranks 2\nrank 0 {\na: send 1b to 1\nb: send 1b to 1 tag 1\nc: recv 1b from 1\n"
		"a requires c\n}\n"
		"rank 1 {\na: recv 1b from 0\nb: recv 1b from 0 tag 1\nc: send 1b to 0\n"
		"c requires b\n}\n";
	struct loggps loggps = loggps_default;
	struct execution_graph execution;
	struct description found;
	struct goal goal;
	struct error err;

	(void)unused;
	loggps_set(&loggps, VARIABLE_g, 1);
	MUST(make_goal(&goal, text, &err));
	MUST(execution_graph_build(&execution, &goal, &loggps, &err));
	describe(&found, &execution);
	assert_non_null(strstr(found.text, "s1>s0:0o0L0B1g0"));
	assert_null(strstr(found.text, "s0>s1:"));
	execution_graph_release(&execution);
	goal_release(&goal);
}

/* ---------------------------------------------------------------------- failures */

static void check_failure(const char *text, const struct loggps *loggps, enum status status,
			  const char *message_text)
{
	struct cost_graph graph;
	struct goal goal;
	struct error err;

	MUST(make_goal(&goal, text, &err));
	assert_int_equal(cost_graph_build(&graph, &goal, loggps, &err), -1);
	assert_int_equal(err.status, status);
	if (!strstr(err.text, message_text))
		fail_msg("'%s' not in '%s'", message_text, err.text);
	goal_release(&goal);
}

/* Every rank sends to the next one before it receives from the one before. */
static void ring(char *text, size_t room, uint32_t ranks)
{
	size_t used = (size_t)snprintf(text, room, "num_ranks %u\n", ranks);

	for (uint32_t r = 0; r < ranks; r++)
		used += (size_t)snprintf(text + used, room - used,
					 "rank %u {\na: send 100b to %u\nb: recv 100b from %u\n"
					 "b requires a\n}\n",
					 r, (r + 1) % ranks, (r + ranks - 1) % ranks);
}

static void a_ring_of_blocking_rendezvous_sends_is_a_possible_deadlock(void **unused)
{
	struct loggps loggps = loggps_default;
	char text[4096];

	(void)unused;
	loggps.S = 99;
	ring(text, sizeof text, 3);
	for (int i = 0; i < RENDEZVOUS_COUNT; i++) {
		loggps.rendezvous = (enum rendezvous)i;
		check_failure(text, &loggps, STATUS_DATA,
			      "possible deadlock of the program: with S = 99");
		check_failure(text, &loggps, STATUS_DATA,
			      "rank 0, operation 0 (send 100 bytes to 1");
		check_failure(text, &loggps, STATUS_DATA,
			      "rank 2, operation 1 (recv 100 bytes from 1");
	}
	ring(text, sizeof text, 20);
	check_failure(text, &loggps, STATUS_DATA, "; ... and 32 more");
}

static void an_eager_ring_is_no_deadlock(void **unused)
{
	struct loggps loggps = loggps_default;
	struct cost_graph graph;
	struct goal goal;
	struct error err;
	char text[4096];

	(void)unused;
	loggps.S = 100;
	ring(text, sizeof text, 20);
	MUST(make_goal(&goal, text, &err));
	MUST(cost_graph_build(&graph, &goal, &loggps, &err));
	cost_graph_release(&graph);
	goal_release(&goal);
}

static void cyclic_dependencies_are_named(void **unused)
{
	struct loggps loggps = loggps_default;

	(void)unused;
	loggps.S = 0;
	check_failure("num_ranks 1\nrank 0 {\na: calc 1\nb: calc 2\nc: calc 3\nb requires a\n"
		      "a irequires b\nc requires b\n}\n",
		      &loggps, STATUS_DATA, "the dependencies are cyclic: ");
	check_failure("num_ranks 2\nrank 0 {\na: recv 1b from 1\nb: send 1b to 1\nb requires a\n}\n"
		      "rank 1 {\na: recv 1b from 0\nb: send 1b to 0\nb requires a\n}\n",
		      &loggps, STATUS_DATA, "the dependencies are cyclic: ");
}

/* The search for a path between two sends ends in a cycle, too. */
static void a_cycle_among_sends_that_the_gap_may_keep_apart_is_named(void **unused)
{
	struct loggps loggps = loggps_default;

	(void)unused;
	loggps_set(&loggps, VARIABLE_g, 1);
	check_failure("num_ranks 2\nrank 0 {\na: calc 1\nb: send 1b to 1\nc: calc 2\n"
		      "d: send 1b to 1\ne: send 1b to 1\nb requires a\na requires c\n"
		      "c requires b\nd requires c\n}\n"
		      "rank 1 {\na: recv 1b from 0\nb: recv 1b from 0\nc: recv 1b from 0\n}\n",
		      &loggps, STATUS_DATA, "the dependencies are cyclic: ");
}

static void unmatched_messages_and_wildcards_are_refused(void **unused)
{
	(void)unused;
	check_failure("num_ranks 2\nrank 0 {\na: send 1b to 1\n}\nrank 1 {\n}\n", &loggps_default,
		      STATUS_DATA, "rank 0, operation 0");
	check_failure("num_ranks 2\nrank 0 {\na: send 1b to 1\n}\nrank 1 {\na: recv 1b from -1\n"
		      "}\n",
		      &loggps_default, STATUS_LIMIT, "rank 1, operation 0");
}

/*
 * Costs of messages of the plain class have the coefficients of their rule, of whichever variables
 * LOGGPS_VARIABLES has.
 */
static void every_variable_of_a_rule_counts_in_all_costs(void **unused)
{
	__int128 values[VARIABLES_MOST];
	struct cost_expressions expressions;
	struct cost_weights weights;
	struct error err;

	(void)unused;
	for (uint32_t v = 0; v < VARIABLES_MOST; v++)
		values[v] = 1000 + v;
	weights = cost_weights_of(1, values);
	weights.classes = &message_class_plain;
	MUST(cost_expressions_init(&expressions, &err));
	for (enum cost_rule rule = COST_NONE; rule < COST_RULE_COUNT; rule++) {
		const struct cost cost = {.ns = 5, .bytes = 7, .size = 8, .rule = rule};
		const uint32_t expression = cost_expressions_of(&expressions, &cost);
		uint64_t in_expression[VARIABLES_MOST] = {0};
		__int128 sum = cost.ns;
		uint32_t count;
		const struct cost_term *terms = cost_terms(&expressions, expression, &count);

		for (uint32_t i = 0; i < count; i++)
			in_expression[terms[i].variable] = terms[i].coefficient;
		for (uint32_t v = 0; v < LOGGPS_COUNT; v++) {
			const uint64_t wanted = cost_symbol(&cost, v);

			assert_int_equal(cost_coefficient(&message_class_plain, &cost, v), wanted);
			assert_int_equal(in_expression[v], wanted);
			sum += values[v] * wanted;
		}
		assert_true(cost_weigh_class(&weights, &cost) == sum);
		assert_true(cost_weigh(&weights, &cost) == sum);
	}
	cost_expressions_release(&expressions);
}

/* ------------------------------------------------------------- random graphs */

/*
 * Edges lead forward, a slot holds what was last written to it until it is read for
 * the last time, and no vertex is without an edge that leads on.
 */
static void check_graph(const struct cost_graph *graph)
{
	uint32_t *sources, v = 0;
	uint8_t *leads_on;
	struct error err;

	MUST(cost_graph_sources(graph, &sources, &err));
	MUST(allocate(&leads_on, graph->vertex_count, 1, &err));
	for (uint64_t i = 0; i < graph->edge_count; i++) {
		const struct cost_edge edge = cost_graph_edge(graph, i);
		const uint32_t from = sources[i];

		assert_true(cost_edge_expression(&edge) < graph->expressions.list.count);
		assert_true(edge.from < graph->slot_count);
		if (from != UINT32_MAX) {
			assert_true(from < v);
			leads_on[from] = 1;
		}
		/* Written while edges into the vertex are still to be read. */
		assert_int_not_equal(edge.from, graph->slots[v]);
		v += (edge.expression & COST_LAST_EDGE) != 0;
	}
	assert_int_equal(v, graph->vertex_count);
	for (v = 0; v + 1 < graph->vertex_count; v++)
		assert_true(leads_on[v]);
	assert_true(!graph->events || graph->events[v] == COST_EVENT_END);
	free(sources);
	free(leads_on);
}

static void vertices_are_joins_that_lead_on(void **unused)
{
	uint64_t numbers = 2;
	uint32_t built = 0, vertices = 0, ops = 0;

	(void)unused;
	for (int i = 0; i < 300; i++) {
		struct execution_graph execution;
		struct cost_graph graph;
		struct loggps loggps;
		struct goal goal;
		struct error err;

		random_graph(&goal, &numbers, 5, 80);
		random_loggps(&loggps, &numbers);
		if (graphs_build(&execution, &graph, &goal, &loggps, &err) == 0) {
			check_graph(&graph);
			vertices += graph.vertex_count;
			ops += graph.op_count;
			cost_graph_release(&graph);
			execution_graph_release(&execution);
			built++;
		}
		goal_release(&goal);
	}
	assert_true(built > 100);
	assert_true(vertices < ops);
}

/* The graph made by one thread, or by as many as there are processors. */
static int build_with(struct cost_graph *graph, const struct goal *goal,
		      const struct loggps *loggps, bool one_thread, struct error *err)
{
	cpu_set_t all;
	int result;

	if (one_thread)
		use_one_processor(&all);
	result = cost_graph_build(graph, goal, loggps, err);
	if (one_thread)
		use_all_processors(&all);
	return result;
}

static void check_same(const struct cost_graph *a, const struct cost_graph *b)
{
	assert_int_equal(a->vertex_count, b->vertex_count);
	assert_int_equal(a->edge_count, b->edge_count);
	assert_int_equal(a->slot_count, b->slot_count);
	assert_int_equal(a->expressions.list.count, b->expressions.list.count);
	assert_memory_equal(a->slots, b->slots, a->vertex_count * sizeof *a->slots);
	check_same_edges(a, b);
	assert_memory_equal(a->expressions.list.items, b->expressions.list.items,
			    a->expressions.list.count * sizeof *a->expressions.list.items);
	assert_memory_equal(&a->most, &b->most, sizeof a->most);
}

static void the_graph_does_not_depend_on_the_number_of_threads(void **unused)
{
	enum { FEW_OPS = 20000, MOST_OPS = 40000, WANTED = 4 };
	uint64_t numbers = 5;
	int built = 0;

	(void)unused;
	for (int i = 0; i < 200 && built < WANTED; i++) {
		struct cost_graph one, all;
		struct loggps loggps;
		struct goal goal;
		struct error err, other;

		random_graph(&goal, &numbers, 16, MOST_OPS);
		random_loggps(&loggps, &numbers);
		/* Less is not worth threads. */
		if (goal.op_count < FEW_OPS) {
			goal_release(&goal);
			continue;
		}
		if (build_with(&one, &goal, &loggps, true, &err) == 0) {
			MUST(build_with(&all, &goal, &loggps, false, &err));
			check_graph(&all);
			check_same(&one, &all);
			cost_graph_release(&one);
			cost_graph_release(&all);
			built++;
		} else {
			assert_int_equal(build_with(&all, &goal, &loggps, false, &other), -1);
			assert_string_equal(err.text, other.text);
		}
		goal_release(&goal);
	}
	assert_int_equal(built, WANTED);
}

/* The graph of a text with the default parameters, as vertices and edges. */
static void check_size(const char *text, uint32_t vertices, uint64_t edges)
{
	struct cost_graph graph;
	struct goal goal;
	struct error err;

	MUST(make_goal(&goal, text, &err));
	MUST(cost_graph_build(&graph, &goal, &loggps_default, &err));
	assert_int_equal(graph.vertex_count, vertices);
	assert_int_equal(graph.edge_count, edges);
	check_graph(&graph);
	cost_graph_release(&graph);
	goal_release(&goal);
}

static void chains_and_small_joins_are_no_vertices(void **unused)
{
	(void)unused;
	/* One calc after the other: an edge from the beginning to the end. */
	check_size("num_ranks 1\nrank 0 {\na: calc 1\nb: calc 2\nc: calc 3\nb requires a\n"
		   "c requires b\n}\n",
		   1, 1);
	/* The path through the message costs no less than the others in anything. */
	check_size(message, 1, 1);
	/* One of two edges is dominated by the other. */
	check_size("num_ranks 1\nrank 0 {\na: calc 1\nb: calc 2\nc: calc 3\nc requires a\n"
		   "c irequires a\nb requires a\n}\n",
		   1, 1);
	/* The receive decides when two others start: they need its vertex. */
	check_size("num_ranks 2\nrank 0 {\na: calc 9\nb: send 1b to 1\nb requires a\n}\n"
		   "rank 1 {\na: calc 10\nb: recv 1b from 0\nc: send 1b to 1\nd: recv 1b from 1\n"
		   "b requires a\nc requires b\nd requires b\n}\n",
		   2, 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_eager_message_costs_o_L_and_B),
		cmocka_unit_test(a_rendezvous_read_costs_3L_and_ends_the_send_L_later),
		cmocka_unit_test(a_synchronous_send_ends_with_its_receive),
		cmocka_unit_test(the_paper_s_rendezvous_costs_4L),
		cmocka_unit_test(irequires_waits_while_the_operation_is_busy),
		cmocka_unit_test(the_gap_keeps_unconnected_sends_apart),
		cmocka_unit_test(without_g_sends_do_not_wait_for_each_other),
		cmocka_unit_test(the_gap_follows_the_dependencies_where_the_file_does_not),
		cmocka_unit_test(a_ring_of_blocking_rendezvous_sends_is_a_possible_deadlock),
		cmocka_unit_test(an_eager_ring_is_no_deadlock),
		cmocka_unit_test(cyclic_dependencies_are_named),
		cmocka_unit_test(a_cycle_among_sends_that_the_gap_may_keep_apart_is_named),
		cmocka_unit_test(unmatched_messages_and_wildcards_are_refused),
		cmocka_unit_test(every_variable_of_a_rule_counts_in_all_costs),
		cmocka_unit_test(vertices_are_joins_that_lead_on),
		cmocka_unit_test(the_graph_does_not_depend_on_the_number_of_threads),
		cmocka_unit_test(chains_and_small_joins_are_no_vertices),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
