#include "llamp/graph/service.h"

#include "common/hash.h"
#include "common/min_heap.h"
#include "common/progress.h"
#include "llamp/graph/common_divisor.h"
#include "llamp/graph/cycle.h"
#include "llamp/graph/edge_merge.h"
#include "llamp/graph/times.h"

#include <inttypes.h>
#include <string.h>

/*
 * State of an operation, after its count of unmet dependencies.  That of a send tells where
 * its message is.
 */
enum {
	POSTED = INT32_MAX - 8,	/* a receive */
	STARTED,		/* a send; its message has not been injected */
	ANNOUNCED,		/* a rendezvous: waits for the receive to be posted */
	FLYING,			/* injected, and has not arrived */
	HERE,			/* arrived, and waits for the receive to be posted */
	MATCHED,		/* the receive can complete */
	DONE,
};

/* A bound of an event: it is not before `at`, which is the value of a source plus a cost. */
struct bound {
	struct moment at;
	struct in_edge edge;
	struct cause cause;
};

/* The bounds of an event that has not happened yet. */
struct pending {
	struct moment at;	/* the latest bound */
	struct cause cause;
	uint32_t list;		/* of edges; 0 if no graph is written */
	uint32_t rank;
	uint32_t next;		/* free one */
	uint32_t waiters;	/* of a wait: list of receives */
};

/* A receive that waits for the wait of an operation to begin. */
struct waiter {
	uint32_t recv;
	uint32_t next;		/* in a list; 0 ends it */
	bool completed;		/* in the wait of another operation: */
	struct moment wait;	/* which began then */
};

/* A CPU, or one direction of a NIC. */
struct server {
	struct bound last;	/* CPU: it is free from here on; NIC: the last message */
	uint64_t bytes;		/* NIC: s - 1 of the last message */
	struct moment ready;	/* of the last request */
	uint32_t number;
	bool used;
};

/* Servers of a rank: its CPUs, its NICs to inject, its NICs to take in. */
struct rank_servers {
	uint32_t first;
	uint16_t cpus, nics;
};

struct pass {
	const struct execution_graph *execution;
	const struct goal *goal;
	const struct loggps *loggps;
	struct service *service;
	struct cost_weights weights;	/* in units */
	struct causes *causes;		/* NULL: not kept */
	bool writes, has_cpu, has_nic, has_gap;
	uint32_t varied;
	int32_t *state;
	uint32_t *pending;		/* of every operation: an entry of the pool, or 0 */
	/*
	 * With limited CPUs, of every operation: its unmet dependencies but for the ends of
	 * receives, and the entry of its wait: their bounds, then the event.
	 */
	int32_t *others;
	uint32_t *waits;
	ARRAY(struct pending) pool;	/* the first is not used */
	uint32_t unused;		/* first free entry */
	ARRAY(struct waiter) waiters;	/* the first is not used */
	uint32_t unused_waiter;
	ARRAY(struct order_entry) ready;	/* operations whose dependencies are met */
	struct min_heap requests;
	struct rank_servers *ranks;
	struct server *servers;
	struct cost_writer writer;
	struct edge_merge merge;
	struct pending end;		/* bounds of the end of the program */
	uint64_t op_events;		/* operations that have ended, or started if eager */
	struct error *err;
};

/* ---------------------------------------------------------------------- bounds */

static int too_long(const struct pass *pass)
{
	return error_set(pass->err, STATUS_LIMIT,
			 "times do not fit 64 bits in units of %" PRId64 " as, which all parameters"
			 " are multiples of; give the parameters with fewer digits",
			 pass->service->unit_as);
}

/* Make a vertex of a bound whose edge would be too long for 64 bits with another cost. */
static int keep_vertex(struct pass *pass, struct bound *bound)
{
	const uint64_t first = pass->writer.edges.count;
	const uint32_t event = cost_event(bound->cause.op, bound->cause.kind);

	TRY(cost_writer_edge(&pass->writer, bound->edge.source, bound->edge.ns,
			     bound->edge.expression, pass->err));
	TRY(cost_writer_vertex(&pass->writer, event, pass->err));
	TRY(edge_merge_add_source(&pass->merge, pass->writer.edges.items, first));
	bound->edge = (struct in_edge){.source = (uint32_t)pass->writer.vertices.count};
	return 0;
}

static int extend_edge(struct pass *pass, struct bound *from, const struct cost *cost,
		       struct in_edge *edge)
{
	const uint32_t expression = cost_expressions_of(&pass->writer.expressions, cost);

	if (edge_merge_extend(&pass->merge, &from->edge, cost->ns, expression, edge))
		return 0;
	if (pass->writer.expressions.failed)
		return -1;
	TRY(keep_vertex(pass, from));
	*edge = (struct in_edge){cost->ns, from->edge.source, expression, 0};
	return expression == EXPRESSION_FAILED ? too_long(pass) : 0;
}

