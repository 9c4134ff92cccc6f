#include "llamp/graph/service_pass.h"

#include "llamp/graph/common_divisor.h"

#include <string.h>

/* ------------------------------------------------------------------------- set-up */

/* The largest time of which all costs are multiples becomes the unit. */
static void set_weights(struct pass *pass)
{
	struct cost_weights *weights = &pass->weights;
	__int128 unit = AS_PER_NS;

	for (uint32_t v = 0; v < pass->loggps->variables.count; v++)
		unit = common_divisor(unit, loggps_value(pass->loggps, v));
	*weights = times_weights(pass->loggps);
	weights->per_ns /= unit;
	for (int rule = 0; rule < COST_RULE_COUNT; rule++) {
		weights->rules[rule] /= unit;
		weights->per_byte[rule] /= unit;
		weights->per_size[rule] /= unit;
	}
	for (uint32_t v = 0; v < pass->loggps->variables.count; v++)
		weights->of_variables[v] /= unit;
	weights->classes = pass->execution->classes.list;
	pass->service->unit_as = (int64_t)unit;
}

/* Also count the dependencies of all operations. */
static uint32_t count_servers(struct pass *pass)
{
	const uint32_t *gaps = pass->execution->gap_first;
	uint32_t count = 0;

	for (uint32_t rank = 0; rank < pass->goal->rank_count; rank++) {
		const struct goal_block *block = &pass->goal->ranks[rank];
		struct rank_servers *servers = &pass->ranks[rank];

		servers->first = count;
		for (uint32_t i = 0; i < block->op_count; i++) {
			const struct goal_op op = goal_op(block, i);

			pass->state[block->first_op + i] = op.dependencies;
			servers->cpus = op.cpu >= servers->cpus ? op.cpu + 1 : servers->cpus;
			servers->nics = op.nic >= servers->nics ? op.nic + 1 : servers->nics;
		}
		count += servers->cpus + 2 * servers->nics;
	}
	for (uint32_t i = 0; gaps && i < gaps[pass->goal->op_count]; i++)
		pass->state[pass->execution->gap_later[i]]++;
	return count;
}

/* Count the dependencies that are not ends of receives. */
static void count_others(struct pass *pass)
{
	memcpy(pass->others, pass->state, pass->goal->op_count * sizeof *pass->others);
	for (uint32_t rank = 0; rank < pass->goal->rank_count; rank++) {
		const struct goal_block *block = &pass->goal->ranks[rank];

		for (uint32_t i = 0; i < block->op_count; i++) {
			const struct goal_op op = goal_op(block, i);

			for (uint32_t k = 0; op.kind == GOAL_RECV && k < op.requires_count; k++)
				pass->others[block->first_op +
					     goal_successor(block, op.requires_first + k)]--;
		}
	}
}

static int init(struct pass *pass)
{
	struct error *err = pass->err;

	set_weights(pass);
	TRY(allocate(&pass->state, pass->goal->op_count, sizeof *pass->state, err));
	TRY(allocate(&pass->pending, pass->goal->op_count, sizeof *pass->pending, err));
	TRY(allocate(&pass->ranks, pass->goal->rank_count, sizeof *pass->ranks, err));
	TRY(allocate(&pass->servers, count_servers(pass), sizeof *pass->servers, err));
	TRY(array_push(&pass->pool, (struct pending){0}, err));
	TRY(array_push(&pass->waiters, (struct waiter){0}, err));
	if (pass->has_cpu) {
		TRY(allocate(&pass->others, pass->goal->op_count, sizeof *pass->others, err));
		TRY(allocate(&pass->waits, pass->goal->op_count, sizeof *pass->waits, err));
		count_others(pass);
	}
	if (pass->causes)
		TRY(allocate(&pass->causes->of, (size_t)CAUSES_PER_OP * pass->goal->op_count,
			     sizeof *pass->causes->of, err));
	if (!pass->writes)
		return 0;
	TRY(cost_writer_init(&pass->writer, err));
	TRY(cost_expressions_use(&pass->writer.expressions, pass->execution->classes.list,
				 pass->execution->classes.count, err));
	return edge_merge_init(&pass->merge, &pass->writer.expressions, err);
}

