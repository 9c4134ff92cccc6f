#include "trace/repeat/repeat_rank.h"

#include "trace/call/mpi_functions.h"
#include "trace/flow/recover/flow_recover.h"
#include "trace/flow/recover/flow_times.h"
#include "trace/repeat/repeat_sum.h"

#include <string.h>

enum { REPEAT_NONE = UINT32_MAX };

/* Event in a window. */
struct repeat_event {
	uint32_t node, edge;
	uint32_t first, calls; /* in the recorded calls */
	uint64_t total_ns;     /* of its calls, and between them */
};

struct repeat_range {
	size_t begin, end;
};

struct repeat_thread {
	const struct flow_graph *graph;
	struct repeat_sum *nodes, *edges;
	ARRAY(struct repeat_event) events; /* in windows */
	ARRAY(struct repeat_range) ranges; /* of events: of each recorded iteration */
	uint32_t *sorted;		   /* events of each range by edge */
	size_t next;			   /* event in a window */
	size_t cursor;			   /* event in the template */
	uint32_t node;			   /* of the event at hand */
	/*
	 * The event at hand: where its times are from, its calls, what is delivered for all of them
	 * and has been so far, and what these are in the template.
	 */
	const struct repeat_event *from;
	uint64_t calls, call;
	uint64_t total_ns, given_ns;
	uint64_t parts_ns, part_ns;
};

/* Iteration of a main loop. */
struct repeat_iteration {
	uint64_t hash; /* of its nodes */
	uint32_t window;
	uint32_t place;	   /* in the window if all iterations are repetitions of those in it */
	uint32_t template; /* recorded iteration */
	bool recorded;
};

struct repeat {
	const struct flow_rank *rank;
	uint32_t number; /* of the rank */
	const struct repeat_calls *recorded;
	struct repeat_thread *threads;
	ARRAY(struct repeat_iteration) iterations;
	/* First recorded iteration of each window, and one number more. */
	ARRAY(uint32_t) firsts;
	enum { LEARN, ADD, DELIVER } pass;
	/*
	 * Now: number of the call, of the window at hand and its first recorded call, of the
	 * iteration.
	 */
	uint64_t call;
	size_t window, window_calls, iteration;
	bool inside, recording; /* first pass: an iteration in a window */
	uint32_t template;
	trace_receive *receive;
	void *data;
};

/* ------------------------------------------------------------------ windows */

/* End the recorded iteration at hand, if there is one. */
static void end_recorded_iteration(struct repeat *repeat)
{
	for (size_t t = 0; repeat->recording && t < repeat->rank->threads.count; t++) {
		struct repeat_thread *thread = &repeat->threads[t];

		thread->ranges.items[thread->ranges.count - 1].end = thread->events.count;
	}
	repeat->recording = false;
}

static int begin_recorded_iteration(struct repeat *repeat, struct error *err)
{
	end_recorded_iteration(repeat);
	for (size_t t = 0; t < repeat->rank->threads.count; t++) {
		struct repeat_thread *thread = &repeat->threads[t];
		const struct repeat_range range = {thread->events.count, thread->events.count};

		TRY(array_push(&thread->ranges, range, err));
	}
	repeat->recording = true;
	return 0;
}

static uint32_t recorded_iterations(const struct repeat *repeat)
{
	return (uint32_t)repeat->threads[0].ranges.count;
}

/* Go to the window that the next call is in or before. */
static int reach_window(struct repeat *repeat, struct error *err)
{
	const struct flow_rank *rank = repeat->rank;

	for (; repeat->window < rank->recorded.count; repeat->window++) {
		const struct flow_window *window = &rank->recorded.items[repeat->window];

		if (repeat->call < window->first_call)
			return 0;
		if (repeat->call - window->first_call < window->calls) {
			repeat->inside = true;
			return 0;
		}
		if (repeat->pass == LEARN) {
			end_recorded_iteration(repeat);
			TRY(array_push(&repeat->firsts, recorded_iterations(repeat), err));
		}
		repeat->inside = false;
		repeat->window_calls += window->calls;
	}
	return 0;
}

/*
 * Window whose loop has its header at a node now: the last one that has begun, or else the next one,
 * whose loop may be run before it.  REPEAT_NONE: there is none.
 */
