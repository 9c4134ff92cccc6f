/* Requests of CPUs and NICs, and the order in which they are served. */
#include "llamp/simulate/service_events.h"

#include "common/progress.h"
#include "llamp/graph/cycle.h"

/* ---------------------------------------------------------------------- servers */

static uint32_t cpu_of(const struct pass *pass, const struct located *at)
{
	return pass->ranks[at->rank].first + at->op.cpu;
}

static uint32_t nic_of(const struct pass *pass, const struct located *at)
{
	const struct rank_servers *servers = &pass->ranks[at->rank];

	return servers->first_nic + (at->op.kind == GOAL_RECV ? servers->nics : 0) + at->op.nic;
}

/*
 * The NIC moves a message, not before it has moved the one before.  The event is later by a cost of
 * the send, or NULL.
 */
static int move_message(struct pass *pass, uint32_t pending, const struct located *at,
			enum event_kind kind, const struct cost *later, uint32_t send)
{
	const uint64_t bytes = message_charged(pass->pool.items[pending].bytes);
	const struct cost busy = {.class = execution_class(pass->execution, at->number),
				  .rule = pass->has_gap ? COST_NIC_GAP
					  : bytes	? COST_NIC
							: COST_NONE,
				  .bytes = bytes};

	return pass_serve_event(pass, pending,
				&(struct served){.server = nic_of(pass, at),
						 .op = at->number,
						 .kind = kind,
						 .busy = &busy,
						 .later = later,
						 .later_op = send});
}

/* --------------------------------------------------------------------- requests */

int pass_request_at(struct pass *pass, uint32_t pending, uint32_t op, enum event_kind kind,
		    int64_t time)
{
	const uint32_t rank = pass->pool.items[pending].rank;

	return request_groups_push(&pass->requests, pass->ranks[rank].group,
				   (struct request){(uint64_t)time, cost_event(op, kind), pending},
				   pass->err);
}

int pass_request(struct pass *pass, uint32_t pending, uint32_t op, enum event_kind kind)
{
	return pass_request_at(pass, pending, op, kind, pass->pool.items[pending].time);
}

int pass_mail(struct pass *pass, const struct located *send, uint32_t message)
{
	const uint32_t recv = pass->execution->matching.partner[send->number];
	struct pending *pending = &pass->pool.items[message];
	const struct request mail = {(uint64_t)pending->time, cost_event(recv, EVENT_MATCH),
				     message};

	pending->rank = send->op.peer;
	return request_groups_mail(&pass->requests, pass->ranks[send->op.peer].group, mail,
				   pass->err);
}

int pass_send_off(struct pass *pass, const struct located *send, uint32_t pending)
{
	if (!pass->has_nic)
		return pass_enter_links(pass, send, pending);
	if (pass->ranks[send->rank].injects_at_once)
		return pass_inject(pass, send, pending);
	return pass_request(pass, pending, send->number, EVENT_INJECTION);
}

int pass_inject(struct pass *pass, const struct located *send, uint32_t pending)
{
	const struct cost latency = {.rule = COST_LATENCY,
				     .class = execution_class(pass->execution, send->number)};

	if (pass->ranks[send->rank].injects_freely)
		TRY(pass_extend(pass, pending, &latency, send->number));
	else
		TRY(move_message(pass, pending, send, EVENT_INJECTION,
				 pass->has_links ? NULL : &latency, send->number));
	TRY(pass_follow(pass, pending));
	return (pass->has_links ? pass_enter_links : pass_reach)(pass, send, pending);
}

/* From the first byte of a message to the last. */
static struct cost transfer_of(const struct pass *pass, const struct located *recv,
			       uint32_t pending)
{
	const uint64_t bytes = message_charged(pass->pool.items[pending].bytes);

	return (struct cost){.rule = bytes ? COST_BYTES : COST_NONE,
			     .bytes = bytes,
			     .class = execution_class(pass->execution, recv->number)};
}

int pass_reach(struct pass *pass, const struct located *send, uint32_t pending)
{
	struct located recv;
	struct cost transfer;

	pass->pool.items[pending].rank = send->op.peer;
	if (pass->has_nic)
		return pass_request_at(pass, pending,
				       pass->execution->matching.partner[send->number],
				       EVENT_ARRIVAL,
				       pass->pool.items[pending].time + pass->arrivals_later);
	recv = pass_partner_of(pass, send);
	transfer = transfer_of(pass, &recv, pending);
	TRY(pass_happen(pass, pending, recv.number, EVENT_ARRIVAL, NULL, false));
	TRY(pass_extend(pass, pending, &transfer, send->number));
	return pass_arrive(pass, &recv, pending);
}

static int serve_arrival(struct pass *pass, const struct located *recv, uint32_t pending)
{
	const struct cost transfer = transfer_of(pass, recv, pending);

	TRY(move_message(pass, pending, recv, EVENT_ARRIVAL, &transfer,
			 pass->execution->matching.partner[recv->number]));
	return pass_arrive(pass, recv, pending);
}

static int serve_completion(struct pass *pass, const struct located *recv)
{
	TRY(pass_bound_by_wait(pass, recv));
	return pass_end_receive(pass, recv, cpu_of(pass, recv));
}

static int serve(struct pass *pass, const struct request *request)
{
	const uint32_t op = cost_event_op(request->event), pending = request->data;
	const enum event_kind kind = cost_event_kind(request->event);
	struct located at;

	/* It has completed in a wait that became known later but began before. */
	if (kind == EVENT_COMPLETION && pass->ops[op].pending != pending)
		return 0;
	if (op >= pass->goal->op_count)
		return pass_serve_link(pass, op, pending);
	at = execution_locate(pass->execution, pass->pool.items[pending].rank, op);
	switch (kind) {
	case EVENT_MATCH:
		return pass_deliver(pass, &at, pending, pass->execution->matching.partner[op]);
	case EVENT_INJECTION:
		return pass_inject(pass, &at, pending);
	case EVENT_ARRIVAL:
		return serve_arrival(pass, &at, pending);
	case EVENT_COMPLETION:
		return serve_completion(pass, &at);
	default:
		return pass_start(pass, &at, pending, cpu_of(pass, &at));
	}
}

