#include "eventflow/graph/timed_walk.h"

int timed_walk_begin(struct timed_walk *walk, const struct flow *flow,
		     const struct flow_thread *thread, struct error *err)
{
	*walk = (struct timed_walk){.leave_ns = thread->begin_ns};
	TRY(flow_calls_begin(&walk->calls, (struct flow *)flow, NO_RANK, err));
	TRY(flow_walk_begin(&walk->at, &flow->graphs.items[thread->graph], err));
	return flow_thread_open(&walk->reader, flow, thread, err);
}

/* Add the times of the event's next call, which is the first one or comes after a gap. */
static int add_call(struct timed_walk *walk, struct flow_event *event, struct error *err)
{
	struct flow_time_reader *times = &walk->reader.nodes[event->node];
	struct flow_template *template;
	struct mpi_call call = {0};
	uint64_t gap_ns = 0, duration_ns;

	TRY(flow_event_call(&walk->reader, &walk->calls, event, &template, err));
	flow_template_skip(template, &walk->reader.values[event->node].row);
	if (event->calls_left < event->calls)
		flow_time_gap(times, &gap_ns);
	call.polls = template->polls;
	flow_time_call(times, &call, &duration_ns);
	flow_event_end_call(&walk->reader, event);
	walk->leave_ns += gap_ns + duration_ns;
	return 0;
}

int timed_walk_next(struct timed_walk *walk, struct error *err)
{
	struct flow_event event;
	uint64_t gap_ns = 0;
	const int more = flow_walk_next(&walk->at, err);

	if (more <= 0)
		return more;
	if (walk->at.edge != FLOW_NO_EDGE)
		flow_time_gap(&walk->reader.edges[walk->at.edge], &gap_ns);
	walk->enter_ns = walk->leave_ns += gap_ns;
	TRY(flow_event_begin(&walk->reader, &walk->calls, walk->at.node, &event, err));
	while (event.calls_left)
		TRY(add_call(walk, &event, err));
	if (walk->reader.nodes[walk->at.node].bytes.damaged || walk->leave_ns > INT64_MAX)
		return error_set(err, STATUS_DATA, "damaged: times of a rank");
	return 1;
}

void timed_walk_release(struct timed_walk *walk)
{
	flow_walk_release(&walk->at);
	flow_thread_close(&walk->reader);
	flow_calls_release(&walk->calls);
}
