/*
 * Events of a simulation: pending events, their bounds, and events that happen.
 *
 * A pending event is not before any of its bounds.  When it happens its time is final, and it
 * serves as a bound of later events until it is dropped.  Each step is also written for the cost
 * graph (llamp/simulate/sim_writer.h), and its provenance is kept if causes or the slack are asked for.
 *
 * Functions that return int return -1 with *sim->err set.  Inline ones are on the path of each
 * event.
 */
#ifndef LLAMP_SIM_EVENTS_H
#define LLAMP_SIM_EVENTS_H

#include "llamp/simulate/sim.h"

/* ------------------------------------------------------------------------- times */

/* Set the error that times do not fit: STATUS_LIMIT.  Returns -1. */
int sim_too_long(const struct sim *sim);

/* Set *known to a cost without its ns, which gets the next number. */
int sim_learn(struct sim *sim, const struct cost *cost, struct known_cost *known);

/* Find a cost without its ns in the hash table.  It is added if it is not there. */
static inline int sim_know(struct sim *sim, const struct cost *cost,
			   const struct known_cost **found)
{
	const uint32_t class_rule = cost_class_rule(cost);
	struct known_cost *known =
		&sim->known[((cost->bytes + cost->size) * 61 + class_rule) % KNOWN_COSTS];

	*found = known;
	return known->class_rule != class_rule || known->bytes != cost->bytes ||
			       known->size != cost->size
		       ? sim_learn(sim, cost, known)
		       : 0;
}

/* Add a cost to *at.  *number becomes the number of the cost without its ns. */
static inline int sim_add_cost(struct sim *sim, const struct cost *cost, struct event_time *at,
			       uint32_t *number)
{
	const struct known_cost *known;
	int64_t ns = 0;

	TRY(sim_know(sim, cost, &known));
	*number = known->number;
	if ((cost->ns && __builtin_mul_overflow(sim->per_ns, cost->ns, &ns)) ||
	    __builtin_add_overflow(at->time, ns, &at->time) ||
	    __builtin_add_overflow(at->time, known->time, &at->time) || at->time == INT64_MAX ||
	    __builtin_add_overflow(at->left, known->slope, &at->left) ||
	    __builtin_add_overflow(at->right, known->slope, &at->right))
		return sim_too_long(sim);
	return 0;
}

/* Set *bound to the time of an event plus a cost of operation cost_op.  *cost must outlive it. */
static inline int sim_after(struct sim *sim, uint32_t event, const struct cost *cost,
			    uint32_t cost_op, struct bound *bound)
{
	*bound = (struct bound){.at = sim->pool.items[event].at,
				.event = event,
				.cost_op = cost_op,
				.written = sim->pool.items[event].written,
				.cost = cost};
	return sim_add_cost(sim, cost, &bound->at, &bound->number);
}

/* Return the time of an event as a bound. */
static inline struct bound sim_at(const struct sim *sim, uint32_t event)
{
	return (struct bound){.at = sim->pool.items[event].at,
			      .event = event,
			      .written = sim->pool.items[event].written};
}

/*
 * Set *latest to the later of *latest and *other, and limit the reach of the waits.  Returns whether
 * *other is the later one.
 */
static inline bool sim_later(struct sim *sim, struct event_time *latest,
			     const struct event_time *other)
{
	const bool later = other->time > latest->time;

	if (sim->along)
		return event_time_later(latest, other, &sim->result->waits, sim->result->unit_as);
	if (later)
		latest->time = other->time;
	return later;
}

/* ----------------------------------------------------- provenance, steps of the graph */

/*
 * Set the provenance of pending events, write causes and log.  Only if causes are kept.
 *
 *	bound		a bound is added; `latest`: it is the latest one
 *	join		the bounds of `from` are added to `to`; `latest`: they are later
 *	server		`pending` is not before a server is free, which is used; `latest` as before
 *	event		`pending` happens at its time
 *	follow		the next event takes the place of `pending`, which bounds it
 *	extend		`pending` becomes later by a cost
 */
int provenance_bound(struct sim *sim, uint32_t to, bool latest, const struct bound *bound);
int provenance_join(struct sim *sim, uint32_t to, uint32_t from, bool latest);
int provenance_server(struct sim *sim, uint32_t pending, const struct server *server, bool latest);
int provenance_event(struct sim *sim, uint32_t pending, uint32_t op, enum event_kind kind);
int provenance_follow(struct sim *sim, uint32_t pending);
void provenance_extend(struct cause *cause, const struct cost *cost, uint32_t cost_op);

/*
 * Add the resource request of an event of operation `op` to the order of its server: its hash, and
 * the reach up to where it stays behind the request before.  Only with a direction.
 */
void sim_line_up(struct sim *sim, struct server *server, const struct event_time *ready,
		 uint32_t op, enum event_kind kind);

