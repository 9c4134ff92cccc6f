#include "trace/flow/flow_build.h"

#include "common/number_map.h"
#include "trace/call/mpi_functions.h"
#include "trace/flow/flow_call.h"
#include "trace/flow/flow_file.h"
#include "trace/flow/flow_parts.h"
#include "trace/flow/flow_stat.h"

#include <string.h>

/* Calls that are one event at most. */
enum { MOST_CALLS_OF_EVENT = 1 << 16 };

/* Last durations of a node or edge, from which the next ones are counted. */
struct build_times {
	struct flow_bytes bytes;
	uint64_t gap, duration, poll_gaps, least_gap;
	struct flow_stat stat;
};

struct build_edge {
	uint32_t to;
	struct flow_set visits;
	struct build_times times;
};

struct build_node {
	uint32_t signature;
	uint64_t visits;
	ARRAY(uint32_t) edges; /* in the order of their first visit */
	uint32_t recent;       /* edge that was followed last */
	/* Values of visits: how often, and the row.  The last row is not in `values` yet. */
	struct flow_bytes values, row;
	uint64_t repeats;
	struct build_times times;
};

/* A call whose event has not ended. */
struct build_call {
	uint64_t gap_ns, duration_ns, poll_gaps_ns, least_gap_ns;
	bool polls;
};

struct build_thread {
	ARRAY(struct build_node) nodes;
	ARRAY(struct build_edge) edges;
	struct number_map node_of; /* signature: node */
	struct number_map edge_of; /* from, to: edge */
	uint32_t at;		   /* node of the last event */
	uint64_t begin_ns, last_ns, events, calls;
	/* The event that has not ended. */
	uint32_t function, site;
	ARRAY(struct build_call) open;
	struct flow_bytes row;
	/* Signatures that values name: signature: number, and by number. */
	struct number_map content_of;
	struct flow_ids contents;
};

/* What decides the node of a function's calls. */
enum { FUNCTION_KNOWN = 1, FUNCTION_POLLS = 2, FUNCTION_ANY = 4 };

struct build {
	struct flow *flow;
	const struct flow_source *source;
	struct flow_options options;
	struct number_map all_groups, sites;
	ARRAY(uint8_t) functions;   /* by string */
	struct string_table graphs; /* as bytes, by number */
	/* The rank at hand. */
	struct flow_calls calls;
	ARRAY(struct build_thread) threads;
	struct flow_bytes order;
	uint32_t order_thread;
	uint64_t order_calls;
	struct flow_bytes content, key; /* of a call */
};

/* ------------------------------------------------------------------ nodes, edges */

static int find_node(struct build_thread *thread, uint32_t signature, uint32_t *number,
		     struct error *err)
{
	*number = number_map_get(&thread->node_of, signature, 0);
	if (*number != NUMBER_MAP_EMPTY)
		return 0;
	*number = (uint32_t)thread->nodes.count;
	TRY(number_map_add(&thread->node_of, signature, 0, *number, err));
	return array_push(&thread->nodes, ((struct build_node){.signature = signature}), err);
}

static int find_edge(struct build_thread *thread, uint32_t from, uint32_t to,
		     struct build_edge **edge, struct error *err)
{
	struct build_node *node = &thread->nodes.items[from];
	uint32_t number = node->recent;

	if (!node->edges.count || thread->edges.items[number].to != to)
		number = number_map_get(&thread->edge_of, from, to);
	if (number == NUMBER_MAP_EMPTY) {
		number = (uint32_t)thread->edges.count;
		TRY(number_map_add(&thread->edge_of, from, to, number, err));
		TRY(array_push(&thread->edges, ((struct build_edge){.to = to}), err));
		TRY(array_push(&node->edges, number, err));
	}
	node->recent = number;
	*edge = &thread->edges.items[number];
	return 0;
}

static int end_row(struct build_node *node, struct error *err)
{
	if (!node->repeats)
		return 0;
	TRY(flow_put(&node->values, node->repeats, err));
	TRY(flow_put_bytes(&node->values, node->row.items, node->row.count, err));
	node->repeats = 0;
	return 0;
}

