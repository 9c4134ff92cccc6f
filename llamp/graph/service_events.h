/* Events of the event-driven pass: those to come, their bounds, and those that happen. */
#ifndef LLAMP_SERVICE_EVENTS_H
#define LLAMP_SERVICE_EVENTS_H

#include "llamp/graph/service_pass.h"

/* ------------------------------------------------------------------------- times */

/* Times do not fit: fill *err.  Returns -1. */
int pass_too_long(const struct pass *pass);

/* Add a cost of a class that is not the plain one to a time. */
int pass_add_cost_of_class(const struct pass *pass, const struct cost *cost, int64_t *time);

/* Add a cost to a time. */
static inline int pass_add_cost(const struct pass *pass, const struct cost *cost, int64_t *time)
{
	const struct unit_costs *costs = &pass->costs;
	int64_t ns = 0, bytes = 0, size = 0;

	if (cost->class)
		return pass_add_cost_of_class(pass, cost, time);
	if ((cost->ns && __builtin_mul_overflow(costs->per_ns, cost->ns, &ns)) ||
	    (cost->bytes &&
	     __builtin_mul_overflow(costs->per_byte[cost->rule], cost->bytes, &bytes)) ||
	    (cost->size &&
	     __builtin_mul_overflow(costs->per_size[cost->rule], cost->size, &size)) ||
	    __builtin_add_overflow(*time, ns, time) || __builtin_add_overflow(*time, bytes, time) ||
	    __builtin_add_overflow(*time, size, time) ||
	    __builtin_add_overflow(*time, costs->rules[cost->rule], time) || *time == INT64_MAX)
		return pass_too_long(pass);
	return 0;
}

/* Set *bound to that of an event and a cost of an operation. */
static inline int pass_after(const struct pass *pass, uint32_t event, const struct cost *cost,
			     uint32_t cost_op, struct bound *bound)
{
	*bound = (struct bound){pass->pool.items[event].time, event, cost_op,
				pass->pool.items[event].written, cost};
	return pass_add_cost(pass, cost, &bound->time);
}

/* The bound of an event without a cost. */
static inline struct bound pass_at(const struct pass *pass, uint32_t event)
{
	return (struct bound){.time = pass->pool.items[event].time,
			      .event = event,
			      .written = pass->pool.items[event].written};
}

/* ----------------------------------------------------------- traces, steps of the graph */

/* Call these before the times change, and only if traces are kept. */
int pass_trace_bound(struct pass *pass, uint32_t to, bool first, const struct bound *bound);
int pass_trace_join(struct pass *pass, uint32_t to, uint32_t from);
int pass_trace_event(struct pass *pass, uint32_t pending, uint32_t op, enum event_kind kind);
/* An event that has happened becomes a bound of the event that takes its place. */
int pass_trace_follow(struct pass *pass, uint32_t pending);
int pass_trace_extend(struct pass *pass, uint32_t pending, const struct cost *cost,
		      uint32_t cost_op);
int pass_trace_served(struct pass *pass, uint32_t server, uint32_t pending, uint32_t op,
		      enum event_kind kind, const struct cost *cost, bool extends);

/* Keep a step for the graph. */
static inline int pass_step(struct pass *pass, const struct step *step)
{
	return array_push(pass->steps, *step, pass->err);
}

/* ----------------------------------------------------------------- events to come */

/* Add a free event. */
int pass_grow(struct pass *pass);

/* Take a free event into *slot.  It has no bound. */
static inline int pass_take(struct pass *pass, uint32_t *slot, uint32_t rank)
{
	struct pending *taken;

	if (!pass->unused)
		TRY(pass_grow(pass));
	*slot = pass->unused;
	taken = &pass->pool.items[pass->unused];
	pass->unused = taken->link;
	*taken = (struct pending){.rank = rank};
	return 0;
}

/* Drop an event that is not needed any more. */
static inline void pass_drop(struct pass *pass, uint32_t pending)
{
	pass->pool.items[pending].link = pass->unused;
	pass->unused = pending;
}

/* Bound an event to come. */
static inline int pass_bound(struct pass *pass, uint32_t to, bool first, const struct bound *bound)
{
	struct pending *pending = &pass->pool.items[to];
	const bool written = pending->written;

	if (pass->traced)
		TRY(pass_trace_bound(pass, to, first, bound));
	pending->time = bound->time > pending->time ? bound->time : pending->time;
	if (!pass->steps || !bound->written)
		return 0;
	pending->written = true;
	return pass_step(pass,
			 &(struct step){.kind = STEP_BOUND,
					.to = to,
					.from = bound->event,
					.first = !written,
					.cost = bound->cost ? *bound->cost : (struct cost){0}});
}

/* Bound the event to come in *slot, of `rank`. */
static inline int pass_bound_slot(struct pass *pass, uint32_t *slot, uint32_t rank,
				  const struct bound *bound)
{
	const bool first = !*slot;

	if (first)
		TRY(pass_take(pass, slot, rank));
	return pass_bound(pass, *slot, first, bound);
}