static uint32_t window_at(const struct repeat *repeat, uint32_t node)
{
	const struct flow_rank *rank = repeat->rank;
	const size_t now = repeat->inside || !repeat->window ? repeat->window : repeat->window - 1;

	for (size_t i = now; i < rank->recorded.count && i <= now + 1; i++)
		if (rank->recorded.items[i].header == node)
			return (uint32_t)i;
	return REPEAT_NONE;
}

/* ---------------------------------------------------------------- iterations */

/* The visit of a header that begins an iteration: which one it would be in its window, or -1. */
static int64_t place_in_window(const struct flow_window *window, uint64_t visit)
{
	const int64_t since = (int64_t)(visit - window->first_visit);
	const int64_t round = window->round, count = (int64_t)(window->visits / window->round);
	int64_t number = since / round;

	if (since % round || !count)
		return -1;
	number %= count;
	return number < 0 ? number + count : number;
}

static int learn_iteration(struct repeat *repeat, uint32_t window, int64_t place, struct error *err)
{
	const struct repeat_iteration iteration = {.window = window,
						   .place = (uint32_t)place,
						   .recorded = repeat->inside};

	if (repeat->inside)
		TRY(begin_recorded_iteration(repeat, err));
	return array_push(&repeat->iterations, iteration, err);
}

/* Begin an iteration if the first thread is where one begins. */
static int reach_iteration(struct repeat *repeat, const struct flow_walk *at, struct error *err)
{
	const uint32_t number = window_at(repeat, at->node);
	int64_t place;

	if (number == REPEAT_NONE)
		return 0;
	place = place_in_window(&repeat->rank->recorded.items[number], at->visit);
	if (place < 0)
		return 0;
	if (repeat->pass == LEARN)
		return learn_iteration(repeat, number, place, err);
	repeat->template = repeat->iterations.items[repeat->iteration++].template;
	for (size_t t = 0; repeat->template != REPEAT_NONE && t < repeat->rank->threads.count; t++)
		repeat->threads[t].cursor = repeat->threads[t].ranges.items[repeat->template].begin;
	return 0;
}

/* Find the recorded iteration with the times of an iteration: of equal calls, or any. */
static uint32_t find_template(const struct repeat *repeat, const struct repeat_iteration *iteration,
			      const uint64_t *hashes, bool *unlike)
{
	const uint32_t first = repeat->firsts.items[iteration->window];
	const uint32_t count = repeat->firsts.items[iteration->window + 1] - first;

	*unlike = false;
	for (uint32_t i = 0; i < count; i++) {
		const uint32_t tried = first + (iteration->place + i) % count;

		if (hashes[tried] == iteration->hash)
			return tried;
	}
	*unlike = true;
	return count ? first + iteration->place % count : REPEAT_NONE;
}

/* Whether the loop ends with an iteration, which then has all calls up to the next loop. */
static bool is_last(const struct repeat *repeat, size_t iteration)
{
	const struct repeat_iteration *items = repeat->iterations.items;

	return iteration + 1 == repeat->iterations.count ||
	       items[iteration + 1].window != items[iteration].window;
}

/* Choose the template of each iteration. */
static int choose_templates(struct repeat *repeat, struct repeat_figures *figures,
			    struct error *err)
{
	uint64_t *hashes;
	uint32_t recorded = 0;

	TRY(allocate(&hashes, recorded_iterations(repeat), sizeof *hashes, err));
	for (size_t i = 0; i < repeat->iterations.count; i++)
		if (repeat->iterations.items[i].recorded)
			hashes[recorded++] = repeat->iterations.items[i].hash;
	figures->iterations = repeat->iterations.count;
	figures->recorded = recorded;
	recorded = 0;
	for (size_t i = 0; i < repeat->iterations.count; i++) {
		struct repeat_iteration *iteration = &repeat->iterations.items[i];
		bool unlike = false;

		iteration->template = iteration->recorded
					      ? recorded++
					      : find_template(repeat, iteration, hashes, &unlike);
		figures->unlike += unlike && !is_last(repeat, i);
	}
	free(hashes);
	return 0;
}

