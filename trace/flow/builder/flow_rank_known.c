/* Calls that nodes know, which need no signature. */
#include "trace/flow/builder/flow_rank_internal.h"

#include <string.h>

/* Edges of a node that are tried, and events of a call that a node knows. */
enum { MOST_TRIED = 6, MOST_EVENTS = 256 };

static inline bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

/*
 * Whether the fields of two events are alike but for the numbers of their requests.  They mostly
 * are, so all differences are taken together.
 */
static inline bool same_event(const struct mpi_event *a, const struct mpi_event *b)
{
	uint64_t differences = (a->kind ^ b->kind) | (a->comm ^ b->comm) | (a->peer ^ b->peer) |
			       (a->collective ^ b->collective) | (a->bytes_sent ^ b->bytes_sent) |
			       (a->bytes_received ^ b->bytes_received);

	if (differences)
		return false;
	if (event_is_message(a->kind))
		differences = (a->bytes ^ b->bytes) | (a->tag ^ b->tag) |
			      (a->partitions ^ b->partitions) | (uint64_t)(a->posted ^ b->posted);
	else if (event_is_collective(a->kind))
		differences = (uint64_t)(a->send_bytes || a->receive_bytes || a->neighbours) |
			      (a->send_count ^ b->send_count) |
			      (a->receive_count ^ b->receive_count) |
			      (a->persistent ^ b->persistent) | (a->root ^ b->root) |
			      (uint64_t)(a->in_place ^ b->in_place);
	else if (event_is_rma(a->kind))
		differences = (a->group ^ b->group) | (a->window ^ b->window) |
			      (a->atomic ^ b->atomic) | (uint64_t)(a->sync ^ b->sync) |
			      (uint64_t)(a->exclusive ^ b->exclusive);
	return !differences && same_text(a->operation, b->operation);
}

static inline bool is_known(const struct build_known *known, const struct mpi_call *call,
			    const struct flow_codes *codes)
{
	if (!known || known->function != call->function || known->count != call->event_count ||
	    known->place != build_place(call))
		return false;
	for (uint32_t i = 0; i < known->count; i++) {
		const struct build_known_event *event = &known->events[i];

		if (event->code.code != codes->items[i].code ||
		    event->code.posted != codes->items[i].posted ||
		    !same_event(&call->events[i], &event->event))
			return false;
	}
	return true;
}

/* Find the edge to a node that knows the call, or FLOW_NO_EDGE: mostly that which was followed last. */
static uint32_t find_known(const struct build_thread *thread, const struct mpi_call *call)
{
	const struct build_node *node;

	if (!thread->events || call->polls)
		return FLOW_NO_EDGE;
	node = &thread->nodes.items[thread->at];
	if (!node->edges.count)
		return FLOW_NO_EDGE;
	if (is_known(thread->nodes.items[thread->edges.items[node->recent].to].known, call,
		     &thread->codes))
		return node->recent;
	for (size_t i = 0; i < node->edges.count && i < MOST_TRIED; i++) {
		const uint32_t edge = node->edges.items[i];

		if (edge != node->recent &&
		    is_known(thread->nodes.items[thread->edges.items[edge].to].known, call,
			     &thread->codes))
			return edge;
	}
	return FLOW_NO_EDGE;
}

/* End the event along a known edge. */
static int follow_known(struct flow_rank_builder *builder, struct build_thread *thread,
			uint32_t number, const struct mpi_call *call, struct error *err)
{
	struct build_node *from = &thread->nodes.items[thread->at];
	struct build_edge *edge = &thread->edges.items[number];
	struct flow_rank_event event = {.node = edge->to, .edge = number};
	const uint64_t gap_ns = call->enter_ns - thread->last_ns;

	from->recent = number;
	TRY(build_add_visit(thread, edge, from->visits - 1, err));
	event.visit = build_arrive(thread, edge->to);
	thread->calls++;
	thread->enter_ns = call->enter_ns;
	thread->last_ns = call->leave_ns;
	TRY(build_add_single(builder, &edge->times, gap_ns, &thread->nodes.items[edge->to].times,
			     call->leave_ns - call->enter_ns, err));
	build_report(builder, thread, &event);
	return thread->growth >= thread->next_check ? build_check_memory(builder, thread, err) : 0;
}

int build_take_known(struct flow_rank_builder *builder, struct build_thread *thread,
		     const struct mpi_call *call, struct error *err)
{
	const uint32_t edge = find_known(thread, call);

	if (edge == FLOW_NO_EDGE)
		return 0;
	TRY(follow_known(builder, thread, edge, call, err));
	return 1;
}

/* Whether all that matters of a call is in its events, and lives as long as the builder. */
static bool can_be_known(const struct mpi_call *call)
{
	for (uint32_t i = 0; i < call->event_count; i++) {
		const struct mpi_event *event = &call->events[i];

		if (event_is_collective(event->kind) &&
		    (event->send_bytes || event->receive_bytes || event->neighbours))
			return false;
	}
	return call->event_count <= MOST_EVENTS && !call->polls;
}

int build_know(struct flow_rank_builder *builder, struct build_node *node,
	       const struct flow_codes *codes, const struct mpi_call *call, struct error *err)
{
	struct build_known *known = node->known;

	if (!can_be_known(call))
		return 0;
	if (!known)
		TRY(allocate(&known, 1, sizeof *known + call->event_count * sizeof *known->events,
			     err));
	node->known = known;
	known->function = call->function;
	known->place = build_place(call);
	known->count = call->event_count;
	for (uint32_t i = 0; i < call->event_count; i++) {
		struct mpi_event *event = &known->events[i].event;

		*event = call->events[i];
		known->events[i].code = codes->items[i];
		/* The caller's text may be another one by then. */
		if (event->operation)
			TRY(flow_string(&builder->calls, event->operation, &event->operation, err));
	}
	return 0;
}