static int finish(struct pass *pass)
{
	pass->service->end = pass->end.at;
	if (pass->causes)
		pass->causes->end = pass->end.rank ? pass->end.cause
						   : (struct cause){.op = NO_EVENT};
	if (!pass->writes)
		return 0;
	pass->merge.open.count = 0;
	pass_take_list(&pass->merge, &pass->end.list);
	TRY(edge_merge_close(&pass->merge, pass->writer.edges.items));
	TRY(edge_merge_write(&pass->merge, &pass->writer));
	return cost_writer_vertex(&pass->writer, COST_EVENT_END, pass->err);
}

static void release(struct pass *pass)
{
	free(pass->state);
	free(pass->pending);
	free(pass->others);
	free(pass->waits);
	free(pass->ranks);
	free(pass->servers);
	array_release(&pass->log);
	array_release(&pass->pool);
	array_release(&pass->waiters);
	array_release(&pass->ready);
	min_heap_release(&pass->requests);
	if (pass->writes)
		edge_merge_release(&pass->merge);
}

static struct pass pass_of(struct service *service, const struct execution_graph *execution,
			   uint32_t varied, struct error *err)
{
	return (struct pass){
		.execution = execution,
		.goal = execution->goal,
		.loggps = execution->loggps,
		.service = service,
		.has_cpu = execution->loggps->resources & RESOURCE_CPU,
		.has_nic = execution->loggps->resources & RESOURCE_NIC,
		.has_gap = variable_is_on(&execution->loggps->variables.of[VARIABLE_g]),
		.varied = varied,
		.err = err,
	};
}

static int run(struct pass *pass)
{
	int result;

	*pass->service = (struct service){.order = REACH_UNBOUNDED, .waits = REACH_UNBOUNDED};
	result = init(pass);
	if (result == 0)
		result = pass_serve_all(pass);
	if (result == 0)
		result = finish(pass);
	if (result == 0 && pass->slack)
		result = pass_slack(pass);
	release(pass);
	return result;
}

int service_run(struct service *service, const struct execution_graph *execution, uint32_t varied,
		struct cost_graph *graph, struct causes *causes, struct error *err)
{
	struct pass pass = pass_of(service, execution, varied, err);
	int result;

	pass.causes = causes;
	pass.writes = graph != NULL;
	if (causes)
		*causes = (struct causes){0};
	result = run(&pass);
	if (result == 0 && graph) {
		result = cost_writer_finish(&pass.writer, graph, err);
		graph->op_count = execution->goal->op_count;
		graph->message_count = execution->matching.message_count;
	} else if (graph) {
		cost_writer_release(&pass.writer);
	}
	if (result < 0 && causes)
		causes_release(causes);
	return result;
}

int service_find_times(struct service_times **times, struct service *service,
		       const struct execution_graph *execution, struct error *err)
{
	struct pass pass = pass_of(service, execution, VARIABLE_L, err);
	int result;

	TRY(allocate(times, execution->goal->op_count, sizeof **times, err));
	pass.times = *times;
	result = run(&pass);
	if (result < 0) {
		free(*times);
		*times = NULL;
	}
	return result;
}

int service_find_slack(int64_t **slack, struct service *service,
		       const struct execution_graph *execution, struct error *err)
{
	struct pass pass = pass_of(service, execution, VARIABLE_L, err);
	int result;

	TRY(allocate(slack, execution->goal->op_count, sizeof **slack, err));
	pass.slack = *slack;
	result = run(&pass);
	if (result < 0) {
		free(*slack);
		*slack = NULL;
	}
	return result;
}

/* ------------------------------------------------------------------------- causes */

void causes_release(struct causes *causes)
{
	free(causes->of);
	*causes = (struct causes){0};
}

struct cause *cause_of(const struct causes *causes, uint32_t op, enum event_kind kind)
{
	static const uint8_t place[] = {
		[EVENT_START] = 0,   [EVENT_COMPLETION] = 0, [EVENT_INJECTION] = 1,
		[EVENT_ARRIVAL] = 1, [EVENT_MATCH] = 2,	     [EVENT_POST] = 2,
		[EVENT_WAIT] = 3,
	};

	return &causes->of[(size_t)op * CAUSES_PER_OP + place[kind]];
}
