/* Events of the event-driven pass: those to come, their bounds, and those that happen. */
#ifndef LLAMP_SERVICE_EVENTS_H
#define LLAMP_SERVICE_EVENTS_H

#include "llamp/simulate/service_pass.h"

/* ------------------------------------------------------------------------- times */

/* Times do not fit: fill *err.  Returns -1. */
int pass_too_long(const struct pass *pass);

/* Let *known be a cost. */
int pass_learn(struct pass *pass, const struct cost *cost, struct known_cost *known);

/* Set *found to what is known of a cost but for its ns. */
static inline int pass_know(struct pass *pass, const struct cost *cost,
			    const struct known_cost **found)
{
	const uint32_t class_rule = cost_class_rule(cost);
	struct known_cost *known =
		&pass->known[((cost->bytes + cost->size) * 61 + class_rule) % KNOWN_COSTS];

	*found = known;
	return known->class_rule != class_rule || known->bytes != cost->bytes ||
			       known->size != cost->size
		       ? pass_learn(pass, cost, known)
		       : 0;
}

/* Add a cost to a time, and set *number to the number of the cost, if it has no ns. */
static inline int pass_add_cost(struct pass *pass, const struct cost *cost, int64_t *time,
				uint32_t *number)
{
	const struct known_cost *known;
	int64_t ns = 0;

	TRY(pass_know(pass, cost, &known));
	*number = known->number;
	if ((cost->ns && __builtin_mul_overflow(pass->per_ns, cost->ns, &ns)) ||
	    __builtin_add_overflow(*time, ns, time) ||
	    __builtin_add_overflow(*time, known->time, time) || *time == INT64_MAX)
		return pass_too_long(pass);
	return 0;
}

/* Set *bound to that of an event and a cost of an operation. */
static inline int pass_after(struct pass *pass, uint32_t event, const struct cost *cost,
			     uint32_t cost_op, struct bound *bound)
{
	*bound = (struct bound){.time = pass->pool.items[event].time,
				.event = event,
				.cost_op = cost_op,
				.written = pass->pool.items[event].written,
				.cost = cost};
	return pass_add_cost(pass, cost, &bound->time, &bound->number);
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
struct served;
int pass_trace_served(struct pass *pass, uint32_t pending, const struct served *served);

/* Add a step for the graph, to be set in place: a copy would wait for the single fields. */
static inline int pass_step(struct pass *pass, struct step **step)
{
	struct step_list *list = pass->steps;

	TRY(array_reserve(&list->steps, 1, pass->err));
	*step = &list->steps.items[list->steps.count++];
	return 0;
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
	struct step *step;

	if (pass->traced)
		TRY(pass_trace_bound(pass, to, first, bound));
	pending->time = bound->time > pending->time ? bound->time : pending->time;
	if (!pass->steps || !bound->written)
		return 0;
	TRY(pass_step(pass, &step));
	*step = (struct step){.kind = STEP_BOUND,
			      .to = to,
			      .from = bound->event,
			      .first = !pending->written,
			      .ns = bound->cost ? bound->cost->ns : 0,
			      .cost = bound->number};
	pending->written = true;
	return 0;
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
	struct step *step;

	if (!*slot) {
		*slot = from;
		dropped->rank = rank;
		return 0;
	}
	if (pass->traced)
		TRY(pass_trace_join(pass, *slot, from));
	to->time = dropped->time > to->time ? dropped->time : to->time;
	pass_drop(pass, from);
	if (!pass->steps || !dropped->written)
		return 0;
	TRY(pass_step(pass, &step));
	*step = (struct step){.kind = STEP_JOIN, .to = *slot, .from = from, .first = !to->written};
	to->written = true;
	return 0;
}

/* ------------------------------------------------------------- events that happen */

/*
 * Let an event to come happen as `kind` of `op`.  It is later by the cost of the operation, or NULL.
 * once: one later event is bounded by it.
 */
static inline int pass_happen(struct pass *pass, uint32_t pending, uint32_t op,
			      enum event_kind kind, const struct cost *cost, bool once)
{
	struct step *step;
	uint32_t later = 0;

	if (pass->traced)
		TRY(pass_trace_event(pass, pending, op, kind));
	if (cost && pass->traced)
		TRY(pass_trace_extend(pass, pending, cost, op));
	if (cost)
		TRY(pass_add_cost(pass, cost, &pass->pool.items[pending].time, &later));
	if (!pass->pool.items[pending].written)
		return 0;
	TRY(pass_step(pass, &step));
	*step = (struct step){.kind = STEP_EVENT,
			      .to = pending,
			      .from = NO_STEP_EVENT,
			      .event = cost_event(op, kind),
			      .ns = cost ? cost->ns : 0,
			      .later = later,
			      .once = once};
	return 0;
}

/* Let an event that has happened be later by a cost of operation cost_op. */
static inline int pass_extend(struct pass *pass, uint32_t pending, const struct cost *cost,
			      uint32_t cost_op)
{
	struct step *step;
	uint32_t later;

	if (pass->traced)
		TRY(pass_trace_extend(pass, pending, cost, cost_op));
	TRY(pass_add_cost(pass, cost, &pass->pool.items[pending].time, &later));
	if (!pass->pool.items[pending].written)
		return 0;
	TRY(pass_step(pass, &step));
	*step = (struct step){.kind = STEP_EXTEND, .to = pending, .ns = cost->ns, .later = later};
	return 0;
}

/* Let the next event take the place of one that has happened, and be bounded by it. */
static inline int pass_follow(struct pass *pass, uint32_t pending)
{
	return pass->slack ? pass_trace_follow(pass, pending) : 0;
}

/* What happens as soon as a server is free. */
struct served {
	uint32_t server, op;
	enum event_kind kind;
	const struct cost *busy;  /* after this cost the server is free again */
	const struct cost *later; /* by this cost the event becomes later, with its ns; or NULL */
	uint32_t later_op;	  /* operation that has it */
	bool once;		  /* only the server's next event is bounded */
};

/* Let an event to come happen as soon as a server is free. */
static inline int pass_serve_event(struct pass *pass, uint32_t pending, const struct served *served)
{
	struct pending *event = &pass->pool.items[pending];
	int64_t *free = &pass->servers[served->server];
	uint32_t busy, later = 0;
	struct step *step;

	if (pass->traced)
		TRY(pass_trace_served(pass, pending, served));
	*free = event->time = event->time > *free ? event->time : *free;
	TRY(pass_add_cost(pass, served->busy, free, &busy));
	if (served->later == served->busy) {
		event->time = *free;
		later = busy;
	} else if (served->later) {
		TRY(pass_add_cost(pass, served->later, &event->time, &later));
	}
	if (!pass->steps)
		return 0;
	TRY(pass_step(pass, &step));
	*step = (struct step){.kind = STEP_EVENT,
			      .to = pending,
			      .from = served->server,
			      .event = cost_event(served->op, served->kind),
			      .ns = served->busy->ns,
			      .cost = busy,
			      .later = later,
			      .first = !event->written,
			      .once = served->once};
	event->written = true;
	return 0;
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
	return pass_serve_event(pass, pending,
				&(struct served){.server = cpu,
						 .op = op,
						 .kind = kind,
						 .busy = cost,
						 .later = cost,
						 .later_op = op,
						 .once = servers->one_cpu &&
							 followers != PASS_MANY});
}

/* The bound that the end of work is for other operations of its rank. */
static inline struct bound pass_end_of_work(const struct pass *pass, uint32_t event, uint32_t rank)
{
	struct bound bound = pass_at(pass, event);

	bound.written &= !pass->ranks[rank].one_cpu;
	return bound;
}

#endif
