#include "llamp/simulate/sim_events.h"

#include "common/hash.h"

#include <inttypes.h>

int sim_too_long(const struct sim *sim)
{
	return error_set(sim->err, STATUS_LIMIT,
			 "times do not fit 64 bits in units of %" PRId64 " as, which all parameters"
			 " are multiples of; give the parameters with fewer digits",
			 sim->result->unit_as);
}

/* Find the slope of a cost along the direction of the simulation. */
static int slope_of(const struct sim *sim, const struct cost *cost, int64_t *slope)
{
	const struct direction *along = sim->along;
	__int128 sum = 0;

	for (uint32_t v = 0; v < along->count; v++)
		if (along->weight[v])
			sum += (__int128)along->weight[v] *
			       (__int128)execution_coefficient(sim->execution, cost, v);
	if (sum > INT64_MAX)
		return sim_too_long(sim);
	*slope = (int64_t)sum;
	return 0;
}

int sim_learn(struct sim *sim, const struct cost *cost, struct known_cost *known)
{
	int64_t slope = 0;
	const struct cost alone = {.rule = cost->rule,
				   .class = cost->class,
				   .bytes = cost->bytes,
				   .size = cost->size};
	const __int128 time = cost_weigh(&sim->weights, &alone);

	if (time >= INT64_MAX)
		return sim_too_long(sim);
	if (sim->along)
		TRY(slope_of(sim, &alone, &slope));
	if (sim->steps)
		TRY(array_push(&sim->steps->costs, alone, sim->err));
	*known = (struct known_cost){cost->bytes,	cost->size,    cost_class_rule(cost),
				     ++sim->cost_count, (int64_t)time, slope};
	return 0;
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

	if (op >= causes->op_count)
		return &causes->of[(size_t)causes->op_count * (CAUSES_PER_OP - 1) + op];
	return &causes->of[(size_t)op * CAUSES_PER_OP + place[kind]];
}

/* ------------------------------------------------------------------- provenance */

static struct event_time event_time_of(int64_t time, const struct provenance *provenance)
{
	return (struct event_time){time, provenance->left, provenance->right};
}

static int add_slopes(struct sim *sim, const struct cost *cost, uint32_t cost_op,
		      struct provenance *provenance)
{
	const struct known_cost *known;

	TRY(sim_know(sim, cost, &known));
	if (__builtin_add_overflow(provenance->left, known->slope, &provenance->left) ||
	    __builtin_add_overflow(provenance->right, known->slope, &provenance->right))
		return sim_too_long(sim);
	provenance->cause.cost_op = cost_op;
	provenance->cause.rule = cost->rule & 0x7f;
	provenance->cause.class = (uint16_t)cost->class;
	return 0;
}

/* Set the provenance of a pending event to that of the later one: its time, or `time`. */
static void join_provenance(struct sim *sim, uint32_t pending, int64_t time,
			    const struct provenance *provenance)
{
	struct provenance *latest = &sim->provenances.items[pending];
	struct event_time at = event_time_of(sim->pool.items[pending].time, latest);
	const struct event_time other = event_time_of(time, provenance);

	if (event_time_later(&at, &other, &sim->result->waits, sim->result->unit_as))
		latest->cause = provenance->cause;
	latest->left = at.left;
	latest->right = at.right;
}

int provenance_bound(struct sim *sim, uint32_t to, bool first, const struct bound *bound)
{
	struct provenance provenance = sim->provenances.items[bound->event];

	if (bound->cost)
		TRY(add_slopes(sim, bound->cost, bound->cost_op, &provenance));
	if (first)
		sim->provenances.items[to] = provenance;
	else
		join_provenance(sim, to, bound->time, &provenance);
	return sim->slack ? sim_log_bound(sim, to, &provenance.cause, bound->time) : 0;
}

int provenance_join(struct sim *sim, uint32_t to, uint32_t from)
{
	join_provenance(sim, to, sim->pool.items[from].time, &sim->provenances.items[from]);
	return sim->slack ? sim_log_join(sim, from, to) : 0;
}

int provenance_follow(struct sim *sim, uint32_t pending)
{
	return sim_log_bound(sim, pending, &sim->provenances.items[pending].cause,
			     sim->pool.items[pending].time);
}

