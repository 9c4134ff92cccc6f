/*
 * The simulation that the engines are compared with has the properties that the model demands.
 */
#include "test/unit/lib/make/random_graph.h"
#include "test/unit/lib/oracle/brute_force.h"
#include "test/unit/lib/oracle/simulate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { GRAPHS = 2000, MOST_RANKS = 6, MOST_OPS = 200 };

static void work_does_not_overlap(const struct simulate_op *a, const struct simulate_op *b)
{
	if (a->busy > 0 && b->busy > 0)
		assert_true(a->work + a->busy <= b->work || b->work + b->busy <= a->work);
}

static void transfers_are_spaced(const struct simulate_op *a, const struct simulate_op *b)
{
	const struct simulate_op *first = a->nic_turn < b->nic_turn ? a : b;
	const struct simulate_op *second = first == a ? b : a;

	assert_true(first->nic_turn < second->nic_turn);
	assert_true(first->transfer + first->spacing <= second->transfer);
}

static void check_pair(const struct simulate_network *network, const struct simulate_op *ops,
		       const struct goal_block *block, uint32_t i, uint32_t k)
{
	const struct goal_op a = goal_op(block, i), b = goal_op(block, k);

	if (network->cpu && a.cpu == b.cpu)
		work_does_not_overlap(&ops[i], &ops[k]);
	if (network->nic && a.kind != GOAL_CALC && a.kind == b.kind && a.nic == b.nic)
		transfers_are_spaced(&ops[i], &ops[k]);
}

static void check_pairs(const struct goal *goal, const struct simulate_network *network,
			const struct simulation *simulation)
{
	for (uint32_t rank = 0; rank < goal->rank_count; rank++) {
		const struct goal_block *block = &goal->ranks[rank];

		for (uint32_t i = 0; i < block->op_count; i++)
			for (uint32_t k = 0; k < i; k++)
				check_pair(network, simulation->ops + block->first_op, block, i, k);
	}
}

static void a_cpu_or_nic_serves_one_operation_at_a_time(void **unused)
{
	uint32_t limited = 0;

	(void)unused;
	for (uint64_t seed = 0; seed < GRAPHS / 4; seed++) {
		struct simulate_network network;
		struct simulation simulation;
		uint64_t numbers = seed;
		struct loggps loggps;
		struct goal goal;

		random_program(&goal, &loggps, &numbers, MOST_RANKS, MOST_OPS);
		network = simulate_network_from(&loggps, 1);
		if (simulate(&simulation, &goal, &network)) {
			check_pairs(&goal, &network, &simulation);
			limited += simulation.served.count > 0;
		}
		simulation_release(&simulation);
		goal_release(&goal);
	}
	assert_true(limited > GRAPHS / 16);
}

/* With nic, the gap between sends without a path does not apply, so that g is 0 here. */
static void without_a_gap_limits_only_take_time(void **unused)
{
	uint32_t longer = 0;

	(void)unused;
	for (uint64_t seed = 0; seed < GRAPHS; seed++) {
		struct simulation unlimited, limited;
		struct simulate_network network;
		uint64_t numbers = seed;
		struct loggps loggps;
		struct goal goal;
		bool runs;

		random_program(&goal, &loggps, &numbers, MOST_RANKS, MOST_OPS);
		loggps_set(&loggps, VARIABLE_g, 0);
		network = simulate_network_from(&loggps, 1);
		runs = simulate(&limited, &goal, &network);
		network.cpu = network.nic = false;
		assert_int_equal(simulate(&unlimited, &goal, &network), runs);
		if (runs) {
			assert_true(limited.runtime >= unlimited.runtime);
			longer += limited.runtime > unlimited.runtime;
		}
		simulation_release(&unlimited);
		simulation_release(&limited);
		goal_release(&goal);
	}
	assert_true(longer > GRAPHS / 8);
}

static void the_same_order_at_the_same_parameters_takes_the_same_time(void **unused)
{
	(void)unused;
	for (uint64_t seed = 0; seed < GRAPHS / 4; seed++) {
		struct simulation first, again;
		struct simulate_network network;
		uint64_t numbers = seed;
		struct loggps loggps;
		struct goal goal;

		random_program(&goal, &loggps, &numbers, MOST_RANKS, MOST_OPS);
		network = simulate_network_from(&loggps, 1);
		if (simulate(&first, &goal, &network)) {
			simulate_again(&again, &goal, &network, &first);
			assert_true(simulation_same_order(&first, &again));
			for (uint32_t i = 0; i < goal.op_count; i++)
				assert_true(first.ops[i].end == again.ops[i].end);
			simulation_release(&again);
		}
		simulation_release(&first);
		goal_release(&goal);
	}
}

static void check_unlimited(const struct goal *goal, const struct loggps *loggps,
			    const struct simulation *simulation, bool runs)
{
	const wide L = loggps_value(loggps, VARIABLE_L);
	struct envelope truth;

	assert_int_equal(brute_force(&truth, goal, loggps, VARIABLE_L), runs);
	if (runs) {
		const struct fraction at = {L, 1};
		const struct brute_line line = truth.lines.items[envelope_right(&truth, at)];

		assert_true(line.constant + line.slope * L == simulation->runtime);
	}
	envelope_release(&truth);
}

static void without_limits_the_simulation_agrees_with_the_equations(void **unused)
{
	uint32_t cyclic = 0;

	(void)unused;
	for (uint64_t seed = 0; seed < GRAPHS; seed++) {
		struct simulate_network network;
		struct simulation simulation;
		uint64_t numbers = seed;
		struct loggps loggps;
		struct goal goal;
		bool runs;

		random_program(&goal, &loggps, &numbers, MOST_RANKS, MOST_OPS);
		loggps.resources = 0;
		network = simulate_network_from(&loggps, 1);
		runs = simulate(&simulation, &goal, &network);
		check_unlimited(&goal, &loggps, &simulation, runs);
		cyclic += !runs;
		simulation_release(&simulation);
		goal_release(&goal);
	}
	assert_in_range(cyclic, GRAPHS / 20, GRAPHS / 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_cpu_or_nic_serves_one_operation_at_a_time),
		cmocka_unit_test(without_a_gap_limits_only_take_time),
		cmocka_unit_test(the_same_order_at_the_same_parameters_takes_the_same_time),
		cmocka_unit_test(without_limits_the_simulation_agrees_with_the_equations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