static int add_row(struct build_node *node, const struct flow_bytes *row, struct error *err)
{
	if (!row->count)
		return 0;
	if (node->repeats && node->row.count == row->count &&
	    !memcmp(node->row.items, row->items, row->count)) {
		node->repeats++;
		return 0;
	}
	TRY(end_row(node, err));
	node->row.count = 0;
	node->repeats = 1;
	return flow_put_bytes(&node->row, row->items, row->count, err);
}

/* Append to the values of a thread which signature a call has: its number in a list of the thread. */
static int put_content(struct build_thread *thread, uint32_t content, struct flow_bytes *row,
		       struct error *err)
{
	uint32_t number = number_map_get(&thread->content_of, content, 0);

	if (number == NUMBER_MAP_EMPTY) {
		number = (uint32_t)thread->contents.count;
		TRY(array_push(&thread->contents, content, err));
		TRY(number_map_add(&thread->content_of, content, 0, number, err));
	}
	return flow_put(row, number, err);
}

/* ------------------------------------------------------------------------ times */

static int put_change(struct flow_bytes *bytes, uint64_t *before, uint64_t now, struct error *err)
{
	const int64_t change = (int64_t)(now - *before);

	*before = now;
	return flow_put(bytes, flow_fold_sign(change), err);
}

static int add_gap(const struct build *build, struct build_times *times, uint64_t gap_ns,
		   struct error *err)
{
	if (build->options.times == FLOW_TIMES_STATS)
		flow_stat_add(&times->stat, gap_ns > INT64_MAX ? 0 : gap_ns);
	return build->options.times == FLOW_TIMES_ALL
		       ? put_change(&times->bytes, &times->gap, gap_ns, err)
		       : 0;
}

/* Add the time of an event: of its calls and between them. */
static int add_durations(const struct build *build, struct build_times *times,
			 const struct build_thread *thread, struct error *err)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < thread->open.count; i++) {
		const struct build_call *call = &thread->open.items[i];

		sum += call->duration_ns + (i ? call->gap_ns : 0);
		if (build->options.times != FLOW_TIMES_ALL)
			continue;
		if (i)
			TRY(put_change(&times->bytes, &times->gap, call->gap_ns, err));
		TRY(put_change(&times->bytes, &times->duration, call->duration_ns, err));
		if (!call->polls)
			continue;
		TRY(put_change(&times->bytes, &times->poll_gaps, call->poll_gaps_ns, err));
		TRY(put_change(&times->bytes, &times->least_gap, call->least_gap_ns, err));
	}
	if (build->options.times == FLOW_TIMES_STATS)
		flow_stat_add(&times->stat, sum > INT64_MAX ? 0 : sum);
	return 0;
}

/* ----------------------------------------------------------------------- events */

/* End the event at hand, of the signature: go to its node. */
static int visit(struct build *build, struct build_thread *thread, uint32_t signature,
		 struct error *err)
{
	uint32_t number;

	TRY(find_node(thread, signature, &number, err));
	if (thread->events) {
		struct build_edge *edge;

		TRY(find_edge(thread, thread->at, number, &edge, err));
		TRY(flow_set_add(&edge->visits, thread->nodes.items[thread->at].visits - 1, err));
		TRY(add_gap(build, &edge->times, thread->open.items[0].gap_ns, err));
	}
	thread->nodes.items[number].visits++;
	TRY(add_row(&thread->nodes.items[number], &thread->row, err));
	TRY(add_durations(build, &thread->nodes.items[number].times, thread, err));
	thread->at = number;
	thread->events++;
	thread->open.count = 0;
	thread->row.count = 0;
	return 0;
}

/*
 * Make the key of an event that is not as its node's others in all: of calls of a function, at a place, with what
 * they have in common, `common`, or UINT32_MAX.
 */