/* The bound of an event that comes `cost` after another one. */
static int extend(struct pass *pass, struct bound *from, const struct cost *cost, uint32_t cost_op,
		  struct bound *to)
{
	const __int128 time = from->at.time + cost_weigh(&pass->weights, cost);
	const int64_t slope = (int64_t)cost_coefficient(cost, pass->varied);

	if (time > INT64_MAX || __builtin_add_overflow(from->at.left, slope, &to->at.left) ||
	    __builtin_add_overflow(from->at.right, slope, &to->at.right))
		return too_long(pass);
	to->at.time = (int64_t)time;
	to->cause = from->cause;
	to->cause.cost_op = cost_op;
	to->cause.rule = (uint8_t)cost->rule;
	return pass->writes ? extend_edge(pass, from, cost, &to->edge) : 0;
}

static int list_edge(struct pass *pass, uint32_t *list, const struct in_edge *edge)
{
	struct edge_merge *merge = &pass->merge;
	struct in_edge *first = &merge->pool.items[*list];
	uint32_t added;

	/* Many bounds of a join come from one source. */
	if (*list && first->source == edge->source && first->expression == edge->expression) {
		first->ns = edge->ns > first->ns ? edge->ns : first->ns;
		return 0;
	}
	added = edge_merge_new(merge);
	if (!added)
		return -1;
	merge->pool.items[added] = *edge;
	merge->pool.items[added].next = *list;
	*list = added;
	return 0;
}

static int wait_for(struct pass *pass, struct pending *pending, bool is_new,
		    const struct bound *bound)
{
	if (is_new) {
		pending->at = bound->at;
		pending->cause = bound->cause;
	} else if (moment_later(&pending->at, &bound->at, &pass->service->waits,
				pass->service->unit_as)) {
		pending->cause = bound->cause;
	}
	return pass->writes ? list_edge(pass, &pending->list, &bound->edge) : 0;
}

/* ------------------------------------------------------------- events to come */

static int take_entry(struct pass *pass, uint32_t *entry)
{
	*entry = pass->unused;
	if (*entry) {
		pass->unused = pass->pool.items[*entry].next;
		return 0;
	}
	*entry = (uint32_t)pass->pool.count;
	return array_push(&pass->pool, (struct pending){0}, pass->err);
}

static struct pending *entry_of(const struct pass *pass, const uint32_t *slot)
{
	return &pass->pool.items[*slot];
}

static struct pending *pending_of(const struct pass *pass, uint32_t op)
{
	return entry_of(pass, &pass->pending[op]);
}

static int make_entry(struct pass *pass, uint32_t *slot, uint32_t rank)
{
	TRY(take_entry(pass, slot));
	*entry_of(pass, slot) = (struct pending){.rank = rank, .cause = {.op = NO_EVENT}};
	return 0;
}

/* Add a bound to an event in `rank` that is to come. */
static int add_bound(struct pass *pass, uint32_t *slot, uint32_t rank, const struct bound *bound)
{
	const bool is_new = !*slot;

	if (is_new)
		TRY(make_entry(pass, slot, rank));
	return wait_for(pass, entry_of(pass, slot), is_new, bound);
}

static void drop_entry(struct pass *pass, uint32_t *slot)
{
	entry_of(pass, slot)->next = pass->unused;
	pass->unused = *slot;
	*slot = 0;
}

/* Let the event in `to` wait for all that the event in `slot` waits for. */
static int hand_over(struct pass *pass, uint32_t *slot, uint32_t *to, uint32_t rank)
{
	struct edge_merge *merge = &pass->merge;
	const struct pending *from = entry_of(pass, slot);
	struct pending *into;

	if (!*to) {
		*to = *slot;
		*slot = 0;
		entry_of(pass, to)->rank = rank;
		return 0;
	}
	into = entry_of(pass, to);
	if (moment_later(&into->at, &from->at, &pass->service->waits, pass->service->unit_as))
		into->cause = from->cause;
	if (from->list) {
		uint32_t last = from->list;

		while (merge->pool.items[last].next)
			last = merge->pool.items[last].next;
		merge->pool.items[last].next = into->list;
		into->list = from->list;
	}
	drop_entry(pass, slot);
	return 0;
}

/* ------------------------------------------------------------ events that happen */

static void note_cause(const struct pass *pass, uint32_t op, enum event_kind kind,
		       const struct cause *cause)
{
	if (pass->causes)
		*cause_of(pass->causes, op, kind) = *cause;
}

/* Take the edges of a list into the event at hand, and leave it empty. */
static void take_list(struct edge_merge *merge, uint32_t *list)
{
	for (uint32_t i = *list; i; i = merge->pool.items[i].next) {
		const struct in_edge edge = merge->pool.items[i];

		edge_merge_take(merge, edge.ns, edge.source, edge.expression);
	}
	if (*list)
		edge_merge_free(merge, *list);
	*list = 0;
}