/* Add a step for the graph.  Set **step in place: a copy would wait for the single fields. */
static inline int sim_step(struct sim *sim, struct step **step)
{
	struct step_list *list = sim->steps;

	TRY(array_reserve(&list->steps, 1, sim->err));
	*step = &list->steps.items[list->steps.count++];
	return 0;
}

/* ----------------------------------------------------------------- pending events */

/* Add an unused event to the pool. */
int sim_grow(struct sim *sim);

/* Set *slot to an unused event, without a bound. */
static inline int sim_take(struct sim *sim, uint32_t *slot, uint32_t rank)
{
	struct pending *taken;

	if (!sim->unused)
		TRY(sim_grow(sim));
	*slot = sim->unused;
	taken = &sim->pool.items[sim->unused];
	sim->unused = taken->link;
	*taken = (struct pending){.rank = rank};
	return 0;
}

/* Drop an event that no later event needs. */
static inline void sim_drop(struct sim *sim, uint32_t pending)
{
	sim->pool.items[pending].link = sim->unused;
	sim->unused = pending;
}

/* Bound pending event `to`.  first: it has no bound yet. */
static inline int sim_bound(struct sim *sim, uint32_t to, bool first, const struct bound *bound)
{
	struct pending *pending = &sim->pool.items[to];
	bool latest = first;
	struct step *step;

	if (first)
		pending->at = bound->at;
	else
		latest = sim_later(sim, &pending->at, &bound->at);
	if (sim->keeps_causes)
		TRY(provenance_bound(sim, to, latest, bound));
	if (!sim->steps || !bound->written)
		return 0;
	TRY(sim_step(sim, &step));
	*step = (struct step){.kind = STEP_BOUND,
			      .to = to,
			      .from = bound->event,
			      .first = !pending->written,
			      .ns = bound->cost ? bound->cost->ns : 0,
			      .cost = bound->number};
	pending->written = true;
	return 0;
}

/* Bound the pending event in *slot, or a new one of `rank` if *slot is 0. */
static inline int sim_bound_slot(struct sim *sim, uint32_t *slot, uint32_t rank,
				 const struct bound *bound)
{
	const bool first = !*slot;

	if (first)
		TRY(sim_take(sim, slot, rank));
	return sim_bound(sim, *slot, first, bound);
}

/* Bound the end of the program by an event. */
int sim_bound_end(struct sim *sim, const struct bound *bound);

/* Bound the end of the program by the last work of each rank with one CPU, in the graph. */
int sim_bound_end_by_cpus(struct sim *sim);

/* Set *slot to a new pending event of `rank`, bounded by the start of the program. */
int sim_bound_by_beginning(struct sim *sim, uint32_t *slot, uint32_t rank);

/*
 * Move the bounds of pending event `from`, or its time if it has happened, to the pending event in
 * *slot.  If *slot is 0 it becomes `from`, now of `rank`; otherwise `from` is dropped.
 */
static inline int sim_move_bounds(struct sim *sim, uint32_t from, uint32_t *slot, uint32_t rank)
{
	struct pending *dropped = &sim->pool.items[from], *to = &sim->pool.items[*slot];
	struct step *step;
	bool latest;

	if (!*slot) {
		*slot = from;
		dropped->rank = rank;
		return 0;
	}
	latest = sim_later(sim, &to->at, &dropped->at);
	if (sim->keeps_causes)
		TRY(provenance_join(sim, *slot, from, latest));
	sim_drop(sim, from);
	if (!sim->steps || !dropped->written)
		return 0;
	TRY(sim_step(sim, &step));
	*step = (struct step){.kind = STEP_JOIN, .to = *slot, .from = from, .first = !to->written};
	to->written = true;
	return 0;
}

/* ------------------------------------------------------------- events that happen */

/* Let an event become later by a cost of operation cost_op, whose number *number becomes. */
static inline int sim_make_later(struct sim *sim, uint32_t pending, const struct cost *cost,
				 uint32_t cost_op, uint32_t *number)
{
	if (sim->keeps_causes)
		provenance_extend(&sim->provenances.items[pending], cost, cost_op);
	return sim_add_cost(sim, cost, &sim->pool.items[pending].at, number);
}

/*
 * Let a pending event happen as `kind` of `op` at its latest bound, and become later by cost *cost
 * of the operation, or NULL.  once: it bounds one later event.
 */
static inline int sim_happen(struct sim *sim, uint32_t pending, uint32_t op, enum event_kind kind,
			     const struct cost *cost, bool once)
{
	struct step *step;
	uint32_t later = 0;

	if (sim->keeps_causes)
		TRY(provenance_event(sim, pending, op, kind));
	if (cost)
		TRY(sim_make_later(sim, pending, cost, op, &later));
	if (!sim->pool.items[pending].written)
		return 0;
	TRY(sim_step(sim, &step));
	*step = (struct step){.kind = STEP_EVENT,
			      .to = pending,
			      .from = NO_STEP_EVENT,
			      .event = cost_event(op, kind),
			      .ns = cost ? cost->ns : 0,
			      .later = later,
			      .once = once};
	return 0;
}

