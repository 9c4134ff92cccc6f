#include "llamp/graph/service_pass.h"

#include "common/hash.h"

/* ------------------------------------------------------------------- dependencies */

uint32_t *pass_slot_of_others(const struct pass *pass, uint32_t op)
{
	return pass->has_cpu && (pass->state[op] > pass->others[op] || pass->waits[op])
		       ? &pass->waits[op]
		       : &pass->pending[op];
}

/* A dependency of an operation is met, and its bound added. */
static int count_met(struct pass *pass, uint32_t op, uint32_t rank)
{
	if (--pass->state[op] > 0)
		return 0;
	return array_push(&pass->ready, ((struct order_entry){op, rank}), pass->err);
}

static int begin_wait(struct pass *pass, uint32_t op, uint32_t rank);

int pass_count_other_met(struct pass *pass, uint32_t op, uint32_t rank)
{
	if (pass->has_cpu && --pass->others[op] == 0 && pass->waits[op])
		TRY(begin_wait(pass, op, rank));
	return count_met(pass, op, rank);
}

int pass_meet_dependency(struct pass *pass, const struct located *at, uint32_t successor,
			 const struct bound *bound)
{
	const uint32_t op = at->block->first_op + successor;

	TRY(pass_add_bound(pass, pass_slot_of_others(pass, op), at->rank, bound));
	return pass_count_other_met(pass, op, at->rank);
}

static int meet_receive(struct pass *pass, const struct located *at, uint32_t successor,
			const struct bound *end)
{
	const uint32_t op = at->block->first_op + successor;

	TRY(pass_add_bound(pass, &pass->pending[op], at->rank, end));
	return count_met(pass, op, at->rank);
}

int pass_release_irequires(struct pass *pass, const struct located *at, const struct bound *bound)
{
	for (uint32_t k = 0; k < at->op.irequires_count; k++)
		TRY(pass_meet_dependency(pass, at,
					 goal_successor(at->block, at->op.irequires_first + k),
					 bound));
	return 0;
}

int pass_release_requires(struct pass *pass, const struct located *at, const struct bound *end)
{
	for (uint32_t k = 0; k < at->op.requires_count; k++) {
		const uint32_t successor = goal_successor(at->block, at->op.requires_first + k);

		TRY((at->op.kind == GOAL_RECV ? meet_receive
					      : pass_meet_dependency)(pass, at, successor, end));
	}
	return 0;
}

int pass_bound_end(struct pass *pass, const struct located *at, const struct bound *end)
{
	const bool is_new = pass->end.rank == 0;

	if (at->op.requires_count)
		return 0;
	pass->end.rank = 1;
	return pass_wait_for(pass, &pass->end, is_new, end);
}

/* ------------------------------------------------------------------------ waits */

/* The event of a wait that has begun. */
static struct bound wait_event(const struct pass *pass, uint32_t op)
{
	const struct pending *wait = pass_entry_of(pass, &pass->waits[op]);
	struct bound event = {.at = wait->at, .cause = wait->cause};

	if (pass->writes)
		event.edge = pass->merge.pool.items[wait->list];
	return event;
}

/*
 * Request the CPU for a receive, not before the wait at `event`.  The bound of the wait is added
 * when the request is served: until then, an earlier wait may become known.
 */
static int ask_for_completion(struct pass *pass, uint32_t send, uint32_t recv,
			      const struct bound *event)
{
	const int64_t ready = pass_pending_of(pass, send)->at.time;
	const int64_t time = event && event->at.time > ready ? event->at.time : ready;

	return min_heap_push(&pass->requests, (uint64_t)time, recv, pass->err);
}

/* The wait of an operation begins: receives that wait for it can complete. */
static int wake(struct pass *pass, uint32_t waiter, const struct bound *event)
{
	while (waiter) {
		struct waiter *at = &pass->waiters.items[waiter];
		const uint32_t recv = at->recv, next = at->next;

		if (at->completed)
			reach_keep_order(&pass->service->order, &at->wait, &event->at,
					 pass->service->unit_as, true);
		at->next = pass->unused_waiter;
		pass->unused_waiter = waiter;
		waiter = next;
		if (pass->state[recv] == POSTED)
			TRY(ask_for_completion(pass, pass->execution->matching.partner[recv], recv,
					       event));
	}
	return 0;
}

