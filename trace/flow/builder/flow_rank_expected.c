/*
 * The call that a graph expects, which most calls of a program with loops are: it is compared with
 * what its node knows, counted, and its times are added.
 */
#include "trace/flow/builder/flow_rank_known.h"

static bool all_are_expected(const struct build_known *known, const struct mpi_event *events)
{
	for (uint32_t i = 0; i < known->count; i++)
		if (!build_same_event(&known->events[i].event, &events[i]))
			return false;
	return true;
}

/* Most calls have one event, or none. */
static inline bool are_expected(const struct build_known *known, const struct mpi_event *events)
{
	if (known->count > 1)
		return all_are_expected(known, events);
	return !known->count || build_same_event(&known->events[0].event, &events[0]);
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

static inline void start_request(struct flow_requests *requests, struct flow_request_thread *thread,
				 const struct mpi_event *event)
{
	const uint8_t posted = event->kind == EVENT_IRECV_REQUEST ? event->posted : 0;
	struct flow_open *open = &thread->items[thread->count++];

	requests->last = open->number = event->request;
	requests->starts++;
	open->start = ++thread->starts;
	open->posted = posted;
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
static bool take_requests(struct flow_requests *requests, struct flow_request_thread *thread,
			  const struct build_known *known, const struct mpi_event *events)
{
	if (known->use == FLOW_STARTS) {
		if (!can_start(requests, thread, known, events))
			return false;
		for (uint32_t i = 0; i < known->count; i++)
			start_request(requests, thread, &events[i]);
		return true;
	}
	if (known->use == FLOW_ENDS) {
		if (!can_end(requests, thread, known, events))
			return false;
		end_requests(thread, known->count);
		return true;
	}
	/* Without requests: those of messages that have none are 0. */
	for (uint32_t i = 0; i < known->count; i++)
		if (events[i].request)
			return false;
	return known->use == FLOW_NO_REQUEST;
}

/* Most calls have no request. */
static inline bool are_requests_expected(struct flow_requests *requests,
					 struct flow_request_thread *thread,
					 const struct build_known *known,
					 const struct mpi_event *events)
{
	if (known->use != FLOW_NO_REQUEST || known->count > 1)
		return take_requests(requests, thread, known, events);
	return !known->count || !events[0].request;
}

int build_take_expected(struct flow_rank_builder *builder, struct build_thread *thread,
			const struct mpi_call *call, struct error *err)
{
	const struct build_known *known = thread->expected.known;

	if (call->polls || !build_may_know(builder, known, call) ||
	    !are_expected(known, call->events) ||
	    !are_requests_expected(&builder->calls.requests, thread->requests, known, call->events))
		return 0;
	TRY(build_follow_expected(builder, thread, call, err));
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
