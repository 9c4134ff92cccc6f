/* Messages and bytes between ranks, totals of ranks, and what the critical path is made of. */
#include "test/unit/lib/make/make_goal.h"
#include "test/unit/lib/make/random_graph.h"
#include "test/unit/lib/must.h"

#include "llamp/analysis/analysis.h"
#include "llamp/analysis/communication.h"
#include "llamp/analysis/findings.h"
#include "llamp/analysis/rank_totals.h"
#include "llamp/simulate/build.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void pairs_are_counted_in_order_of_ranks(void **state)
{
	static const char text[] = "num_ranks 3\nrank 0 {\nsend 5b to 2\nsend 7b to 1\n"
				   "send 6b to 2\n}\nrank 1 {\nrecv 7b from 0\n}\n"
				   "rank 2 {\nrecv 5b from 0\nrecv 6b from 0\nsend 0b to 2\n"
				   "recv 0b from 2\n}\n";
	static const struct communication_pair expected[] = {
		{0, 1, 1, 7}, {0, 2, 2, 11}, {2, 2, 1, 0}};
	struct communication communication;
	struct goal goal;
	struct error err = {0};

	(void)state;
	MUST(make_goal(&goal, text, &err));
	MUST(communication_count(&communication, &goal, &err));
	assert_int_equal(communication.messages, 4);
	assert_int_equal(communication.bytes, 18);
	assert_int_equal(communication.largest, 1);
	assert_int_equal(communication.pairs.count, 3);
	assert_memory_equal(communication.pairs.items, expected, sizeof expected);
	communication_release(&communication);
	goal_release(&goal);
}

static void sums_beyond_64_bits_are_refused(void **state)
{
	static const char text[] = "num_ranks 2\nrank 0 {\nsend 18446744073709551615b to 1\n"
				   "send 1b to 1\n}\nrank 1 {\nrecv 18446744073709551615b from 0\n"
				   "recv 1b from 0\n}\n";
	struct communication communication;
	struct goal goal;
	struct error err = {0};

	(void)state;
	MUST(make_goal(&goal, text, &err));
	assert_int_equal(communication_count(&communication, &goal, &err), -1);
	assert_int_equal(err.status, STATUS_LIMIT);
	goal_release(&goal);
}

/* Sum of the sends from a range of ranks to another one, by looking at all operations. */
static struct communication_pair summed(const struct goal *goal, uint32_t from, uint32_t to,
					uint32_t width)
{
	struct communication_pair sum = {from, to, 0, 0};

	for (uint32_t rank = from; rank < from + width && rank < goal->rank_count; rank++) {
		for (uint32_t i = 0; i < goal->ranks[rank].op_count; i++) {
			const struct goal_op op = goal_op(&goal->ranks[rank], i);

			if (op.kind != GOAL_SEND || op.peer < to || op.peer >= to + width)
				continue;
			sum.messages++;
			sum.bytes += op.size;
		}
	}
	return sum;
}

static void check_grid(const struct goal *goal, const struct communication *communication,
		       uint32_t most)
{
	struct communication_grid grid;
	struct error err = {0};

	MUST(communication_bin(&grid, communication, most, &err));
	assert_in_range(grid.side, 1, most);
	assert_true(grid.side * grid.ranks_per_cell >= goal->rank_count);
	for (uint32_t row = 0; row < grid.side; row++) {
		for (uint32_t column = 0; column < grid.side; column++) {
			const struct communication_pair sum =
				summed(goal, row * grid.ranks_per_cell,
				       column * grid.ranks_per_cell, grid.ranks_per_cell);

			assert_int_equal(grid.messages[row * grid.side + column], sum.messages);
			assert_int_equal(grid.bytes[row * grid.side + column], sum.bytes);
		}
	}
	communication_grid_release(&grid);
}

static void random_graphs_are_counted_as_by_looking_at_all_operations(void **state)
{
	uint64_t numbers = 3;

	(void)state;
	for (int i = 0; i < 200; i++) {
		struct communication communication;
		struct goal goal;
		struct error err = {0};

		random_graph(&goal, &numbers, 9, 300);
		MUST(communication_count(&communication, &goal, &err));
		for (size_t k = 0; k < communication.pairs.count; k++) {
			const struct communication_pair *pair = &communication.pairs.items[k];
			const struct communication_pair sum =
				summed(&goal, pair->source, pair->destination, 1);

			assert_memory_equal(pair, &sum, sizeof sum);
		}
		check_grid(&goal, &communication, 16);
		check_grid(&goal, &communication, 4);
		check_grid(&goal, &communication, 1);
		communication_release(&communication);
		goal_release(&goal);
	}
}

