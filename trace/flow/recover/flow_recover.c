#include "trace/flow/recover/flow_recover.h"

#include "trace/flow/flow_parts.h"
#include "trace/flow/flow_walk.h"
#include "trace/flow/recover/flow_times.h"

#include <string.h>

struct recover_thread {
	const struct flow_thread *thread;
	uint32_t number;
	struct flow_request_thread *requests;
	struct flow_walk walk;
	struct flow_thread_reader reader;
	struct flow_event event;
	uint64_t last_ns; /* end of the last call */
	uint64_t calls;
	bool opened;
	bool ready;   /* gap_ns is the time before its next call */
	bool waiting; /* for calls of another thread */
	uint64_t gap_ns;
};

struct recover {
	const struct flow *flow;
	const struct flow_rank *rank;
	const struct flow_timer *timer; /* or NULL: times are those of the flow */
	struct flow_calls calls;
	ARRAY(struct recover_thread) threads;
	trace_receive *receive;
	void *data;
};

static int recover_damaged(const char *what, struct error *err)
{
	return error_set(err, STATUS_DATA, "damaged: %s", what);
}

static int open_thread(struct recover *recover, uint32_t number, struct error *err)
{
	struct recover_thread *thread = &recover->threads.items[number];

	thread->thread = &recover->rank->threads.items[number];
	thread->number = number;
	TRY(flow_requests_of(&recover->calls.requests, number, &thread->requests, err));
	thread->last_ns = recover->flow->times == FLOW_TIMES_NONE ? recover->flow->world.begin_ns
								  : thread->thread->begin_ns;
	TRY(flow_walk_begin(&thread->walk, &recover->flow->graphs.items[thread->thread->graph],
			    err));
	thread->opened = true;
	return flow_thread_open(&thread->reader, recover->flow, thread->thread, err);
}

/* Go to the next event. */
static inline int next_event(struct recover_thread *thread, struct error *err)
{
	const int more = flow_walk_next(&thread->walk, err);

	TRY(more);
	return more ? 0 : recover_damaged("a rank has fewer calls than promised", err);
}

/* Time before the event, since that before it in its thread, as the flow has it. */
static inline uint64_t read_gap(const struct recover *recover, struct recover_thread *thread)
{
	struct flow_time_reader *times;
	uint64_t gap_ns;

	if (thread->walk.edge == FLOW_NO_EDGE)
		return 0;
	times = &thread->reader.edges[thread->walk.edge];
	if (recover->flow->times != FLOW_TIMES_ALL)
		return times->mean;
	flow_time_gap(times, &gap_ns);
	return gap_ns;
}

/* Begin the event to which the thread went, and set the time before it. */
static int begin_event(struct recover *recover, struct recover_thread *thread, uint64_t *gap_ns,
		       struct error *err)
{
	TRY(flow_event_begin(&thread->reader, &recover->calls, thread->walk.node, &thread->event,
			     err));
	if (recover->timer)
		return recover->timer->event(recover->timer->data, thread->number, &thread->walk,
					     thread->event.calls, gap_ns, err);
	*gap_ns = read_gap(recover, thread);
	return thread->walk.edge != FLOW_NO_EDGE &&
			       thread->reader.edges[thread->walk.edge].bytes.damaged
		       ? recover_damaged("times of a rank", err)
		       : 0;
}

/* Place a call after the one before. */
static inline int place_call(struct recover_thread *thread, const struct flow_time_reader *times,
			     uint64_t gap_ns, uint64_t duration_ns, struct mpi_call *call,
			     struct error *err)
{
	call->enter_ns = thread->last_ns + gap_ns;
	call->leave_ns = call->enter_ns + duration_ns;
	if (times->bytes.damaged || call->enter_ns > INT64_MAX || call->leave_ns > INT64_MAX)
		return recover_damaged("times of a rank", err);
	thread->last_ns = call->leave_ns;
	return 0;
}

/* Set the times of a call of the event at hand. */
static int set_times(const struct recover *recover, struct recover_thread *thread, uint64_t gap_ns,
		     struct mpi_call *call, struct error *err)
{
	struct flow_time_reader *times = &thread->reader.nodes[thread->event.node];
	uint64_t duration_ns = 0;

	call->poll_gaps_ns = call->least_poll_gap_ns = 0;
	if (recover->timer) {
		recover->timer->call(recover->timer->data, thread->number, call, &gap_ns,
				     &duration_ns);
	} else if (recover->flow->times == FLOW_TIMES_ALL) {
		if (thread->event.calls_left < thread->event.calls)
			flow_time_gap(times, &gap_ns);
		flow_time_call(times, call, &duration_ns);
	} else if (thread->event.calls_left == 1) {
		duration_ns = times->mean;
	}
	return place_call(thread, times, gap_ns, duration_ns, call, err);
}

/* Find the time before the next call of a thread. */
static int prepare(struct recover *recover, struct recover_thread *thread, struct error *err)
{
	if (thread->ready)
		return 0;
	thread->gap_ns = 0;
	thread->ready = true;
	if (thread->event.calls_left)
		return 0;
	TRY(next_event(thread, err));
	return begin_event(recover, thread, &thread->gap_ns, err);
}

