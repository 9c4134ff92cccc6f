/* What an operation waits for, and when it is ready. */
#include "llamp/simulate/service_events.h"

#include "common/hash.h"

/* ------------------------------------------------------------------- dependencies */

static inline struct pending *pending_of(const struct pass *pass, uint32_t pending)
{
	return &pass->pool.items[pending];
}

/* Event that gathers the bounds of an operation's start, except those of its wait. */
static uint32_t *slot_of_others(struct awaited *awaited)
{
	return awaited->ends & ENDS_COUNT || awaited->wait ? &awaited->wait : &awaited->pending;
}

static int begin_wait(struct pass *pass, uint32_t op);

/* All that an operation waits for has happened, but for what its wait is for. */
static int meet_others(struct pass *pass, uint32_t op, uint32_t rank)
{
	if (pass->unopened)
		pass->requests.groups[pass->ranks[rank].group].open += pass->unopened[op];
	return pass->ops[op].wait ? begin_wait(pass, op) : 0;
}

/* Dependencies on an operation that are met. */
struct met {
	const struct located *at; /* the operation */
	const struct bound *bound;
	bool ends_message; /* a receive, or a rendezvous send */
	bool keeps;	   /* the event of the bound */
};

/* Whether the wait of an operation is for the end of a message: it requires receives, see read_rank. */
static inline bool waits_for(const struct awaited *awaited, const struct met *met)
{
	return met->ends_message && awaited->ends & ENDS_COUNT;
}

/* Meet the dependency of operation `op`. */
static inline int meet(struct pass *pass, const struct met *met, uint32_t op, bool last)
{
	struct awaited *awaited = &pass->ops[op];
	const uint32_t rank = met->at->rank;
	const bool ends = waits_for(awaited, met);
	uint32_t *slot = ends ? &awaited->pending : slot_of_others(awaited);

	if (last && !met->keeps) {
		pass->pool.items[met->bound->event].written = met->bound->written;
		TRY(pass_follow(pass, met->bound->event));
		TRY(pass_hand_over(pass, met->bound->event, slot, rank));
	} else {
		TRY(pass_bound_slot(pass, slot, rank, met->bound));
	}
	if (ends)
		awaited->ends--;
	else if (--awaited->others == 0)
		TRY(meet_others(pass, op, rank));
	if (awaited->others || awaited->ends & ENDS_COUNT)
		return 0;
	return array_push(&pass->ready, ((struct order_entry){op, rank}), pass->err);
}

static inline uint32_t successor_of(const struct located *at, uint32_t k)
{
	return at->block->first_op + goal_successor(at->block, k);
}

static inline int meet_all(struct pass *pass, const struct met *met, uint32_t first, uint32_t count)
{
	for (uint32_t k = 0; k < count; k++)
		TRY(meet(pass, met, successor_of(met->at, first + k), k + 1 == count));
	return 0;
}

int pass_release_irequires(struct pass *pass, const struct located *at, const struct bound *bound,
			   bool keeps)
{
	const struct met met = {at, bound, false, keeps};

	return meet_all(pass, &met, at->op.irequires_first, at->op.irequires_count);
}

int pass_release_requires(struct pass *pass, const struct located *at, const struct bound *bound,
			  bool keeps)
{
	const bool ends = at->op.kind == GOAL_RECV || pass_meets(pass, &at->op);
	const struct met met = {at, bound, ends, keeps};

	return meet_all(pass, &met, at->op.requires_first, at->op.requires_count);
}