/* The last rank ends at T, and computation is the sum of the costs of all calcs. */
static void the_last_rank_ends_at_the_runtime(void **state)
{
	uint64_t numbers = 4;

	(void)state;
	for (int i = 0; i < 200; i++) {
		struct model model = {.path = "random", .loggps = loggps_default};
		struct rank_totals totals;
		struct analysis analysis;
		uint64_t operations = 0, messages[2] = {0};
		double end = 0;
		struct error err = {0};

		random_graph(&model.goal, &numbers, 6, 300);
		model.loggps.resources = (unsigned)i % 4;
		MUST(graphs_build(&model.execution, &model.graph, &model.goal, &model.loggps,
				  &err));
		MUST(analysis_run(&analysis, &model,
				  &(struct analysis_request){
					  .engine = ENGINE_PATH, .varied = VARIABLE_L,
				  }, &err));
		MUST(rank_totals_find(&totals, &model, &err));
		assert_int_equal(totals.ranks.count, model.goal.rank_count);
		for (size_t rank = 0; rank < totals.ranks.count; rank++) {
			const struct rank_total *total = &totals.ranks.items[rank];

			end = fmax(end, total->end_ns);
			operations += total->operations;
			messages[0] += total->sends;
			messages[1] += total->recvs;
		}
		assert_true(end == analysis.runtime_ns);
		assert_int_equal(operations, model.goal.op_count);
		assert_int_equal(messages[0], model.graph.message_count);
		assert_int_equal(messages[1], model.graph.message_count);
		rank_totals_release(&totals);
		analysis_release(&analysis);
		model_release(&model);
	}
}

static void computation_is_the_cost_of_all_calcs(void **state)
{
	static const char text[] = "num_ranks 2\nrank 0 {\na: calc 10\nb: calc 20 cpu 1\n"
				   "c: send 1b to 1\nc requires a\n}\nrank 1 {\nrecv 1b from 0\n}\n";
	struct model model = {.path = "text", .loggps = loggps_default};
	struct rank_totals totals;
	struct error err = {0};

	(void)state;
	MUST(make_goal(&model.goal, text, &err));
	MUST(graphs_build(&model.execution, &model.graph, &model.goal, &model.loggps, &err));
	MUST(rank_totals_find(&totals, &model, &err));
	assert_true(totals.ranks.items[0].compute_ns == 30);
	assert_true(totals.ranks.items[1].compute_ns == 0);
	/* 10 ns, o of the sender; and then L and o of the receiver. */
	assert_true(totals.ranks.items[0].end_ns == 5010);
	assert_true(totals.ranks.items[1].end_ns == 13010);
	rank_totals_release(&totals);
	model_release(&model);
}

/* ----------------------------------------------------------- critical path */

/* All parts of a path add up to it: by category, by rank, and its latencies by pair. */
static void check_composition(const struct model *model)
{
	const int64_t latency_as = loggps_value(&model->loggps, VARIABLE_L);
	int128 categories = 0, ranks = 0, transfers = 0;
	struct findings findings;
	uint64_t lambda = 0, messages = 0;
	struct error err = {0};

	MUST(findings_find_path(&findings, model, &(struct path_request){0}, &err));
	for (int c = 0; c < CATEGORY_COUNT; c++)
		categories += findings.category_as[c];
	for (size_t i = 0; i < findings.path_ranks.count; i++) {
		const struct path_rank *rank = &findings.path_ranks.items[i];

		ranks += rank->all_as;
		assert_true(rank->all_as > 0);
		assert_true(i == 0 || rank->all_as <= rank[-1].all_as);
	}
	for (size_t i = 0; i < findings.rank_switches.count; i++) {
		const struct rank_switch *change = &findings.rank_switches.items[i];

		lambda += change->lambda;
		messages += change->messages;
		transfers += change->transfer_as;
		assert_true(i == 0 || change->lambda <= change[-1].lambda);
	}
	assert_true(categories == findings.path.runtime_as && ranks == findings.path.runtime_as);
	assert_true(lambda == findings.path.lambda && messages == findings.path.messages.count);
	assert_true(findings.category_as[CATEGORY_LATENCY] == (int128)lambda * latency_as);
	assert_true(transfers == findings.category_as[CATEGORY_LATENCY] +
					 findings.category_as[CATEGORY_BANDWIDTH]);
	findings_release(&findings);
}

static void the_parts_of_a_path_add_up_to_it(void **state)
{
	uint64_t numbers = 5;
	int graphs = 0;

	(void)state;
	for (int i = 0; i < 300; i++) {
		struct model model = {.path = "random"};
		struct error err = {0};

		random_program(&model.goal, &model.loggps, &numbers, 6, 200);
		if (graphs_build(&model.execution, &model.graph, &model.goal, &model.loggps,
				 &err) < 0) {
			goal_release(&model.goal);
			continue;
		}
		graphs++;
		check_composition(&model);
		model_release(&model);
	}
	assert_true(graphs > 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pairs_are_counted_in_order_of_ranks),
		cmocka_unit_test(sums_beyond_64_bits_are_refused),
		cmocka_unit_test(random_graphs_are_counted_as_by_looking_at_all_operations),
		cmocka_unit_test(the_last_rank_ends_at_the_runtime),
		cmocka_unit_test(computation_is_the_cost_of_all_calcs),
		cmocka_unit_test(the_parts_of_a_path_add_up_to_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
