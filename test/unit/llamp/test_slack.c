/*
 * Slack on random graphs: an operation that is late by its slack does not change T, and one
 * attosecond more does.  T of the delayed program is that of test/unit/lib/oracle/brute_force, and with
 * resources that of test/unit/lib/oracle/simulate in the same order of service.  With PROGRAMS in the
 * environment that many graphs are made.
 */
#include "test/unit/lib/make/random_graph.h"
#include "test/unit/lib/make/random_network.h"
#include "test/unit/lib/must.h"
#include "test/unit/lib/oracle/brute_force.h"
#include "test/unit/lib/oracle/simulate.h"

#include "llamp/analysis/critical_path.h"
#include "llamp/simulate/build.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#ifdef __SANITIZE_ADDRESS__
enum { GRAPHS = 60 };
#else
enum { GRAPHS = 200 };
#endif

static uint32_t graphs = GRAPHS; /* of each test */

/* Number of times that each case happened: checked to be large enough. */
static struct {
	uint32_t graphs, delays, critical, gaps, irequires;
	uint32_t rendezvous[3], least_at[BRUTE_END + 1];
} seen;

static wide runtime_of(const struct model *model, const struct brute_delay *delay)
{
	const wide latency = loggps_value(&model->loggps, VARIABLE_L);
	const struct brute_line *line;
	struct envelope truth;
	wide runtime;

	assert_true(brute_force_delayed(&truth, &model->goal, &model->loggps, VARIABLE_L, delay));
	line = &truth.lines.items[envelope_right(&truth, (struct fraction){latency, 1})];
	runtime = line->constant + line->slope * latency;
	envelope_release(&truth);
	return runtime;
}

/* Whether the operation can be late at a place. */
static bool has_place(const struct model *model, const struct goal_op *op, enum brute_place place)
{
	return place == BRUTE_START || (place == BRUTE_MATCH && op->kind == GOAL_RECV) ||
	       (place == BRUTE_END && op->kind == GOAL_SEND &&
		message_is_rendezvous(&model->loggps, op->size));
}

static void check_operation(const struct model *model, uint32_t op, wide runtime, wide slack)
{
	const struct located at = execution_find(&model->execution, op);
	bool grows = false;

	assert_true(slack >= 0 && slack <= runtime);
	for (enum brute_place place = BRUTE_START; place <= BRUTE_END; place++) {
		struct brute_delay delay = {op, place, slack};
		wide late;

		if (!has_place(model, &at.op, place))
			continue;
		assert_true(runtime_of(model, &delay) == runtime);
		delay.as++;
		late = runtime_of(model, &delay);
		assert_true(late == runtime || late == runtime + 1);
		grows |= late > runtime;
		seen.least_at[place] += late > runtime;
	}
	assert_true(grows);
	seen.delays++;
	seen.critical += slack == 0;
	seen.irequires += at.op.irequires_count > 0;
}

/* The operations of the path have no slack, and its times and latencies add up to T and lambda. */
static void check_path(const struct model *model, const struct critical_path *path,
		       const int128 *slack)
{
	const int64_t latency = loggps_value(&model->loggps, VARIABLE_L);
	int128 sum = 0, lambda = 0, latency_as = 0, transfer_as = 0, moved_as = 0;

	for (size_t i = 0; i < path->segments.count; i++) {
		const struct critical_segment *segment = &path->segments.items[i];
		const int128 length = segment->end_as - segment->start_as;
		const bool latencies = segment->category == CATEGORY_LATENCY;

		sum += length;
		latency_as += latencies ? length : 0;
		moved_as += latencies || segment->category == CATEGORY_BANDWIDTH ? length : 0;
		assert_true(slack[model->goal.ranks[segment->rank].first_op +
				  segment->operation] == 0);
	}
	for (size_t i = 0; i < path->messages.count; i++) {
		const struct critical_message *message = &path->messages.items[i];
		const struct goal_op recv = goal_op(&model->goal.ranks[message->to],
						    message->operation);

		assert_true(recv.kind == GOAL_RECV && recv.peer == message->from);
		lambda += message->lambda;
		transfer_as += message->transfer_as;
	}
	assert_true(sum == path->runtime_as);
	assert_true(lambda == path->lambda);
	/* In a network latencies are not only L. */
	assert_true(model->loggps.network || latency_as == lambda * latency);
	assert_true(transfer_as == moved_as);
}