static int recover_next(struct recover *recover, struct recover_thread *thread, struct error *err);

/*
 * Deliver calls of the thread that starts the request of event `number`, in whose template it is.  They
 * may be of the same template.
 */
static int wait_for_start(struct recover *recover, struct recover_thread *thread,
			  struct flow_template *template, uint32_t number, struct error *err)
{
	const uint32_t owner = template->open[number].code.owner - 1;
	struct recover_thread *other;
	struct mpi_event *events;
	int result;

	if (owner >= recover->threads.count)
		return recover_damaged("a request of a thread", err);
	other = &recover->threads.items[owner];
	if (other->waiting || other == thread || other->calls == other->thread->calls)
		return recover_damaged("a request that is never started", err);
	TRY(allocate(&events, number, sizeof *events, err));
	if (number)
		memcpy(events, template->events, number * sizeof *events);
	thread->waiting = true;
	result = recover_next(recover, other, err);
	thread->waiting = false;
	if (number)
		memcpy(template->events, events, number * sizeof *events);
	free(events);
	return result;
}

static int fill_call(struct recover *recover, struct recover_thread *thread,
		     struct flow_template *template, struct error *err)
{
	struct flow_cursor *values = &thread->reader.values[thread->event.node].row;
	uint32_t from = 0;
	int result;

	while ((result = flow_template_fill(&recover->calls, thread->requests, template, values,
					    &from, err)) > 0) {
		const uint64_t polls = template->call.polls;

		TRY(wait_for_start(recover, thread, template, from, err));
		template->call.polls = polls;
	}
	template->call.thread = thread->number;
	if (result == 0 && values->damaged)
		return recover_damaged("values of a rank", err);
	return result;
}

static int recover_next(struct recover *recover, struct recover_thread *thread, struct error *err)
{
	struct flow_template *template;

	TRY(prepare(recover, thread, err));
	TRY(flow_event_call(&thread->reader, &recover->calls, &thread->event, &template, err));
	template->call.thread = thread->number;
	if (template->has_values)
		TRY(fill_call(recover, thread, template, err));
	else if (template->any_open)
		TRY(flow_template_fill_requests(&recover->calls, thread->requests, template, err));
	TRY(set_times(recover, thread, thread->gap_ns, &template->call, err));
	flow_event_end_call(&thread->reader, &thread->event);
	thread->ready = false;
	thread->calls++;
	return recover->receive(recover->data, &template->call, err);
}

/* Set the times of a call without values, `gap_ns` after the one before; *last_ns is the end of that, and becomes its own. */
static inline int time_plain(struct flow_time_reader *gaps, struct flow_time_reader *times,
			     bool all, uint64_t *last_ns, struct mpi_call *call, struct error *err)
{
	uint64_t gap_ns = gaps->mean, duration_ns = times->mean;

	if (all) {
		flow_time_gap(gaps, &gap_ns);
		flow_time_call(times, call, &duration_ns);
	}
	call->enter_ns = *last_ns + gap_ns;
	call->leave_ns = *last_ns = call->enter_ns + duration_ns;
	return gaps->bytes.damaged || times->bytes.damaged ||
			       (call->enter_ns | call->leave_ns) > INT64_MAX
		       ? recover_damaged("times of a rank", err)
		       : 0;
}

/*
 * Deliver calls of events that have one without values, as most have, up to `count` of them or to
 * the start of another event.  Where the thread is stays in variables meanwhile, which no delivery can change.
 */
static int recover_plain_calls(struct recover *recover, struct recover_thread *thread,
			       uint64_t *count, struct error *err)
{
	struct flow_walk *walk = &thread->walk;
	struct flow_walk_node *const nodes = walk->nodes;
	const struct flow_thread_reader reader = thread->reader;
	const uint64_t events = walk->graph->events - walk->events;
	const uint64_t most = *count < events ? *count : events;
	const bool all = recover->flow->times == FLOW_TIMES_ALL;
	uint64_t done = 0, visit = walk->visit, last_ns = thread->last_ns;
	uint32_t node = walk->node, edge = walk->edge;

	if (recover->timer || thread->ready || thread->event.calls_left || !walk->events)
		return 0;
	for (; done < most; done++) {
		struct flow_template *template;

		if (visit >= nodes[node].until) {
			walk->node = node;
			walk->visit = visit;
			TRY(flow_walk_find_edge(walk, err));
		}
		edge = nodes[node].edge;
		node = nodes[node].to;
		visit = nodes[node].visits++;
		template = reader.values[node].template;
		if (!template || template->has_values)
			break;
		template->call.thread = thread->number;
		if (template->any_open)
			TRY(flow_template_fill_requests(&recover->calls, thread->requests, template,
							err));
		TRY(time_plain(&reader.edges[edge], &reader.nodes[node], all, &last_ns,
			       &template->call, err));
		TRY(recover->receive(recover->data, &template->call, err));
	}
	walk->node = node;
	walk->edge = edge;
	walk->visit = visit;
	walk->events += done;
	thread->last_ns = last_ns;
	thread->calls += done;
	*count -= done;
	if (!*count)
		return 0;
	if (done == events)
		return recover_damaged("a rank has fewer calls than promised", err);
	walk->events++;
	thread->ready = true;
	return begin_event(recover, thread, &thread->gap_ns, err);
}

