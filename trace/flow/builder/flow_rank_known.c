/* Calls that nodes know, which need no signature. */
#include "trace/flow/builder/flow_rank_internal.h"

#include <string.h>

/* Edges of a node that are tried, and events of a call that a node knows. */
enum { MOST_TRIED = 6, MOST_EVENTS = 256 };

static inline bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

/* Read a field of 32 bits and the next one at once. */
static inline uint64_t pair_at(const void *field)
{
	uint64_t pair;

	memcpy(&pair, field, sizeof pair);
	return pair;
}

#define IS_PAIR(first, next) \
	(offsetof(struct mpi_event, next) == offsetof(struct mpi_event, first) + sizeof(uint32_t))
_Static_assert(IS_PAIR(kind, comm) && IS_PAIR(peer, collective) && IS_PAIR(tag, partitions) &&
		       IS_PAIR(send_count, receive_count) && IS_PAIR(persistent, root),
	       "pairs are compared at once");

static inline uint64_t pair_changes(const void *a, const void *b)
{
	return pair_at(a) ^ pair_at(b);
}

/*
 * Whether the fields of two events are alike but for the numbers of their requests.  They mostly
 * are, so all differences are taken together.  Event a has no vectors.
 */
static inline bool same_event(const struct mpi_event *a, const struct mpi_event *b)
{
	uint64_t changes = pair_changes(&a->kind, &b->kind) | pair_changes(&a->peer, &b->peer) |
			   (a->bytes_sent ^ b->bytes_sent) |
			   (a->bytes_received ^ b->bytes_received);

	if (changes)
		return false;
	if (event_is_message(a->kind))
		changes = (a->bytes ^ b->bytes) | pair_changes(&a->tag, &b->tag) |
			  (uint64_t)(a->posted ^ b->posted);
	else if (event_is_collective(a->kind))
		changes = (uintptr_t)b->send_bytes | (uintptr_t)b->receive_bytes |
			  (uintptr_t)b->neighbours | pair_changes(&a->send_count, &b->send_count) |
			  pair_changes(&a->persistent, &b->persistent) |
			  (uint64_t)(a->in_place ^ b->in_place);
	else if (event_is_rma(a->kind))
		changes = (a->group ^ b->group) | (a->window ^ b->window) |
			  (a->atomic ^ b->atomic) | (uint64_t)(a->sync ^ b->sync) |
			  (uint64_t)(a->exclusive ^ b->exclusive);
	return !changes && same_text(a->operation, b->operation);
}

static inline bool knows_event(const struct build_known_event *known, const struct mpi_event *event,
			       const struct flow_code *code)
{
	return known->code.code == code->code && known->code.posted == code->posted &&
	       same_event(&known->event, event);
}

/* Whether a node knows a call like this, whatever its events are. */
static inline bool may_know(const struct build_known *known, const struct mpi_call *call)
{
	return known && known->function == call->function && known->count == call->event_count &&
	       known->place == build_place(call);
}

static const struct build_known *known_at(const struct build_thread *thread, uint32_t edge)
{
	return thread->nodes.items[thread->edges.items[edge].to].known;
}

static bool knows(const struct build_known *known, const struct mpi_call *call,
		  const struct flow_codes *codes)
{
	if (!may_know(known, call))
		return false;
	for (uint32_t i = 0; i < known->count; i++)
		if (!knows_event(&known->events[i], &call->events[i], &codes->items[i]))
			return false;
	return true;
}

/* Find another edge than the last one to a node that knows the call, or FLOW_NO_EDGE. */
static uint32_t find_known(const struct build_thread *thread, const struct build_node *node,
			   const struct mpi_call *call)
{
	for (size_t i = 0; i < node->edges.count && i < MOST_TRIED; i++) {
		const uint32_t edge = node->edges.items[i];

		if (edge != node->recent && knows(known_at(thread, edge), call, &thread->codes))
			return edge;
	}
	return FLOW_NO_EDGE;
}

/* End the event along a known edge. */
static inline int follow_known(struct flow_rank_builder *builder, struct build_thread *thread,
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

/*
 * Node from which an edge may lead to one that knows the call: NULL if it has no edge, or the call is
 * not an event of its own.
 */
static inline struct build_node *node_before(const struct build_thread *thread,
					     const struct mpi_call *call)
{
	struct build_node *node;

	if (!thread->events || thread->open.count || call->polls)
		return NULL;
	node = &thread->nodes.items[thread->at];
	return node->edges.count ? node : NULL;
}

/* Note the requests of a call: 1 if all of its events are known, else 0. */
static inline int note_call(struct flow_rank_builder *builder, struct build_thread *thread,
			    const struct build_known *known, const struct mpi_call *call,
			    struct error *err)
{
	bool alike = may_know(known, call);

	thread->codes.count = 0;
	TRY(array_reserve(&thread->codes, call->event_count, err));
	for (uint32_t i = 0; i < call->event_count; i++) {
		struct flow_code *code = &thread->codes.items[i];

		TRY(flow_event_note(&builder->calls, thread->requests, &call->events[i], code,
				    err));
		alike = alike && knows_event(&known->events[i], &call->events[i], code);
	}
	thread->codes.count = call->event_count;
	return alike;
}

int build_take_known(struct flow_rank_builder *builder, struct build_thread *thread,
		     const struct mpi_call *call, struct error *err)
{
	const struct build_node *before = node_before(thread, call);
	uint32_t edge = before ? before->recent : FLOW_NO_EDGE;
	const int noted = note_call(builder, thread, before ? known_at(thread, edge) : NULL, call,
				    err);

	TRY(noted);
	if (!noted)
		edge = before ? find_known(thread, before, call) : FLOW_NO_EDGE;
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