static void check_graph(const struct model *model)
{
	const wide runtime = runtime_of(model, NULL);
	struct critical_path path;
	struct error err;
	int128 *slack;

	MUST(critical_path_find_with_slack(&path, &slack, model, &err));
	assert_true(path.runtime_as == runtime);
	check_path(model, &path, slack);
	for (uint32_t op = 0; op < model->goal.op_count; op++)
		check_operation(model, op, runtime, slack[op]);
	free(slack);
	critical_path_release(&path);
	seen.graphs++;
	seen.gaps += gaps_are_on(&model->loggps);
	if (model->loggps.S != LOGGPS_NO_RENDEZVOUS)
		seen.rendezvous[model->loggps.rendezvous]++;
}

static void an_operation_may_be_late_by_its_slack_and_no_more(void **state)
{
	uint64_t numbers = 0;

	(void)state;
	for (uint32_t i = 0; i < graphs; i++) {
		struct model model = {.path = "random"};
		struct error err = {0};

		random_graph(&model.goal, &numbers, 6, 120);
		random_loggps(&model.loggps, &numbers);
		if (graphs_build(&model.execution, &model.graph, &model.goal, &model.loggps,
				 &err) < 0) {
			goal_release(&model.goal);
			continue;
		}
		check_graph(&model);
		model_release(&model);
	}
	assert_true(seen.graphs > graphs / 3 && seen.gaps > seen.graphs / 10);
	assert_true(seen.delays > 5 * seen.graphs && seen.irequires > seen.graphs);
	assert_true(seen.critical > seen.graphs && seen.critical < seen.delays - seen.graphs);
	for (int i = 0; i < 3; i++) {
		assert_true(seen.rendezvous[i] > seen.graphs / 20);
		assert_true(seen.least_at[i] > seen.graphs / 20);
	}
}

/* ---------------------------------------------------------- with resources */

static struct {
	uint32_t graphs, delays, critical, links, kinds[2 * RESOURCE_LINK];
	uint32_t least_at[SIMULATE_END + 1];
} served;

static bool happens_at(const struct model *model, const struct located *at,
		       enum simulate_place place)
{
	const struct goal_op *op = &at->op;
	const uint32_t class = execution_class(&model->execution, at->number);
	const bool rendezvous = op->kind != GOAL_CALC &&
				message_is_rendezvous(&model->loggps, op->size);

	switch (place) {
	case SIMULATE_START:
		return true;
	case SIMULATE_TRANSFER:
		return op->kind != GOAL_CALC && (model->loggps.resources & RESOURCE_NIC) &&
		       !model->execution.classes.list[class].within_node;
	case SIMULATE_LINK:
		return op->kind == GOAL_SEND && (model->loggps.resources & RESOURCE_LINK);
	case SIMULATE_MATCH:
	case SIMULATE_COMPLETION:
		return op->kind == GOAL_RECV;
	case SIMULATE_END:
		return op->kind == GOAL_SEND && rendezvous;
	}
	return false;
}

/* Delay an event by its slack, and by one more: whether T grows. */
static bool check_delay(const struct model *model, const struct simulation *order,
			struct simulate_delay delay)
{
	const struct simulate_network network = simulate_network_from(&model->loggps, 1);
	struct simulation late;
	bool grows;