/* The edges into an event become one edge, by way of a vertex if they must. */
static int close_edges(struct pass *pass, uint32_t event, struct in_edge *edge)
{
	struct edge_merge *merge = &pass->merge;
	const uint64_t first = pass->writer.edges.count;

	TRY(edge_merge_close(merge, pass->writer.edges.items));
	if (merge->open.count == 1) {
		*edge = merge->open.items[0];
		return 0;
	}
	TRY(edge_merge_write(merge, &pass->writer));
	TRY(cost_writer_vertex(&pass->writer, event, pass->err));
	TRY(edge_merge_add_source(merge, pass->writer.edges.items, first));
	*edge = (struct in_edge){.source = (uint32_t)pass->writer.vertices.count};
	return 0;
}

/* The event of `op` happens when all that it waits for has; `slot` holds its bounds. */
static int happen(struct pass *pass, uint32_t *slot, uint32_t op, enum event_kind kind,
		  struct bound *event)
{
	struct pending *pending = entry_of(pass, slot);

	event->at = pending->at;
	event->cause = (struct cause){.op = op, .kind = (uint8_t)kind, .cost_op = NO_OP};
	note_cause(pass, op, kind, &pending->cause);
	if (pass->writes) {
		pass->merge.open.count = 0;
		take_list(&pass->merge, &pending->list);
		TRY(close_edges(pass, cost_event(op, kind), &event->edge));
	}
	drop_entry(pass, slot);
	return 0;
}

/* ---------------------------------------------------------------------- servers */

static struct server *cpu_of(const struct pass *pass, uint32_t rank, uint32_t cpu)
{
	return &pass->servers[pass->ranks[rank].first + cpu];
}

static struct server *nic_of(const struct pass *pass, uint32_t rank, uint32_t nic, bool takes_in)
{
	const struct rank_servers *servers = &pass->ranks[rank];

	return &pass->servers[servers->first + servers->cpus + (takes_in ? servers->nics : 0) +
			      nic];
}

/* Request a server for the event of `op`, whose bounds are in `slot`. */
static int request(struct pass *pass, uint32_t slot, uint32_t op)
{
	return min_heap_push(&pass->requests, (uint64_t)pending_of(pass, slot)->at.time, op,
			     pass->err);
}

/* A request joins the order of a server. */
static void line_up(struct pass *pass, struct server *server, uint32_t slot, uint32_t op)
{
	const struct moment ready = pending_of(pass, slot)->at;
	const uint64_t place = (uint64_t)(server - pass->servers) + 1;

	pass->service->order_hash +=
		mix64(mix64(place << 32 | (server->used ? server->number + 1 : 0)) + op);
	if (server->used)
		reach_keep_order(&pass->service->order, &server->ready, &ready,
				 pass->service->unit_as, server->number < op);
	server->ready = ready;
	server->number = op;
}

/* The CPU serves the event of `op`, not before it is free. */
static int serve_cpu(struct pass *pass, struct server *cpu, uint32_t slot, uint32_t op,
		     enum event_kind kind, struct bound *event)
{
	line_up(pass, cpu, slot, op);
	if (cpu->used)
		TRY(wait_for(pass, pending_of(pass, slot), false, &cpu->last));
	cpu->used = true;
	return happen(pass, &pass->pending[slot], op, kind, event);
}

/* The NIC moves a message of `bytes`, not before it has moved the one before. */
static int serve_nic(struct pass *pass, struct server *nic, uint32_t slot, uint32_t op,
		     enum event_kind kind, uint64_t bytes, struct bound *event)
{
	const struct cost apart = {.rule = pass->has_gap ? COST_NIC_GAP
						: nic->bytes   ? COST_NIC
							       : COST_NONE,
				   .bytes = nic->bytes};
	struct bound bound;

	line_up(pass, nic, slot, op);
	if (nic->used) {
		TRY(extend(pass, &nic->last, &apart, nic->last.cause.op, &bound));
		TRY(wait_for(pass, pending_of(pass, slot), false, &bound));
	}
	TRY(happen(pass, &pass->pending[slot], op, kind, event));
	nic->last = *event;
	nic->bytes = message_charged(bytes);
	nic->used = true;
	return 0;
}

/* ------------------------------------------------------------------- dependencies */

/* Where the bounds of an operation's start are gathered, but for the ends of receives. */
static uint32_t *slot_of_others(const struct pass *pass, uint32_t op)
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

/* The same for a dependency that is not the end of a receive. */
static int count_other_met(struct pass *pass, uint32_t op, uint32_t rank)
{
	if (pass->has_cpu && --pass->others[op] == 0 && pass->waits[op])
		TRY(begin_wait(pass, op, rank));
	return count_met(pass, op, rank);
}

static int meet_dependency(struct pass *pass, const struct located *at, uint32_t successor,
			   const struct bound *bound)
{
	const uint32_t op = at->block->first_op + successor;

	TRY(add_bound(pass, slot_of_others(pass, op), at->rank, bound));
	return count_other_met(pass, op, at->rank);
}

