/*
 * On random graphs with limited CPUs and NICs both engines must agree exactly with an event-driven
 * simulation of the model.
 */
#include "test/unit/lib/brute_force.h"
#include "test/unit/lib/must.h"
#include "test/unit/lib/random_graph.h"
#include "test/unit/lib/simulate.h"

#include "common/units.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { GRAPHS = 2000, MOST_RANKS = 6, MOST_OPS = 200 };

#define PICK(numbers, values) (values)[random_below((numbers), sizeof(values) / sizeof *(values))]

/* Graph with parameters. */
struct instance {
	struct goal goal;
	struct loggps loggps;
	bool small;
};

/* Make small integers, so that events are often at the same time. */
static void small_loggps(struct loggps *loggps, uint64_t *numbers)
{
	static const uint64_t thresholds[] = {LOGGPS_NO_RENDEZVOUS, 0, 1, 2};

	loggps->variables = loggps_default.variables;
	for (uint32_t v = 0; v < LOGGPS_COUNT; v++)
		loggps_set(loggps, v, (int64_t)random_below(numbers, 4) * AS_PER_NS);
	if (random_below(numbers, 2))
		loggps_set(loggps, VARIABLE_g, 0);
	loggps->S = PICK(numbers, thresholds);
	loggps->rendezvous = (enum rendezvous)random_below(numbers, 3);
}

static void instance_init(struct instance *in, uint64_t seed)
{
	struct random_traits traits = {.most_ranks = MOST_RANKS, .most_ops = MOST_OPS};
	uint64_t numbers = seed;

	*in = (struct instance){.small = random_below(&numbers, 2)};
	traits.small = in->small;
	traits.cpus = 1 + (uint32_t)random_below(&numbers, 3);
	traits.nics = 1 + (uint32_t)random_below(&numbers, 2);
	traits.bursts = random_below(&numbers, 2) ? 15 : 0;
	random_graph_of(&in->goal, &numbers, &traits);
	in->small ? small_loggps(&in->loggps, &numbers) : random_loggps(&in->loggps, &numbers);
}

/* ------------------------------------------------- properties of the simulation */

static void check_work_does_not_overlap(const struct simulate_op *a, const struct simulate_op *b)
{
	if (a->busy > 0 && b->busy > 0)
		assert_true(a->work + a->busy <= b->work || b->work + b->busy <= a->work);
}

static void check_transfers_are_spaced(const struct simulate_op *a, const struct simulate_op *b)
{
	const struct simulate_op *first = a->nic_turn < b->nic_turn ? a : b;
	const struct simulate_op *second = first == a ? b : a;

	assert_true(first->nic_turn < second->nic_turn);
	assert_true(first->transfer + first->spacing <= second->transfer);
}

static void check_units(const struct goal *goal, const struct simulate_network *network,
			const struct simulation *simulation)
{
	for (uint32_t rank = 0; rank < goal->rank_count; rank++) {
		const struct goal_block *block = &goal->ranks[rank];

		for (uint32_t i = 0; i < block->op_count; i++)
			for (uint32_t k = 0; k < i; k++) {
				const struct goal_op a = goal_op(block, i), b = goal_op(block, k);
				const struct simulate_op *of = simulation->ops + block->first_op;

				if (network->cpu && a.cpu == b.cpu)
					check_work_does_not_overlap(&of[i], &of[k]);
				if (network->nic && a.kind != GOAL_CALC && a.kind == b.kind &&
				    a.nic == b.nic)
					check_transfers_are_spaced(&of[i], &of[k]);
			}
	}
}

static void no_two_use_a_cpu_or_nic_at_once_in_the_simulation(void **unused)
{
	uint32_t checked = 0;

	(void)unused;
	for (uint64_t seed = 0; seed < GRAPHS / 4; seed++) {
		struct simulate_network network;
		struct simulation free_run;
		struct instance in;

		instance_init(&in, seed);
		network = simulate_network_from(&in.loggps, 1);
		if (!simulate(&free_run, &in.goal, &network)) {
			simulation_release(&free_run);
			goal_release(&in.goal);
			continue;
		}
		for (int limits = 1; limits < 4; limits++) {
			struct simulation limited;

			network.cpu = limits & 1;
			network.nic = limits & 2;
			assert_true(simulate(&limited, &in.goal, &network));
			check_units(&in.goal, &network, &limited);
			/* The gap between sends without a path is not part of nic. */
			if (network.g == 0)
				assert_true(limited.runtime >= free_run.runtime);
			checked += limited.runtime > free_run.runtime;
			simulation_release(&limited);
		}
		simulation_release(&free_run);
		goal_release(&in.goal);
	}
	assert_true(checked > GRAPHS / 8);
}

static void without_limits_the_simulation_agrees_with_the_equations(void **unused)
{
	uint32_t cyclic = 0;

	(void)unused;
	for (uint64_t seed = 0; seed < GRAPHS; seed++) {
		struct simulate_network network;
		struct simulation simulation;
		struct envelope truth;
		struct instance in;
		bool runs;

		instance_init(&in, seed);
		network = simulate_network_from(&in.loggps, 1);
		runs = simulate(&simulation, &in.goal, &network);
		assert_int_equal(brute_force(&truth, &in.goal, &in.loggps, VARIABLE_L), runs);
		if (runs) {
			const struct fraction at = {network.L, 1};
			const struct brute_line line =
				truth.lines.items[envelope_right(&truth, at)];

			assert_true(line.constant + line.slope * network.L == simulation.runtime);
		}
		cyclic += !runs;
		envelope_release(&truth);
		simulation_release(&simulation);
		goal_release(&in.goal);
	}
	assert_in_range(cyclic, GRAPHS / 20, GRAPHS / 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_two_use_a_cpu_or_nic_at_once_in_the_simulation),
		cmocka_unit_test(without_limits_the_simulation_agrees_with_the_equations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
