/* Event loop: serve resource requests, begin operations that are ready. */
#include "llamp/simulate/sim_events.h"

#include "common/progress.h"
#include "llamp/graph/cycle.h"

/* --------------------------------------------------------------------- requests */

static uint32_t cpu_of(const struct sim *sim, const struct located *at)
{
	return sim->ranks[at->rank].first + at->op.cpu;
}

static int serve_completion(struct sim *sim, const struct located *recv)
{
	TRY(sim_bound_by_wait(sim, recv));
	return sim_end_receive(sim, recv, cpu_of(sim, recv));
}

static int serve(struct sim *sim, const struct resource_request *request)
{
	const uint32_t op = cost_event_op(request->event), pending = request->data;
	const enum event_kind kind = cost_event_kind(request->event);
	struct located at;

	/* The receive has completed in a wait that became known later but began before. */
	if (kind == EVENT_COMPLETION && sim->ops[op].pending != pending)
		return 0;
	if (op >= sim->goal->op_count)
		return sim_serve_link(sim, op, pending);
	at = execution_locate(sim->execution, sim->pool.items[pending].rank, op);
	switch (kind) {
	case EVENT_MATCH:
		return sim_deliver(sim, &at, pending, sim->execution->matching.partner[op]);
	case EVENT_INJECTION:
		return sim_inject(sim, &at, pending);
	case EVENT_ARRIVAL:
		return sim_serve_arrival(sim, &at, pending);
	case EVENT_COMPLETION:
		return serve_completion(sim, &at);
	default:
		return sim_start(sim, &at, pending, cpu_of(sim, &at));
	}
}

/* ----------------------------------------------------------------- all operations */

static inline const uint8_t *record_of(const struct goal_block *block, uint32_t number)
{
	return block->ops + (size_t)(number - block->first_op) * GOAL_OP_BYTES;
}

/* Prefetch an operation and its state. */
static inline void prefetch_operation(const struct sim *sim, const struct goal_block *block,
				      uint32_t number)
{
	const uint8_t *record = record_of(block, number);

	__builtin_prefetch(record);
	__builtin_prefetch(record + GOAL_OP_BYTES - 1);
	__builtin_prefetch(&sim->ops[number]);
}

/* Prefetch operations of the rank that begin later, if it begins them in the order of the file. */
static inline void prefetch_later(const struct sim *sim, const struct located *at)
{
	enum { LATER = 12 };
	const uint8_t *record = record_of(at->block, at->number);

	__builtin_prefetch(record + LATER * GOAL_OP_BYTES);
	__builtin_prefetch(&sim->ops[at->number + LATER]);
	__builtin_prefetch(at->block->successors + 4 * (size_t)(at->op.requires_first + 2 * LATER));
	__builtin_prefetch(&sim->execution->matching.partner[at->number + LATER]);
	if (sim->unopened)
		__builtin_prefetch(&sim->unopened[at->number + LATER]);
}

/* What is prefetched for a request: event, operation, successors, state of the first successor. */
enum prefetch { EVENTS, OPERATIONS, SUCCESSORS, FOLLOWERS };

static inline void prefetch_request(const struct sim *sim, const struct resource_request *request,
				    enum prefetch what)
{
	const struct pending *pending = &sim->pool.items[request->data];
	const uint32_t op = cost_event_op(request->event);
	const struct goal_block *block;
	const uint8_t *record;

	if (what == EVENTS) {
		__builtin_prefetch(pending);
		return;
	}
	block = &sim->goal->ranks[pending->rank];
	/* It may be an entry into a link.  Once served, its event may be another one. */
	if (op - block->first_op >= block->op_count)
		return;
	record = record_of(block, op);
	if (what == OPERATIONS) {
		prefetch_operation(sim, block, op);
		__builtin_prefetch(&sim->execution->matching.partner[op]);
	} else if (what == SUCCESSORS) {
		__builtin_prefetch(block->successors + 4 * (size_t)goal_load32(record + 27));
		__builtin_prefetch(&sim->servers[sim->ranks[pending->rank].first]);
	} else if (goal_load32(record + 23)) {
		const uint32_t later = block->first_op +
				       goal_successor(block, goal_load32(record + 27));

		prefetch_operation(sim, block, later);
		if (sim->unopened)
			__builtin_prefetch(&sim->unopened[later]);
	}
}

/* Prefetch for the requests of the group that runs `distance` groups later. */
static inline void prefetch_group(const struct sim *sim, uint32_t distance, enum prefetch what)
{
	enum { MOST = 8 };
	const struct request_node *nodes = sim->requests.nodes.items;
	uint32_t node = request_groups_later(&sim->requests, distance);

	for (int i = 0; node && i < MOST; i++) {
		prefetch_request(sim, &nodes[node].request, what);
		/* Requests after the first are its children. */
		node = i == 0 && cost_event_kind(nodes[node].request.event) != EVENT_MATCH
			       ? nodes[node].child
			       : nodes[node].next;
	}
}

static inline void prefetch_groups(const struct sim *sim)
{
	prefetch_group(sim, 10, EVENTS);
	prefetch_group(sim, 7, OPERATIONS);
	prefetch_group(sim, 4, SUCCESSORS);
	prefetch_group(sim, 2, FOLLOWERS);
}

static int begin_ready(struct sim *sim)
{
	while (sim->ready.count) {
		const struct order_entry entry = sim->ready.items[--sim->ready.count];
		const struct located at = execution_locate(sim->execution, entry.rank,
							   entry.number);

		prefetch_later(sim, &at);
		TRY(sim_begin(sim, &at));
	}
	return 0;
}

int sim_begin_roots(struct sim *sim)
{
	for (uint32_t rank = 0; rank < sim->goal->rank_count; rank++) {
		const struct goal_block *block = &sim->goal->ranks[rank];

		for (uint32_t i = 0; i < block->root_count; i++) {
			const struct order_entry root = {
				block->first_op + goal_load32(block->roots + 4 * (size_t)i), rank};

			/* A gap may keep a root waiting, or have begun it. */
			if (sim->ops[root.number].others || sim->ops[root.number].ends & OP_BEGUN)
				continue;
			TRY(array_push(&sim->ready, root, sim->err));
			TRY(begin_ready(sim));
		}
	}
	return 0;
}

int sim_serve(struct sim *sim, uint64_t ended)
{
	progress_show(sim->ended, sim->goal->op_count);
	while (sim->ended < ended) {
		const uint32_t running = sim->requests.running;
		struct resource_request request;
		int found;

		TRY(found = request_groups_take(&sim->requests, &request, sim->err));
		if (!found)
			return cycle_error_of_graph(sim->execution, sim->err);
		if (sim->requests.running != running)
			prefetch_groups(sim);
		TRY(serve(sim, &request));
		TRY(begin_ready(sim));
	}
	return 0;
}
