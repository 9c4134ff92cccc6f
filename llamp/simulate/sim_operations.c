/* Operations that begin; start and end of calcs and sends. */
#include "llamp/simulate/sim_events.h"

/* ---------------------------------------------------------------- calcs and sends */

/* Keep the times of an operation that works for *cost until `end`. */
static int note_work(struct sim *sim, uint32_t op, const struct cost *cost, int64_t end)
{
	struct event_time length = {0};
	uint32_t number;

	if (!sim->times)
		return 0;
	TRY(sim_add_cost(sim, cost, &length, &number));
	sim->times[op] = (struct sim_times){end - length.time, end};
	return 0;
}

static int start_calc(struct sim *sim, const struct located *at, uint32_t start, uint32_t cpu)
{
	const struct cost cost = {.ns = at->op.size};
	const bool requires = at->op.requires_count > 0;
	struct bound end;

	sim->ended++;
	TRY(sim_work(sim, cpu, start, at->number, EVENT_START, &cost,
		     at->op.requires_count + at->op.irequires_count));
	end = cpu == NO_SERVER ? sim_at(sim, start) : sim_end_of_work(sim, start, at->rank);
	TRY(note_work(sim, at->number, &cost, end.at.time));
	TRY(sim_release_irequires(sim, at, &end, requires));
	TRY(sim_release_requires(sim, at, &end, false));
	if (requires || at->op.irequires_count)
		return 0;
	TRY(sim_bound_end(sim, &end));
	sim_drop(sim, start);
	return 0;
}

static int release_send(struct sim *sim, const struct located *at, const struct bound *busy)
{
	TRY(sim_release_irequires(sim, at, busy, true));
	if (sim->execution->gap_first)
		TRY(sim_release_gaps(sim, at, busy->event));
	if (message_is_rendezvous(sim->loggps, at->op.size)) {
		/* Its end depends on the other rank. */
		if (sim->unopened)
			sim->requests.groups[sim->ranks[at->rank].group].open++;
		return 0;
	}
	sim->ended++;
	return sim_release_requires(sim, at, busy, true);
}

/* Start a send, and release what waits for it.  Pending event `start` stays its start s(u). */
static int begin_send(struct sim *sim, const struct located *at, uint32_t start, uint32_t cpu,
		      const struct cost *overhead)
{
	struct bound busy = {.event = start, .cost_op = at->number, .cost = overhead};

	TRY(cpu == NO_SERVER ? sim_happen(sim, start, at->number, EVENT_START, NULL, false)
			     : sim_serve_event(sim, start,
					       &(struct served){.server = cpu,
								.op = at->number,
								.kind = EVENT_START,
								.busy = overhead}));
	if (sim->ranks[at->rank].one_cpu)
		busy.at = sim->servers[cpu].free;
	else
		TRY(sim_after(sim, start, overhead, at->number, &busy));
	TRY(note_work(sim, at->number, overhead, busy.at.time));
	return release_send(sim, at, &busy);
}

/* Start a send without gaps, which need s(u).  Pending event `start` becomes s(u) + o'. */
static int work_for_send(struct sim *sim, const struct located *at, uint32_t start, uint32_t cpu,
			 const struct cost *overhead)
{
	struct bound busy;

	TRY(sim_work(sim, cpu, start, at->number, EVENT_START, overhead, SIM_MANY));
	busy = sim_end_of_work(sim, start, at->rank);
	TRY(note_work(sim, at->number, overhead, busy.at.time));
	return release_send(sim, at, &busy);
}

/* Start a send whose message passes limited NICs or links. */
static int start_to_inject(struct sim *sim, const struct located *at, uint32_t start, uint32_t cpu)
{
	const uint32_t class = execution_class(sim->execution, at->number);
	const struct cost overhead = cost_overhead(sim->loggps, at->op.size, class);

	if (sim->execution->gap_first) {
		TRY(begin_send(sim, at, start, cpu, &overhead));
		TRY(sim_extend(sim, start, &overhead, at->number));
	} else {
		TRY(work_for_send(sim, at, start, cpu, &overhead));
	}
	TRY(sim_follow(sim, start));
	return sim_send_off(sim, at, start);
}

/* Mail the message of a send, or its announcement, to the group of its receive: event m. */
static int mail_receiver(struct sim *sim, const struct located *send, uint32_t message)
{
	const uint32_t recv = sim->execution->matching.partner[send->number];
	struct pending *pending = &sim->pool.items[message];
	const struct resource_request mail = {(uint64_t)pending->at.time,
					      cost_event(recv, EVENT_MATCH), message};

	pending->rank = send->op.peer;
	return request_groups_mail(&sim->requests, sim->ranks[send->op.peer].group, mail, sim->err);
}

