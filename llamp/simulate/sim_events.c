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

void provenance_extend(struct cause *cause, const struct cost *cost, uint32_t cost_op)
{
	cause->cost_op = cost_op;
	cause->rule = cost->rule & 0x7f;
	cause->class = (uint16_t)cost->class;
}

int provenance_bound(struct sim *sim, uint32_t to, bool latest, const struct bound *bound)
{
	struct cause cause = sim->provenances.items[bound->event];

	if (bound->cost)
		provenance_extend(&cause, bound->cost, bound->cost_op);
	if (latest)
		sim->provenances.items[to] = cause;
	return sim->slack ? sim_log_bound(sim, to, &cause, bound->at.time) : 0;
}

int provenance_join(struct sim *sim, uint32_t to, uint32_t from, bool latest)
{
	if (latest)
		sim->provenances.items[to] = sim->provenances.items[from];
	return sim->slack ? sim_log_join(sim, from, to) : 0;
}

int provenance_server(struct sim *sim, uint32_t pending, const struct server *server, bool latest)
{
	if (latest)
		sim->provenances.items[pending] = server->cause;
	return sim->slack ? sim_log_bound(sim, pending, &server->cause, server->free.time) : 0;
}

int provenance_event(struct sim *sim, uint32_t pending, uint32_t op, enum event_kind kind)
{
	struct cause *provenance = &sim->provenances.items[pending];

	if (sim->causes)
		*cause_of(sim->causes, op, kind) = *provenance;
	*provenance = (struct cause){.op = op, .kind = (uint8_t)kind, .cost_op = NO_OP};
	return sim->slack ? sim_log_event(sim, pending, op, kind) : 0;
}

int provenance_follow(struct sim *sim, uint32_t pending)
{
	return sim_log_bound(sim, pending, &sim->provenances.items[pending],
			     sim->pool.items[pending].at.time);
}

void sim_line_up(struct sim *sim, struct server *server, const struct event_time *ready,
		 uint32_t op, enum event_kind kind)
{
	struct sim_result *result = sim->result;

	/* The event implies its server. */
	result->order_hash += mix64((uint64_t)server->last << 32 | cost_event(op, kind));
	if (server->last) {
		const uint32_t last = server->last - 1;

		reach_keep_order(&result->order, &server->ready, ready, result->unit_as, last < op);
		result->late_ties |= server->ready.time == ready->time && last > op;
	}
	server->ready = *ready;
}

/* ---------------------------------------------------------------- pending events */

int sim_grow(struct sim *sim)
{
	TRY(array_push(&sim->pool, (struct pending){0}, sim->err));
	if (sim->keeps_causes)
		TRY(array_push(&sim->provenances, (struct cause){0}, sim->err));
	sim_drop(sim, (uint32_t)sim->pool.count - 1);
	return 0;
}

int sim_bound_by_beginning(struct sim *sim, uint32_t *slot, uint32_t rank)
{
	struct step *step;

	TRY(sim_take(sim, slot, rank));
	if (sim->keeps_causes)
		sim->provenances.items[*slot] = (struct cause){.op = NO_EVENT, .cost_op = NO_OP};
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