/* -------------------------------------------------------------------- templates */

static int by_edge(const void *a, const void *b, void *data)
{
	const struct repeat_event *events = data;
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	if (events[x].edge != events[y].edge)
		return events[x].edge < events[y].edge ? -1 : 1;
	return x < y ? -1 : x > y;
}

static int sort_events(struct repeat_thread *thread, struct error *err)
{
	TRY(allocate(&thread->sorted, thread->events.count, sizeof *thread->sorted, err));
	for (size_t i = 0; i < thread->events.count; i++)
		thread->sorted[i] = (uint32_t)i;
	for (size_t i = 0; i < thread->ranges.count; i++) {
		const struct repeat_range *range = &thread->ranges.items[i];

		qsort_r(thread->sorted + range->begin, range->end - range->begin,
			sizeof *thread->sorted, by_edge, thread->events.items);
	}
	return 0;
}

/* First place in a range, by edge, of an event of the edge not before `least`, or of a later edge. */
static size_t lower_place(const struct repeat_thread *thread, const struct repeat_range *range,
			  uint32_t edge, size_t least)
{
	size_t low = range->begin, high = range->end;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		const uint32_t event = thread->sorted[middle];

		if (thread->events.items[event].edge < edge ||
		    (thread->events.items[event].edge == edge && event < least))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Find the event of the template that has the times of an event outside windows, or NULL. */
static const struct repeat_event *find_event(struct repeat_thread *thread, uint32_t template,
					     const struct flow_walk *at)
{
	const struct repeat_range *range = &thread->ranges.items[template];
	const struct repeat_event *events = thread->events.items;
	size_t place;

	if (thread->cursor < range->end && events[thread->cursor].node == at->node)
		return &events[thread->cursor++];
	place = lower_place(thread, range, at->edge, thread->cursor);
	if (place == range->end || events[thread->sorted[place]].edge != at->edge)
		place = lower_place(thread, range, at->edge, 0);
	if (place == range->end || events[thread->sorted[place]].edge != at->edge)
		return NULL;
	thread->cursor = (size_t)thread->sorted[place] + 1;
	return &events[thread->sorted[place]];
}

/* Time before an event of a template, if it was recorded and follows the same node. */
static uint64_t gap_of(const struct repeat *repeat, const struct repeat_event *event, uint32_t edge)
{
	return event->edge == edge ? repeat->recorded->items.items[event->first].gap_ns
				   : REPEAT_NO_TIME;
}

/* ----------------------------------------------------------------------- events */

/* First pass: note an event in a window, and whether its node counts as computation. */
static int learn_event(struct repeat *repeat, struct repeat_thread *thread,
		       const struct flow_walk *at, uint64_t calls, struct error *err)
{
	const struct flow_window *window = &repeat->rank->recorded.items[repeat->window];
	const uint64_t left = window->first_call + window->calls - repeat->call;
	const struct repeat_event event = {.node = at->node,
					   .edge = at->edge,
					   .first = (uint32_t)(repeat->window_calls + repeat->call -
							       window->first_call),
					   .calls = (uint32_t)(calls < left ? calls : left)};

	return array_push(&thread->events, event, err);
}

/* Hash the nodes of an iteration. */
static void hash_node(struct repeat *repeat, uint32_t node)
{
	if (repeat->iterations.count) {
		uint64_t *hash = &repeat->iterations.items[repeat->iterations.count - 1].hash;

		*hash = (*hash ^ (node + 1)) * 0x9e3779b97f4a7c15;
		*hash ^= *hash >> 29;
	}
}

/* Times of a call of the event at hand: of the template's last call if it is the last one. */
static const struct repeat_call *part_of(const struct repeat *repeat,
					 const struct repeat_event *from, uint64_t call,
					 uint64_t calls)
{
	const uint64_t last = from->calls - 1;

	return &repeat->recorded->items
			.items[from->first + (call + 1 == calls || call > last ? last : call)];
}

/* Time between a call and the one before it in its event. */
static uint64_t inner_gap(const struct repeat_call *part, uint64_t call)
{
	return call && part->gap_ns != REPEAT_NO_TIME ? part->gap_ns : 0;
}

static uint64_t sum_of_parts(const struct repeat *repeat, const struct repeat_event *from,
			     uint64_t calls)
{
	uint64_t sum = 0;

	for (uint64_t i = 0; i < calls; i++) {
		const struct repeat_call *part = part_of(repeat, from, i, calls);

		sum += inner_gap(part, i) + part->duration_ns;
	}
	return sum;
}

/* Time of a visit outside windows by that of its template, or REPEAT_NO_TIME. */
static uint64_t take_template(const struct repeat *repeat, struct repeat_sum *sum, uint64_t ns)
{
	if (repeat->pass == DELIVER)
		return repeat_sum_deliver(sum, ns);
	repeat_sum_add(sum, ns);
	return 0;
}

/* Find the times of an event: of the gap before it, and of all its calls. */
static void time_event(struct repeat *repeat, struct repeat_thread *thread,
		       const struct flow_walk *at, uint64_t calls, uint64_t *gap_ns)
{
	struct repeat_sum *edge = at->edge == FLOW_NO_EDGE ? NULL : &thread->edges[at->edge];
	struct repeat_sum *node = &thread->nodes[at->node];
	uint64_t recorded_ns = REPEAT_NO_TIME;

	thread->from = repeat->inside			 ? &thread->events.items[thread->next++]
		       : repeat->template != REPEAT_NONE ? find_event(thread, repeat->template, at)
							 : NULL;
	if (thread->from)
		recorded_ns = gap_of(repeat, thread->from, at->edge);
	if (edge && (!repeat->inside || recorded_ns == REPEAT_NO_TIME))
		*gap_ns = take_template(repeat, edge, recorded_ns);
	else
		*gap_ns = edge ? recorded_ns : 0;
	thread->total_ns = repeat->inside ? thread->from->total_ns
					  : take_template(repeat, node,
							  thread->from ? thread->from->total_ns
								       : REPEAT_NO_TIME);
	thread->calls = calls;
	thread->call = 0;
	thread->part_ns = thread->given_ns = 0;
	thread->parts_ns = thread->from ? sum_of_parts(repeat, thread->from, calls) : 0;
}

static int repeat_event(void *data, uint32_t number, const struct flow_walk *at, uint64_t calls,
			uint64_t *gap_ns, struct error *err)
{
	struct repeat *repeat = data;
	struct repeat_thread *thread = &repeat->threads[number];

	TRY(reach_window(repeat, err));
	if (number == 0)
		TRY(reach_iteration(repeat, at, err));
	if (repeat->pass != LEARN) {
		time_event(repeat, thread, at, calls, gap_ns);
		return 0;
	}
	if (number == 0)
		hash_node(repeat, at->node);
	thread->node = at->node;
	return repeat->inside ? learn_event(repeat, thread, at, calls, err) : 0;
}

/* Part of what is delivered for the event that comes to parts of its template. */
static uint64_t give_part(struct repeat_thread *thread, uint64_t part_ns)
{
	const uint64_t before_ns = thread->given_ns;

	thread->part_ns += part_ns;
	if (thread->parts_ns)
		thread->given_ns = (uint64_t)((__uint128_t)thread->total_ns * thread->part_ns /
					      thread->parts_ns);
	return thread->given_ns - before_ns;
}

/* Set the gaps between the polls of a call in the proportion of its time to that of the template. */
static void scale_polls(const struct repeat_call *part, struct mpi_call *call, uint64_t duration_ns)
{
	double scale;
	uint64_t most_ns;

	if (!call->polls || !part->polls || !part->duration_ns)
		return;
	scale = (double)duration_ns / (double)part->duration_ns;
	if (duration_ns == part->duration_ns)
		scale = 1;
	call->poll_gaps_ns = (uint64_t)((double)part->poll_gaps_ns * scale);
	most_ns = call->polls > 1 ? call->poll_gaps_ns / (call->polls - 1) : call->poll_gaps_ns;
	call->least_poll_gap_ns = (uint64_t)((double)part->least_poll_gap_ns * scale);
	if (call->least_poll_gap_ns > most_ns)
		call->least_poll_gap_ns = most_ns;
}

static void repeat_time(void *data, uint32_t number, struct mpi_call *call, uint64_t *gap_ns,
			uint64_t *duration_ns)
{
	struct repeat *repeat = data;
	struct repeat_thread *thread = &repeat->threads[number];
	const struct repeat_call *part;
	const uint64_t place = thread->call++;

	if (repeat->pass != DELIVER)
		return;
	if (!thread->from || !thread->parts_ns) {
		/* No part has a time: the last call has all. */
		*duration_ns = thread->call == thread->calls ? thread->total_ns : 0;
		return;
	}
	part = part_of(repeat, thread->from, place, thread->calls);
	if (place)
		*gap_ns = give_part(thread, inner_gap(part, place));
	*duration_ns = give_part(thread, part->duration_ns);
	scale_polls(part, call, *duration_ns);
}

/* ------------------------------------------------------------------------- passes */

/* Whether the time of a call without events is computation: it neither begins nor ends the run. */
static bool is_inside_run(const char *name)
{
	const struct mpi_function function = mpi_function_named(name);

	return function.class != MPI_CLASS_INIT && function.class != MPI_CLASS_FINALIZE;
}

/* First pass: check that a call is the one that was recorded. */
static int learn_call(struct repeat *repeat, const struct mpi_call *call, struct error *err)
{
	struct repeat_thread *thread = &repeat->threads[call->thread];
	const struct flow_window *window;
	const struct repeat_call *recorded;

	if (!call->event_count && is_inside_run(call->function))
		thread->nodes[thread->node].computes = true;
	if (!repeat->inside)
		return 0;
	window = &repeat->rank->recorded.items[repeat->window];
	if (repeat->call - window->first_call >= window->calls)
		return 0;
	recorded = &repeat->recorded->items
			    .items[repeat->window_calls + repeat->call - window->first_call];
	if (recorded->thread == call->thread && strcmp(recorded->function, call->function) == 0)
		return 0;
	return error_set(err, STATUS_DATA,
			 "call %llu is %s in the archive, and %s in its flow graph: %s",
			 (unsigned long long)repeat->call + 1, recorded->function, call->function,
			 repeat->rank->threads.count > 1
				 ? "it lacks the order of the calls of several threads"
				 : "they are not of one run");
}

static int repeat_receive(void *data, const struct mpi_call *call, struct error *err)
{
	struct repeat *repeat = data;
	struct mpi_call delivered = *call;

	if (repeat->pass == LEARN)
		TRY(learn_call(repeat, call, err));
	repeat->call++;
	if (repeat->pass != DELIVER)
		return 0;
	if (repeat->template != REPEAT_NONE)
		delivered.repeats = 4 * (repeat->template + 1) + 2 * (repeat->iteration % 2) +
				    repeat->inside;
	return repeat->receive(repeat->data, &delivered, err);
}

static int run_pass(struct repeat *repeat, const struct flow *flow, uint32_t rank,
		    struct error *err)
{
	const struct flow_timer timer = {.event = repeat_event,
					 .call = repeat_time,
					 .data = repeat};

	repeat->call = repeat->window = repeat->window_calls = repeat->iteration = 0;
	repeat->inside = false;
	repeat->template = REPEAT_NONE;
	for (size_t t = 0; t < repeat->rank->threads.count; t++)
		repeat->threads[t].next = repeat->threads[t].cursor = 0;
	return flow_recover_timed(flow, rank, &timer, repeat_receive, repeat, err);
}

/* Add the times of the events in windows to those of their nodes and edges. */
static void add_recorded(struct repeat *repeat, struct repeat_thread *thread)
{
	for (size_t i = 0; i < thread->events.count; i++) {
		struct repeat_event *event = &thread->events.items[i];
		const uint64_t gap_ns = repeat->recorded->items.items[event->first].gap_ns;

		event->total_ns = sum_of_parts(repeat, event, event->calls);
		repeat_sum_record(&thread->nodes[event->node], event->total_ns);
		if (event->edge != FLOW_NO_EDGE && gap_ns != REPEAT_NO_TIME)
			repeat_sum_record(&thread->edges[event->edge], gap_ns);
	}
}

/* Note the templates of a thread; uses: how often each recorded iteration is one. */
static void note_templates(const struct repeat *repeat, struct repeat_thread *thread,
			   const uint64_t *uses)
{
	for (size_t i = 0; i < thread->ranges.count; i++)
		for (size_t e = thread->ranges.items[i].begin; e < thread->ranges.items[i].end;
		     e++) {
			const struct repeat_event *event = &thread->events.items[e];
			const uint64_t gap_ns = repeat->recorded->items.items[event->first].gap_ns;

			repeat_sum_note(&thread->nodes[event->node], event->total_ns, uses[i]);
			if (event->edge != FLOW_NO_EDGE && gap_ns != REPEAT_NO_TIME)
				repeat_sum_note(&thread->edges[event->edge], gap_ns, uses[i]);
		}
}

/* Do something with all sums of a thread. */
static void each_sum(struct repeat_thread *thread, void (*act)(struct repeat_sum *sum))
{
	for (size_t i = 0; i < thread->graph->nodes.count; i++)
		act(&thread->nodes[i]);
	for (size_t i = 0; i < thread->graph->edges.count; i++)
		act(&thread->edges[i]);
}

static int plan_sums(struct repeat *repeat, struct error *err)
{
	uint64_t *uses;

	TRY(allocate(&uses, recorded_iterations(repeat), sizeof *uses, err));
	for (size_t i = 0; i < repeat->iterations.count; i++)
		if (!repeat->iterations.items[i].recorded &&
		    repeat->iterations.items[i].template != REPEAT_NONE)
			uses[repeat->iterations.items[i].template]++;
	for (size_t t = 0; t < repeat->rank->threads.count; t++) {
		note_templates(repeat, &repeat->threads[t], uses);
		each_sum(&repeat->threads[t], repeat_sum_plan);
	}
	free(uses);
	return 0;
}

/* Leave what is not in windows.  Sums have seeds of their own, on each rank. */
static void leave_rest(struct repeat_thread *thread, uint64_t seed)
{
	for (size_t i = 0; i < thread->graph->nodes.count; i++)
		repeat_sum_leave_rest(&thread->nodes[i], seed + 2 * i);
	for (size_t i = 0; i < thread->graph->edges.count; i++)
		repeat_sum_leave_rest(&thread->edges[i], seed + 2 * i + 1);
}

/* End the first pass. */
static int end_learning(struct repeat *repeat, struct repeat_figures *figures, struct error *err)
{
	/* The last window may end with the rank, and the rank before windows that it lacks. */
	end_recorded_iteration(repeat);
	while (repeat->firsts.count <= repeat->rank->recorded.count)
		TRY(array_push(&repeat->firsts, recorded_iterations(repeat), err));
	for (size_t t = 0; t < repeat->rank->threads.count; t++) {
		struct repeat_thread *thread = &repeat->threads[t];

		add_recorded(repeat, thread);
		leave_rest(thread, ((uint64_t)repeat->number << 40) + ((uint64_t)t << 32));
		TRY(sort_events(thread, err));
	}
	TRY(choose_templates(repeat, figures, err));
	return plan_sums(repeat, err);
}

/* ------------------------------------------------------------------------- figures */

static void add_spread(struct repeat_figures *figures, const struct repeat_sum *sum)
{
	const struct repeat_spread spread = {.rest = &sum->rest,
					     .inside = &sum->inside,
					     .common = &sum->common_inside,
					     .visits = sum->common.count + sum->rare.count,
					     .delivered_squares = sum->squares};

	repeat_figures_add(figures, &spread);
}

/* Computation of the first thread in a recorded iteration, as it is delivered in its repetitions. */
static double computation_of(const struct repeat *repeat, const struct repeat_range *range)
{
	const struct repeat_thread *thread = &repeat->threads[0];
	double sum_ns = 0;

	for (size_t i = range->begin; i < range->end; i++) {
		const struct repeat_event *event = &thread->events.items[i];
		const uint64_t gap_ns = repeat->recorded->items.items[event->first].gap_ns;
		const struct repeat_sum *node = &thread->nodes[event->node];

		if (event->edge != FLOW_NO_EDGE && gap_ns != REPEAT_NO_TIME)
			sum_ns += repeat_sum_common_time(&thread->edges[event->edge], gap_ns);
		if (node->computes)
			sum_ns += repeat_sum_common_time(node, event->total_ns);
	}
	return sum_ns;
}

static int find_figures(const struct repeat *repeat, struct repeat_figures *figures,
			struct error *err)
{
	figures->threads = repeat->rank->threads.count;
	for (size_t t = 0; t < repeat->rank->threads.count; t++) {
		const struct repeat_thread *thread = &repeat->threads[t];

		for (size_t i = 0; i < thread->graph->nodes.count; i++)
			if (thread->nodes[i].computes)
				add_spread(figures, &thread->nodes[i]);
		for (size_t i = 0; i < thread->graph->edges.count; i++)
			add_spread(figures, &thread->edges[i]);
	}
	for (size_t i = 0; i < repeat->threads[0].ranges.count; i++)
		TRY(array_push(&figures->recorded_ns,
			       computation_of(repeat, &repeat->threads[0].ranges.items[i]), err));
	return 0;
}

/* ------------------------------------------------------------------------- ranks */

/* Open a thread with the statistics of its nodes and edges. */
static int open_thread(struct repeat_thread *thread, const struct flow *flow,
		       const struct flow_thread *own, struct error *err)
{
	const struct flow_graph *graph = &flow->graphs.items[own->graph];
	struct flow_stat *nodes, *edges = NULL;
	int result;

	thread->graph = graph;
	TRY(allocate(&thread->nodes, graph->nodes.count, sizeof *thread->nodes, err));
	TRY(allocate(&thread->edges, graph->edges.count, sizeof *thread->edges, err));
	TRY(allocate(&nodes, graph->nodes.count, sizeof *nodes, err));
	result = allocate(&edges, graph->edges.count, sizeof *edges, err);
	if (result == 0)
		result = flow_thread_stats(flow, own, nodes, edges, err);
	for (size_t i = 0; result == 0 && i < graph->nodes.count; i++)
		thread->nodes[i].rest = nodes[i];
	for (size_t i = 0; result == 0 && i < graph->edges.count; i++)
		thread->edges[i].rest = edges[i];
	free(nodes);
	free(edges);
	return result;
}

static int deliver(struct repeat *repeat, const struct flow *flow, uint32_t rank,
		   struct repeat_figures *figures, struct error *err)
{
	TRY(allocate(&repeat->threads, repeat->rank->threads.count, sizeof *repeat->threads, err));
	for (size_t t = 0; t < repeat->rank->threads.count; t++)
		TRY(open_thread(&repeat->threads[t], flow, &repeat->rank->threads.items[t], err));
	TRY(array_push(&repeat->firsts, 0, err));
	TRY(run_pass(repeat, flow, rank, err));
	TRY(end_learning(repeat, figures, err));
	repeat->pass = ADD;
	TRY(run_pass(repeat, flow, rank, err));
	for (size_t t = 0; t < repeat->rank->threads.count; t++)
		each_sum(&repeat->threads[t], repeat_sum_begin);
	repeat->pass = DELIVER;
	TRY(run_pass(repeat, flow, rank, err));
	return find_figures(repeat, figures, err);
}

static void repeat_release(struct repeat *repeat)
{
	for (size_t t = 0; repeat->threads && t < repeat->rank->threads.count; t++) {
		struct repeat_thread *thread = &repeat->threads[t];

		free(thread->nodes);
		free(thread->edges);
		free(thread->sorted);
		array_release(&thread->events);
		array_release(&thread->ranges);
	}
	free(repeat->threads);
	array_release(&repeat->iterations);
	array_release(&repeat->firsts);
}

int repeat_rank_deliver(const struct flow *flow, uint32_t rank, const struct repeat_calls *recorded,
			trace_receive *receive, void *data, struct repeat_figures *figures,
			struct error *err)
{
	struct repeat repeat = {.rank = &flow->ranks[rank],
				.number = rank,
				.recorded = recorded,
				.receive = receive,
				.data = data};
	int result = 0;

	*figures = (struct repeat_figures){0};
	if (repeat.rank->threads.count)
		result = deliver(&repeat, flow, rank, figures, err);
	repeat_release(&repeat);
	return result;
}
