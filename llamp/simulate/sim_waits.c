/* Dependencies of operations, and the waits in which receives complete (doc/model.md, "Waits"). */
#include "llamp/simulate/sim_events.h"

#include "common/hash.h"

/* ------------------------------------------------------------------- dependencies */

static inline struct pending *pending_of(const struct sim *sim, uint32_t pending)
{
	return &sim->pool.items[pending];
}

/* Return the slot of the event that gets the bounds of a start, except ends that a wait is for. */
static uint32_t *slot_of_others(struct awaited *awaited)
{
	return awaited->ends & ENDS_COUNT || awaited->wait ? &awaited->wait : &awaited->pending;
}

static int begin_wait(struct sim *sim, uint32_t op);

/* Begin the wait of an operation, whose other dependencies are met. */
static inline int meet_others(struct sim *sim, uint32_t op, uint32_t rank)
{
	if (sim->unopened && sim->unopened[op])
		sim->requests.groups[sim->ranks[rank].group].open += sim->unopened[op];
	return sim->ops[op].wait ? begin_wait(sim, op) : 0;
}

/* Dependencies on operation `at` that are met. */
struct met {
	const struct located *at;
	const struct bound *bound;
	bool ends_message; /* the end of a receive, or of a rendezvous send */
	bool keeps;	   /* later events need the event of the bound */
};

/* Tell whether the wait of an operation is for this end: it requires receives (simulation.c). */
static inline bool waits_for(const struct awaited *awaited, const struct met *met)
{
	return met->ends_message && awaited->ends & ENDS_COUNT;
}

/* Let an operation begin if it waits for nothing more. */
static inline int begin_if_ready(struct sim *sim, uint32_t op, uint32_t rank)
{
	const struct awaited *awaited = &sim->ops[op];

	if (awaited->others || awaited->ends & ENDS_COUNT)
		return 0;
	return array_push(&sim->ready, ((struct order_entry){op, rank}), sim->err);
}

/* Meet the dependency of operation `op`, the last one or not. */
static inline int meet(struct sim *sim, const struct met *met, uint32_t op, bool last)
{
	struct awaited *awaited = &sim->ops[op];
	const uint32_t rank = met->at->rank;
	const bool ends = waits_for(awaited, met);
	uint32_t *slot = ends ? &awaited->pending : slot_of_others(awaited);

	if (last && !met->keeps) {
		sim->pool.items[met->bound->event].written = met->bound->written;
		TRY(sim_follow(sim, met->bound->event));
		TRY(sim_move_bounds(sim, met->bound->event, slot, rank));
	} else {
		TRY(sim_bound_slot(sim, slot, rank, met->bound));
	}
	if (ends)
		awaited->ends--;
	else if (--awaited->others == 0)
		TRY(meet_others(sim, op, rank));
	return begin_if_ready(sim, op, rank);
}

static inline uint32_t successor_of(const struct located *at, uint32_t k)
{
	return at->block->first_op + goal_successor(at->block, k);
}

/* Begin the wait of an operation, if it has one, at the end of the work that the CPU did last. */
static inline int meet_others_in_order(struct sim *sim, const struct met *met, uint32_t op)
{
	struct awaited *awaited = &sim->ops[op];

	if (awaited->ends & ENDS_COUNT && !awaited->wait)
		TRY(sim_take(sim, &awaited->wait, met->at->rank));
	if (awaited->wait)
		pending_of(sim, awaited->wait)->at = met->bound->at;
	return meet_others(sim, op, met->at->rank);
}

/* Tell whether the start of an operation has another bound than the dependency that is met last. */
static inline bool has_more_bounds(const struct awaited *awaited)
{
	return awaited->ends & IS_RECEIVE &&
	       (awaited->others > 1 || awaited->ends & ENDS_COUNT || awaited->pending);
}

/* Meet the dependency of operation `op` of a rank that meets all in order. */
static inline int meet_in_order(struct sim *sim, const struct met *met, uint32_t op)
{
	struct awaited *awaited = &sim->ops[op];

	if (has_more_bounds(awaited))
		return meet(sim, met, op, false);
	if (waits_for(awaited, met))
		awaited->ends--;
	else if (--awaited->others == 0)
		TRY(meet_others_in_order(sim, met, op));
	return begin_if_ready(sim, op, met->at->rank);
}

