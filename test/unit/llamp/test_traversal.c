/* The traversal of programs whose operations are in any order in the file. */
#include "test/unit/lib/check/cost_graph_check.h"
#include "test/unit/lib/along.h"
#include "test/unit/lib/make/make_goal.h"
#include "test/unit/lib/make/random_graph.h"
#include "test/unit/lib/must.h"

#include "common/units.h"
#include "goal/traversal/check.h"
#include "llamp/graph/gaps.h"
#include "llamp/path/evaluate.h"
#include "llamp/simulate/build.h"
#include "llamp/traversal/traversal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { RANKS = 4, STEPS = 600, OPS = 2 * STEPS };

/* An operation: a calc, or half of message `tag`. */
struct step {
	enum goal_kind kind;
	uint32_t peer, tag, amount;
	uint32_t required; /* an earlier operation of the rank, + 1; 0: none */
};

struct ranks {
	struct step ops[RANKS][OPS];
	uint32_t counts[RANKS];
};

static void add_step(struct ranks *ranks, uint32_t rank, struct step step, uint64_t *numbers)
{
	uint32_t *count = &ranks->counts[rank];
	const uint32_t near = *count < 8 ? *count : 8;

	if (near && random_below(numbers, 8))
		step.required = *count - (uint32_t)random_below(numbers, near);
	ranks->ops[rank][(*count)++] = step;
}

/* Make a program that runs in the order of its steps.  Each message has a tag of its own. */
static void make_steps(struct ranks *ranks, uint64_t *numbers)
{
	*ranks = (struct ranks){0};
	for (uint32_t i = 0; i < STEPS; i++) {
		const uint32_t from = (uint32_t)random_below(numbers, RANKS);
		const uint32_t to = (uint32_t)random_below(numbers, RANKS);
		const uint32_t amount = (uint32_t)random_below(numbers, 500);

		if (random_below(numbers, 3) == 0) {
			add_step(ranks, from, (struct step){GOAL_CALC, 0, 0, amount, 0}, numbers);
			continue;
		}
		add_step(ranks, from, (struct step){GOAL_SEND, to, i, amount, 0}, numbers);
		add_step(ranks, to, (struct step){GOAL_RECV, from, i, amount, 0}, numbers);
	}
}

static void write_step(FILE *text, uint32_t i, const struct step *step)
{
	if (step->kind == GOAL_CALC)
		fprintf(text, "l%u: calc %u\n", i, step->amount);
	else
		fprintf(text, "l%u: %s %ub %s %u tag %u\n", i,
			step->kind == GOAL_SEND ? "send" : "recv", step->amount,
			step->kind == GOAL_SEND ? "to" : "from", step->peer, step->tag);
}

/* Orders of the operations in the file. */
enum order { IN_ORDER, REVERSED, HALVES, SHUFFLED, ORDERS };

static void set_order(uint32_t *list, uint32_t count, enum order order, uint64_t *numbers)
{
	for (uint32_t i = 0; i < count; i++)
		list[i] = order == REVERSED ? count - 1 - i
			  : order == HALVES ? (i + count / 2) % count
					    : i;
	for (uint32_t i = count; order == SHUFFLED && i > 1; i--) {
		const uint32_t other = (uint32_t)random_below(numbers, i), kept = list[i - 1];

		list[i - 1] = list[other];
		list[other] = kept;
	}
}

static void write_steps(struct goal *goal, const struct ranks *ranks, enum order order,
			uint64_t *numbers)
{
	char *bytes;
	size_t size;
	FILE *text = open_memstream(&bytes, &size);
	struct error err;

	assert_non_null(text);
	fprintf(text, "num_ranks %d\n", RANKS);
	for (uint32_t rank = 0; rank < RANKS; rank++) {
		const struct step *ops = ranks->ops[rank];
		uint32_t list[OPS];

		set_order(list, ranks->counts[rank], order, numbers);
		fprintf(text, "rank %u {\n", rank);
		for (uint32_t i = 0; i < ranks->counts[rank]; i++)
			write_step(text, list[i], &ops[list[i]]);
		for (uint32_t i = 0; i < ranks->counts[rank]; i++)
			if (ops[i].required)
				fprintf(text, "l%u requires l%u\n", i, ops[i].required - 1);
		fprintf(text, "}\n");
	}
	fclose(text);
	MUST(make_goal(goal, bytes, &err));
	free(bytes);
}

enum { POINTS = 20 };