static int meet_receive(struct pass *pass, const struct located *at, uint32_t successor,
			const struct bound *end)
{
	const uint32_t op = at->block->first_op + successor;

	TRY(add_bound(pass, &pass->pending[op], at->rank, end));
	return count_met(pass, op, at->rank);
}

static int release_irequires(struct pass *pass, const struct located *at, const struct bound *bound)
{
	for (uint32_t k = 0; k < at->op.irequires_count; k++)
		TRY(meet_dependency(pass, at, goal_successor(at->block, at->op.irequires_first + k),
				    bound));
	return 0;
}

/* The operation has ended. */
static int release_requires(struct pass *pass, const struct located *at, const struct bound *end)
{
	for (uint32_t k = 0; k < at->op.requires_count; k++) {
		const uint32_t successor = goal_successor(at->block, at->op.requires_first + k);

		TRY((at->op.kind == GOAL_RECV ? meet_receive : meet_dependency)(pass, at, successor,
										end));
	}
	return 0;
}

/* The program ends not before an operation has ended that nothing requires. */
static int bound_end(struct pass *pass, const struct located *at, const struct bound *end)
{
	const bool is_new = pass->end.rank == 0;

	if (at->op.requires_count)
		return 0;
	pass->end.rank = 1;
	return wait_for(pass, &pass->end, is_new, end);
}

/* --------------------------------------------------------------------- operations */

static int start_calc(struct pass *pass, const struct located *at, struct bound *start,
		      struct server *cpu)
{
	const struct cost cost = cost_busy(pass->loggps, &at->op);
	struct bound end;

	TRY(extend(pass, start, &cost, at->number, &end));
	if (cpu)
		cpu->last = end;
	pass->state[at->number] = DONE;
	pass->op_events++;
	TRY(release_irequires(pass, at, &end));
	TRY(release_requires(pass, at, &end));
	return at->op.irequires_count ? 0 : bound_end(pass, at, &end);
}

static int arrive(struct pass *pass, const struct located *send);
static int announce(struct pass *pass, const struct located *send);

/* The first byte of the message of a send leaves when `start` and `cost` are over. */
static int send_message(struct pass *pass, const struct located *at, struct bound *start)
{
	const bool meets = message_is_rendezvous(pass->loggps, at->op.size) &&
			   pass->loggps->rendezvous != RENDEZVOUS_SYNC;
	const struct cost message = pass->has_nic && !meets
					    ? cost_overhead(pass->loggps, at->op.size)
					    : cost_message(pass->loggps, at->op.size);
	struct bound bound;

	TRY(extend(pass, start, &message, at->number, &bound));
	TRY(add_bound(pass, &pass->pending[at->number], at->rank, &bound));
	if (meets)
		return announce(pass, at);
	if (!pass->has_nic)
		return arrive(pass, at);
	pass->state[at->number] = STARTED;
	return request(pass, at->number, at->number);
}

/* Keep later sends apart from this one; they follow in the order that gaps_find chose. */
static int release_gaps(struct pass *pass, const struct located *at, struct bound *start)
{
	const struct execution_graph *execution = pass->execution;
	const struct cost gap = {.rule = COST_GAP};
	const struct cost transfer = {.rule = COST_TRANSFER, .bytes = at->op.size};
	struct bound bound;

	for (uint32_t k = execution->gap_first[at->number];
	     k < execution->gap_first[at->number + 1]; k++) {
		const uint32_t later = execution->gap_later[k];

		TRY(extend(pass, start, &gap, at->number, &bound));
		TRY(add_bound(pass, slot_of_others(pass, later), at->rank, &bound));
		TRY(extend(pass, start, &transfer, at->number, &bound));
		TRY(meet_dependency(pass, at, later - at->block->first_op, &bound));
	}
	return 0;
}

static int start_send(struct pass *pass, const struct located *at, struct bound *start,
		      struct server *cpu)
{
	const struct cost overhead = cost_overhead(pass->loggps, at->op.size);
	struct bound busy;

	TRY(extend(pass, start, &overhead, at->number, &busy));
	if (cpu)
		cpu->last = busy;
	TRY(release_irequires(pass, at, &busy));
	if (pass->execution->gap_first)
		TRY(release_gaps(pass, at, start));
	if (!message_is_rendezvous(pass->loggps, at->op.size)) {
		pass->op_events++;
		TRY(release_requires(pass, at, &busy));
	}
	return send_message(pass, at, start);
}

/* The other half of a message. */
static struct located partner_of(const struct pass *pass, const struct located *half)
{
	return execution_locate(pass->execution, half->op.peer,
				pass->execution->matching.partner[half->number]);
}

/* A rendezvous send ends after its receive. */
static int end_send(struct pass *pass, const struct located *send, struct bound *received)
{
	const struct cost rest = cost_send_after_recv(pass->loggps, send->op.size);
	struct bound end;

	pass->op_events++;
	TRY(extend(pass, received, &rest, send->number, &end));
	TRY(release_requires(pass, send, &end));
	return bound_end(pass, send, &end);
}

