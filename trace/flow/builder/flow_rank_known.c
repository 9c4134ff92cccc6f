/* Calls that nodes know, which need no signature. */
#include "trace/flow/builder/flow_rank_known.h"

/* Edges of a node that are tried, and events of a call that a node knows. */
enum { MOST_TRIED = 6, MOST_EVENTS = 256 };

static inline bool knows_event(const struct build_known_event *known, const struct mpi_event *event,
			       const struct flow_code *code)
{
	return known->code.code == code->code && known->code.posted == code->posted &&
	       build_same_event(&known->event, event);
}

static bool knows(const struct flow_rank_builder *builder, const struct build_known *known,
		  const struct mpi_call *call, const struct flow_codes *codes)
{
	if (!build_may_know(builder, known, call))
		return false;
	for (uint32_t i = 0; i < known->count; i++)
		if (!knows_event(&known->events[i], &call->events[i], &codes->items[i]))
			return false;
	return true;
}

/* Find another edge than the last one to a node that knows the call, or FLOW_NO_EDGE. */
static uint32_t find_known(const struct flow_rank_builder *builder,
			   const struct build_thread *thread, const struct build_node *node,
			   const struct mpi_call *call)
{
	for (size_t i = 0; i < node->edges.count && i < MOST_TRIED; i++) {
		const uint32_t edge = node->edges.items[i];

		if (edge != node->recent &&
		    knows(builder, build_known_at(thread, edge), call, &thread->codes))
			return edge;
	}
	return FLOW_NO_EDGE;
}

/* Note the requests of a call: 1 if all of its events are known, else 0. */
static inline int note_call(struct flow_rank_builder *builder, struct build_thread *thread,
			    const struct build_known *known, const struct mpi_call *call,
			    struct error *err)
{
	bool alike = build_may_know(builder, known, call);

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
	const struct build_node *before = build_node_before(thread, call);
	uint32_t edge = before ? before->recent : FLOW_NO_EDGE;
	const int noted = note_call(builder, thread, before ? build_known_at(thread, edge) : NULL,
				    call, err);

	TRY(noted);
	if (!noted)
		edge = before ? find_known(builder, thread, before, call) : FLOW_NO_EDGE;
	if (edge == FLOW_NO_EDGE)
		return 0;
	TRY(build_follow_known(builder, thread, edge, call, err));
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

/* How the events of a call, whose requests are named by codes, use them (struct build_known). */
static enum flow_request_use common_use(const struct mpi_call *call, const struct flow_codes *codes)
{
	enum flow_request_use common = FLOW_NO_REQUEST;

	for (uint32_t i = 0; i < call->event_count; i++) {
		const struct mpi_event *event = &call->events[i];
		enum flow_request_use use = flow_request_use(event);

		/* The oldest one has the code 1. */
		if (use == FLOW_TESTS || use == FLOW_RECENTLY ||
		    event->kind == EVENT_RMA_GROUP_SYNC ||
		    (use == FLOW_ENDS && codes->items[i].code != 1))
			use = FLOW_KEEPS;
		common = i == 0 || common == use ? use : FLOW_KEEPS;
	}
	return common;
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
	known->place = build_place(builder, call);
	known->count = call->event_count;
	known->use = common_use(call, codes);
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