static int make_key(struct build *build, const struct build_thread *thread, uint32_t common,
		    uint32_t *signature, struct error *err)
{
	const uint32_t site = build->options.level == FLOW_BY_SITE ? thread->site : 0;

	build->key.count = 0;
	TRY(flow_put(&build->key, FLOW_VARIABLE, err));
	TRY(flow_put(&build->key, thread->function, err));
	TRY(flow_put(&build->key, site > 0, err));
	if (site)
		TRY(flow_put(&build->key, site, err));
	TRY(flow_put(&build->key, common + 1, err));
	return flow_signature_add(build->flow, &build->key, signature, err);
}

/* End an event that is only polls that have found nothing. */
static int end_polls(struct build *build, struct build_thread *thread, struct error *err)
{
	struct flow_bytes row = {0};
	uint32_t signature;
	int result;

	if (!thread->open.count)
		return 0;
	TRY(make_key(build, thread, UINT32_MAX, &signature, err));
	/* How many calls there are comes first. */
	result = flow_put(&row, thread->open.count - 1, err);
	if (result == 0)
		result = flow_put_bytes(&row, thread->row.items, thread->row.count, err);
	array_release(&thread->row);
	thread->row = row;
	return result < 0 ? -1 : visit(build, thread, signature, err);
}

static int find_function(struct build *build, uint32_t function, uint8_t *flags, struct error *err)
{
	static const char *const any[] = {"MPI_Waitany", "MPI_Waitsome", "MPI_Testany",
					  "MPI_Testsome"};
	const char *name = string_table_get(&build->flow->strings, function);

	while (build->functions.count <= function)
		TRY(array_push(&build->functions, 0, err));
	*flags = build->functions.items[function];
	if (*flags)
		return 0;
	*flags = FUNCTION_KNOWN;
	if (mpi_function_named(name).traits & MPI_POLLS)
		*flags |= FUNCTION_POLLS;
	for (size_t i = 0; i < sizeof any / sizeof *any; i++)
		if (!strcmp(name, any[i]))
			*flags |= FUNCTION_ANY;
	build->functions.items[function] = *flags;
	return 0;
}

/* Whether a call may be a poll that has found nothing: it completes nothing. */
static bool completes_nothing(const struct mpi_call *call)
{
	for (uint32_t i = 0; i < call->event_count; i++)
		if (call->events[i].kind != EVENT_REQUEST_TEST &&
		    call->events[i].kind != EVENT_RMA_TEST)
			return false;
	return true;
}

/* Find the key of an event that ends with the call. */
static int find_key(struct build *build, const struct build_thread *thread,
		    const struct mpi_call *call, uint8_t flags, uint32_t *signature,
		    struct error *err)
{
	const struct flow_options *options = &build->options;
	uint32_t common = UINT32_MAX;

	if (options->level != FLOW_BY_FUNCTION && !(flags & FUNCTION_ANY)) {
		build->key.count = 0;
		TRY(flow_put(&build->key, FLOW_FOLDED, err));
		TRY(flow_call_put(&build->calls, call,
				  options->level == FLOW_BY_SITE ? thread->site : 0, options->folds,
				  &build->key, err));
		TRY(flow_signature_add(build->flow, &build->key, &common, err));
	}
	return make_key(build, thread, common, signature, err);
}

/* End an event whose last call is `call`, with the signature `content`. */
static int end_event(struct build *build, struct build_thread *thread, const struct mpi_call *call,
		     uint8_t flags, uint32_t content, struct error *err)
{
	const struct flow_options *options = &build->options;
	struct flow_bytes row = {0};
	uint32_t signature;
	int result;

	/* A node whose events are alike needs no values but what the signature leaves open. */
	if (!(flags & (FUNCTION_POLLS | FUNCTION_ANY)) && !options->folds &&
	    (options->level == FLOW_BY_SITE || (options->level == FLOW_BY_CALL && !thread->site))) {
		TRY(flow_call_put_values(&build->calls, call, &thread->row, err));
		return visit(build, thread, content, err);
	}
	TRY(find_key(build, thread, call, flags, &signature, err));
	result = flow_put(&row, thread->open.count - 1, err);
	if (result == 0)
		result = flow_put_bytes(&row, thread->row.items, thread->row.count, err);
	if (result == 0)
		result = put_content(thread, content, &row, err);
	if (result == 0)
		result = flow_call_put_values(&build->calls, call, &row, err);
	array_release(&thread->row);
	thread->row = row;
	return result < 0 ? -1 : visit(build, thread, signature, err);
}

