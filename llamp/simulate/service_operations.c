/* Computation and sends: start, overhead and end. */
#include "llamp/simulate/service_events.h"

/* ---------------------------------------------------------------- calcs and sends */

/* Keep the times of an operation that works for a cost until `end`. */
static int note_work(struct pass *pass, uint32_t op, const struct cost *cost, int64_t end)
{
	int64_t length = 0;
	uint32_t number;

	if (!pass->times)
		return 0;
	TRY(pass_add_cost(pass, cost, &length, &number));
	pass->times[op] = (struct service_times){end - length, end};
	return 0;
}

static int start_calc(struct pass *pass, const struct located *at, uint32_t start, uint32_t cpu)
{
	const struct cost cost = {.ns = at->op.size};
	const bool requires = at->op.requires_count > 0;
	struct bound end;

	pass->ended++;
	TRY(pass_work(pass, cpu, start, at->number, EVENT_START, &cost,
		      at->op.requires_count + at->op.irequires_count));
	end = cpu == NO_SERVER ? pass_at(pass, start) : pass_end_of_work(pass, start, at->rank);
	TRY(note_work(pass, at->number, &cost, end.time));
	TRY(pass_release_irequires(pass, at, &end, requires));
	TRY(pass_release_requires(pass, at, &end, false));
	if (requires || at->op.irequires_count)
		return 0;
	TRY(pass_bound_end(pass, &end));
	pass_drop(pass, start);
	return 0;
}

static int release_send(struct pass *pass, const struct located *at, const struct bound *busy)
{
	TRY(pass_release_irequires(pass, at, busy, true));
	if (pass->execution->gap_first)
		TRY(pass_release_gaps(pass, at, busy->event));
	if (message_is_rendezvous(pass->loggps, at->op.size)) {
		/* Its end depends on the other rank. */
		if (pass->unopened)
			pass->requests.groups[pass->ranks[at->rank].group].open++;
		return 0;
	}
	pass->ended++;
	return pass_release_requires(pass, at, busy, true);
}

/* Start a send, and release what waits for its start or its overhead.  The event is its start. */
static int begin_send(struct pass *pass, const struct located *at, uint32_t start, uint32_t cpu,
		      const struct cost *overhead)
{
	struct bound busy;

	TRY(cpu == NO_SERVER ? pass_happen(pass, start, at->number, EVENT_START, NULL, false)
			     : pass_serve_event(pass, start,
						&(struct served){.server = cpu,
								 .op = at->number,
								 .kind = EVENT_START,
								 .busy = overhead}));
	TRY(pass_after(pass, start, overhead, at->number, &busy));
	busy.written &= !pass->ranks[at->rank].one_cpu;
	TRY(note_work(pass, at->number, overhead, busy.time));
	return release_send(pass, at, &busy);
}

/* The same without gaps between sends, which need the start.  The event is the overhead's end. */
static int work_for_send(struct pass *pass, const struct located *at, uint32_t start, uint32_t cpu,
			 const struct cost *overhead)
{
	struct bound busy;

	TRY(pass_work(pass, cpu, start, at->number, EVENT_START, overhead, PASS_MANY));
	busy = pass_end_of_work(pass, start, at->rank);
	TRY(note_work(pass, at->number, overhead, busy.time));
	return release_send(pass, at, &busy);
}

/* Inject the message of a send when it has started. */
static int start_to_inject(struct pass *pass, const struct located *at, uint32_t start,
			   uint32_t cpu)
{
	const uint32_t class = execution_class(pass->execution, at->number);
	const struct cost overhead = cost_overhead(pass->loggps, at->op.size, class);

	if (pass->execution->gap_first) {
		TRY(begin_send(pass, at, start, cpu, &overhead));
		TRY(pass_extend(pass, start, &overhead, at->number));
	} else {
		TRY(work_for_send(pass, at, start, cpu, &overhead));
	}
	TRY(pass_follow(pass, start));
	return pass_send_off(pass, at, start);
}

/* Without limited NICs and links, or for the announcement of a rendezvous. */
static int start_to_deliver(struct pass *pass, const struct located *at, uint32_t start,
			    uint32_t cpu)
{
	const uint32_t class = execution_class(pass->execution, at->number);
	const struct cost overhead = cost_overhead(pass->loggps, at->op.size, class);
	const struct cost message = cost_message(pass->loggps, at->op.size, class);

	TRY(begin_send(pass, at, start, cpu, &overhead));
	TRY(pass_extend(pass, start, &message, at->number));
	TRY(pass_follow(pass, start));
	return pass_mail(pass, at, start);
}

static int start_send(struct pass *pass, const struct located *at, uint32_t start, uint32_t cpu)
{
	pass->pool.items[start].bytes = at->op.size;
	return (pass_travels(pass, at->number) && !message_is_announced(pass->loggps, at->op.size)
			? start_to_inject
			: start_to_deliver)(pass, at, start, cpu);
}

int pass_start(struct pass *pass, const struct located *at, uint32_t start, uint32_t cpu)
{
	pass->ops[at->number].pending = 0;
	return (at->op.kind == GOAL_CALC ? start_calc : start_send)(pass, at, start, cpu);
}

/* ---------------------------------------------------------------------- beginning */

/* The calc takes no time, and only one operation waits for it: let that wait for the same. */
static bool passes_on(const struct located *at)
{
	return at->op.kind == GOAL_CALC && at->op.requires_count + at->op.irequires_count == 1;
}

static int pass_on(struct pass *pass, const struct located *at)
{
	struct awaited *awaited = &pass->ops[at->number];
	const struct bound bound = pass_at(pass, awaited->pending);
	const struct cause part = {.op = at->number, .kind = EVENT_START};

	if (pass->times)
		pass->times[at->number] = (struct service_times){bound.time, bound.time};
	if (pass->slack)
		TRY(pass_log_bound(pass, awaited->pending, &part, bound.time));
	awaited->pending = 0;
	pass->ended++;
	return (at->op.requires_count ? pass_release_requires
				      : pass_release_irequires)(pass, at, &bound, false);
}

/* Go on with the event of the wait, not before the receives. */
static int join_wait(struct pass *pass, struct awaited *awaited, uint32_t rank)
{
	const uint32_t wait = awaited->wait;

	if (awaited->pending) {
		pass->pool.items[wait].bytes = pass->pool.items[awaited->pending].bytes;
		TRY(pass_hand_over(pass, awaited->pending, &awaited->wait, rank));
	}
	awaited->pending = wait;
	awaited->wait = 0;
	return 0;
}

int pass_begin(struct pass *pass, const struct located *at)
{
	const bool works = at->op.kind == GOAL_SEND || (at->op.kind == GOAL_CALC && at->op.size);
	struct awaited *awaited = &pass->ops[at->number];

	awaited->ends |= OP_BEGUN;
	if (awaited->wait)
		TRY(join_wait(pass, awaited, at->rank));
	if (!awaited->pending)
		TRY(pass_bound_by_beginning(pass, &awaited->pending, at->rank));
	if (at->op.kind == GOAL_RECV)
		return pass_post(pass, at);
	if (works && pass->has_cpu)
		return pass_request(pass, awaited->pending, at->number, EVENT_START);
	if (!works && passes_on(at))
		return pass_on(pass, at);
	return pass_start(pass, at, awaited->pending, NO_SERVER);
}