/* Bound the end of the program by an event. */
int pass_bound_end(struct pass *pass, const struct bound *bound);

/* Bound the end of the program by what the ranks' only CPUs have done last. */
int pass_bound_end_by_cpus(struct pass *pass);

/* Bound the event in *slot, of `rank`, by the beginning of the program. */
int pass_bound_by_beginning(struct pass *pass, uint32_t *slot, uint32_t rank);

/* Bound the event in *slot, of `rank`, by event `from` or by all that bounds it.  Drops `from`. */
static inline int pass_hand_over(struct pass *pass, uint32_t from, uint32_t *slot, uint32_t rank)
{
	struct pending *dropped = &pass->pool.items[from], *to = &pass->pool.items[*slot];
	const bool written = to->written;

	if (!*slot) {
		*slot = from;
		dropped->rank = rank;
		return 0;
	}
	if (pass->traced)
		TRY(pass_trace_join(pass, *slot, from));
	to->time = dropped->time > to->time ? dropped->time : to->time;
	to->written |= dropped->written;
	pass_drop(pass, from);
	return pass->steps && dropped->written ? pass_step(pass, &(struct step){.kind = STEP_JOIN,
										.to = *slot,
										.from = from,
										.first = !written})
					       : 0;
}

/* ------------------------------------------------------------- events that happen */

/*
 * Let an event to come happen as `kind` of `op`.  It is later by the cost of the operation, or NULL.
 * once: one later event is bounded by it.
 */
static inline int pass_happen(struct pass *pass, uint32_t pending, uint32_t op,
			      enum event_kind kind, const struct cost *cost, bool once)
{
	struct step step = {.kind = STEP_EVENT, .to = pending, .from = NO_STEP_EVENT,
			    .event = cost_event(op, kind), .extends = cost, .once = once};

	if (pass->traced)
		TRY(pass_trace_event(pass, pending, op, kind));
	if (cost) {
		step.cost = *cost;
		if (pass->traced)
			TRY(pass_trace_extend(pass, pending, cost, op));
		TRY(pass_add_cost(pass, cost, &pass->pool.items[pending].time));
	}
	return pass->pool.items[pending].written ? pass_step(pass, &step) : 0;
}

/* Let an event that has happened be later by a cost of operation cost_op. */
static inline int pass_extend(struct pass *pass, uint32_t pending, const struct cost *cost,
			      uint32_t cost_op)
{
	if (pass->traced)
		TRY(pass_trace_extend(pass, pending, cost, cost_op));
	TRY(pass_add_cost(pass, cost, &pass->pool.items[pending].time));
	if (!pass->pool.items[pending].written)
		return 0;
	return pass_step(pass, &(struct step){.kind = STEP_EXTEND, .to = pending, .cost = *cost});
}

/* Let the next event take the place of one that has happened, and be bounded by it. */
static inline int pass_follow(struct pass *pass, uint32_t pending)
{
	return pass->slack ? pass_trace_follow(pass, pending) : 0;
}

/*
 * Let an event to come happen as soon as a server is free, which it is again after a cost.
 * extends: the event is later by that cost, too.  once: only the server's next event is bounded.
 */
static inline int pass_serve_event(struct pass *pass, uint32_t server, uint32_t pending,
				   uint32_t op, enum event_kind kind, const struct cost *cost,
				   bool extends, bool once)
{
	struct pending *event = &pass->pool.items[pending];
	const bool written = event->written;
	int64_t *free = &pass->servers[server];

	if (pass->traced)
		TRY(pass_trace_served(pass, server, pending, op, kind, cost, extends));
	*free = event->time = event->time > *free ? event->time : *free;
	TRY(pass_add_cost(pass, cost, free));
	event->time = extends ? *free : event->time;
	if (!pass->steps)
		return 0;
	event->written = true;
	return pass_step(pass, &(struct step){.kind = STEP_EVENT,
					      .to = pending,
					      .from = server,
					      .event = cost_event(op, kind),
					      .cost = *cost,
					      .first = !written,
					      .extends = extends,
					      .once = once});
}

/*
 * Let an event happen on a CPU, which is busy for a cost.  The event is later by that cost.
 * `followers` operations wait for that, and nothing else does but a CPU.
 */
static inline int pass_work(struct pass *pass, uint32_t cpu, uint32_t pending, uint32_t op,
			    enum event_kind kind, const struct cost *cost, uint32_t followers)
{
	const struct rank_servers *servers = &pass->ranks[pass->pool.items[pending].rank];

	if (cpu == NO_SERVER)
		return pass_happen(pass, pending, op, kind, cost, followers == 1);
	return pass_serve_event(pass, cpu, pending, op, kind, cost, true,
				servers->one_cpu && followers != PASS_MANY);
}

/* The bound that the end of work is for other operations of its rank. */
static inline struct bound pass_end_of_work(const struct pass *pass, uint32_t event, uint32_t rank)
{
	struct bound bound = pass_at(pass, event);

	bound.written &= !pass->ranks[rank].one_cpu;
	return bound;
}

#endif
