#include "llamp/analysis/critical_steps.h"

#include "common/progress.h"
#include "llamp/graph/path_through.h"
#include "llamp/graph/event_times.h"
#include "llamp/path/lexicographic_key.h"
#include "llamp/simulate/simulation.h"

/* Reverse the steps, which were found from the last to the first. */
static void reverse(struct critical_steps *steps)
{
	const size_t count = steps->list.count;

	for (size_t i = 0; i < count / 2; i++) {
		const struct critical_step step = steps->list.items[i];

		steps->list.items[i] = steps->list.items[count - 1 - i];
		steps->list.items[count - 1 - i] = step;
	}
}

/* --------------------------------------------------------- without resources */

/* Longest of the edges from one event to another, or to the end. */
struct longest_edge {
	const struct event_times *times;
	struct event from, to;
	bool to_end;		/* `to` is not set */
	struct cost cost;
	int128 key;
	bool found;
};

static void note_longest(void *context, const struct edge *edge)
{
	struct longest_edge *longest = context;
	const int128 key = cost_weigh(&longest->times->weights, edge->cost);

	if ((edge->target == TARGET_END) != longest->to_end ||
	    (longest->found && key <= longest->key))
		return;
	if (!longest->to_end) {
		const struct event to = execution_target(longest->times->execution, edge);

		if (to.op != longest->to.op || to.match != longest->to.match)
			return;
	}
	longest->found = true;
	longest->key = key;
	longest->cost = *edge->cost;
}

/* The edge as a step: the parts of a rendezvous after the match belong to its receive. */
static struct critical_step step_of(const struct longest_edge *edge)
{
	const struct execution_graph *execution = edge->times->execution;
	const bool message = !edge->to_end && !edge->from.match && edge->to.match &&
			     execution_find(execution, edge->from.op).op.kind == GOAL_SEND;
	const bool data = edge->from.match && cost_symbol(&edge->cost, VARIABLE_L) > 0;

	return (struct critical_step){
		.op = edge->from.op,
		.transfer = message ? edge->to.op : edge->from.op,
		.message = message ? edge->to.op : data ? edge->from.op : NO_MESSAGE,
		.cost = edge->cost,
	};
}

static int trace_times(struct critical_steps *steps, const struct event_times *times,
		       struct error *err)
{
	struct longest_edge edge = {.times = times, .to_end = true};
	uint32_t from = times->before_end;

	while (from != NO_EVENT) {
		edge.from = event_of(from);
		edge.found = false;
		execution_edges(times->execution, edge.from, note_longest, &edge);
		TRY(array_push(&steps->list, step_of(&edge), err));
		edge.to = edge.from;
		edge.to_end = false;
		from = event_times_event_before(times, edge.to);
	}
	reverse(steps);
	return 0;
}

/* Turn the longest paths through operations, as keys at a whole L, into slacks: T - length. */
static void slack_of_keys(const struct lexicographic_key *key, const struct event_times *times,
			  int128 *of)
{
	const int128 runtime_as = key_length(key, times->end);

	for (uint32_t op = 0; op < times->execution->goal->op_count; op++)
		of[op] = runtime_as - key_length(key, of[op]);
}

static int trace_with_slack(struct critical_steps *steps, const struct event_times *times,
			    const struct lexicographic_key *key, int128 **slack_as,
			    struct error *err)
{
	TRY(trace_times(steps, times, err));
	if (!slack_as)
		return 0;
	progress_phase("finding the slack");
	TRY(path_through(slack_as, times, err));
	slack_of_keys(key, times, *slack_as);
	return 0;
}

/* Use keys as times, so that of several longest paths the one with the slope lambda_L decides. */
static int find_by_times(struct critical_steps *steps, const struct model *model,
			 struct rational latency_as, int128 **slack_as, struct error *err)
{
	const struct direction direction = direction_of(&model->loggps.variables, VARIABLE_L);
	const struct path_point point = {&direction, latency_as, SIDE_RIGHT};
	/* Leave out the divisors of the cost graph: edges of the execution graph may be smaller. */
	const struct cost_graph bounds = {.most = model->graph.most};
	struct lexicographic_key key;
	struct cost_weights weights;
	struct event_times times;
	int result;

