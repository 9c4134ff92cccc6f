/* Comparison of a call with what a node knows, and the step to that node; internal to trace/flow/builder/. */
#ifndef TRACE_FLOW_RANK_KNOWN_H
#define TRACE_FLOW_RANK_KNOWN_H

#include "trace/flow/builder/flow_rank_internal.h"

#include <string.h>

static inline bool build_same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

/*
 * Whether the fields of two events are alike but for the numbers of their requests.  They mostly
 * are, so all differences are taken together.  Event a has no vectors.
 *
 * Each field is read as it was written: a read of several fields that were written one by one may have
 * to wait until these have left the processor's store buffer, behind what MPI has written.
 */
static inline bool build_same_event(const struct mpi_event *a, const struct mpi_event *b)
{
	uint64_t changes = (a->kind ^ b->kind) | (a->comm ^ b->comm) | (a->peer ^ b->peer) |
			   (a->collective ^ b->collective) | (a->bytes_sent ^ b->bytes_sent) |
			   (a->bytes_received ^ b->bytes_received);

	if (changes)
		return false;
	if (event_is_message(a->kind))
		changes = (a->bytes ^ b->bytes) | (a->tag ^ b->tag) |
			  (a->partitions ^ b->partitions) | (uint64_t)(a->posted ^ b->posted);
	else if (event_is_collective(a->kind))
		changes = (uintptr_t)b->send_bytes | (uintptr_t)b->receive_bytes |
			  (uintptr_t)b->neighbours | (a->send_count ^ b->send_count) |
			  (a->receive_count ^ b->receive_count) | (a->persistent ^ b->persistent) |
			  (a->root ^ b->root) | (uint64_t)(a->in_place ^ b->in_place);
	else if (event_is_rma(a->kind))
		changes = (a->group ^ b->group) | (a->window ^ b->window) |
			  (a->atomic ^ b->atomic) | (uint64_t)(a->sync ^ b->sync) |
			  (uint64_t)(a->exclusive ^ b->exclusive);
	return !changes && build_same_text(a->operation, b->operation);
}

/* End the event of a call along the expected way, to a node that knows the call. */
static inline int build_follow_expected(struct flow_rank_builder *builder,
					struct build_thread *thread, const struct mpi_call *call,
					struct error *err)
{
	const struct build_step step = thread->expected;
	const uint64_t visit = step.from->visits - 1;
	const uint64_t gap_ns = call->enter_ns - thread->last_ns;

	thread->at = step.edge->to;
	thread->events++;
	thread->calls++;
	thread->enter_ns = call->enter_ns;
	thread->last_ns = call->leave_ns;
	step.to->visits++;
	TRY(build_add_visit(thread, step.edge, visit, err));
	TRY(build_add_single(builder, &step.edge->times, gap_ns, &step.to->times,
			     call->leave_ns - call->enter_ns, err));
	if (builder->seen)
		build_report_step(builder, thread, &step);
	if (thread->growth >= thread->next_check)
		TRY(build_check_memory(builder, thread, err));
	build_expect(thread);
	return 0;
}

/* The same along any edge of the node that the thread is at. */
static inline int build_follow_known(struct flow_rank_builder *builder, struct build_thread *thread,
				     uint32_t edge, const struct mpi_call *call, struct error *err)
{
	thread->nodes.items[thread->at].recent = edge;
	build_expect(thread);
	return build_follow_expected(builder, thread, call, err);
}

/*
 * Node from which an edge may lead to one that knows the call: NULL if it has no edge, or the call is
 * not an event of its own.
 */
static inline struct build_node *build_node_before(const struct build_thread *thread,
						   const struct mpi_call *call)
{
	struct build_node *node;

	if (!thread->events || thread->open.count || call->polls)
		return NULL;
	node = &thread->nodes.items[thread->at];
	return node->edges.count ? node : NULL;
}

/* What the node at the end of an edge knows, or NULL. */
static inline const struct build_known *build_known_at(const struct build_thread *thread,
						       uint32_t edge)
{
	return thread->nodes.items[thread->edges.items[edge].to].known;
}

/* Whether a node knows a call like this, whatever its events are. */
static inline bool build_may_know(const struct flow_rank_builder *builder,
				  const struct build_known *known, const struct mpi_call *call)
{
	return known && known->function == call->function && known->count == call->event_count &&
	       known->place == build_place(builder, call);
}

#endif
