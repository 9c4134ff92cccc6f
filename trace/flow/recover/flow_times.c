#include "trace/flow/recover/flow_times.h"

#include "trace/flow/flow_parts.h"

static int flow_times_damaged(const char *what, struct error *err)
{
	return error_set(err, STATUS_DATA, "damaged: %s of a rank", what);
}

static int open_values(struct flow_thread_reader *reader, const struct flow_thread *thread,
		       struct error *err)
{
	struct flow_cursor cursor;

	TRY(flow_unpack(&thread->values, &cursor, &reader->unpacked[0], err));
	if (!flow_left(&cursor))
		return 0;
	for (size_t n = 0; n < reader->graph->nodes.count; n++)
		reader->values[n].bytes = flow_get_block(&cursor);
	return cursor.damaged || flow_left(&cursor) ? flow_times_damaged("values", err) : 0;
}

static void open_one(const struct flow *flow, struct flow_cursor *cursor,
		     struct flow_time_reader *times)
{
	struct flow_stat stat;

	if (flow->times == FLOW_TIMES_ALL) {
		times->bytes = flow_get_block(cursor);
		return;
	}
	flow_stat_get(cursor, &stat);
	times->mean = flow_stat_mean(&stat);
}

static int open_times(struct flow_thread_reader *reader, const struct flow *flow,
		      const struct flow_thread *thread, struct error *err)
{
	struct flow_cursor cursor;

	if (flow->times == FLOW_TIMES_NONE)
		return 0;
	TRY(flow_unpack(&thread->times, &cursor, &reader->unpacked[1], err));
	for (size_t n = 0; n < reader->graph->nodes.count; n++)
		open_one(flow, &cursor, &reader->nodes[n]);
	for (size_t e = 0; e < reader->graph->edges.count; e++)
		open_one(flow, &cursor, &reader->edges[e]);
	return cursor.damaged || flow_left(&cursor) ? flow_times_damaged("times", err) : 0;
}

int flow_thread_open(struct flow_thread_reader *reader, const struct flow *flow,
		     const struct flow_thread *thread, struct error *err)
{
	const struct flow_graph *graph = &flow->graphs.items[thread->graph];

	*reader = (struct flow_thread_reader){.graph = graph, .thread = thread};
	TRY(allocate(&reader->nodes, graph->nodes.count, sizeof *reader->nodes, err));
	TRY(allocate(&reader->edges, graph->edges.count, sizeof *reader->edges, err));
	TRY(allocate(&reader->values, graph->nodes.count, sizeof *reader->values, err));
	TRY(open_values(reader, thread, err));
	return open_times(reader, flow, thread, err);
}

void flow_thread_close(struct flow_thread_reader *reader)
{
	free(reader->nodes);
	free(reader->edges);
	free(reader->values);
	free(reader->unpacked[0]);
	free(reader->unpacked[1]);
}

/* ----------------------------------------------------------------------- visits */

/* Begin the row of a visit. */
static int begin_row(struct flow_value_reader *values, struct error *err)
{
	if (!values->repeats) {
		values->repeats = flow_get(&values->bytes);
		if (!values->repeats)
			return flow_times_damaged("values", err);
	}
	values->row = values->bytes;
	return 0;
}

void flow_event_end_row(struct flow_value_reader *values)
{
	if (!--values->repeats)
		values->bytes = values->row;
}

/* Find what calls a node has, at its first visit. */
static int find_template(struct flow_value_reader *values, struct flow_calls *calls,
			 uint32_t signature, struct error *err)
{
	enum flow_signature_kind kind;

	flow_signature(calls->flow, signature, &kind);
	values->variable = kind == FLOW_VARIABLE;
	return values->variable ? 0 : flow_template_get(calls, signature, &values->template, err);
}

int flow_event_begin_other(struct flow_thread_reader *reader, struct flow_calls *calls,
			   struct flow_event *event, struct error *err)
{
	struct flow_value_reader *values = &reader->values[event->node];

	if (!values->variable)
		TRY(find_template(values, calls, reader->graph->nodes.items[event->node].signature,
				  err));
	if (!values->variable)
		return 0;
	TRY(begin_row(values, err));
	event->calls = event->calls_left = flow_get_most(&values->row, UINT32_MAX) + 1;
	return 0;
}

int flow_event_call_other(struct flow_thread_reader *reader, struct flow_calls *calls,
			  struct flow_event *event, struct flow_template **template,
			  struct error *err)
{
	struct flow_value_reader *values = &reader->values[event->node];
	uint64_t number;

	if (*template)
		return begin_row(values, err);
	number = flow_get(&values->row);
	if (values->row.damaged || number >= reader->thread->contents.count)
		return flow_times_damaged("values", err);
	return flow_template_get(calls, reader->thread->contents.items[number], template, err);
}

/* ------------------------------------------------------------------- statistics */

/* Add the time of one visit. */
static int add_visit(struct flow_thread_reader *reader, struct flow_calls *calls, uint32_t node,
		     struct flow_stat *stat, struct error *err)
{
	struct flow_time_reader *times = &reader->nodes[node];
	struct flow_event event;
	uint64_t sum = 0;