static int meet_all(struct sim *sim, const struct met *met, uint32_t first, uint32_t count)
{
	const struct goal_block *block = met->at->block;

	if (!sim->ranks[met->at->rank].meets_in_order) {
		for (uint32_t k = 0; k < count; k++)
			TRY(meet(sim, met, successor_of(met->at, first + k), k + 1 == count));
		return 0;
	}
	for (uint32_t k = first; k < first + count; k++)
		TRY(meet_in_order(sim, met, block->first_op + goal_successor(block, k)));
	if (!met->keeps)
		sim_drop(sim, met->bound->event);
	return 0;
}

int sim_release_irequires(struct sim *sim, const struct located *at, const struct bound *bound,
			  bool keeps)
{
	const struct met met = {at, bound, false, keeps};

	return at->op.irequires_count
		       ? meet_all(sim, &met, at->op.irequires_first, at->op.irequires_count)
		       : 0;
}

int sim_release_requires(struct sim *sim, const struct located *at, const struct bound *bound,
			 bool keeps)
{
	const bool ends = at->op.kind == GOAL_RECV || sim_meets(sim, &at->op);
	const struct met met = {at, bound, ends, keeps};

	return at->op.requires_count
		       ? meet_all(sim, &met, at->op.requires_first, at->op.requires_count)
		       : 0;
}

int sim_release_gaps(struct sim *sim, const struct located *at, uint32_t from)
{
	const struct execution_graph *execution = sim->execution;
	const struct cost gap = {.rule = COST_GAP};
	const struct cost transfer = {.rule = COST_TRANSFER,
				      .bytes = at->op.size,
				      .class = execution_class(execution, at->number)};
	struct bound after_gap, after_transfer;

	TRY(sim_after(sim, from, &gap, at->number, &after_gap));
	TRY(sim_after(sim, from, &transfer, at->number, &after_transfer));
	for (uint32_t k = execution->gap_first[at->number];
	     k < execution->gap_first[at->number + 1]; k++) {
		const uint32_t later = execution->gap_later[k];

		TRY(sim_bound_slot(sim, slot_of_others(&sim->ops[later]), at->rank, &after_gap));
		TRY(meet(sim, &(struct met){at, &after_transfer, false, true}, later, false));
	}
	return 0;
}

/* ------------------------------------------------------------------------ waits */

/* Return the start of the wait of an operation, or its latest bound so far. */
static int64_t wait_time(const struct sim *sim, uint32_t op)
{
	return pending_of(sim, sim->ops[op].wait)->at.time;
}

/*
 * Request the CPU for the completion of a receive, not before `wait`, the start of a wait.  The
 * bound is added when the request is served, since an earlier wait may become known until then.
 */
static int ask_for_completion(struct sim *sim, uint32_t recv, int64_t wait)
{
	const uint32_t pending = sim->ops[recv].pending;
	const int64_t ready = pending_of(sim, pending)->at.time;

	return sim_request_at(sim, pending, recv, EVENT_COMPLETION, wait > ready ? wait : ready);
}

/* Request the completion of the receives in a list of waiters, unless they have completed. */
static int wake(struct sim *sim, uint32_t op, uint32_t waiter)
{
	while (waiter) {
		struct waiter *at = &sim->waiters.items[waiter];
		const uint32_t recv = at->recv, next = at->next;

		if (at->completed) {
			const struct event_time wait = pending_of(sim, sim->ops[op].wait)->at;

			reach_keep_order(&sim->result->order, &at->wait, &wait,
					 sim->result->unit_as, true);
		}
		at->next = sim->unused_waiter;
		sim->unused_waiter = waiter;
		waiter = next;
		if (sim->ops[recv].pending)
			TRY(ask_for_completion(sim, recv, wait_time(sim, op)));
	}
	return 0;
}

/* All that `op` waits for has happened, but for what its wait is for. */
static int begin_wait(struct sim *sim, uint32_t op)
{
	const uint32_t wait = sim->ops[op].wait, waiters = pending_of(sim, wait)->link;

	pending_of(sim, wait)->link = 0;
	TRY(wake(sim, op, waiters));
	/* All its messages may have ended before. */
	if (!(sim->ops[op].ends & ENDS_COUNT))
		return 0;
	TRY(sim_happen(sim, wait, op, EVENT_WAIT, NULL, false));
	return sim_follow(sim, wait);
}

static int add_waiter(struct sim *sim, uint32_t op, const struct located *recv)
{
	uint32_t added = sim->unused_waiter;
	struct pending *wait;

	if (!sim->ops[op].wait)
		TRY(sim_bound_by_beginning(sim, &sim->ops[op].wait, recv->rank));
	if (added) {
		sim->unused_waiter = sim->waiters.items[added].next;
	} else {
		added = (uint32_t)sim->waiters.count;
		TRY(array_push(&sim->waiters, (struct waiter){0}, sim->err));
	}
	wait = pending_of(sim, sim->ops[op].wait);
	sim->waiters.items[added] = (struct waiter){.recv = recv->number, .next = wait->link};
	wait->link = added;
	return 0;
}