/* Start a send without limited NICs and links, or whose message is announced. */
static int start_to_deliver(struct sim *sim, const struct located *at, uint32_t start, uint32_t cpu)
{
	const uint32_t class = execution_class(sim->execution, at->number);
	const struct cost overhead = cost_overhead(sim->loggps, at->op.size, class);
	const struct cost message = cost_message(sim->loggps, at->op.size, class);

	TRY(begin_send(sim, at, start, cpu, &overhead));
	TRY(sim_extend(sim, start, &message, at->number));
	TRY(sim_follow(sim, start));
	return mail_receiver(sim, at, start);
}

static int start_send(struct sim *sim, const struct located *at, uint32_t start, uint32_t cpu)
{
	sim->pool.items[start].bytes = at->op.size;
	return (sim_travels(sim, at->number) && !message_is_announced(sim->loggps, at->op.size)
			? start_to_inject
			: start_to_deliver)(sim, at, start, cpu);
}

int sim_start(struct sim *sim, const struct located *at, uint32_t start, uint32_t cpu)
{
	sim->ops[at->number].pending = 0;
	return (at->op.kind == GOAL_CALC ? start_calc : start_send)(sim, at, start, cpu);
}

/* -------------------------------------------------------------------------- begin */

/* Tell whether the bounds of a calc of no time can move to the only operation that waits for it. */
static bool passes_on(const struct located *at)
{
	return at->op.kind == GOAL_CALC && at->op.requires_count + at->op.irequires_count == 1;
}

static int sim_on(struct sim *sim, const struct located *at)
{
	struct awaited *awaited = &sim->ops[at->number];
	const struct bound bound = sim_at(sim, awaited->pending);
	const struct cause part = {.op = at->number, .kind = EVENT_START};

	if (sim->times)
		sim->times[at->number] = (struct sim_times){bound.at.time, bound.at.time};
	if (sim->slack)
		TRY(sim_log_bound(sim, awaited->pending, &part, bound.at.time));
	awaited->pending = 0;
	sim->ended++;
	return (at->op.requires_count ? sim_release_requires
				      : sim_release_irequires)(sim, at, &bound, false);
}

/* Make the event of the wait the event of the start, with the bounds of both. */
static int join_wait(struct sim *sim, struct awaited *awaited, uint32_t rank)
{
	const uint32_t wait = awaited->wait;

	if (awaited->pending) {
		sim->pool.items[wait].bytes = sim->pool.items[awaited->pending].bytes;
		TRY(sim_move_bounds(sim, awaited->pending, &awaited->wait, rank));
	}
	awaited->pending = wait;
	awaited->wait = 0;
	return 0;
}

/* Set the event of the start of an operation, which the last of its dependencies bounds. */
static int start_in_order(struct sim *sim, struct awaited *awaited, uint32_t rank)
{
	awaited->pending = awaited->wait;
	awaited->wait = 0;
	if (!awaited->pending)
		TRY(sim_take(sim, &awaited->pending, rank));
	sim->pool.items[awaited->pending].at = sim->servers[sim->ranks[rank].first].free;
	return 0;
}

static int start_in_any_order(struct sim *sim, struct awaited *awaited, uint32_t rank)
{
	if (awaited->wait)
		TRY(join_wait(sim, awaited, rank));
	return awaited->pending ? 0 : sim_bound_by_beginning(sim, &awaited->pending, rank);
}

int sim_begin(struct sim *sim, const struct located *at)
{
	const bool works = at->op.kind == GOAL_SEND || (at->op.kind == GOAL_CALC && at->op.size);
	struct awaited *awaited = &sim->ops[at->number];
	const bool in_order = sim->ranks[at->rank].meets_in_order &&
			      !(at->op.kind == GOAL_RECV && awaited->pending);

	awaited->ends |= OP_BEGUN;
	TRY((in_order ? start_in_order : start_in_any_order)(sim, awaited, at->rank));
	if (at->op.kind == GOAL_RECV)
		return sim_post(sim, at);
	if (works && sim->has_cpu)
		return sim_request(sim, awaited->pending, at->number, EVENT_START);
	if (!works && passes_on(at))
		return sim_on(sim, at);
	return sim_start(sim, at, awaited->pending, NO_SERVER);
}
