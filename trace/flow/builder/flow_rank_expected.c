/*
 * The call that a graph expects, which most calls of a program with loops are: it is compared with
 * what its node knows, counted, and its times are added.
 */
#include "trace/flow/builder/flow_rank_known.h"

static inline bool are_expected(const struct build_known *known, const struct mpi_event *events)
{
	for (uint32_t i = 0; i < known->count; i++)
		if (!build_same_event(&known->events[i].event, &events[i]))
			return false;
	return true;
}

/* Whether the requests, one of each event, start with the numbers that are foretold, and there is room. */
static inline bool can_start(const struct flow_requests *requests,
			     const struct flow_request_thread *thread,
			     const struct build_known *known, const struct mpi_event *events)
{
	if (requests->lock || thread->oldest > FLOW_MOST_UNUSED ||
	    thread->capacity - thread->count < known->count)
		return false;
	for (uint32_t i = 0; requests->exact && i < known->count; i++)
		if (events[i].request != requests->last + 1 + i)
			return false;
	return true;
}

static inline void start_requests(struct flow_requests *requests,
				  struct flow_request_thread *thread,
				  const struct build_known *known, const struct mpi_event *events)
{
	for (uint32_t i = 0; i < known->count; i++) {
		const uint8_t posted =
			events[i].kind == EVENT_IRECV_REQUEST ? events[i].posted : 0;

		requests->last = events[i].request;
		thread->items[thread->count++] =
			(struct flow_open){events[i].request, ++thread->starts, posted};
	}
	requests->starts += known->count;
}

/* Whether the requests are the oldest ones, in order. */
static inline bool can_end(const struct flow_requests *requests,
			   const struct flow_request_thread *thread,
			   const struct build_known *known, const struct mpi_event *events)
{
	const struct flow_open *open = &thread->items[thread->oldest];
	uint64_t bits = 0;

	if (requests->lock || thread->by_starts || thread->count - thread->oldest < known->count)
		return false;
	for (uint32_t i = 0; i < known->count; i++)
		bits |= (open[i].number ^ events[i].request) |
			(uint64_t)(open[i].posted ^ known->events[i].code.posted);
	return !bits;
}

static inline void end_requests(struct flow_request_thread *thread, uint32_t count)
{
	thread->uses += count;
	thread->oldest += count;
	if (thread->oldest == thread->count)
		thread->oldest = thread->count = 0;
}

/* Use the requests of an expected call as its node knows it: false if they are others. */
static inline bool take_requests(struct flow_requests *requests, struct flow_request_thread *thread,
				 const struct build_known *known, const struct mpi_call *call)
{
	if (known->use == FLOW_STARTS) {
		if (!can_start(requests, thread, known, call->events))
			return false;
		start_requests(requests, thread, known, call->events);
		return true;
	}
	if (known->use == FLOW_ENDS) {
		if (!can_end(requests, thread, known, call->events))
			return false;
		end_requests(thread, known->count);
		return true;
	}
	/* Without requests: those of messages that have none are 0. */
	for (uint32_t i = 0; i < known->count; i++)
		if (call->events[i].request)
			return false;
	return known->use == FLOW_NO_REQUEST;
}

int build_take_expected(struct flow_rank_builder *builder, struct build_thread *thread,
			const struct mpi_call *call, struct error *err)
{
	const struct build_node *before = build_node_before(thread, call);
	const struct build_known *known = before ? build_known_at(thread, before->recent) : NULL;

	if (!build_may_know(builder, known, call) || !are_expected(known, call->events) ||
	    !take_requests(&builder->calls.requests, thread->requests, known, call))
		return 0;
	TRY(build_follow_known(builder, thread, before->recent, call, err));
	return 1;
}

int flow_rank_expected(struct flow_rank_builder *builder, const struct mpi_call *call,
		       struct error *err)
{
	struct build_thread *thread = build_thread_of(builder, call->thread);

	if (!thread || builder->options.times == FLOW_TIMES_ALL)
		return 0;
	return build_take_expected(builder, thread, call, err);
}