/* They follow in the order that gaps_find chose. */
int pass_release_gaps(struct pass *pass, const struct located *at, uint32_t from)
{
	const struct execution_graph *execution = pass->execution;
	const struct cost gap = {.rule = COST_GAP};
	const struct cost transfer = {.rule = COST_TRANSFER,
				      .bytes = at->op.size,
				      .class = execution_class(execution, at->number)};
	struct bound after_gap, after_transfer;

	TRY(pass_after(pass, from, &gap, at->number, &after_gap));
	TRY(pass_after(pass, from, &transfer, at->number, &after_transfer));
	for (uint32_t k = execution->gap_first[at->number];
	     k < execution->gap_first[at->number + 1]; k++) {
		const uint32_t later = execution->gap_later[k];

		TRY(pass_bound_slot(pass, slot_of_others(&pass->ops[later]), at->rank, &after_gap));
		TRY(meet(pass, &(struct met){at, &after_transfer, false, true}, later, false));
	}
	return 0;
}

/* ------------------------------------------------------------------------ waits */

/* Time when the wait of an operation begins, or the latest bound so far. */
static int64_t wait_time(const struct pass *pass, uint32_t op)
{
	return pending_of(pass, pass->ops[op].wait)->time;
}

static struct moment wait_moment(const struct pass *pass, uint32_t op)
{
	const uint32_t wait = pass->ops[op].wait;
	const struct trace *trace = &pass->traces.items[wait];

	return (struct moment){pending_of(pass, wait)->time, trace->left, trace->right};
}

/*
 * Request the CPU for a receive, not before the wait at `wait`.  The bound of the wait is added
 * when the request is served: until then, an earlier wait may become known.
 */
static int ask_for_completion(struct pass *pass, uint32_t recv, int64_t wait)
{
	const uint32_t pending = pass->ops[recv].pending;
	const int64_t ready = pending_of(pass, pending)->time;

	return pass_request_at(pass, pending, recv, EVENT_COMPLETION, wait > ready ? wait : ready);
}

/* A wait begins: receives that wait for it can complete, unless they have. */
static int wake(struct pass *pass, uint32_t op, uint32_t waiter)
{
	while (waiter) {
		struct waiter *at = &pass->waiters.items[waiter];
		const uint32_t recv = at->recv, next = at->next;

		if (at->completed) {
			const struct moment wait = wait_moment(pass, op);

			reach_keep_order(&pass->service->order, &at->wait, &wait,
					 pass->service->unit_as, true);
		}
		at->next = pass->unused_waiter;
		pass->unused_waiter = waiter;
		waiter = next;
		if (pass->ops[recv].pending)
			TRY(ask_for_completion(pass, recv, wait_time(pass, op)));
	}
	return 0;
}

/* All that `op` waits for has happened, but for what its wait is for. */
static int begin_wait(struct pass *pass, uint32_t op)
{
	const uint32_t wait = pass->ops[op].wait, waiters = pending_of(pass, wait)->link;

	pending_of(pass, wait)->link = 0;
	TRY(wake(pass, op, waiters));
	/* All messages may have ended before. */
	if (!(pass->ops[op].ends & ENDS_COUNT))
		return 0;
	TRY(pass_happen(pass, wait, op, EVENT_WAIT, NULL, false));
	return pass_follow(pass, wait);
}

static int add_waiter(struct pass *pass, uint32_t op, const struct located *recv)
{
	uint32_t added = pass->unused_waiter;
	struct pending *wait;

	if (!pass->ops[op].wait)
		TRY(pass_bound_by_beginning(pass, &pass->ops[op].wait, recv->rank));
	if (added) {
		pass->unused_waiter = pass->waiters.items[added].next;
	} else {
		added = (uint32_t)pass->waiters.count;
		TRY(array_push(&pass->waiters, (struct waiter){0}, pass->err));
	}
	wait = pending_of(pass, pass->ops[op].wait);
	pass->waiters.items[added] = (struct waiter){.recv = recv->number, .next = wait->link};
	wait->link = added;
	return 0;
}

static uint32_t requiring(const struct located *recv, uint32_t k)
{
	return successor_of(recv, recv->op.requires_first + k);
}

/*
 * Of the operations that require the receive, the one whose wait begins first, or NO_OP if none
 * is known to begin.  *free: the receive need not wait.
 */