/* ------------------------------------------------------------------------ calls */

static int find_site(struct build *build, const struct mpi_call *call, uint32_t *string,
		     struct error *err)
{
	const char *text;

	*string = 0;
	if (call->site == NO_SITE)
		return 0;
	*string = number_map_get(&build->sites, call->site, 0);
	if (*string != NUMBER_MAP_EMPTY)
		return 0;
	text = build->source->site ? build->source->site(build->source->data, call->site) : NULL;
	text = text ? text : "";
	TRY(string_table_add(&build->flow->strings, text, strlen(text), string, err));
	return number_map_add(&build->sites, call->site, 0, *string, err);
}

static int find_thread(struct build *build, uint32_t number, struct build_thread **thread,
		       struct error *err)
{
	while (build->threads.count <= number)
		TRY(array_push(&build->threads, (struct build_thread){0}, err));
	*thread = &build->threads.items[number];
	return 0;
}

/* Note which thread the call is of. */
static int note_order(struct build *build, uint32_t thread, struct error *err)
{
	if (thread == build->order_thread) {
		build->order_calls++;
		return 0;
	}
	TRY(flow_put(&build->order, build->order_thread, err));
	TRY(flow_put(&build->order, build->order_calls, err));
	build->order_thread = thread;
	build->order_calls = 1;
	return 0;
}

static int add_open(struct build_thread *thread, const struct mpi_call *call, struct error *err)
{
	const struct build_call open = {.gap_ns = thread->calls ? call->enter_ns - thread->last_ns
								: 0,
					.duration_ns = call->leave_ns - call->enter_ns,
					.poll_gaps_ns = call->poll_gaps_ns,
					.least_gap_ns = call->least_poll_gap_ns,
					.polls = call->polls > 0};

	if (!thread->calls++)
		thread->begin_ns = call->enter_ns;
	thread->last_ns = call->leave_ns;
	return array_push(&thread->open, open, err);
}

static int add_call(struct build *build, struct build_thread *thread, const struct mpi_call *call,
		    struct error *err)
{
	uint32_t function, site, content;
	uint8_t flags;

	TRY(flow_function(&build->calls, call->function, &function, err));
	TRY(find_function(build, function, &flags, err));
	TRY(find_site(build, call, &site, err));
	if (thread->open.count && (thread->function != function || thread->site != site ||
				   thread->open.count == MOST_CALLS_OF_EVENT))
		TRY(end_polls(build, thread, err));
	thread->function = function;
	thread->site = site;
	build->content.count = 0;
	TRY(flow_call_note(&build->calls, call, err));
	TRY(flow_put(&build->content, FLOW_PLAIN, err));
	TRY(flow_call_put(&build->calls, call, site, 0, &build->content, err));
	TRY(flow_signature_add(build->flow, &build->content, &content, err));
	TRY(add_open(thread, call, err));
	if (!(flags & FUNCTION_POLLS) || !completes_nothing(call))
		return end_event(build, thread, call, flags, content, err);
	TRY(put_content(thread, content, &thread->row, err));
	return flow_call_put_values(&build->calls, call, &thread->row, err);
}

static int flow_build_receive(void *data, const struct mpi_call *call, struct error *err)
{
	struct build *build = data;
	struct build_thread *thread;

	TRY(find_thread(build, call->thread, &thread, err));
	TRY(note_order(build, call->thread, err));
	return add_call(build, thread, call, err);
}

/* ------------------------------------------------------------------------- ranks */