static uint32_t requiring(const struct located *recv, uint32_t k)
{
	return successor_of(recv, recv->op.requires_first + k);
}

/*
 * Return the operation that requires the receive and whose wait begins first, or NO_OP if none is
 * known to begin.  *free: the receive completes without a wait.
 */
static uint32_t first_wait(const struct sim *sim, const struct located *recv, bool *free)
{
	uint32_t first = NO_OP;

	*free = recv->op.requires_count == 0;
	for (uint32_t k = 0; k < recv->op.requires_count; k++) {
		const uint32_t op = requiring(recv, k);

		if (sim->ops[op].others)
			continue;
		if (!sim->ops[op].wait)
			*free = true;
		else if (first == NO_OP || wait_time(sim, op) < wait_time(sim, first))
			first = op;
	}
	return first;
}

/* Limit the reach to where the wait of `first`, in which the receive completes, stays the first. */
static void keep_first_wait(struct sim *sim, const struct located *recv, uint32_t first)
{
	const struct event_time wait = pending_of(sim, sim->ops[first].wait)->at;

	sim->result->order_hash += mix64(mix64(recv->number) + first);
	for (uint32_t k = 0; k < recv->op.requires_count; k++) {
		const uint32_t op = requiring(recv, k);

		if (op == first || !sim->ops[op].wait)
			continue;
		if (!sim->ops[op].others) {
			const struct event_time later = pending_of(sim, sim->ops[op].wait)->at;

			reach_keep_order(&sim->result->order, &wait, &later, sim->result->unit_as,
					 true);
			continue;
		}
		for (uint32_t i = pending_of(sim, sim->ops[op].wait)->link; i;
		     i = sim->waiters.items[i].next) {
			struct waiter *waiter = &sim->waiters.items[i];

			if (waiter->recv == recv->number) {
				waiter->completed = true;
				waiter->wait = wait;
			}
		}
	}
}

/* Count the reasons for which a receive is open.  change: 1 if it opens, -1 if it closes. */
static uint32_t count_open(struct sim *sim, const struct located *recv, int change)
{
	/* The message may be shorter than the receive. */
	uint32_t open = recv->op.requires_count == 0 ||
			message_is_rendezvous(sim->loggps, recv->op.size);

	for (uint32_t k = 0; k < recv->op.requires_count; k++) {
		const uint32_t op = requiring(recv, k);

		if (sim->ops[op].others)
			sim->unopened[op] += (uint32_t)change;
		else
			open++;
	}
	return open;
}

void sim_open_receive(struct sim *sim, const struct located *recv)
{
	const uint32_t group = sim->ranks[recv->rank].group;

	if (sim->unopened)
		sim->requests.groups[group].open += count_open(sim, recv, 1);
}

int sim_close_receive(struct sim *sim, const struct located *recv)
{
	return sim->unopened ? request_groups_close(&sim->requests, sim->ranks[recv->rank].group,
						    count_open(sim, recv, -1), sim->err)
			     : 0;
}

/* Tell whether a receive completes only in a wait: its message is eager. */
static bool completes_in_wait(const struct sim *sim, const struct located *recv)
{
	return !message_is_rendezvous(sim->loggps,
				      pending_of(sim, sim->ops[recv->number].pending)->bytes);
}

int sim_await_wait(struct sim *sim, const struct located *recv)
{
	uint32_t first;
	bool free;

	if (!completes_in_wait(sim, recv))
		return ask_for_completion(sim, recv->number, 0);
	first = first_wait(sim, recv, &free);
	if (free)
		return ask_for_completion(sim, recv->number, 0);
	for (uint32_t k = 0; k < recv->op.requires_count; k++)
		if (sim->ops[requiring(recv, k)].others)
			TRY(add_waiter(sim, requiring(recv, k), recv));
	return first == NO_OP ? 0 : ask_for_completion(sim, recv->number, wait_time(sim, first));
}

int sim_bound_by_wait(struct sim *sim, const struct located *recv)
{
	struct bound bound;
	uint32_t first;
	bool free;

	if (!completes_in_wait(sim, recv))
		return 0;
	first = first_wait(sim, recv, &free);
	if (free)
		return 0;
	if (sim->along && recv->op.requires_count > 1)
		keep_first_wait(sim, recv, first);
	bound = sim_at(sim, sim->ops[first].wait);
	return sim_bound(sim, sim->ops[recv->number].pending, false, &bound);
}