/* Find T as a function of a variable at some points. */
static void find_lines(struct line lines[POINTS], const struct goal *goal,
		       const struct loggps *loggps, uint32_t variable)
{
	const struct direction *direction = ALONG(loggps, variable);
	struct path_point points[POINTS];
	struct cost_graph graph;
	struct error err;

	MUST(cost_graph_build(&graph, goal, loggps, &err));
	for (int i = 0; i < POINTS; i++)
		points[i] = (struct path_point){direction, rational_from(i * i * 10 * AS_PER_NS),
						SIDE_RIGHT};
	MUST(path_evaluate_all(&graph, points, POINTS, lines, &err));
	cost_graph_release(&graph);
}

static void the_order_of_the_file_does_not_matter(void **unused)
{
	struct ranks *ranks = malloc(sizeof *ranks);
	uint64_t numbers = 27;

	(void)unused;
	assert_non_null(ranks);
	for (int program = 0; program < 5; program++) {
		struct line lines[ORDERS][VARIABLE_o + 1][POINTS];

		make_steps(ranks, &numbers);
		for (enum order order = IN_ORDER; order < ORDERS; order++) {
			struct goal goal;

			write_steps(&goal, ranks, order, &numbers);
			for (uint32_t v = 0; v <= VARIABLE_o; v++)
				find_lines(lines[order][v], &goal, &loggps_default, v);
			goal_release(&goal);
			assert_memory_equal(lines[order], lines[IN_ORDER], sizeof *lines);
		}
		assert_true(lines[IN_ORDER][VARIABLE_L][1].slope > 0);
	}
	free(ranks);
}

/* T with L = 100 ns. */
static int64_t runtime_ns(const char *text)
{
	const struct loggps loggps = loggps_of(INT64_C(100) * AS_PER_NS, 0, 0);
	struct cost_graph graph;
	struct line line;
	struct goal goal;
	struct error err;

	MUST(make_goal(&goal, text, &err));
	MUST(cost_graph_build(&graph, &goal, &loggps, &err));
	MUST(path_evaluate(&graph, ALONG(&loggps, VARIABLE_L),
			   rational_from(loggps_value(&loggps, VARIABLE_L)), SIDE_RIGHT, &line,
			   NULL, &err));
	cost_graph_release(&graph);
	goal_release(&goal);
	return (int64_t)((line.constant + line.slope * loggps_value(&loggps, VARIABLE_L)) /
			 AS_PER_NS);
}

/* The second send starts at 0, the first one after 1000 ns. */
#define TWO_SENDS                                                                             \
	"num_ranks 2\nrank 0 {\nfirst: send 1b to 1\nsecond: send 1b to 1\nlate: calc 1000\n" \
	"first requires late\n}\n"

static void a_send_that_starts_early_does_not_overtake_an_earlier_one(void **unused)
{
	(void)unused;
	assert_int_equal(runtime_ns(TWO_SENDS "rank 1 {\na: recv 1b from 0\nb: recv 1b from 0\n"
					      "work: calc 5000\nwork requires a\n}\n"),
			 6100);
	assert_int_equal(runtime_ns(TWO_SENDS "rank 1 {\na: recv 1b from 0\nb: recv 1b from 0\n"
					      "work: calc 5000\nwork requires b\n}\n"),
			 5100);
}

static void operations_after_a_wildcard_are_not_run(void **unused)
{
	enum { WAITING = 30 };
	const struct loggps loggps = loggps_of(INT64_C(100) * AS_PER_NS, 0, 0);
	struct cost_graph graph;
	struct goal goal;
	struct error err;
	char *bytes;
	size_t size;
	FILE *text = open_memstream(&bytes, &size);

	(void)unused;
	assert_non_null(text);
	fprintf(text, "num_ranks 2\nrank 0 {\ncalc 1\n}\nrank 1 {\nz: calc 1\n"
		      "recv 1b from -1\ns: send 1b to 1\nr: recv 1b from 1\nc: calc 1\n");
	for (int i = 0; i < WAITING; i++)
		fprintf(text, "t%d: calc 1\n", i);
	fprintf(text, "e: calc 1\nz requires e\ns requires c\nr requires c\n");
	for (int i = 0; i < WAITING; i++)
		fprintf(text, "t%d requires r\n", i);
	fprintf(text, "}\n");
	fclose(text);
	MUST(make_goal(&goal, bytes, &err));
	free(bytes);
	assert_int_equal(cost_graph_build(&graph, &goal, &loggps, &err), -1);
	assert_int_equal(err.status, STATUS_LIMIT);
	assert_non_null(strstr(err.text, "rank 1, operation 1 (recv 1 byte from any rank, tag 0)"));
	goal_release(&goal);
}

/* ------------------------------------------------------- parts and threads */

/* How often the tests saw what they are about. */
static struct {
	int graphs, refused, rendezvous, gaps;
} seen;

/* What a traversal by some parts and threads found. */
struct found {
	int result;
	struct cost_graph graph;
	struct goal_matching matching;
};