	simulate_delayed(&late, &model->goal, &network, order, &delay);
	assert_true(late.runtime == order->runtime);
	simulation_release(&late);
	delay.by++;
	simulate_delayed(&late, &model->goal, &network, order, &delay);
	assert_true(late.runtime == order->runtime || late.runtime == order->runtime + 1);
	grows = late.runtime > order->runtime;
	served.least_at[delay.place] += grows;
	simulation_release(&late);
	return grows;
}

static void check_served(const struct model *model, const struct simulation *order, uint32_t op,
			 wide slack)
{
	const struct located at = execution_find(&model->execution, op);
	bool grows = false;

	assert_true(slack >= 0 && slack <= order->runtime);
	for (enum simulate_place place = SIMULATE_START; place <= SIMULATE_END; place++) {
		const uint32_t *first = model->execution.routes.first;
		const uint32_t count = place != SIMULATE_LINK ? 1
				       : first		      ? first[op + 1] - first[op]
							      : 0;

		if (!happens_at(model, &at, place))
			continue;
		for (uint32_t link = 0; link < count; link++)
			grows |= check_delay(model, order,
					     (struct simulate_delay){op, place, slack, link});
		served.links += place == SIMULATE_LINK ? count : 0;
	}
	assert_true(grows);
	served.delays++;
	served.critical += slack == 0;
}

static void check_program(const struct model *model)
{
	const struct simulate_network network = simulate_network_from(&model->loggps, 1);
	struct simulation order;
	struct critical_path path;
	struct error err;
	int128 *slack;

	assert_true(simulate(&order, &model->goal, &network));
	MUST(critical_path_find_with_slack(&path, &slack, model, &err));
	assert_true(path.runtime_as == order.runtime);
	check_path(model, &path, slack);
	for (uint32_t op = 0; op < model->goal.op_count; op++)
		check_served(model, &order, op, slack[op]);
	free(slack);
	critical_path_release(&path);
	simulation_release(&order);
	served.graphs++;
	served.kinds[model->loggps.resources]++;
}

/* Give messages routes, on which links may be limited. */
static void add_network(struct model *model, struct model_parameters *parameters,
			uint64_t numbers)
{
	random_network(parameters, &model->loggps, &numbers);
	if (parameters->network.topology)
		parameters->loggps.resources |= RESOURCE_LINK;
	model->loggps = parameters->loggps;
}

static void with_resources_the_order_of_service_is_kept(void **state)
{
	uint64_t numbers = 0;

	(void)state;
	for (uint32_t i = 0; i < graphs; i++) {
		struct model_parameters parameters = {.network.row_count = 0};
		struct model model = {.path = "random"};
		struct error err = {0};

		random_program(&model.goal, &model.loggps, &numbers, 5, 60);
		if (i % 3 == 0)
			add_network(&model, &parameters, numbers);
		if (model.loggps.resources &&
		    graphs_build(&model.execution, &model.graph, &model.goal, &model.loggps,
				 &err) == 0) {
			check_program(&model);
			model_release(&model);
		} else {
			goal_release(&model.goal);
		}
		parameters_release(&parameters);
	}
	assert_true(served.links > graphs / 10);
	assert_true(served.graphs > graphs / 5 && served.delays > 5 * served.graphs);
	assert_true(served.critical > served.graphs &&
		    served.critical < served.delays - served.graphs);
	assert_true(served.kinds[RESOURCE_CPU] > 0 && served.kinds[RESOURCE_NIC] > 0 &&
		    served.kinds[RESOURCE_CPU | RESOURCE_NIC] > 0);
	for (int i = 0; i <= SIMULATE_END; i++)
		assert_true(served.least_at[i] > served.graphs / 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_operation_may_be_late_by_its_slack_and_no_more),
		cmocka_unit_test(with_resources_the_order_of_service_is_kept),
	};

	if (getenv("PROGRAMS"))
		graphs = (uint32_t)strtoul(getenv("PROGRAMS"), NULL, 10);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
