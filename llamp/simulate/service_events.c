#include "llamp/simulate/service_events.h"

#include "common/hash.h"

#include <inttypes.h>

int pass_too_long(const struct pass *pass)
{
	return error_set(pass->err, STATUS_LIMIT,
			 "times do not fit 64 bits in units of %" PRId64 " as, which all parameters"
			 " are multiples of; give the parameters with fewer digits",
			 pass->service->unit_as);
}

/* Slope of a cost along the direction of the traces. */
static int slope_of(const struct pass *pass, const struct cost *cost, int64_t *slope)
{
	const struct direction *along = pass->along;
	__int128 sum = 0;

	for (uint32_t v = 0; v < along->count; v++)
		if (along->weight[v])
			sum += (__int128)along->weight[v] *
			       (__int128)execution_coefficient(pass->execution, cost, v);
	if (sum > INT64_MAX)
		return pass_too_long(pass);
	*slope = (int64_t)sum;
	return 0;
}

int pass_learn(struct pass *pass, const struct cost *cost, struct known_cost *known)
{
	int64_t slope = 0;
	const struct cost alone = {.rule = cost->rule,
				   .class = cost->class,
				   .bytes = cost->bytes,
				   .size = cost->size};
	const __int128 time = cost_weigh(&pass->weights, &alone);

	if (time >= INT64_MAX)
		return pass_too_long(pass);
	if (pass->along)
		TRY(slope_of(pass, &alone, &slope));
	if (pass->steps)
		TRY(array_push(&pass->steps->costs, alone, pass->err));
	*known = (struct known_cost){cost->bytes, cost->size, cost_class_rule(cost),
				     ++pass->cost_count, (int64_t)time, slope};
	return 0;
}

/* ---------------------------------------------------------------------- traces */

static struct moment moment_of(int64_t time, const struct trace *trace)
{
	return (struct moment){time, trace->left, trace->right};
}

static int trace_cost(struct pass *pass, const struct cost *cost, uint32_t cost_op,
		      struct trace *trace)
{
	const struct known_cost *known;

	TRY(pass_know(pass, cost, &known));
	if (__builtin_add_overflow(trace->left, known->slope, &trace->left) ||
	    __builtin_add_overflow(trace->right, known->slope, &trace->right))
		return pass_too_long(pass);
	trace->cause.cost_op = cost_op;
	trace->cause.rule = cost->rule & 0x7f;
	trace->cause.class = (uint16_t)cost->class;
	return 0;
}

/* The trace of an event to come becomes that of the later one of its time and another. */
static void trace_later(struct pass *pass, uint32_t pending, int64_t time,
			const struct trace *trace)
{
	struct trace *latest = &pass->traces.items[pending];
	struct moment at = moment_of(pass->pool.items[pending].time, latest);
	const struct moment other = moment_of(time, trace);

	if (moment_later(&at, &other, &pass->service->waits, pass->service->unit_as))
		latest->cause = trace->cause;
	latest->left = at.left;
	latest->right = at.right;
}

int pass_trace_bound(struct pass *pass, uint32_t to, bool first, const struct bound *bound)
{
	struct trace trace = pass->traces.items[bound->event];

	if (bound->cost)
		TRY(trace_cost(pass, bound->cost, bound->cost_op, &trace));
	if (first)
		pass->traces.items[to] = trace;
	else
		trace_later(pass, to, bound->time, &trace);
	return pass->slack ? pass_log_bound(pass, to, &trace.cause, bound->time) : 0;
}

int pass_trace_join(struct pass *pass, uint32_t to, uint32_t from)
{
	trace_later(pass, to, pass->pool.items[from].time, &pass->traces.items[from]);
	return pass->slack ? pass_log_join(pass, from, to) : 0;
}

int pass_trace_follow(struct pass *pass, uint32_t pending)
{
	return pass_log_bound(pass, pending, &pass->traces.items[pending].cause,
			      pass->pool.items[pending].time);
}