static void find_by(struct found *found, uint32_t parts, unsigned threads, const struct goal *goal,
		    const struct loggps *loggps)
{
	const struct traversal_split split = {parts, threads};
	struct execution_graph execution = {.goal = goal, .loggps = loggps};
	const bool gaps = gaps_are_on(loggps);
	struct error err;

	*found = (struct found){0};
	if (gaps)
		MUST(gaps_find_in_file_order(&execution, &err));
	found->result = traversal_run_by(&split, &found->graph, &found->matching, goal, loggps,
					 gaps ? &execution : NULL, &err);
	assert_true(found->result >= 0);
	execution_graph_release(&execution);
	seen.gaps += gaps;
}

static void forget(struct found *found)
{
	if (found->result != 0)
		return;
	cost_graph_release(&found->graph);
	goal_matching_release(&found->matching);
}

/* Check that two traversals found the same T everywhere, and the same messages. */
static void check_answers(const struct found *a, const struct found *b, const struct goal *goal,
			  const struct loggps *loggps)
{
	assert_int_equal(a->result, b->result);
	if (a->result != 0)
		return;
	assert_int_equal(a->graph.message_count, b->graph.message_count);
	assert_memory_equal(a->matching.partner, b->matching.partner,
			    goal->op_count * sizeof *a->matching.partner);
	for (uint32_t v = 0; v < LOGGPS_COUNT; v++) {
		const struct direction *direction = ALONG(loggps, v);
		struct path_point points[POINTS];
		struct line lines[2][POINTS];
		struct error err;

		for (int i = 0; i < POINTS; i++)
			points[i] = (struct path_point){direction,
							rational_from(i * i * 10 * AS_PER_NS),
							i % 2 ? SIDE_RIGHT : SIDE_LEFT};
		memset(lines, 0, sizeof lines);
		MUST(path_evaluate_all(&a->graph, points + 1, POINTS - 1, lines[0], &err));
		MUST(path_evaluate_all(&b->graph, points + 1, POINTS - 1, lines[1], &err));
		assert_memory_equal(lines[0], lines[1], sizeof *lines);
	}
}

/* Check that two traversals wrote the same bytes. */
static void check_graphs(const struct found *a, const struct found *b)
{
	assert_int_equal(a->result, b->result);
	if (a->result != 0)
		return;
	assert_int_equal(a->graph.vertex_count, b->graph.vertex_count);
	assert_int_equal(a->graph.expressions.terms.count, b->graph.expressions.terms.count);
	check_same_edges(&a->graph, &b->graph);
	assert_memory_equal(a->graph.slots, b->graph.slots,
			    a->graph.vertex_count * sizeof *a->graph.slots);
}

/* The longest path of computation is T without a network, and a program that cannot end has none. */
static void check_computation(const struct goal *goal)
{
	struct loggps loggps = loggps_default;
	struct found found;
	struct error err;
	uint64_t path_ns;
	uint32_t messages;

	for (uint32_t v = 0; v < LOGGPS_COUNT; v++)
		loggps_set(&loggps, v, 0);
	find_by(&found, 1, 1, goal, &loggps);
	assert_int_equal(goal_find_computation(&path_ns, goal, &err), found.result ? -1 : 0);
	if (found.result == 0) {
		struct line line;

		MUST(goal_check(goal, &messages, &err));
		MUST(path_evaluate(&found.graph, ALONG(&loggps, VARIABLE_L), rational_from(0),
				   SIDE_RIGHT, &line, NULL, &err));
		assert_true(line.constant == (int128)path_ns * AS_PER_NS);
		assert_int_equal(messages, found.matching.message_count);
	}
	forget(&found);
}

/* Traverse a program by 1, 2, 3 and 8 parts and threads. */
static void check_splits(const struct goal *goal, const struct loggps *loggps)
{
	static const unsigned numbers[] = {1, 2, 3, 8};
	enum { NUMBERS = sizeof numbers / sizeof *numbers };
	struct found whole;

	find_by(&whole, 1, 1, goal, loggps);
	for (int i = 1; i < NUMBERS; i++) {
		struct found alone;

		find_by(&alone, numbers[i], 1, goal, loggps);
		check_answers(&alone, &whole, goal, loggps);
		for (int k = 1; k < NUMBERS; k++) {
			struct found found;

			find_by(&found, numbers[i], numbers[k], goal, loggps);
			check_graphs(&found, &alone);
			forget(&found);
		}
		forget(&alone);
	}
	check_computation(goal);
	seen.graphs++;
	seen.refused += whole.result != 0;
	seen.rendezvous += whole.result == 0 && loggps->S != LOGGPS_NO_RENDEZVOUS;
	forget(&whole);
}