/* ----------------------------------------------------------------- all operations */

static inline const uint8_t *record_of(const struct goal_block *block, uint32_t number)
{
	return block->ops + (size_t)(number - block->first_op) * GOAL_OP_BYTES;
}

/* Prefetch an operation and its state. */
static inline void prefetch_operation(const struct pass *pass, const struct goal_block *block,
				      uint32_t number)
{
	const uint8_t *record = record_of(block, number);

	__builtin_prefetch(record);
	__builtin_prefetch(record + GOAL_OP_BYTES - 1);
	__builtin_prefetch(&pass->ops[number]);
}

/* Prefetch operations of the rank that begin later: the file has most ranks' in that order. */
static inline void prefetch_later(const struct pass *pass, const struct located *at)
{
	enum { LATER = 12 };
	const uint8_t *record = record_of(at->block, at->number);

	__builtin_prefetch(record + LATER * GOAL_OP_BYTES);
	__builtin_prefetch(&pass->ops[at->number + LATER]);
	__builtin_prefetch(at->block->successors + 4 * (size_t)(at->op.requires_first + 2 * LATER));
	__builtin_prefetch(&pass->execution->matching.partner[at->number + LATER]);
	if (pass->unopened)
		__builtin_prefetch(&pass->unopened[at->number + LATER]);
}

/* How far a request is prefetched: its event; its operation; whom that releases; the state of that. */
enum prefetch { EVENTS, OPERATIONS, SUCCESSORS, FOLLOWERS };

static inline void prefetch_request(const struct pass *pass, const struct request *request,
				    enum prefetch what)
{
	const struct pending *pending = &pass->pool.items[request->data];
	const uint32_t op = cost_event_op(request->event);
	const struct goal_block *block;
	const uint8_t *record;

	if (what == EVENTS) {
		__builtin_prefetch(pending);
		return;
	}
	block = &pass->goal->ranks[pending->rank];
	/* It may be an entry into a link, or have been served: then its event may be another one. */
	if (op - block->first_op >= block->op_count)
		return;
	record = record_of(block, op);
	if (what == OPERATIONS) {
		prefetch_operation(pass, block, op);
		__builtin_prefetch(&pass->execution->matching.partner[op]);
	} else if (what == SUCCESSORS) {
		__builtin_prefetch(block->successors + 4 * (size_t)goal_load32(record + 27));
		__builtin_prefetch(&pass->servers[pass->ranks[pending->rank].first]);
	} else if (goal_load32(record + 23)) {
		const uint32_t later = block->first_op +
				       goal_successor(block, goal_load32(record + 27));

		prefetch_operation(pass, block, later);
		if (pass->unopened)
			__builtin_prefetch(&pass->unopened[later]);
	}
}

/* Prefetch for the requests of the group that comes later. */
static inline void prefetch_group(const struct pass *pass, uint32_t distance, enum prefetch what)
{
	enum { MOST = 8 };
	const struct request_node *nodes = pass->requests.nodes.items;
	uint32_t node = request_groups_later(&pass->requests, distance);

	for (int i = 0; node && i < MOST; i++) {
		prefetch_request(pass, &nodes[node].request, what);
		/* Later requests are children of the first. */
		node = i == 0 && cost_event_kind(nodes[node].request.event) != EVENT_MATCH
			       ? nodes[node].child
			       : nodes[node].next;
	}
}

static inline void prefetch_groups(const struct pass *pass)
{
	prefetch_group(pass, 10, EVENTS);
	prefetch_group(pass, 7, OPERATIONS);
	prefetch_group(pass, 4, SUCCESSORS);
	prefetch_group(pass, 2, FOLLOWERS);
}

static int begin_ready(struct pass *pass)
{
	while (pass->ready.count) {
		const struct order_entry entry = pass->ready.items[--pass->ready.count];
		const struct located at = execution_locate(pass->execution, entry.rank,
							   entry.number);

		prefetch_later(pass, &at);
		TRY(pass_begin(pass, &at));
	}
	return 0;
}

int pass_begin_roots(struct pass *pass)
{
	for (uint32_t rank = 0; rank < pass->goal->rank_count; rank++) {
		const struct goal_block *block = &pass->goal->ranks[rank];

		for (uint32_t i = 0; i < block->root_count; i++) {
			const struct order_entry root = {
				block->first_op + goal_load32(block->roots + 4 * (size_t)i), rank};

			/* A gap may hold a root back, or have begun it. */
			if (pass->ops[root.number].others ||
			    pass->ops[root.number].ends & OP_BEGUN)
				continue;
			TRY(array_push(&pass->ready, root, pass->err));
			TRY(begin_ready(pass));
		}
	}
	return 0;
}

int pass_serve(struct pass *pass, uint64_t ended)
{
	progress_show(pass->ended, pass->goal->op_count);
	while (pass->ended < ended) {
		const uint32_t running = pass->requests.running;
		struct request request;
		int found;

		TRY(found = request_groups_take(&pass->requests, &request, pass->err));
		if (!found)
			return cycle_error_of_graph(pass->execution, pass->err);
		if (pass->requests.running != running)
			prefetch_groups(pass);
		TRY(serve(pass, &request));
		TRY(begin_ready(pass));
	}
	return 0;
}