int pass_trace_event(struct pass *pass, uint32_t pending, uint32_t op, enum event_kind kind)
{
	struct trace *trace = &pass->traces.items[pending];

	if (pass->causes)
		*cause_of(pass->causes, op, kind) = trace->cause;
	trace->cause = (struct cause){.op = op, .kind = (uint8_t)kind, .cost_op = NO_OP};
	return pass->slack ? pass_log_event(pass, pending, op, kind) : 0;
}

int pass_trace_extend(struct pass *pass, uint32_t pending, const struct cost *cost,
		      uint32_t cost_op)
{
	return trace_cost(pass, cost, cost_op, &pass->traces.items[pending]);
}

/* A request joins the order of a server. */
static void events_line_up(struct pass *pass, uint32_t server, uint32_t pending, uint32_t op)
{
	struct server_trace *trace = &pass->server_traces[server];
	const struct moment ready = moment_of(pass->pool.items[pending].time,
					      &pass->traces.items[pending]);
	const uint64_t place = (uint64_t)server + 1;

	pass->service->order_hash += mix64(
		mix64(place << 32 | (trace->used ? trace->number + 1 : 0)) + op);
	if (trace->used) {
		reach_keep_order(&pass->service->order, &trace->ready, &ready,
				 pass->service->unit_as, trace->number < op);
		pass->service->late_ties |= trace->ready.time == ready.time &&
					    trace->number > op;
	}
	trace->ready = ready;
	trace->number = op;
}

int pass_trace_served(struct pass *pass, uint32_t pending, const struct served *served)
{
	struct server_trace *trace = &pass->server_traces[served->server];
	struct pending *event = &pass->pool.items[pending];
	const int64_t free = pass->servers[served->server];

	events_line_up(pass, served->server, pending, served->op);
	if (trace->used) {
		trace_later(pass, pending, free, &trace->free);
		if (pass->slack)
			TRY(pass_log_bound(pass, pending, &trace->free.cause, free));
	}
	event->time = event->time > free ? event->time : free;
	TRY(pass_trace_event(pass, pending, served->op, served->kind));
	trace->used = true;
	trace->free = pass->traces.items[pending];
	TRY(trace_cost(pass, served->busy, served->op, &trace->free));
	return served->later ? pass_trace_extend(pass, pending, served->later, served->later_op)
			     : 0;
}

/* ---------------------------------------------------------------- events to come */

int pass_grow(struct pass *pass)
{
	TRY(array_push(&pass->pool, (struct pending){0}, pass->err));
	if (pass->traced)
		TRY(array_push(&pass->traces, (struct trace){0}, pass->err));
	pass_drop(pass, (uint32_t)pass->pool.count - 1);
	return 0;
}

int pass_bound_by_beginning(struct pass *pass, uint32_t *slot, uint32_t rank)
{
	struct step *step;

	TRY(pass_take(pass, slot, rank));
	if (pass->traced)
		pass->traces.items[*slot] = (struct trace){
			.cause = {.op = NO_EVENT, .cost_op = NO_OP}};
	if (!pass->steps || pass->ranks[rank].one_cpu)
		return 0;
	pass->pool.items[*slot].written = true;
	TRY(pass_step(pass, &step));
	*step = (struct step){.kind = STEP_BOUND,
			      .to = *slot,
			      .from = NO_STEP_EVENT,
			      .first = true};
	return 0;
}

int pass_bound_end(struct pass *pass, const struct bound *bound)
{
	const bool first = !pass->has_end;

	pass->has_end = true;
	return pass_bound(pass, 0, first, bound);
}

int pass_bound_end_by_cpus(struct pass *pass)
{
	for (uint32_t rank = 0; rank < pass->goal->rank_count; rank++) {
		const struct rank_servers *servers = &pass->ranks[rank];
		struct step *step;
		uint32_t free;

		if (!servers->one_cpu)
			continue;
		TRY(pass_take(pass, &free, rank));
		TRY(pass_step(pass, &step));
		*step = (struct step){.kind = STEP_EVENT,
				      .to = free,
				      .from = servers->first,
				      .first = true,
				      .once = true};
		TRY(pass_step(pass, &step));
		*step = (struct step){.kind = STEP_JOIN,
				      .from = free,
				      .first = !pass->pool.items[0].written};
		pass->pool.items[0].written = true;
		pass_drop(pass, free);
	}
	return 0;
}
