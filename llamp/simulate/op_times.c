#include "llamp/simulate/op_times.h"

static int find_served(struct op_times *op_times, struct error *err)
{
	struct sim_result simulation;

	TRY(sim_find_times(&op_times->served, &simulation, op_times->execution, err));
	op_times->unit_as = simulation.unit_as;
	op_times->times.end = (__int128)simulation.end.time * simulation.unit_as;
	return 0;
}

int op_times_find(struct op_times *op_times, const struct execution_graph *execution,
		  struct error *err)
{
	*op_times = (struct op_times){.execution = execution,
				      .weights = event_times_weights(execution->loggps)};
	op_times->weights.classes = execution->classes.list;
	if (execution->loggps->resources)
		TRY(find_served(op_times, err));
	else
		TRY(event_times_find(&op_times->times, execution, &op_times->weights, err));
	if (op_times->times.end / AS_PER_NS <= INT64_MAX)
		return 0;
	op_times_release(op_times);
	return error_set(err, STATUS_LIMIT, "the run takes more than 292 years");
}

void op_times_release(struct op_times *op_times)
{
	if (op_times->served)
		free(op_times->served);
	else
		event_times_release(&op_times->times);
	*op_times = (struct op_times){0};
}

/* Overhead of a send or a receive.  The bytes of a message are those of its send. */
static __int128 overhead_of(const struct op_times *op_times, const struct located *at)
{
	const struct loggps *loggps = op_times->execution->loggps;
	struct located send = *at, recv;
	struct cost cost;

	if (at->op.kind == GOAL_CALC)
		return 0;
	if (at->op.kind == GOAL_RECV && variable_is_on(&loggps->variables.of[VARIABLE_O]))
		execution_message(op_times->execution, at, &send, &recv);
	cost = cost_overhead(loggps, send.op.size,
			     execution_class(op_times->execution, at->number));
	return cost_weigh(&op_times->weights, &cost);
}

/* Whole ns of a time.  Dividing 64 bits by a constant is a multiplication. */
static uint64_t whole_ns(__int128 as)
{
	return as <= INT64_MAX ? (uint64_t)as / AS_PER_NS : (uint64_t)(as / AS_PER_NS);
}

struct op_time op_times_of(const struct op_times *op_times, const struct located *at)
{
	const struct sim_times *served = op_times->served ? &op_times->served[at->number] : NULL;
	const __int128 start = served ? (__int128)served->start * op_times->unit_as
				      : event_times_start(&op_times->times, at);
	const __int128 end = served ? (__int128)served->end * op_times->unit_as
				    : event_times_end(&op_times->times, at);
	const __int128 overhead = overhead_of(op_times, at);
	const __int128 message = at->op.kind == GOAL_SEND ? start + overhead : end - overhead;

	return (struct op_time){
		.start_ns = whole_ns(start),
		.end_ns = whole_ns(end),
		.message_ns = whole_ns(message),
	};
}