static uint32_t first_wait(const struct pass *pass, const struct located *recv, bool *free)
{
	uint32_t first = NO_OP;

	*free = recv->op.requires_count == 0;
	for (uint32_t k = 0; k < recv->op.requires_count; k++) {
		const uint32_t op = requiring(recv, k);

		if (pass->ops[op].others)
			continue;
		if (!pass->ops[op].wait)
			*free = true;
		else if (first == NO_OP || wait_time(pass, op) < wait_time(pass, first))
			first = op;
	}
	return first;
}

/* The receive completes in the wait of `first`: it must stay the first of all. */
static void keep_first_wait(struct pass *pass, const struct located *recv, uint32_t first)
{
	const struct moment wait = wait_moment(pass, first);

	if (recv->op.requires_count > 1)
		pass->service->order_hash += mix64(mix64(recv->number) + first);
	for (uint32_t k = 0; k < recv->op.requires_count; k++) {
		const uint32_t op = requiring(recv, k);

		if (op == first || !pass->ops[op].wait)
			continue;
		if (!pass->ops[op].others) {
			const struct moment later = wait_moment(pass, op);

			reach_keep_order(&pass->service->order, &wait, &later,
					 pass->service->unit_as, true);
			continue;
		}
		for (uint32_t i = pending_of(pass, pass->ops[op].wait)->link; i;
		     i = pass->waiters.items[i].next) {
			struct waiter *waiter = &pass->waiters.items[i];

			if (waiter->recv == recv->number) {
				waiter->completed = true;
				waiter->wait = wait;
			}
		}
	}
}

/* Number of reasons for which a receive is open now. */
static uint32_t count_open(struct pass *pass, const struct located *recv, int change)
{
	/* Its message may be shorter. */
	uint32_t open = recv->op.requires_count == 0 ||
			message_is_rendezvous(pass->loggps, recv->op.size);

	for (uint32_t k = 0; k < recv->op.requires_count; k++) {
		const uint32_t op = requiring(recv, k);

		if (pass->ops[op].others)
			pass->unopened[op] += (uint32_t)change;
		else
			open++;
	}
	return open;
}

void pass_open_receive(struct pass *pass, const struct located *recv)
{
	const uint32_t group = pass->ranks[recv->rank].group;

	if (pass->unopened)
		pass->requests.groups[group].open += count_open(pass, recv, 1);
}

int pass_close_receive(struct pass *pass, const struct located *recv)
{
	return pass->unopened ? request_groups_close(&pass->requests, pass->ranks[recv->rank].group,
						     count_open(pass, recv, -1), pass->err)
			      : 0;
}

/* Whether a receive completes only in a wait. */
static bool completes_in_wait(const struct pass *pass, const struct located *recv)
{
	return !message_is_rendezvous(pass->loggps,
				      pending_of(pass, pass->ops[recv->number].pending)->bytes);
}

int pass_wait_for_wait(struct pass *pass, const struct located *recv)
{
	uint32_t first;
	bool free;

	if (!completes_in_wait(pass, recv))
		return ask_for_completion(pass, recv->number, 0);
	first = first_wait(pass, recv, &free);
	if (free)
		return ask_for_completion(pass, recv->number, 0);
	for (uint32_t k = 0; k < recv->op.requires_count; k++)
		if (pass->ops[requiring(recv, k)].others)
			TRY(add_waiter(pass, requiring(recv, k), recv));
	return first == NO_OP ? 0 : ask_for_completion(pass, recv->number, wait_time(pass, first));
}

int pass_bound_by_wait(struct pass *pass, const struct located *recv)
{
	struct bound bound;
	uint32_t first;
	bool free;

	if (!completes_in_wait(pass, recv))
		return 0;
	first = first_wait(pass, recv, &free);
	if (free)
		return 0;
	if (pass->traced)
		keep_first_wait(pass, recv, first);
	bound = pass_at(pass, pass->ops[first].wait);
	return pass_bound(pass, pass->ops[recv->number].pending, false, &bound);
}