	TRY(key_init(&key, &bounds, &point, err));
	weights = cost_weights_of(key.key.ns, key.key.of);
	TRY((slack_as ? event_times_find_in_order : event_times_find)(&times, &model->execution,
								      &weights, err));
	result = trace_with_slack(steps, &times, &key, slack_as, err);
	event_times_release(&times);
	return result;
}

/* ------------------------------------------------------------ with resources */

/* The cost between two events as in the simulation: it belongs to a calc or to a message. */
static struct critical_step step_from(const struct model *model, const struct cause *cause)
{
	const struct cost_coefficients *rule = &cost_rules[cause->rule];
	const uint32_t op = execution_operation(
		&model->execution, cause->cost_op == NO_OP ? cause->op : cause->cost_op);
	const struct located at = execution_find(&model->execution, op);
	struct critical_step step = {.op = op, .transfer = op, .message = NO_MESSAGE,
				     .cost = {.rule = cause->rule}};
	struct located send, recv;

	if (cause->cost_op == NO_OP)
		return step;
	if (at.op.kind == GOAL_CALC) {
		step.cost.ns = at.op.size;
		return step;
	}
	execution_message(&model->execution, &at, &send, &recv);
	step.transfer = recv.number;
	if (cause->kind == EVENT_MATCH || cause->after_receive)
		step.op = recv.number;
	step.cost.class = cause->class;
	if (rule->each[VARIABLE_L])
		step.message = recv.number;
	if (rule->per_byte[VARIABLE_G])
		step.cost.bytes = cause->rule == COST_TRANSFER ? send.op.size
							       : message_charged(send.op.size);
	if (rule->per_size[VARIABLE_O])
		step.cost.size = message_handled(&model->loggps, send.op.size);
	return step;
}

/* Add the steps of a cause, the last one first. */
static int push_steps(struct critical_steps *steps, const struct model *model,
		      const struct cause *cause, struct error *err)
{
	struct cause received = {.op = cause->op, .cost_op = cause->op, .rule = COST_OVERHEAD};

	TRY(array_push(&steps->list, step_from(model, cause), err));
	if (!cause->after_receive)
		return 0;
	received.class = (uint16_t)execution_class(&model->execution, cause->op);
	return array_push(&steps->list, step_from(model, &received), err);
}

static int find_by_causes(struct critical_steps *steps, const struct model *model,
			  struct error *err)
{
	const struct direction along_L = direction_of(&model->loggps.variables, VARIABLE_L);
	struct sim_result simulation;
	struct causes causes;
	struct cause cause;
	int result = 0;

	TRY(sim_run(&simulation, &model->execution, &along_L, NULL, &causes, err));
	for (cause = causes.end; cause.op != NO_EVENT && result == 0;
	     cause = *cause_of(&causes, cause.op, cause.kind))
		result = push_steps(steps, model, &cause, err);
	reverse(steps);
	causes_release(&causes);
	return result;
}

int critical_steps_find(struct critical_steps *steps, const struct model *model,
			struct error *err)
{
	const struct rational latency_as =
		rational_from(loggps_value(&model->loggps, VARIABLE_L));
	int result;

	if (!model->loggps.resources)
		return critical_steps_find_at(steps, model, latency_as, NULL, err);
	*steps = (struct critical_steps){0};
	progress_phase("finding the critical path");
	result = find_by_causes(steps, model, err);
	if (result < 0)
		critical_steps_release(steps);
	return result;
}

int critical_steps_find_at(struct critical_steps *steps, const struct model *model,
			   struct rational latency_as, int128 **slack_as, struct error *err)
{
	int result;

	*steps = (struct critical_steps){0};
	progress_phase("finding the critical path");
	result = find_by_times(steps, model, latency_as, slack_as, err);
	if (result < 0)
		critical_steps_release(steps);
	return result;
}

void critical_steps_release(struct critical_steps *steps)
{
	array_release(&steps->list);
}