/* Let an event that has happened become later by a cost of operation cost_op. */
static inline int sim_extend(struct sim *sim, uint32_t pending, const struct cost *cost,
			     uint32_t cost_op)
{
	struct step *step;
	uint32_t later;

	TRY(sim_make_later(sim, pending, cost, cost_op, &later));
	if (!sim->pool.items[pending].written)
		return 0;
	TRY(sim_step(sim, &step));
	*step = (struct step){.kind = STEP_EXTEND, .to = pending, .ns = cost->ns, .later = later};
	return 0;
}

/* Let the next event take the place of one that has happened, which bounds it. */
static inline int sim_follow(struct sim *sim, uint32_t pending)
{
	return sim->slack ? provenance_follow(sim, pending) : 0;
}

/* Event that happens as soon as a server is free: its latest bound is its ready time r. */
struct served {
	uint32_t server, op;
	enum event_kind kind;
	const struct cost *busy;  /* the server is free again after this cost */
	const struct cost *later; /* the event becomes later by this cost, or NULL */
	uint32_t later_op;	  /* operation that has `later` */
	bool once;		  /* the event bounds only the next event of the server */
};

/* Bound a pending event by its server, and let it happen. */
static inline int sim_happen_at_server(struct sim *sim, uint32_t pending,
				       const struct served *served)
{
	struct server *server = &sim->servers[served->server];
	struct event_time *at = &sim->pool.items[pending].at;

	if (sim->along)
		sim_line_up(sim, server, at, served->op, served->kind);
	if (server->last) {
		const bool latest = sim_later(sim, at, &server->free);

		if (sim->keeps_causes)
			TRY(provenance_server(sim, pending, server, latest));
	}
	server->last = served->op + 1;
	server->free = *at;
	if (!sim->keeps_causes)
		return 0;
	TRY(provenance_event(sim, pending, served->op, served->kind));
	server->cause = sim->provenances.items[pending];
	provenance_extend(&server->cause, served->busy, served->op);
	return 0;
}

/* Let a pending event happen as soon as a server is free. */
static inline int sim_serve_event(struct sim *sim, uint32_t pending, const struct served *served)
{
	struct pending *event = &sim->pool.items[pending];
	struct server *server = &sim->servers[served->server];
	uint32_t busy, later = 0;
	struct step *step;

	TRY(sim_happen_at_server(sim, pending, served));
	TRY(sim_add_cost(sim, served->busy, &server->free, &busy));
	if (served->later && served->later == served->busy) {
		if (sim->keeps_causes)
			sim->provenances.items[pending] = server->cause;
		event->at = server->free;
		later = busy;
	} else if (served->later) {
		TRY(sim_make_later(sim, pending, served->later, served->later_op, &later));
	}
	if (!sim->steps)
		return 0;
	TRY(sim_step(sim, &step));
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
 * Let a pending event happen on CPU `cpu`, which is busy for *cost, or on NO_SERVER.  The event
 * becomes later by *cost.  `followers` operations wait for it, and besides only the CPU; or
 * SIM_MANY.
 */
static inline int sim_work(struct sim *sim, uint32_t cpu, uint32_t pending, uint32_t op,
			   enum event_kind kind, const struct cost *cost, uint32_t followers)
{
	const struct rank_servers *servers = &sim->ranks[sim->pool.items[pending].rank];

	if (cpu == NO_SERVER)
		return sim_happen(sim, pending, op, kind, cost, followers == 1);
	return sim_serve_event(sim, pending,
			       &(struct served){.server = cpu,
						.op = op,
						.kind = kind,
						.busy = cost,
						.later = cost,
						.later_op = op,
						.once = servers->one_cpu && followers != SIM_MANY});
}

/* Return the end of work as a bound of other operations of its rank. */
static inline struct bound sim_end_of_work(const struct sim *sim, uint32_t event, uint32_t rank)
{
	struct bound bound = sim_at(sim, event);

	bound.written &= !sim->ranks[rank].one_cpu;
	return bound;
}

/* ------------------------------------------------------------- resource requests */

/* Request a server for event `kind` of `op` at `time`, which is not before the event's bounds. */
static inline int sim_request_at(struct sim *sim, uint32_t pending, uint32_t op,
				 enum event_kind kind, int64_t time)
{
	const struct resource_request request = {(uint64_t)time, cost_event(op, kind), pending};

	return request_groups_push(&sim->requests, sim->ranks[sim->pool.items[pending].rank].group,
				   request, sim->err);
}

/* Request a server for event `kind` of `op` at its ready time. */
static inline int sim_request(struct sim *sim, uint32_t pending, uint32_t op, enum event_kind kind)
{
	return sim_request_at(sim, pending, op, kind, sim->pool.items[pending].at.time);
}

#endif
