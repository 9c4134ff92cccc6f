/* Start and end of every operation are those of an independent simulation, rounded down to ns. */
#include "test/unit/lib/make/random_graph.h"
#include "test/unit/lib/oracle/simulate.h"

#include "common/units.h"
#include "llamp/simulate/build.h"
#include "llamp/simulate/op_times.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "test/unit/lib/must.h"

enum { MOST_RANKS = 6, MOST_OPS = 200, WITHOUT = 0, WITH_RESOURCES = 1 };

/* The sanitizers make everything some ten times slower. */
#ifdef __SANITIZE_ADDRESS__
enum { PROGRAMS = 200 };
#else
enum { PROGRAMS = 2000 };
#endif

static uint32_t compared[2], rendezvous, fractions;

static void check_op(const struct op_times *op_times, const struct located *at,
		     const struct simulate_op *expected, const struct simulate_network *network)
{
	const struct op_time op_time = op_times_of(op_times, at);
	const struct execution_graph *execution = op_times->execution;
	const uint32_t send = at->op.kind == GOAL_RECV ? execution->matching.partner[at->number]
						       : at->number;
	const wide overhead = network->o +
			      (wide)execution_find(execution, send).op.size * network->O;

	assert_int_equal(op_time.start_ns, (uint64_t)(expected->start / AS_PER_NS));
	assert_int_equal(op_time.end_ns, (uint64_t)(expected->end / AS_PER_NS));
	fractions += expected->end % AS_PER_NS != 0;
	if (at->op.kind == GOAL_CALC) {
		assert_int_equal(op_time.message_ns, op_time.end_ns);
	} else if (at->op.kind == GOAL_SEND) {
		assert_int_equal(op_time.message_ns,
				 (uint64_t)((expected->start + overhead) / AS_PER_NS));
		rendezvous += op_time.message_ns < op_time.end_ns;
	} else {
		assert_int_equal(op_time.message_ns,
				 (uint64_t)((expected->end - overhead) / AS_PER_NS));
	}
	assert_true(op_time.start_ns <= op_time.message_ns && op_time.message_ns <= op_time.end_ns);
	compared[execution->loggps->resources ? WITH_RESOURCES : WITHOUT]++;
}

static void check_program(const struct execution_graph *execution)
{
	const struct simulate_network network = simulate_network_from(execution->loggps, 1);
	struct simulation simulation;
	struct op_times op_times;
	struct error err;

	if (simulate(&simulation, execution->goal, &network)) {
		MUST(op_times_find(&op_times, execution, &err));
		for (uint32_t op = 0; op < execution->goal->op_count; op++) {
			const struct located at = execution_find(execution, op);

			check_op(&op_times, &at, &simulation.ops[op], &network);
		}
		op_times_release(&op_times);
	}
	simulation_release(&simulation);
}

static void spans_are_those_of_the_simulation(void **unused)
{
	(void)unused;
	for (uint64_t seed = 0; seed < PROGRAMS; seed++) {
		struct execution_graph execution;
		uint64_t numbers = seed;
		struct loggps loggps;
		struct goal goal;
		struct error err;

		random_program(&goal, &loggps, &numbers, MOST_RANKS, MOST_OPS);
		if (execution_graph_build(&execution, &goal, &loggps, &err) == 0) {
			check_program(&execution);
			execution_graph_release(&execution);
		}
		goal_release(&goal);
	}
	assert_true(compared[WITHOUT] > PROGRAMS && compared[WITH_RESOURCES] > PROGRAMS);
	assert_true(rendezvous > PROGRAMS && fractions > PROGRAMS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(spans_are_those_of_the_simulation),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
