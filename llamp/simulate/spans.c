#include "llamp/simulate/spans.h"

static int find_served(struct spans *spans, struct error *err)
{
	struct sim_result simulation;

	TRY(sim_find_times(&spans->served, &simulation, spans->execution, err));
	spans->unit_as = simulation.unit_as;
	spans->times.end = (__int128)simulation.end.time * simulation.unit_as;
	return 0;
}

int spans_find(struct spans *spans, const struct execution_graph *execution, struct error *err)
{
	*spans = (struct spans){.execution = execution,
				.weights = times_weights(execution->loggps)};
	spans->weights.classes = execution->classes.list;
	if (execution->loggps->resources)
		TRY(find_served(spans, err));
	else
		TRY(times_find(&spans->times, execution, &spans->weights, err));
	if (spans->times.end / AS_PER_NS <= INT64_MAX)
		return 0;
	spans_release(spans);
	return error_set(err, STATUS_LIMIT, "the run takes more than 292 years");
}

void spans_release(struct spans *spans)
{
	if (spans->served)
		free(spans->served);
	else
		times_release(&spans->times);
	*spans = (struct spans){0};
}

/* Overhead of a send or a receive.  The bytes of a message are those of its send. */
static __int128 overhead_of(const struct spans *spans, const struct located *at)
{
	const struct loggps *loggps = spans->execution->loggps;
	struct located send = *at, recv;
	struct cost cost;

	if (at->op.kind == GOAL_CALC)
		return 0;
	if (at->op.kind == GOAL_RECV && variable_is_on(&loggps->variables.of[VARIABLE_O]))
		execution_message(spans->execution, at, &send, &recv);
	cost = cost_overhead(loggps, send.op.size,
			     execution_class(spans->execution, at->number));
	return cost_weigh(&spans->weights, &cost);
}

/* Whole ns of a time.  Dividing 64 bits by a constant is a multiplication. */
static uint64_t whole_ns(__int128 as)
{
	return as <= INT64_MAX ? (uint64_t)as / AS_PER_NS : (uint64_t)(as / AS_PER_NS);
}

struct span spans_of(const struct spans *spans, const struct located *at)
{
	const struct sim_times *served = spans->served ? &spans->served[at->number] : NULL;
	const __int128 start = served ? (__int128)served->start * spans->unit_as
				      : times_start(&spans->times, at);
	const __int128 end = served ? (__int128)served->end * spans->unit_as
				    : times_end(&spans->times, at);
	const __int128 overhead = overhead_of(spans, at);
	const __int128 message = at->op.kind == GOAL_SEND ? start + overhead : end - overhead;

	return (struct span){
		.start_ns = whole_ns(start),
		.end_ns = whole_ns(end),
		.message_ns = whole_ns(message),
	};
}
