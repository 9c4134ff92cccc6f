#include "llamp/graph/service_pass.h"

#include "common/hash.h"
#include "common/progress.h"
#include "llamp/graph/cycle.h"

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

int pass_request(struct pass *pass, uint32_t slot, uint32_t op)
{
	return min_heap_push(&pass->requests, (uint64_t)pass_pending_of(pass, slot)->at.time, op,
			     pass->err);
}

/* A request joins the order of a server. */
static void line_up(struct pass *pass, struct server *server, uint32_t slot, uint32_t op)
{
	const struct moment ready = pass_pending_of(pass, slot)->at;
	const uint64_t place = (uint64_t)(server - pass->servers) + 1;

	pass->service->order_hash += mix64(
		mix64(place << 32 | (server->used ? server->number + 1 : 0)) + op);
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
		TRY(pass_wait_for(pass, pass_pending_of(pass, slot), false, &cpu->last));
	cpu->used = true;
	return pass_happen(pass, &pass->pending[slot], op, kind, event);
}

/* The NIC moves a message of `bytes`, not before it has moved the one before. */
static int serve_nic(struct pass *pass, struct server *nic, uint32_t slot, uint32_t op,
		     enum event_kind kind, uint64_t bytes, struct bound *event)
{
	const struct cost apart = {.rule = pass->has_gap ? COST_NIC_GAP
					   : nic->bytes	 ? COST_NIC
							 : COST_NONE,
				   .bytes = nic->bytes, .class = nic->class};
	struct bound bound;

	line_up(pass, nic, slot, op);
	if (nic->used) {
		TRY(pass_extend(pass, &nic->last, &apart, nic->last.cause.op, &bound));
		TRY(pass_wait_for(pass, pass_pending_of(pass, slot), false, &bound));
	}
	TRY(pass_happen(pass, &pass->pending[slot], op, kind, event));
	nic->last = *event;
	nic->bytes = message_charged(bytes);
	nic->class = execution_class(pass->execution, op);
	nic->used = true;
	return 0;
}

/* ----------------------------------------------------------------------- requests */

static int serve_work(struct pass *pass, const struct located *at)
{
	struct server *cpu = cpu_of(pass, at->rank, at->op.cpu);
	struct bound start;

	TRY(serve_cpu(pass, cpu, at->number, at->number, EVENT_START, &start));
	return at->op.kind == GOAL_CALC ? pass_start_calc(pass, at, &start, cpu)
					: pass_start_send(pass, at, &start, cpu);
}

static int serve_injection(struct pass *pass, const struct located *send)
{
	struct server *nic = nic_of(pass, send->rank, send->op.nic, false);
	const uint32_t recv = pass->execution->matching.partner[send->number];
	const struct cost latency = {.rule = COST_LATENCY,
				     .class = execution_class(pass->execution, send->number)};
	struct bound injection, arrival;

	TRY(serve_nic(pass, nic, send->number, send->number, EVENT_INJECTION, send->op.size,
		      &injection));
	TRY(pass_extend(pass, &injection, &latency, send->number, &arrival));
	TRY(pass_add_bound(pass, &pass->pending[send->number], send->op.peer, &arrival));
	pass->state[send->number] = FLYING;
	return pass_request(pass, send->number, recv);
}

static int serve_arrival(struct pass *pass, const struct located *send, const struct located *recv)
{
	struct server *nic = nic_of(pass, recv->rank, recv->op.nic, true);
	const struct cost bytes = {.rule = message_charged(send->op.size) ? COST_BYTES : COST_NONE,
				   .bytes = message_charged(send->op.size),
				   .class = execution_class(pass->execution, send->number)};
	const bool met = message_is_rendezvous(pass->loggps, send->op.size) &&
			 pass->loggps->rendezvous != RENDEZVOUS_SYNC;
	struct bound arrival, here;

	TRY(serve_nic(pass, nic, send->number, recv->number, EVENT_ARRIVAL, send->op.size,
		      &arrival));
	TRY(pass_extend(pass, &arrival, &bytes, send->number, &here));
	TRY(pass_add_bound(pass, &pass->pending[send->number], recv->rank, &here));
	return met ? pass_complete(pass, send, recv) : pass_arrive(pass, send);
}

static int serve_completion(struct pass *pass, const struct located *send,
			    const struct located *recv)
{
	struct server *cpu = cpu_of(pass, recv->rank, recv->op.cpu);
	struct bound event;

	TRY(pass_bound_by_wait(pass, send, recv));
	TRY(serve_cpu(pass, cpu, send->number, recv->number, EVENT_COMPLETION, &event));
	return pass_end_receive(pass, send, recv, &event, cpu);
}

static int serve(struct pass *pass, uint32_t op)
{
	const uint32_t partner = pass->execution->matching.partner[op];
	const bool receives = pass->state[op] != 0 && pass->state[op] != STARTED;
	struct located at, send;

	/* It completed in a wait that became known later but began before. */
	if (pass->state[op] == DONE)
		return 0;
	at = execution_locate(pass->execution, pass_pending_of(pass, receives ? partner : op)->rank,
			      op);
	if (!receives)
		return pass->state[op] == STARTED ? serve_injection(pass, &at)
						  : serve_work(pass, &at);
	send = pass_partner_of(pass, &at);
	return pass->state[send.number] == FLYING ? serve_arrival(pass, &send, &at)
						  : serve_completion(pass, &send, &at);
}

static int begin_ready(struct pass *pass)
{
	while (pass->ready.count) {
		const struct order_entry entry = pass->ready.items[--pass->ready.count];
		const struct located at = execution_locate(pass->execution, entry.rank,
							   entry.number);

		TRY(pass_begin(pass, &at));
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

int pass_serve_all(struct pass *pass)
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