int provenance_event(struct sim *sim, uint32_t pending, uint32_t op, enum event_kind kind)
{
	struct provenance *provenance = &sim->provenances.items[pending];

	if (sim->causes)
		*cause_of(sim->causes, op, kind) = provenance->cause;
	provenance->cause = (struct cause){.op = op, .kind = (uint8_t)kind, .cost_op = NO_OP};
	return sim->slack ? sim_log_event(sim, pending, op, kind) : 0;
}

int provenance_extend(struct sim *sim, uint32_t pending, const struct cost *cost, uint32_t cost_op)
{
	return add_slopes(sim, cost, cost_op, &sim->provenances.items[pending]);
}

/*
 * Add the resource request of operation `op` to the order of a server: its hash, and the reach up
 * to where it stays behind the request before.
 */
static void events_line_up(struct sim *sim, uint32_t server, uint32_t pending, uint32_t op)
{
	struct server_provenance *last = &sim->server_provenances[server];
	const struct event_time ready = event_time_of(sim->pool.items[pending].time,
						      &sim->provenances.items[pending]);
	const uint64_t place = (uint64_t)server + 1;

	sim->result->order_hash += mix64(mix64(place << 32 | (last->used ? last->number + 1 : 0)) +
					 op);
	if (last->used) {
		reach_keep_order(&sim->result->order, &last->ready, &ready, sim->result->unit_as,
				 last->number < op);
		sim->result->late_ties |= last->ready.time == ready.time && last->number > op;
	}
	last->ready = ready;
	last->number = op;
}

int provenance_served(struct sim *sim, uint32_t pending, const struct served *served)
{
	struct server_provenance *last = &sim->server_provenances[served->server];
	struct pending *event = &sim->pool.items[pending];
	const int64_t free = sim->servers[served->server];

	events_line_up(sim, served->server, pending, served->op);
	if (last->used) {
		join_provenance(sim, pending, free, &last->free);
		if (sim->slack)
			TRY(sim_log_bound(sim, pending, &last->free.cause, free));
	}
	event->time = event->time > free ? event->time : free;
	TRY(provenance_event(sim, pending, served->op, served->kind));
	last->used = true;
	last->free = sim->provenances.items[pending];
	TRY(add_slopes(sim, served->busy, served->op, &last->free));
	return served->later ? provenance_extend(sim, pending, served->later, served->later_op) : 0;
}

/* ---------------------------------------------------------------- pending events */

int sim_grow(struct sim *sim)
{
	TRY(array_push(&sim->pool, (struct pending){0}, sim->err));
	if (sim->along)
		TRY(array_push(&sim->provenances, (struct provenance){0}, sim->err));
	sim_drop(sim, (uint32_t)sim->pool.count - 1);
	return 0;
}

int sim_bound_by_beginning(struct sim *sim, uint32_t *slot, uint32_t rank)
{
	struct step *step;

	TRY(sim_take(sim, slot, rank));
	if (sim->along)
		sim->provenances.items[*slot] = (struct provenance){
			.cause = {.op = NO_EVENT, .cost_op = NO_OP}};
	if (!sim->steps || sim->ranks[rank].one_cpu)
		return 0;
	sim->pool.items[*slot].written = true;
	TRY(sim_step(sim, &step));
	*step = (struct step){.kind = STEP_BOUND,
			      .to = *slot,
			      .from = NO_STEP_EVENT,
			      .first = true};
	return 0;
}

int sim_bound_end(struct sim *sim, const struct bound *bound)
{
	const bool first = !sim->has_end;

	sim->has_end = true;
	return sim_bound(sim, 0, first, bound);
}

int sim_bound_end_by_cpus(struct sim *sim)
{
	for (uint32_t rank = 0; rank < sim->goal->rank_count; rank++) {
		const struct rank_servers *servers = &sim->ranks[rank];
		struct step *step;
		uint32_t free;

		if (!servers->one_cpu)
			continue;
		TRY(sim_take(sim, &free, rank));
		TRY(sim_step(sim, &step));
		*step = (struct step){.kind = STEP_EVENT,
				      .to = free,
				      .from = servers->first,
				      .first = true,
				      .once = true};
		TRY(sim_step(sim, &step));
		*step = (struct step){.kind = STEP_JOIN,
				      .from = free,
				      .first = !sim->pool.items[0].written};
		sim->pool.items[0].written = true;
		sim_drop(sim, free);
	}
	return 0;
}