static void answers_do_not_depend_on_parts_and_threads(void **unused)
{
	uint64_t numbers = 5;

	(void)unused;
	for (int i = 0; i < 150; i++) {
		struct loggps loggps;
		struct goal goal;

		random_graph(&goal, &numbers, 12, 600);
		random_loggps(&loggps, &numbers);
		loggps.resources = 0;
		loggps.rendezvous = (enum rendezvous)(i % RENDEZVOUS_COUNT);
		check_splits(&goal, &loggps);
		goal_release(&goal);
	}
	assert_true(seen.graphs - seen.refused > 50);
	assert_true(seen.refused > 5 && seen.rendezvous > 20 && seen.gaps > 20);
}

static void answers_of_shuffled_files_do_not_depend_on_parts_either(void **unused)
{
	struct ranks *ranks = malloc(sizeof *ranks);
	uint64_t numbers = 6;

	(void)unused;
	assert_non_null(ranks);
	for (int program = 0; program < 5; program++) {
		make_steps(ranks, &numbers);
		for (enum order order = IN_ORDER; order < ORDERS; order++) {
			struct goal goal;

			write_steps(&goal, ranks, order, &numbers);
			check_splits(&goal, &loggps_default);
			goal_release(&goal);
		}
	}
	free(ranks);
}

/* A ring whose messages have more sizes, and whose computations take longer, than edges of 8 bytes can tell. */
static void parts_with_wide_edges_are_joined(void **unused)
{
	enum { RING = 8, ROUNDS = 1100 };
	struct found found;
	struct goal goal;
	struct error err;
	char *bytes;
	size_t size;
	FILE *text = open_memstream(&bytes, &size);

	(void)unused;
	assert_non_null(text);
	fprintf(text, "num_ranks %d\n", RING);
	for (int rank = 0; rank < RING; rank++) {
		fprintf(text, "rank %d {\n", rank);
		for (int i = 0; i < ROUNDS; i++) {
			fprintf(text, "c%d: calc %d\ns%d: send %db to %d\nr%d: recv %db from %d\n",
				i, (rank + i) % 3 ? 100 + i : (1 << 30) + i, i, 1 + i * RING + rank,
				(rank + 1) % RING, i, 1 + i * RING + (rank + RING - 1) % RING,
				(rank + RING - 1) % RING);
			fprintf(text, "s%d requires c%d\nr%d requires c%d\n", i, i, i, i);
			if (i)
				fprintf(text, "c%d requires s%d\nc%d requires r%d\n", i, i - 1, i,
					i - 1);
		}
		fprintf(text, "}\n");
	}
	fclose(text);
	MUST(make_goal(&goal, bytes, &err));
	free(bytes);
	find_by(&found, 8, 1, &goal, &loggps_default);
	assert_true(found.graph.edges.wide.count > 1000);
	forget(&found);
	check_splits(&goal, &loggps_default);
	goal_release(&goal);
}

/* Two ranks that answer each other, and so never work at the same time. */
static void ranks_that_only_answer_each_other_are_traversed_as_one_part(void **unused)
{
	enum { TRIPS = 70000 };
	struct found whole, parts;
	struct goal goal;
	struct error err;
	char *bytes;
	size_t size;
	FILE *text = open_memstream(&bytes, &size);

	(void)unused;
	assert_non_null(text);
	fprintf(text, "num_ranks 2\n");
	for (unsigned rank = 0; rank < 2; rank++) {
		fprintf(text, "rank %u {\n", rank);
		for (unsigned i = 0; i < TRIPS; i++)
			fprintf(text, "l%u: %s 8b %s %u\n", i, i % 2 == rank ? "send" : "recv",
				i % 2 == rank ? "to" : "from", 1 - rank);
		for (unsigned i = 1; i < TRIPS; i++)
			fprintf(text, "l%u requires l%u\n", i, i - 1);
		fprintf(text, "}\n");
	}
	fclose(text);
	MUST(make_goal(&goal, bytes, &err));
	free(bytes);
	find_by(&whole, 1, 1, &goal, &loggps_default);
	find_by(&parts, 2, 2, &goal, &loggps_default);
	check_answers(&whole, &parts, &goal, &loggps_default);
	check_graphs(&whole, &parts);
	forget(&whole);
	forget(&parts);
	goal_release(&goal);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_order_of_the_file_does_not_matter),
		cmocka_unit_test(a_send_that_starts_early_does_not_overtake_an_earlier_one),
		cmocka_unit_test(operations_after_a_wildcard_are_not_run),
		cmocka_unit_test(answers_do_not_depend_on_parts_and_threads),
		cmocka_unit_test(answers_of_shuffled_files_do_not_depend_on_parts_either),
		cmocka_unit_test(parts_with_wide_edges_are_joined),
		cmocka_unit_test(ranks_that_only_answer_each_other_are_traversed_as_one_part),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