/* The receive completes at `event`. */
static int end_receive(struct pass *pass, const struct located *send, const struct located *recv,
		       struct bound *event, struct server *cpu)
{
	const struct cost overhead = cost_overhead(pass->loggps, send->op.size);
	struct bound end;

	TRY(extend(pass, event, &overhead, recv->number, &end));
	if (cpu)
		cpu->last = end;
	pass->state[send->number] = pass->state[recv->number] = DONE;
	pass->op_events++;
	TRY(release_requires(pass, recv, &end));
	TRY(bound_end(pass, recv, &end));
	return message_is_rendezvous(pass->loggps, send->op.size) ? end_send(pass, send, &end) : 0;
}

/* ------------------------------------------------------------------------ waits */

/* The event of a wait that has begun. */
static struct bound wait_event(const struct pass *pass, uint32_t op)
{
	const struct pending *wait = entry_of(pass, &pass->waits[op]);
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
	const int64_t ready = pending_of(pass, send)->at.time;
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
	const uint32_t waiters = entry_of(pass, slot)->waiters;
	struct bound event = {.at = entry_of(pass, slot)->at};

	/* All receives have ended before. */
	if (pass->state[op] == 1) {
		TRY(wake(pass, waiters, &event));
		return hand_over(pass, slot, &pass->pending[op], rank);
	}
	TRY(happen(pass, slot, op, EVENT_WAIT, &event));
	TRY(add_bound(pass, &pass->pending[op], rank, &event));
	TRY(add_bound(pass, slot, rank, &event));
	return wake(pass, waiters, &event);
}

/* The operation begins: its wait is over. */
static void end_wait(struct pass *pass, uint32_t op)
{
	struct pending *wait = entry_of(pass, &pass->waits[op]);

	if (wait->list)
		edge_merge_free(&pass->merge, wait->list);
	drop_entry(pass, &pass->waits[op]);
}

static int add_waiter(struct pass *pass, uint32_t op, const struct located *recv)
{
	uint32_t added = pass->unused_waiter;
	struct pending *wait;

	if (!pass->waits[op])
		TRY(make_entry(pass, &pass->waits[op], recv->rank));
	if (added) {
		pass->unused_waiter = pass->waiters.items[added].next;
	} else {
		added = (uint32_t)pass->waiters.count;
		TRY(array_push(&pass->waiters, (struct waiter){0}, pass->err));
	}
	wait = entry_of(pass, &pass->waits[op]);
	pass->waiters.items[added] = (struct waiter){
		.recv = recv->number, .next = wait->waiters};
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
		else if (first == NO_OP || entry_of(pass, &pass->waits[op])->at.time <
						   entry_of(pass, &pass->waits[first])->at.time)
			first = op;
	}
	return first;
}

