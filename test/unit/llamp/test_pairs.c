/*
 * Pairwise sensitivities: latencies and bytes of the critical path for each pair of ranks are the
 * reduced costs of GLPK in a network in which each pair has variables of its own.
 */
#include "llamp/analysis/findings.h"
#include "llamp/traversal/traversal.h"
#include "llamp/lp/lp_engine.h"
#include "llamp/simulate/build.h"
#include "test/unit/lib/along.h"
#include "test/unit/lib/make/random_graph.h"
#include "test/unit/lib/must.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { GRAPHS = 600, MOST_RANKS = 4, MOST_OPS = 60, PAIRS = MOST_RANKS * MOST_RANKS };

/* Number of times that each case happened: checked to be large enough. */
static struct {
	uint32_t unique, tied;	   /* variables on the path with one slope, and with two */
	uint32_t latencies, bytes; /* pairs on the path */
} seen;

/* Variables of a pair of ranks. */
static uint32_t latency_of(uint32_t from, uint32_t to)
{
	return LOGGPS_COUNT + from * MOST_RANKS + to;
}

static uint32_t gap_of(uint32_t from, uint32_t to)
{
	return latency_of(from, to) + PAIRS;
}

/* Append a variable like `model`, with the same value. */
static void add_variable(struct variables *variables, uint32_t model, const char *what,
			 uint32_t from, uint32_t to)
{
	struct variable *variable = &variables->of[variables->count++];

	*variable = variables->of[model];
	snprintf(variable->name, sizeof variable->name, "%s_%u_%u", what, from, to);
}

static void add_pairs(struct variables *variables)
{
	for (uint32_t pair = 0; pair < 2 * PAIRS; pair++)
		add_variable(variables, pair < PAIRS ? VARIABLE_L : VARIABLE_G,
			     pair < PAIRS ? "L" : "G", pair % PAIRS / MOST_RANKS,
			     pair % MOST_RANKS);
}

/* Give all messages of a pair a class of their own: class 1 + from * MOST_RANKS + to. */
static void add_classes(struct execution_graph *execution)
{
	struct message_classes *classes = &execution->classes;
	const struct goal *goal = execution->goal;
	struct message_class *list = calloc(1 + PAIRS, sizeof *list);

	assert_non_null(list);
	list[0] = message_class_plain;
	for (uint32_t pair = 0; pair < PAIRS; pair++) {
		const uint32_t from = pair / MOST_RANKS, to = pair % MOST_RANKS;

		list[1 + pair] = (struct message_class){.term_count = 3,
							.terms = {{VARIABLE_L, latency_of(from, to),
								   1},
								  {VARIABLE_G, gap_of(from, to), 1},
								  {VARIABLE_o, VARIABLE_o, 1}}};
	}
	*classes = (struct message_classes){.list = list,
					    .owned = list,
					    .count = 1 + PAIRS,
					    .of_op = calloc(goal->op_count + 1, sizeof(uint16_t))};
	assert_non_null(classes->of_op);
	for (uint32_t rank = 0; rank < goal->rank_count; rank++)
		for (uint32_t i = 0; i < goal->ranks[rank].op_count; i++) {
			const struct goal_op op = goal_op(&goal->ranks[rank], i);
			const uint32_t send = goal->ranks[rank].first_op + i;
			const uint16_t class = (uint16_t)(1 + rank * MOST_RANKS + op.peer);

			if (op.kind != GOAL_SEND)
				continue;
			classes->of_op[send] = class;
			classes->of_op[execution->matching.partner[send]] = class;
		}
}

struct slopes {
	double left, right;
};

/* Slopes of T in one variable, by the path engine. */
static struct slopes slopes_in(const struct cost_graph *graph, const struct loggps *loggps,
			       uint32_t variable)
{
	const struct rational at = rational_from(loggps_value(loggps, variable));
	struct line left, right;
	struct error err;

	MUST(path_evaluate(graph, ALONG(loggps, variable), at, SIDE_LEFT, &left, NULL, &err));
	MUST(path_evaluate(graph, ALONG(loggps, variable), at, SIDE_RIGHT, &right, NULL, &err));
	return (struct slopes){(double)left.slope, (double)right.slope};
}