static int recover_calls(struct recover *recover, uint64_t number, uint64_t count,
			 struct error *err)
{
	struct recover_thread *thread;

	if (number >= recover->threads.count)
		return recover_damaged("the order of threads", err);
	thread = &recover->threads.items[number];
	if (count > thread->thread->calls - thread->calls)
		return recover_damaged("the order of threads", err);
	while (count) {
		TRY(recover_plain_calls(recover, thread, &count, err));
		if (!count)
			break;
		TRY(recover_next(recover, thread, err));
		count--;
	}
	return 0;
}

/* Deliver the calls of all threads by their times, as their order is not known. */
static int by_times(struct recover *recover, struct error *err)
{
	for (;;) {
		struct recover_thread *first = NULL;

		for (size_t i = 0; i < recover->threads.count; i++) {
			struct recover_thread *thread = &recover->threads.items[i];

			if (thread->calls == thread->thread->calls)
				continue;
			TRY(prepare(recover, thread, err));
			if (!first ||
			    thread->last_ns + thread->gap_ns < first->last_ns + first->gap_ns)
				first = thread;
		}
		if (!first)
			return 0;
		TRY(recover_next(recover, first, err));
	}
}

/* Deliver the calls of all threads in their order. */
static int in_order(struct recover *recover, struct flow_cursor order, struct error *err)
{
	if (recover->threads.count == 1)
		return recover_calls(recover, 0, recover->threads.items[0].thread->calls, err);
	if (!recover->calls.requests.exact)
		return by_times(recover, err);
	while (flow_left(&order)) {
		const uint64_t thread = flow_get(&order), count = flow_get(&order);

		if (count)
			TRY(recover_calls(recover, thread, count, err));
	}
	return 0;
}

static int check_ends(const struct recover *recover, struct error *err)
{
	for (size_t i = 0; i < recover->threads.count; i++) {
		const struct recover_thread *thread = &recover->threads.items[i];

		if (thread->calls != thread->thread->calls || thread->event.calls_left ||
		    thread->walk.events != thread->walk.graph->events)
			return recover_damaged("the number of calls of a rank", err);
	}
	return 0;
}

static int recover_all(struct recover *recover, struct error *err)
{
	struct flow_cursor requests, order;
	void *unpacked[2] = {NULL};
	int result;

	for (uint32_t i = 0; i < recover->rank->threads.count; i++) {
		TRY(array_push(&recover->threads, (struct recover_thread){0}, err));
		TRY(open_thread(recover, i, err));
	}
	result = flow_unpack(&recover->rank->requests, &requests, &unpacked[0], err);
	if (result == 0)
		result = flow_unpack(&recover->rank->order, &order, &unpacked[1], err);
	if (result == 0) {
		recover->calls.requests.exact = recover->flow->times == FLOW_TIMES_ALL;
		result = flow_requests_read(&recover->calls.requests, requests, err);
	}
	if (result == 0) {
		result = in_order(recover, order, err);
	}
	if (result == 0)
		result = check_ends(recover, err);
	free(unpacked[0]);
	free(unpacked[1]);
	return result;
}

int flow_recover(const struct flow *flow, uint32_t rank, trace_receive *receive, void *data,
		 struct error *err)
{
	return flow_recover_timed(flow, rank, NULL, receive, data, err);
}

int flow_refuse_lossy(const struct flow *flow, uint32_t rank, struct error *err)
{
	if (!flow_rank_of(flow, rank)->lossy)
		return 0;
	return error_set(
		err, STATUS_DATA,
		"its calls cannot be recovered: when it was recorded, graphs reached their limit of memory, "
		"and calls that differ became one");
}

int flow_recover_timed(const struct flow *flow, uint32_t rank, const struct flow_timer *timer,
		       trace_receive *receive, void *data, struct error *err)
{
	struct recover recover = {.flow = flow,
				  .rank = flow_rank_of(flow, rank),
				  .timer = timer,
				  .receive = receive,
				  .data = data};
	int result;

	TRY(flow_refuse_lossy(flow, rank, err));
	result = flow_calls_begin(&recover.calls, (struct flow *)flow, rank, err);
	if (result == 0 && recover.rank->threads.count)
		result = recover_all(&recover, err);
	for (size_t i = 0; i < recover.threads.count; i++)
		if (recover.threads.items[i].opened) {
			flow_walk_release(&recover.threads.items[i].walk);
			flow_thread_close(&recover.threads.items[i].reader);
		}
	array_release(&recover.threads);
	flow_calls_release(&recover.calls);
	return result;
}