/* All that `op` waits for has happened, but for the ends of receives. */
static int begin_wait(struct pass *pass, uint32_t op, uint32_t rank)
{
	uint32_t *slot = &pass->waits[op];
	const uint32_t waiters = pass_entry_of(pass, slot)->waiters;
	struct bound event = {.at = pass_entry_of(pass, slot)->at};

	/* All receives have ended before. */
	if (pass->state[op] == 1) {
		TRY(wake(pass, waiters, &event));
		return pass_hand_over(pass, slot, &pass->pending[op], rank);
	}
	TRY(pass_happen(pass, slot, op, EVENT_WAIT, &event));
	TRY(pass_add_bound(pass, &pass->pending[op], rank, &event));
	TRY(pass_add_bound(pass, slot, rank, &event));
	return wake(pass, waiters, &event);
}

int pass_end_wait(struct pass *pass, uint32_t op)
{
	struct pending *wait = pass_entry_of(pass, &pass->waits[op]);

	TRY(pass_log_drop(pass, pass->waits[op]));
	if (wait->list)
		edge_merge_free(&pass->merge, wait->list);
	pass_drop_entry(pass, &pass->waits[op]);
	return 0;
}

static int add_waiter(struct pass *pass, uint32_t op, const struct located *recv)
{
	uint32_t added = pass->unused_waiter;
	struct pending *wait;

	if (!pass->waits[op])
		TRY(pass_make_entry(pass, &pass->waits[op], recv->rank));
	if (added) {
		pass->unused_waiter = pass->waiters.items[added].next;
	} else {
		added = (uint32_t)pass->waiters.count;
		TRY(array_push(&pass->waiters, (struct waiter){0}, pass->err));
	}
	wait = pass_entry_of(pass, &pass->waits[op]);
	pass->waiters.items[added] = (struct waiter){.recv = recv->number, .next = wait->waiters};
	wait->waiters = added;
	return 0;
}

static uint32_t requiring(const struct located *recv, uint32_t k)
{
	return recv->block->first_op + goal_successor(recv->block, recv->op.requires_first + k);
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

		if (pass->others[op])
			continue;
		if (!pass->waits[op])
			*free = true;
		else if (first == NO_OP ||
			 pass_entry_of(pass, &pass->waits[op])->at.time <
				 pass_entry_of(pass, &pass->waits[first])->at.time)
			first = op;
	}
	return first;
}

/* The receive completes in the wait of `first`: it must stay the first of all. */
static void keep_first_wait(struct pass *pass, const struct located *recv, uint32_t first)
{
	const struct moment wait = pass_entry_of(pass, &pass->waits[first])->at;

	for (uint32_t k = 0; k < recv->op.requires_count; k++) {
		const uint32_t op = requiring(recv, k);

		if (op == first || !pass->waits[op])
			continue;
		if (!pass->others[op]) {
			reach_keep_order(&pass->service->order, &wait,
					 &pass_entry_of(pass, &pass->waits[op])->at,
					 pass->service->unit_as, true);
			continue;
		}
		for (uint32_t i = pass_entry_of(pass, &pass->waits[op])->waiters; i;
		     i = pass->waiters.items[i].next) {
			struct waiter *waiter = &pass->waiters.items[i];

			if (waiter->recv == recv->number) {
				waiter->completed = true;
				waiter->wait = wait;
			}
		}
	}
}

/* Whether a receive completes only in a wait. */
static bool completes_in_wait(const struct pass *pass, const struct located *send)
{
	return !message_is_rendezvous(pass->loggps, send->op.size);
}

int pass_wait_for_wait(struct pass *pass, const struct located *send, const struct located *recv)
{
	struct bound event;
	uint32_t first;
	bool free;

	if (!completes_in_wait(pass, send))
		return ask_for_completion(pass, send->number, recv->number, NULL);
	first = first_wait(pass, recv, &free);
	if (free)
		return ask_for_completion(pass, send->number, recv->number, NULL);
	for (uint32_t k = 0; k < recv->op.requires_count; k++)
		if (pass->others[requiring(recv, k)])
			TRY(add_waiter(pass, requiring(recv, k), recv));
	if (first == NO_OP)
		return 0;
	event = wait_event(pass, first);
	return ask_for_completion(pass, send->number, recv->number, &event);
}

int pass_bound_by_wait(struct pass *pass, const struct located *send, const struct located *recv)
{
	struct bound event;
	uint32_t first;
	bool free;

	if (!completes_in_wait(pass, send))
		return 0;
	first = first_wait(pass, recv, &free);
	if (free)
		return 0;
	keep_first_wait(pass, recv, first);
	if (recv->op.requires_count > 1)
		pass->service->order_hash += mix64(mix64(recv->number) + first);
	event = wait_event(pass, first);
	return pass_add_bound(pass, &pass->pending[send->number], recv->rank, &event);
}