static int make_graph(struct build_thread *thread, struct flow_graph *graph, struct error *err)
{
	graph->end = thread->at;
	for (size_t n = 0; n < thread->nodes.count; n++) {
		const struct build_node *node = &thread->nodes.items[n];
		const struct flow_node made = {.signature = node->signature,
					       .edges = (uint32_t)graph->edges.count,
					       .edge_count = (uint32_t)node->edges.count};

		TRY(array_push(&graph->nodes, made, err));
		for (size_t e = 0; e < node->edges.count; e++) {
			struct build_edge *edge = &thread->edges.items[node->edges.items[e]];
			struct flow_edge out = {.to = edge->to,
						.blocks = (uint32_t)graph->blocks.count};

			TRY(flow_set_end(&edge->visits, err));
			out.block_count = (uint32_t)edge->visits.blocks.count;
			TRY(array_reserve(&graph->blocks, out.block_count, err));
			memcpy(graph->blocks.items + out.blocks, edge->visits.blocks.items,
			       out.block_count * sizeof *graph->blocks.items);
			graph->blocks.count += out.block_count;
			TRY(array_push(&graph->edges, out, err));
		}
	}
	return 0;
}

/* Add the graph of a thread to the flow, or find one that is equal. */
static int add_graph(struct build *build, struct build_thread *thread, uint32_t *number,
		     struct error *err)
{
	struct flow_graph graph = {0}, read = {0};
	struct flow_bytes *bytes = &build->key;
	const size_t before = build->graphs.starts.count;
	struct flow_cursor cursor;
	int result;

	bytes->count = 0;
	result = make_graph(thread, &graph, err);
	if (result == 0)
		result = flow_graph_put(&graph, bytes, err);
	flow_graph_release(&graph);
	TRY(result);
	TRY(string_table_add(&build->graphs, (const char *)bytes->items, bytes->count, number,
			     err));
	if (build->graphs.starts.count == before)
		return 0;
	cursor = flow_cursor(bytes->items, bytes->count);
	if (flow_graph_get(build->flow, &read, &cursor, err) < 0 ||
	    array_push(&build->flow->graphs, read, err) < 0) {
		flow_graph_release(&read);
		return -1;
	}
	return 0;
}

static int keep_values(struct build *build, struct build_thread *thread, struct flow_packed *packed,
		       struct error *err)
{
	struct flow_bytes bytes = {0};
	bool any = false;

	for (size_t n = 0; n < thread->nodes.count; n++) {
		TRY(end_row(&thread->nodes.items[n], err));
		any |= thread->nodes.items[n].values.count > 0;
	}
	for (size_t n = 0; any && n < thread->nodes.count; n++) {
		const struct build_node *node = &thread->nodes.items[n];

		if (flow_put_block(&bytes, node->values.items, node->values.count, err) < 0) {
			array_release(&bytes);
			return -1;
		}
	}
	return flow_keep(build->flow, &bytes, packed, err);
}

static int put_times(const struct build *build, const struct build_times *times,
		     struct flow_bytes *bytes, struct error *err)
{
	if (build->options.times == FLOW_TIMES_STATS)
		return flow_stat_put(bytes, &times->stat, err);
	return flow_put_block(bytes, times->bytes.items, times->bytes.count, err);
}

/* Times of all nodes, then of all edges, in the order of the graph. */
static int keep_times(struct build *build, struct build_thread *thread, struct flow_packed *packed,
		      struct error *err)
{
	struct flow_bytes bytes = {0};
	int result = 0;

	if (build->options.times == FLOW_TIMES_NONE)
		return 0;
	for (size_t n = 0; n < thread->nodes.count && result == 0; n++)
		result = put_times(build, &thread->nodes.items[n].times, &bytes, err);
	for (size_t n = 0; n < thread->nodes.count; n++) {
		const struct build_node *node = &thread->nodes.items[n];

		for (size_t e = 0; e < node->edges.count && result == 0; e++)
			result = put_times(build, &thread->edges.items[node->edges.items[e]].times,
					   &bytes, err);
	}
	if (result == 0)
		result = flow_keep(build->flow, &bytes, packed, err);
	array_release(&bytes);
	return result;
}

static int end_thread(struct build *build, struct build_thread *thread, struct flow_rank *rank,
		      struct error *err)
{
	struct flow_thread made = {.calls = thread->calls};