	TRY(flow_event_begin(reader, calls, node, &event, err));
	while (event.calls_left) {
		struct flow_template *template;
		struct mpi_call call = {0};
		uint64_t gap_ns = 0, duration_ns;

		TRY(flow_event_call(reader, calls, &event, &template, err));
		flow_template_skip(template, &reader->values[node].row);
		if (event.calls_left < event.calls)
			flow_time_gap(times, &gap_ns);
		call.polls = template->polls;
		flow_time_call(times, &call, &duration_ns);
		sum += gap_ns + duration_ns;
		flow_event_end_call(reader, &event);
		if (times->bytes.damaged || reader->values[node].row.damaged)
			return flow_times_damaged("times", err);
	}
	flow_stat_add(stat, sum > INT64_MAX ? 0 : sum);
	return 0;
}

static int stats_of_all(struct flow_thread_reader *reader, struct flow_calls *calls,
			struct flow_stat *nodes, struct flow_stat *edges, struct error *err)
{
	const struct flow_graph *graph = reader->graph;

	for (uint32_t n = 0; n < graph->nodes.count; n++)
		for (uint64_t v = 0; v < graph->nodes.items[n].visits; v++)
			TRY(add_visit(reader, calls, n, &nodes[n], err));
	for (uint32_t e = 0; e < graph->edges.count; e++)
		for (uint64_t v = 0; v < graph->edges.items[e].count; v++) {
			uint64_t gap_ns;

			flow_time_gap(&reader->edges[e], &gap_ns);
			if (reader->edges[e].bytes.damaged)
				return flow_times_damaged("times", err);
			flow_stat_add(&edges[e], gap_ns > INT64_MAX ? 0 : gap_ns);
		}
	return 0;
}

static int stats_of_sums(const struct flow *flow, const struct flow_thread *thread,
			 struct flow_stat *nodes, struct flow_stat *edges, struct error *err)
{
	const struct flow_graph *graph = &flow->graphs.items[thread->graph];
	struct flow_cursor cursor;
	void *unpacked;

	TRY(flow_unpack(&thread->times, &cursor, &unpacked, err));
	for (size_t n = 0; n < graph->nodes.count; n++)
		flow_stat_get(&cursor, &nodes[n]);
	for (size_t e = 0; e < graph->edges.count; e++)
		flow_stat_get(&cursor, &edges[e]);
	free(unpacked);
	return cursor.damaged ? flow_times_damaged("times", err) : 0;
}

int flow_thread_stats(const struct flow *flow, const struct flow_thread *thread,
		      struct flow_stat *nodes, struct flow_stat *edges, struct error *err)
{
	struct flow_thread_reader reader;
	struct flow_calls calls;
	int result;

	if (flow->times == FLOW_TIMES_NONE)
		return 0;
	if (flow->times == FLOW_TIMES_STATS)
		return stats_of_sums(flow, thread, nodes, edges, err);
	result = flow_calls_begin(&calls, (struct flow *)flow, NO_RANK, err);
	if (result == 0)
		result = flow_thread_open(&reader, flow, thread, err);
	if (result == 0)
		result = stats_of_all(&reader, &calls, nodes, edges, err);
	flow_thread_close(&reader);
	flow_calls_release(&calls);
	return result;
}

/* ------------------------------------------------------------------------ calls */

static int take_visit(struct flow_thread_reader *reader, struct flow_calls *calls, uint32_t node,
		      flow_take_calls *take, void *data, struct error *err)
{
	struct flow_event event;

	TRY(flow_event_begin(reader, calls, node, &event, err));
	while (event.calls_left) {
		struct flow_template *template;

		TRY(flow_event_call(reader, calls, &event, &template, err));
		flow_template_skip(template, &reader->values[node].row);
		flow_event_end_call(reader, &event);
		if (reader->values[node].row.damaged)
			return flow_times_damaged("values", err);
		TRY(take(data, &template->call, 1, err));
	}
	return 0;
}

/* Deliver the calls of a node: at once if its visits are alike. */
static int take_node(struct flow_thread_reader *reader, struct flow_calls *calls, uint32_t node,
		     flow_take_calls *take, void *data, struct error *err)
{
	const struct flow_node *own = &reader->graph->nodes.items[node];
	enum flow_signature_kind kind;
	struct flow_template *template;

	flow_signature(calls->flow, own->signature, &kind);
	if (kind != FLOW_VARIABLE) {
		TRY(flow_template_get(calls, own->signature, &template, err));
		if (!template->has_values)
			return take(data, &template->call, own->visits, err);
	}
	for (uint64_t v = 0; v < own->visits; v++)
		TRY(take_visit(reader, calls, node, take, data, err));
	return 0;
}

int flow_thread_calls(const struct flow *flow, uint32_t rank, const struct flow_thread *thread,
		      flow_take_calls *take, void *data, struct error *err)
{
	struct flow_thread_reader reader = {0};
	struct flow_calls calls;
	int result = flow_calls_begin(&calls, (struct flow *)flow, rank, err);

	if (result == 0)
		result = flow_thread_open(&reader, flow, thread, err);
	for (uint32_t n = 0; result == 0 && n < reader.graph->nodes.count; n++)
		result = take_node(&reader, &calls, n, take, data, err);
	flow_thread_close(&reader);
	flow_calls_release(&calls);
	return result;
}