/* The receive completes in the wait of `first`: it must stay the first of all. */
static void keep_first_wait(struct pass *pass, const struct located *recv, uint32_t first)
{
	const struct moment wait = entry_of(pass, &pass->waits[first])->at;

	for (uint32_t k = 0; k < recv->op.requires_count; k++) {
		const uint32_t op = requiring(recv, k);

		if (op == first || !pass->waits[op])
			continue;
		if (!pass->others[op]) {
			reach_keep_order(&pass->service->order, &wait,
					 &entry_of(pass, &pass->waits[op])->at,
					 pass->service->unit_as, true);
			continue;
		}
		for (uint32_t i = entry_of(pass, &pass->waits[op])->waiters; i;
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

/* Without a thread of its own for that, a rank completes receives only while it waits. */
static int wait_for_wait(struct pass *pass, const struct located *send, const struct located *recv)
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

/* Add the bound of the wait in which the receive completes. */
static int bound_by_wait(struct pass *pass, const struct located *send, const struct located *recv)
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
	return add_bound(pass, &pass->pending[send->number], recv->rank, &event);
}

/* The message is here and its receive is posted; the bounds are those of the send. */
static int complete(struct pass *pass, const struct located *send, const struct located *recv)
{
	struct bound event;

	pass->state[send->number] = MATCHED;
	pending_of(pass, send->number)->rank = recv->rank;
	if (pass->has_cpu)
		return wait_for_wait(pass, send, recv);
	TRY(happen(pass, &pass->pending[send->number], recv->number, EVENT_COMPLETION, &event));
	return end_receive(pass, send, recv, &event, NULL);
}

/* Both sides of a rendezvous have met: move the data. */
static int move_data(struct pass *pass, const struct located *send, const struct located *recv)
{
	const struct cost cost = pass->has_nic
					 ? cost_match_to_injection(pass->loggps, send->op.size)
					 : cost_match_to_completion(pass->loggps, send->op.size);
	struct bound match, bound;

	TRY(happen(pass, &pass->pending[send->number], send->number, EVENT_MATCH, &match));
	TRY(extend(pass, &match, &cost, send->number, &bound));
	TRY(add_bound(pass, &pass->pending[send->number], send->rank, &bound));
	if (!pass->has_nic)
		return complete(pass, send, recv);
	pass->state[send->number] = STARTED;
	return request(pass, send->number, send->number);
}

/* The announcement of a rendezvous is there, or its receive is posted. */
static int meet(struct pass *pass, const struct located *send, const struct located *recv)
{
	TRY(hand_over(pass, &pass->pending[recv->number], &pass->pending[send->number],
		      send->rank));
	return move_data(pass, send, recv);
}

static int announce(struct pass *pass, const struct located *send)
{
	const struct located recv = partner_of(pass, send);

	pass->state[send->number] = ANNOUNCED;
	return pass->state[recv.number] == POSTED ? meet(pass, send, &recv) : 0;
}

/* A message that needs no announcement is here, and its receive is posted. */
static int take_message(struct pass *pass, const struct located *send, const struct located *recv)
{
	TRY(hand_over(pass, &pass->pending[recv->number], &pass->pending[send->number], recv->rank));
	return complete(pass, send, recv);
}

/* A message that needs no announcement is here. */
static int arrive(struct pass *pass, const struct located *send)
{
	const struct located recv = partner_of(pass, send);

	pass->state[send->number] = HERE;
	return pass->state[recv.number] == POSTED ? take_message(pass, send, &recv) : 0;
}

/* The event needs no time: the only operation that waits for it waits for the same bounds. */
static bool passes_on(const struct located *at)
{
	return at->op.kind == GOAL_CALC && at->op.requires_count + at->op.irequires_count == 1;
}

static int pass_on(struct pass *pass, const struct located *at)
{
	const uint32_t first = at->op.requires_count ? at->op.requires_first
						     : at->op.irequires_first;
	const uint32_t op = at->block->first_op + goal_successor(at->block, first);

	pass->state[at->number] = DONE;
	pass->op_events++;
	TRY(hand_over(pass, &pass->pending[at->number], slot_of_others(pass, op), at->rank));
	return count_other_met(pass, op, at->rank);
}

static int post(struct pass *pass, const struct located *recv)
{
	const struct located send = partner_of(pass, recv);

	pass->state[recv->number] = POSTED;
	if (recv->op.irequires_count) {
		struct bound posted;

		TRY(happen(pass, &pass->pending[recv->number], recv->number, EVENT_POST, &posted));
		TRY(release_irequires(pass, recv, &posted));
		TRY(add_bound(pass, &pass->pending[recv->number], recv->rank, &posted));
	}
	if (pass->state[send.number] == ANNOUNCED)
		return meet(pass, &send, recv);
	return pass->state[send.number] == HERE ? take_message(pass, &send, recv) : 0;
}

/* All dependencies of the operation are met. */
static int begin(struct pass *pass, const struct located *at)
{
	static const struct bound beginning = {.cause = {.op = NO_EVENT, .cost_op = NO_OP}};
	const bool works = at->op.kind == GOAL_SEND || (at->op.kind == GOAL_CALC && at->op.size);
	struct bound start;

	if (pass->has_cpu && pass->waits[at->number])
		end_wait(pass, at->number);
	if (!pass->pending[at->number])
		TRY(add_bound(pass, &pass->pending[at->number], at->rank, &beginning));
	if (at->op.kind == GOAL_RECV)
		return post(pass, at);
	if (works && pass->has_cpu)
		return request(pass, at->number, at->number);
	if (!works && passes_on(at))
		return pass_on(pass, at);
	TRY(happen(pass, &pass->pending[at->number], at->number, EVENT_START, &start));
	return at->op.kind == GOAL_CALC ? start_calc(pass, at, &start, NULL)
					: start_send(pass, at, &start, NULL);
}

/* ----------------------------------------------------------------------- requests */

static int serve_work(struct pass *pass, const struct located *at)
{
	struct server *cpu = cpu_of(pass, at->rank, at->op.cpu);
	struct bound start;

	TRY(serve_cpu(pass, cpu, at->number, at->number, EVENT_START, &start));
	return at->op.kind == GOAL_CALC ? start_calc(pass, at, &start, cpu)
					: start_send(pass, at, &start, cpu);
}

static int serve_injection(struct pass *pass, const struct located *send)
{
	struct server *nic = nic_of(pass, send->rank, send->op.nic, false);
	const uint32_t recv = pass->execution->matching.partner[send->number];
	const struct cost latency = {.rule = COST_LATENCY};
	struct bound injection, arrival;

	TRY(serve_nic(pass, nic, send->number, send->number, EVENT_INJECTION, send->op.size,
		      &injection));
	TRY(extend(pass, &injection, &latency, send->number, &arrival));
	TRY(add_bound(pass, &pass->pending[send->number], send->op.peer, &arrival));
	pass->state[send->number] = FLYING;
	return request(pass, send->number, recv);
}

static int serve_arrival(struct pass *pass, const struct located *send, const struct located *recv)
{
	struct server *nic = nic_of(pass, recv->rank, recv->op.nic, true);
	const struct cost bytes = {
		.rule = message_charged(send->op.size) ? COST_BYTES : COST_NONE,
		.bytes = message_charged(send->op.size)};
	const bool met = message_is_rendezvous(pass->loggps, send->op.size) &&
			 pass->loggps->rendezvous != RENDEZVOUS_SYNC;
	struct bound arrival, here;

	TRY(serve_nic(pass, nic, send->number, recv->number, EVENT_ARRIVAL, send->op.size,
		      &arrival));
	TRY(extend(pass, &arrival, &bytes, send->number, &here));
	TRY(add_bound(pass, &pass->pending[send->number], recv->rank, &here));
	return met ? complete(pass, send, recv) : arrive(pass, send);
}

static int serve_completion(struct pass *pass, const struct located *send,
			    const struct located *recv)
{
	struct server *cpu = cpu_of(pass, recv->rank, recv->op.cpu);
	struct bound event;

	TRY(bound_by_wait(pass, send, recv));
	TRY(serve_cpu(pass, cpu, send->number, recv->number, EVENT_COMPLETION, &event));
	return end_receive(pass, send, recv, &event, cpu);
}

static int serve(struct pass *pass, uint32_t op)
{
	const uint32_t partner = pass->execution->matching.partner[op];
	const bool receives = pass->state[op] != 0 && pass->state[op] != STARTED;
	struct located at, send;

	/* It completed in a wait that became known later but began before. */
	if (pass->state[op] == DONE)
		return 0;
	at = execution_locate(pass->execution, pending_of(pass, receives ? partner : op)->rank, op);
	if (!receives)
		return pass->state[op] == STARTED ? serve_injection(pass, &at)
						  : serve_work(pass, &at);
	send = partner_of(pass, &at);
	return pass->state[send.number] == FLYING ? serve_arrival(pass, &send, &at)
						  : serve_completion(pass, &send, &at);
}

static int begin_ready(struct pass *pass)
{
	while (pass->ready.count) {
		const struct order_entry entry = pass->ready.items[--pass->ready.count];
		const struct located at = execution_locate(pass->execution, entry.rank,
							   entry.number);

		TRY(begin(pass, &at));
	}
	return 0;
}

static int begin_roots(struct pass *pass)
{
	for (uint32_t rank = 0; rank < pass->goal->rank_count; rank++) {
		const struct goal_block *block = &pass->goal->ranks[rank];

		for (uint32_t i = 0; i < block->root_count; i++) {
			const struct order_entry root = {
				block->first_op + goal_load32(block->roots + 4 * (size_t)i), rank};

			/* A gap may hold a root back, or have begun it. */
			if (pass->state[root.number] != 0 || pass->pending[root.number])
				continue;
			TRY(array_push(&pass->ready, root, pass->err));
			TRY(begin_ready(pass));
		}
	}
	return 0;
}

static int serve_all(struct pass *pass)
{
	uint64_t served = 0;

	TRY(begin_roots(pass));
	while (pass->requests.entries.count) {
		if ((served++ & 0xffff) == 0)
			progress_show(pass->op_events, pass->goal->op_count);
		TRY(serve(pass, min_heap_pop(&pass->requests)));
		TRY(begin_ready(pass));
	}
	if (pass->op_events < pass->goal->op_count)
		return cycle_error_of_graph(pass->execution, pass->err);
	return 0;
}

/* ------------------------------------------------------------------------- set-up */

/* The largest time of which all costs are multiples becomes the unit. */
static void set_weights(struct pass *pass)
{
	struct cost_weights *weights = &pass->weights;
	__int128 unit = AS_PER_NS;

	for (uint32_t v = 0; v < pass->loggps->variables.count; v++)
		unit = common_divisor(unit, loggps_value(pass->loggps, v));
	*weights = times_weights(pass->loggps);
	weights->per_ns /= unit;
	for (int rule = 0; rule < COST_RULE_COUNT; rule++) {
		weights->rules[rule] /= unit;
		weights->per_byte[rule] /= unit;
		weights->per_size[rule] /= unit;
	}
	pass->service->unit_as = (int64_t)unit;
}

/* Also count the dependencies of all operations. */
static uint32_t count_servers(struct pass *pass)
{
	const uint32_t *gaps = pass->execution->gap_first;
	uint32_t count = 0;

	for (uint32_t rank = 0; rank < pass->goal->rank_count; rank++) {
		const struct goal_block *block = &pass->goal->ranks[rank];
		struct rank_servers *servers = &pass->ranks[rank];

		servers->first = count;
		for (uint32_t i = 0; i < block->op_count; i++) {
			const struct goal_op op = goal_op(block, i);

			pass->state[block->first_op + i] = op.dependencies;
			servers->cpus = op.cpu >= servers->cpus ? op.cpu + 1 : servers->cpus;
			servers->nics = op.nic >= servers->nics ? op.nic + 1 : servers->nics;
		}
		count += servers->cpus + 2 * servers->nics;
	}
	for (uint32_t i = 0; gaps && i < gaps[pass->goal->op_count]; i++)
		pass->state[pass->execution->gap_later[i]]++;
	return count;
}

/* Count the dependencies that are not ends of receives. */
static void count_others(struct pass *pass)
{
	memcpy(pass->others, pass->state, pass->goal->op_count * sizeof *pass->others);
	for (uint32_t rank = 0; rank < pass->goal->rank_count; rank++) {
		const struct goal_block *block = &pass->goal->ranks[rank];

		for (uint32_t i = 0; i < block->op_count; i++) {
			const struct goal_op op = goal_op(block, i);

			for (uint32_t k = 0; op.kind == GOAL_RECV && k < op.requires_count; k++)
				pass->others[block->first_op +
					     goal_successor(block, op.requires_first + k)]--;
		}
	}
}

static int init(struct pass *pass)
{
	struct error *err = pass->err;

	set_weights(pass);
	TRY(allocate(&pass->state, pass->goal->op_count, sizeof *pass->state, err));
	TRY(allocate(&pass->pending, pass->goal->op_count, sizeof *pass->pending, err));
	TRY(allocate(&pass->ranks, pass->goal->rank_count, sizeof *pass->ranks, err));
	TRY(allocate(&pass->servers, count_servers(pass), sizeof *pass->servers, err));
	TRY(array_push(&pass->pool, (struct pending){0}, err));
	TRY(array_push(&pass->waiters, (struct waiter){0}, err));
	if (pass->has_cpu) {
		TRY(allocate(&pass->others, pass->goal->op_count, sizeof *pass->others, err));
		TRY(allocate(&pass->waits, pass->goal->op_count, sizeof *pass->waits, err));
		count_others(pass);
	}
	if (pass->causes)
		TRY(allocate(&pass->causes->of, (size_t)CAUSES_PER_OP * pass->goal->op_count,
			     sizeof *pass->causes->of, err));
	if (!pass->writes)
		return 0;
	TRY(cost_writer_init(&pass->writer, err));
	return edge_merge_init(&pass->merge, &pass->writer.expressions, err);
}

static int finish(struct pass *pass)
{
	pass->service->end = pass->end.at;
	if (pass->causes)
		pass->causes->end = pass->end.rank ? pass->end.cause
						   : (struct cause){.op = NO_EVENT};
	if (!pass->writes)
		return 0;
	pass->merge.open.count = 0;
	take_list(&pass->merge, &pass->end.list);
	TRY(edge_merge_close(&pass->merge, pass->writer.edges.items));
	TRY(edge_merge_write(&pass->merge, &pass->writer));
	return cost_writer_vertex(&pass->writer, COST_EVENT_END, pass->err);
}

static void release(struct pass *pass)
{
	free(pass->state);
	free(pass->pending);
	free(pass->others);
	free(pass->waits);
	free(pass->ranks);
	free(pass->servers);
	array_release(&pass->pool);
	array_release(&pass->waiters);
	array_release(&pass->ready);
	min_heap_release(&pass->requests);
	if (pass->writes)
		edge_merge_release(&pass->merge);
}

int service_run(struct service *service, const struct execution_graph *execution, uint32_t varied,
		struct cost_graph *graph, struct causes *causes, struct error *err)
{
	struct pass pass = {
		.execution = execution,
		.goal = execution->goal,
		.loggps = execution->loggps,
		.service = service,
		.causes = causes,
		.writes = graph != NULL,
		.has_cpu = execution->loggps->resources & RESOURCE_CPU,
		.has_nic = execution->loggps->resources & RESOURCE_NIC,
		.has_gap = variable_is_on(&execution->loggps->variables.of[VARIABLE_g]),
		.varied = varied,
		.err = err,
	};
	int result;

	*service = (struct service){.order = REACH_UNBOUNDED, .waits = REACH_UNBOUNDED};
	if (causes)
		*causes = (struct causes){0};
	result = init(&pass);
	if (result == 0)
		result = serve_all(&pass);
	if (result == 0)
		result = finish(&pass);
	release(&pass);
	if (result == 0 && graph) {
		result = cost_writer_finish(&pass.writer, graph, err);
		graph->op_count = execution->goal->op_count;
		graph->message_count = execution->matching.message_count;
	} else if (graph) {
		cost_writer_release(&pass.writer);
	}
	if (result < 0 && causes)
		causes_release(causes);
	return result;
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
		[EVENT_START] = 0, [EVENT_COMPLETION] = 0, [EVENT_INJECTION] = 1,
		[EVENT_ARRIVAL] = 1, [EVENT_MATCH] = 2, [EVENT_POST] = 2, [EVENT_WAIT] = 3,
	};

	return &causes->of[(size_t)op * CAUSES_PER_OP + place[kind]];
}
