/* Calls that nodes know: a regular program makes few different calls, which need no signatures. */
#include "trace/flow/flow_rank_internal.h"

#include <string.h>

/* Edges of a node that are tried, and events of a call that a node knows. */
enum { MOST_TRIED = 6, MOST_EVENTS = 256 };

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

static bool same_message(const struct mpi_event *a, const struct mpi_event *b)
{
	return a->bytes == b->bytes && a->tag == b->tag && a->partitions == b->partitions &&
	       a->posted == b->posted;
}

static bool same_collective(const struct mpi_event *a, const struct mpi_event *b)
{
	return !a->send_bytes && !a->receive_bytes && !a->neighbours &&
	       a->send_count == b->send_count && a->receive_count == b->receive_count &&
	       a->persistent == b->persistent && a->root == b->root && a->in_place == b->in_place;
}

static bool same_window(const struct mpi_event *a, const struct mpi_event *b)
{
	return a->group == b->group && a->window == b->window && a->atomic == b->atomic &&
	       a->sync == b->sync && a->exclusive == b->exclusive;
}

static inline bool same_event(const struct mpi_event *a, const struct mpi_event *b)
{
	if (a->kind != b->kind || a->comm != b->comm || a->peer != b->peer ||
	    a->collective != b->collective || a->bytes_sent != b->bytes_sent ||
	    a->bytes_received != b->bytes_received || !same_text(a->operation, b->operation))
		return false;
	if (event_is_message(a->kind))
		return same_message(a, b);
	if (event_is_collective(a->kind))
		return same_collective(a, b);
	return !event_is_rma(a->kind) || same_window(a, b);
}

static bool is_known(const struct build_known *known, const struct mpi_call *call,
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

uint32_t build_find_known(const struct build_thread *thread, const struct mpi_call *call)
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