/* What the critical path and GLPK say of one variable. */
static void check_variable(const struct cost_graph *graph, const struct loggps *loggps,
			   uint32_t variable, uint64_t counted, const struct lp_solution *solution)
{
	const struct slopes slopes = slopes_in(graph, loggps, variable);
	const double reduced = solution->lambda[variable];
	const double allowed = 1e-7 * (1 + slopes.right);

	assert_true(slopes.left <= (double)counted && (double)counted <= slopes.right);
	assert_true(slopes.left - allowed <= reduced && reduced <= slopes.right + allowed);
	if (slopes.left == slopes.right) {
		assert_true(fabs(reduced - (double)counted) <= allowed);
		seen.unique += counted > 0;
	} else {
		seen.tied++;
	}
}

/* Counts of the critical path by pair, which add up to those of the path. */
static void count_pairs(const struct model *model, uint64_t latencies[PAIRS], uint64_t bytes[PAIRS])
{
	struct findings findings;
	int128 all_latencies = 0, all_bytes = 0;
	struct error err;

	MUST(findings_find_path(&findings, model, &(struct path_request){0}, &err));
	for (size_t i = 0; i < findings.rank_switches.count; i++) {
		const struct rank_switch *pair = &findings.rank_switches.items[i];

		latencies[pair->from * MOST_RANKS + pair->to] = pair->lambda;
		bytes[pair->from * MOST_RANKS + pair->to] = pair->lambda_G;
		all_latencies += pair->lambda;
		all_bytes += pair->lambda_G;
		seen.latencies += pair->lambda > 0;
		seen.bytes += pair->lambda_G > 0;
	}
	assert_true(all_latencies == findings.path.lambda && all_bytes == findings.path.lambda_G);
	findings_release(&findings);
}

/* Compare with the linear program in which each pair has its own variables. */
static void check_reduced_costs(struct model *model, enum lp_start start)
{
	uint64_t latencies[PAIRS] = {0}, bytes[PAIRS] = {0};
	struct loggps loggps = model->loggps;
	struct execution_graph execution;
	struct cost_graph graph;
	struct lp_model *lp;
	struct lp_solution solution;
	struct error err;

	count_pairs(model, latencies, bytes);
	add_pairs(&loggps.variables);
	MUST(execution_graph_build(&execution, &model->goal, &loggps, &err));
	add_classes(&execution);
	assert_int_equal(traversal_run(&graph, NULL, &model->goal, &loggps, &execution, &err), 0);
	MUST(lp_build(&lp, &graph, &loggps, &err));
	MUST(lp_solve(lp, start, ALONG(&loggps, latency_of(0, 1)),
		      rational_from(loggps_value(&loggps, VARIABLE_L)), SIDE_RIGHT, &solution,
		      &err));
	for (uint32_t pair = 0; pair < PAIRS; pair++) {
		const uint32_t from = pair / MOST_RANKS, to = pair % MOST_RANKS;

		check_variable(&graph, &loggps, latency_of(from, to), latencies[pair], &solution);
		check_variable(&graph, &loggps, gap_of(from, to), bytes[pair], &solution);
	}
	lp_free(lp);
	cost_graph_release(&graph);
	execution_graph_release(&execution);
}

static void reduced_costs_of_all_pairs_are_the_counts_of_the_critical_path(void **state)
{
	uint64_t numbers = 14;

	(void)state;
	for (int i = 0; i < GRAPHS; i++) {
		struct model model = {.path = "random",
				      .loggps = loggps_of(1234 * AS_PER_NS, 321 * AS_PER_NS,
							  AS_PER_NS / 7)};
		struct error err;

		random_graph(&model.goal, &numbers, MOST_RANKS, MOST_OPS);
		model.loggps.S = i % 2 ? 1000 : LOGGPS_NO_RENDEZVOUS;
		model.loggps.rendezvous = (enum rendezvous)(i / 2 % RENDEZVOUS_COUNT);
		if (graphs_build(&model.execution, &model.graph, &model.goal, &model.loggps, &err) <
		    0) {
			/* A rendezvous may wait for itself. */
			assert_int_equal(err.status, STATUS_DATA);
			goal_release(&model.goal);
			continue;
		}
		check_reduced_costs(&model, i % 3 ? LP_LONGEST_PATH : LP_COLD);
		model_release(&model);
	}
	assert_in_range(seen.unique, 300, UINT32_MAX);
	assert_in_range(seen.tied, 1, UINT32_MAX);
	assert_in_range(seen.latencies, 200, UINT32_MAX);
	assert_in_range(seen.bytes, 200, UINT32_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reduced_costs_of_all_pairs_are_the_counts_of_the_critical_path),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
