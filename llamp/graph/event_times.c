#include "llamp/graph/event_times.h"

#include "llamp/graph/topological_order.h"

#include <string.h>

struct cost_weights cost_weights_of(__int128 per_ns, const __int128 of_variables[VARIABLES_MOST])
{
	struct cost_weights weights = {.per_ns = per_ns};

	for (int rule = 0; rule < COST_RULE_COUNT; rule++)
		for (int v = 0; v < LOGGPS_COUNT; v++) {
			weights.rules[rule] += cost_rules[rule].each[v] * of_variables[v];
			weights.per_byte[rule] += cost_rules[rule].per_byte[v] * of_variables[v];
			weights.per_size[rule] += cost_rules[rule].per_size[v] * of_variables[v];
		}
	memcpy(weights.of_variables, of_variables, sizeof weights.of_variables);
	return weights;
}

struct cost_weights event_times_weights(const struct loggps *loggps)
{
	__int128 values[VARIABLES_MOST] = {0};

	for (uint32_t v = 0; v < loggps->variables.count; v++)
		values[v] = loggps_value(loggps, v);
	return cost_weights_of(AS_PER_NS, values);
}

__int128 cost_weigh_class(const struct cost_weights *weights, const struct cost *cost)
{
	const struct message_class *class = &weights->classes[cost->class];
	__int128 sum = weights->per_ns * cost->ns;

	for (uint32_t i = 0; i < class->term_count; i++) {
		const struct class_term *term = &class->terms[i];

		sum += weights->of_variables[term->variable] * term->count *
		       cost_symbol(cost, term->symbol);
	}
	return sum;
}

/* Current event of the visit, and its time. */
struct visit {
	struct event_times *times;
	uint32_t event;
	__int128 now;
	uint32_t opened; /* starts */
};

static void times_open_event(void *context, struct event at, uint32_t sender)
{
	struct visit *visit = context;
	struct event_times *times = visit->times;

	visit->event = event_number(at);
	visit->now = times->latest[at.op];
	if (times->order && !at.match)
		times->order[visit->opened++] = at.op;
	if (at.match && times->latest[sender] > visit->now) {
		visit->now = times->latest[sender];
		times->by_sender[at.op] = true;
	}
}

static void times_visit_edge(void *context, const struct edge *edge)
{
	struct visit *visit = context;
	struct event_times *times = visit->times;
	const __int128 time = visit->now + cost_weigh(&times->weights, edge->cost);

	switch (edge->target) {
	case TARGET_START:
		if (times->before[edge->to] == NO_EVENT || time > times->latest[edge->to]) {
			times->latest[edge->to] = time;
			times->before[edge->to] = visit->event;
		}
		break;
	case TARGET_MATCH:
		times->latest[edge->to] = time;
		break;
	case TARGET_END:
		if (times->before_end == NO_EVENT || time > times->end) {
			times->end = time;
			times->before_end = visit->event;
		}
		break;
	}
}

static int times_visit_all(struct event_times *times, struct error *err)
{
	static const struct order_visitor visitor = {times_open_event, times_visit_edge};
	struct visit visit = {.times = times};
	struct topological_order order;
	int result = order_init(&order, times->execution, err);

	if (result == 0)
		result = order_visit(&order, &visitor, &visit);
	order_release(&order);
	return result;
}

static int times_find_all(struct event_times *times, const struct execution_graph *execution,
			  const struct cost_weights *weights, bool in_order, struct error *err)
{
	const size_t op_count = execution->goal->op_count;
	int result = -1;

	*times = (struct event_times){.execution = execution,
				      .weights = *weights,
				      .before_end = NO_EVENT};
	times->weights.classes = execution->classes.list;
	if ((!in_order || allocate(&times->order, op_count, sizeof *times->order, err) == 0) &&
	    allocate(&times->latest, op_count, sizeof *times->latest, err) == 0 &&
	    allocate(&times->before, op_count, sizeof *times->before, err) == 0 &&
	    allocate(&times->by_sender, op_count, sizeof *times->by_sender, err) == 0) {
		memset(times->before, 0xff, op_count * sizeof *times->before);
		result = times_visit_all(times, err);
	}
	if (result < 0)
		event_times_release(times);
	return result;
}

int event_times_find(struct event_times *times, const struct execution_graph *execution,
		     const struct cost_weights *weights, struct error *err)
{
	return times_find_all(times, execution, weights, false, err);
}

int event_times_find_in_order(struct event_times *times, const struct execution_graph *execution,
			      const struct cost_weights *weights, struct error *err)
{
	return times_find_all(times, execution, weights, true, err);
}

void event_times_release(struct event_times *times)
{
	free(times->order);
	free(times->latest);
	free(times->before);
	free(times->by_sender);
	*times = (struct event_times){0};
}

__int128 event_times_start(const struct event_times *times, const struct located *at)
{
	struct cost message;

	if (at->op.kind != GOAL_SEND)
		return times->latest[at->number];
	message = cost_message(times->execution->loggps, at->op.size,
			       execution_class(times->execution, at->number));
	return times->latest[at->number] - cost_weigh(&times->weights, &message);
}

__int128 event_times_end(const struct event_times *times, const struct located *at)
{
	const struct execution_graph *execution = times->execution;
	struct located send, recv;
	struct cost cost;
	__int128 match;

	if (ends_by_itself(execution, &at->op)) {
		cost = cost_busy(execution->loggps, &at->op,
				 execution_class(execution, at->number));
		return event_times_start(times, at) + cost_weigh(&times->weights, &cost);
	}
	execution_message(execution, at, &send, &recv);
	match = times->latest[times->by_sender[recv.number] ? send.number : recv.number];
	cost = cost_after_match(execution->loggps, send.op.size,
				execution_class(execution, at->number), at->op.kind);
	return match + cost_weigh(&times->weights, &cost);
}

uint32_t event_times_event_before(const struct event_times *times, struct event event)
{
	if (!event.match)
		return times->before[event.op];
	return event_number((struct event){times->by_sender[event.op]
						   ? times->execution->matching.partner[event.op]
						   : event.op,
					   false});
}