	TRY(end_polls(build, thread, err));
	if (build->options.times != FLOW_TIMES_NONE)
		made.begin_ns = thread->begin_ns;
	TRY(add_graph(build, thread, &made.graph, err));
	TRY(keep_values(build, thread, &made.values, err));
	TRY(keep_times(build, thread, &made.times, err));
	build->flow->calls += thread->calls;
	made.contents = thread->contents;
	TRY(array_push(&rank->threads, made, err));
	thread->contents = (struct flow_ids){0};
	return 0;
}

static void release_thread(struct build_thread *thread)
{
	for (size_t n = 0; n < thread->nodes.count; n++) {
		array_release(&thread->nodes.items[n].edges);
		array_release(&thread->nodes.items[n].values);
		array_release(&thread->nodes.items[n].row);
		array_release(&thread->nodes.items[n].times.bytes);
	}
	for (size_t e = 0; e < thread->edges.count; e++) {
		array_release(&thread->edges.items[e].visits.blocks);
		array_release(&thread->edges.items[e].times.bytes);
	}
	array_release(&thread->nodes);
	array_release(&thread->edges);
	array_release(&thread->open);
	array_release(&thread->row);
	number_map_release(&thread->node_of);
	number_map_release(&thread->edge_of);
	number_map_release(&thread->content_of);
	array_release(&thread->contents);
}

static int end_rank(struct build *build, struct flow_rank *rank, struct error *err)
{
	struct flow_bytes requests = {0};

	for (size_t t = 0; t < build->threads.count; t++)
		TRY(end_thread(build, &build->threads.items[t], rank, err));
	if (build->threads.count > 1) {
		TRY(note_order(build, UINT32_MAX, err));
		TRY(flow_keep(build->flow, &build->order, &rank->order, err));
	}
	if (flow_requests_put(&build->calls.requests, &requests, err) < 0 ||
	    flow_keep(build->flow, &requests, &rank->requests, err) < 0) {
		array_release(&requests);
		return -1;
	}
	return 0;
}

static int build_rank(struct build *build, uint32_t rank, struct error *err)
{
	int result;

	build->order.count = 0;
	build->order_thread = 0;
	build->order_calls = 0;
	result = flow_calls_begin(&build->calls, build->flow, rank, err);
	build->calls.all_groups = &build->all_groups;
	if (result == 0)
		result = build->source->rank(build->source->data, rank, flow_build_receive, build,
					     err);
	if (result == 0)
		result = end_rank(build, &build->flow->ranks[rank], err);
	flow_calls_release(&build->calls);
	for (size_t t = 0; t < build->threads.count; t++)
		release_thread(&build->threads.items[t]);
	build->threads.count = 0;
	return result;
}

static int build_all(struct build *build, struct error *err)
{
	struct flow *flow = build->flow;
	struct flow_cursor cursor;

	TRY(flow_world_put(flow, build->source->world, &build->key, err));
	cursor = flow_cursor(build->key.items, build->key.count);
	TRY(flow_world_get(flow, &cursor, err));
	TRY(flow_add_ranks(flow, flow->world.rank_count, err));
	for (uint32_t rank = 0; rank < flow->world.rank_count; rank++)
		TRY(build_rank(build, rank, err));
	return 0;
}

int flow_build(struct flow **made, const struct flow_source *source,
	       const struct flow_options *options, struct error *err)
{
	struct build build = {.source = source, .options = *options};
	int result;

	TRY(flow_make(made, err));
	build.flow = *made;
	build.flow->times = options->times;
	build.flow->level = options->level;
	build.flow->folds = options->folds;
	result = build_all(&build, err);
	number_map_release(&build.all_groups);
	number_map_release(&build.sites);
	array_release(&build.functions);
	string_table_release(&build.graphs);
	array_release(&build.threads);
	array_release(&build.order);
	array_release(&build.content);
	array_release(&build.key);
	if (result < 0) {
		flow_release(*made);
		*made = NULL;
	}
	return result;
}
