/* Command eventflow info: the size of event flow graphs. */
#include "eventflow/commands.h"
#include "eventflow/graph/order.h"
#include "eventflow/graph/otf2_bytes.h"

#include <stdlib.h>

/* Sizes of the graphs of a rank, or sums. */
struct info_sizes {
	uint64_t calls, events, nodes, edges, blocks, bytes_of_times;
	uint64_t
		own_bytes; /* of values, requests and the order of threads: what ranks do not share */
	uint64_t otf2_bytes; /* of the calls as OTF2 records without times */
	bool order_fixed;
};

/* Ranks whose first threads have equal graphs. */
struct info_class {
	uint32_t graph, rank, ranks; /* rank: the first of them */
	struct info_sizes sizes;     /* of all of them */
};

struct info {
	const struct flow *flow;
	struct info_sizes total, *ranks;
	ARRAY(struct info_class) classes;
	bool lossy; /* a rank is: then calls are not known */
};

static const char *const times_names[] = {"none", "stats", "all", NULL};
static const char *const level_names[] = {"function", "call", "site", NULL};

static const struct report_field info_fields[] = {
	{"ranks", "ranks", .kind = VALUE_COUNT},
	{"calls", "calls", VALUE_COUNT, .meaning = "MPI calls of all ranks"},
	{"events", "events", VALUE_COUNT,
	 .meaning = "Calls, where polls and the call that ends them are one"},
	{"graphs", "graphs", VALUE_COUNT,
	 .meaning = "Different graphs: threads with equal ones share them"},
	{"signatures", "signatures", VALUE_COUNT,
	 .meaning = "Different calls, and what is common to nodes"},
	{"nodes", "nodes", VALUE_NUMBER, .flags = FIELD_NULL,
	 .meaning = "Mean number of nodes of a rank"},
	{"edges", "edges", VALUE_NUMBER, .flags = FIELD_NULL,
	 .meaning = "Mean number of edges of a rank"},
	{"blocks", "blocks", VALUE_NUMBER, .flags = FIELD_NULL,
	 .meaning = "Mean number of blocks of visits of a rank, over its edges"},
	{"cardinality", "cardinality", VALUE_NUMBER, .flags = FIELD_NULL,
	 .meaning = "Mean number of visits of a node"},
	{"order_fixed", "fixed", VALUE_COUNT,
	 .meaning = "Ranks whose graph fixes the order of events without the sets of visits"},
	{"signature", "signature", VALUE_NAME, .values = level_names,
	 .meaning = "What tells nodes apart"},
	{"times", "times", VALUE_NAME, .values = times_names},
	{"file_bytes", "file", VALUE_BYTES, .flags = FIELD_NULL, .unit = "B"},
	{"times_bytes", "for times", VALUE_BYTES, .flags = FIELD_NULL, .unit = "B",
	 .meaning = "Bytes of the file that are times of calls"},
	{"compression", "compression", VALUE_NUMBER, .flags = FIELD_NULL,
	 .meaning = "8 bytes for each call, over the bytes of the file that are not times"},
	{"otf2_bytes", "as OTF2", VALUE_BYTES, .flags = FIELD_NULL, .unit = "B",
	 .meaning =
		 "Size of the same calls as records of OTF2 without times and attributes; null if calls are lost"},
	{"otf2_compression", "compression", VALUE_NUMBER, .flags = FIELD_NULL,
	 .meaning = "That size over the bytes of the file that are not times"},
	{0},
};

static void put_mean(struct report_row *row, uint64_t sum, uint64_t count)
{
	if (count)
		put_number(row, (double)sum / (double)count);
	else
		put_none(row);
}

/* Put how much smaller the file is than `bytes`, if there are both. */
static void put_compression(struct report_row *row, const struct flow *flow,
			    const struct info_sizes *total, uint64_t bytes)
{
	if (flow->file_bytes && bytes)
		put_mean(row, bytes, flow->file_bytes - total->bytes_of_times);
	else
		put_none(row);
}

static void info_row(struct report_row *row, const void *data, size_t number)
{
	const struct info *info = data;
	const struct flow *flow = info->flow;
	const struct info_sizes *total = &info->total;
	uint64_t fixed = 0;

	(void)number;
	for (uint32_t r = 0; r < flow->world.rank_count; r++)
		fixed += info->ranks[r].order_fixed;
	put_count(row, flow->world.rank_count);
	put_count(row, total->calls);
	put_count(row, total->events);
	put_count(row, flow->graphs.count);
	put_count(row, flow->signatures.starts.count);
	put_mean(row, total->nodes, flow->world.rank_count);
	put_mean(row, total->edges, flow->world.rank_count);
	put_mean(row, total->blocks, flow->world.rank_count);
	row_note(row, "visits of a node");
	put_mean(row, total->events, total->nodes);
	row_note(row, "ranks whose order follows from the counts of edges alone");
	put_count(row, fixed);
	put_name(row, level_names[flow->level]);
	put_name(row, times_names[flow->times]);
	put_count_or_none(row, flow->file_bytes, flow->file_bytes > 0);
	put_count_or_none(row, total->bytes_of_times, flow->file_bytes > 0);
	row_note(row, "times smaller than 8 bytes a call, without times");
	put_compression(row, flow, total, 8 * total->calls);
	row_note(row, "its records without times and attributes");
	put_count_or_none(row, total->otf2_bytes, !info->lossy);
	row_note(row, "times smaller than these records, without times");
	put_compression(row, flow, total, info->lossy ? 0 : total->otf2_bytes);
}

static const struct report_field info_class_fields[] = {
	{"graph", "graph", VALUE_COUNT, .width = 5,
	 .meaning = "Number of the graph of the first threads of the ranks"},
	{"rank", "rank", VALUE_COUNT, .width = 6, .meaning = "The first of the ranks"},
	{"ranks", "ranks", VALUE_COUNT, .width = 7, .meaning = "That have the graph"},
	{"calls", "calls", VALUE_NUMBER, .width = 10, .meaning = "Mean of the ranks"},
	{"events", "events", VALUE_NUMBER, .width = 10, .meaning = "Mean of the ranks"},
	{"nodes", "nodes", VALUE_NUMBER, .width = 7, .meaning = "Mean of the ranks, all threads"},
	{"edges", "edges", VALUE_NUMBER, .width = 7, .meaning = "Mean of the ranks, all threads"},
	{"blocks", "blocks", VALUE_NUMBER, .width = 8,
	 .meaning = "Blocks of visits: labelled edges; mean of the ranks, all threads"},
	{"cardinality", "cardinality", VALUE_NUMBER, .width = 12, .flags = FIELD_NULL,
	 .meaning = "Mean number of visits of a node"},
	{"own_bytes", "own bytes", VALUE_NUMBER, .width = 10, .flags = FIELD_NULL,
	 .meaning = "Mean bytes of what a rank does not share with others, without times"},
	{"order_fixed", "fixed", VALUE_TRUTH, .width = 6,
	 .meaning = "Whether the counts of edges alone fix the order of events"},
	{0},
};

static void info_class_row(struct report_row *row, const void *data, size_t number)
{
	const struct info *info = data;
	const struct info_class *own = &info->classes.items[number];

	put_count(row, own->graph);
	put_count(row, own->rank);
	put_count(row, own->ranks);
	put_mean(row, own->sizes.calls, own->ranks);
	put_mean(row, own->sizes.events, own->ranks);
	put_mean(row, own->sizes.nodes, own->ranks);
	put_mean(row, own->sizes.edges, own->ranks);
	put_mean(row, own->sizes.blocks, own->ranks);
	put_mean(row, own->sizes.events, own->sizes.nodes);
	put_mean(row, own->sizes.own_bytes, info->flow->file_bytes ? own->ranks : 0);
	put_truth(row, own->sizes.order_fixed);
}

static report_weight ranks_of_class(const void *data, size_t number)
{
	return ((const struct info *)data)->classes.items[number].ranks;
}

static const struct report_field rank_fields[] = {
	{"rank", NULL, .kind = VALUE_COUNT},
	{"graph", NULL, VALUE_COUNT, .flags = FIELD_NULL,
	 .meaning =
		 "Number of the graph of the rank's first thread: ranks with equal ones have the same"},
	{"calls", NULL, .kind = VALUE_COUNT},
	{"events", NULL, .kind = VALUE_COUNT},
	{"nodes", NULL, .kind = VALUE_COUNT},
	{"edges", NULL, .kind = VALUE_COUNT},
	{"blocks", NULL, .kind = VALUE_COUNT},
	{"cardinality", NULL, VALUE_NUMBER, .flags = FIELD_NULL},
	{"own_bytes", NULL, VALUE_COUNT, .flags = FIELD_NULL,
	 .meaning = "Bytes of what the rank does not share with others, without times"},
	{"otf2_bytes", NULL, VALUE_COUNT, .flags = FIELD_NULL,
	 .meaning = "Size of its calls as records of OTF2 without times and attributes"},
	{"order_fixed", NULL, VALUE_TRUTH,
	 .meaning = "Whether the counts of edges alone fix the order of events"},
	{0},
};

static void rank_row(struct report_row *row, const void *data, size_t number)
{
	const struct info *info = data;
	const struct info_sizes *sizes = &info->ranks[number];
	const struct flow_rank *rank = &info->flow->ranks[number];

	put_count(row, number);
	put_count_or_none(row, rank->threads.count ? rank->threads.items[0].graph : 0,
			  rank->threads.count);
	put_count(row, sizes->calls);
	put_count(row, sizes->events);
	put_count(row, sizes->nodes);
	put_count(row, sizes->edges);
	put_count(row, sizes->blocks);
	put_mean(row, sizes->events, sizes->nodes);
	put_count_or_none(row, sizes->own_bytes, info->flow->file_bytes);
	put_count_or_none(row, sizes->otf2_bytes, !rank->lossy);
	put_truth(row, sizes->order_fixed);
}

static void info_report(struct report *report, const void *data)
{
	const struct info *info = data;

	report_begin(report, "eventflow-info-1");
	report_facts(report,
		     &(struct report_facts){.fields = info_fields, .row = info_row, .data = info});
	report_table(
		report,
		&(struct report_table){
			"classes", .title = "ranks with equal graphs",
			.meaning =
				"Sizes of the graphs of ranks whose first threads have equal ones",
			.fields = info_class_fields, .row = info_class_row, .data = info,
			.count = info->classes.count,
			.most = info->classes.count > REPORT_MOST_ROWS ? REPORT_MOST_ROWS : 0,
			.weight = info->classes.count > REPORT_MOST_ROWS ? ranks_of_class : NULL,
			.counts_rest = true, .lists_all = "--format json"});
	report_table(report,
		     &(struct report_table){
			     "by_rank",
			     .meaning = "Sizes of the graphs of each rank, all of its threads",
			     .fields = rank_fields, .row = rank_row, .data = info,
			     .count = info->flow->world.rank_count});
	report_end(report);
}

static int measure_rank(const struct flow *flow, const struct flow_rank *rank,
			struct info_sizes *sizes, struct error *err)
{
	sizes->order_fixed = true;
	for (size_t t = 0; t < rank->threads.count; t++) {
		const struct flow_thread *thread = &rank->threads.items[t];
		const struct flow_graph *graph = &flow->graphs.items[thread->graph];
		bool fixed;

		TRY(flow_order_is_fixed(graph, &fixed, err));
		sizes->order_fixed &= fixed;
		sizes->calls += thread->calls;
		sizes->events += graph->events;
		sizes->nodes += graph->nodes.count;
		sizes->edges += graph->edges.count;
		sizes->blocks += graph->blocks.count;
		sizes->bytes_of_times += thread->times.count;
		sizes->own_bytes += thread->values.count;
	}
	sizes->own_bytes += rank->order.count + rank->requests.count;
	return 0;
}

static void sizes_add(struct info_sizes *sum, const struct info_sizes *sizes)
{
	sum->calls += sizes->calls;
	sum->events += sizes->events;
	sum->nodes += sizes->nodes;
	sum->edges += sizes->edges;
	sum->blocks += sizes->blocks;
	sum->bytes_of_times += sizes->bytes_of_times;
	sum->own_bytes += sizes->own_bytes;
	sum->otf2_bytes += sizes->otf2_bytes;
	sum->order_fixed &= sizes->order_fixed;
}

/* Add a rank to its class.  places: [graph] number of its class, from 1. */
static int add_to_class(struct info *info, uint32_t number, uint32_t *places, struct error *err)
{
	const struct flow_rank *rank = &info->flow->ranks[number];
	struct info_class *own;

	if (!rank->threads.count)
		return 0;
	const uint32_t graph = rank->threads.items[0].graph;

	if (!places[graph]) {
		TRY(array_push(&info->classes,
			       ((struct info_class){.graph = graph,
						    .rank = number,
						    .sizes = {.order_fixed = true}}),
			       err));
		places[graph] = (uint32_t)info->classes.count;
	}
	own = &info->classes.items[places[graph] - 1];
	own->ranks++;
	sizes_add(&own->sizes, &info->ranks[number]);
	return 0;
}

static int measure(struct info *info, uint32_t *places, struct error *err)
{
	for (uint32_t r = 0; r < info->flow->world.rank_count; r++) {
		const struct flow_rank *rank = &info->flow->ranks[r];

		TRY(measure_rank(info->flow, rank, &info->ranks[r], err));
		info->lossy |= rank->lossy;
		if (!rank->lossy)
			TRY(otf2_bytes_add(&info->ranks[r].otf2_bytes, info->flow, r, err));
		sizes_add(&info->total, &info->ranks[r]);
		TRY(add_to_class(info, r, places, err));
	}
	return 0;
}

static int measure_all(struct info *info, struct error *err)
{
	uint32_t *places;
	int result;

	TRY(allocate(&info->ranks, info->flow->world.rank_count, sizeof *info->ranks, err));
	TRY(allocate(&places, info->flow->graphs.count, sizeof *places, err));
	result = measure(info, places, err);
	free(places);
	return result;
}

static int cmd_info(char **operands, int operand_count, struct error *err)
{
	struct info info = {0};
	struct flow *flow;
	int result;

	(void)operand_count;
	TRY(commands_open_flow(&flow, operands[0], err));
	info.flow = flow;
	result = measure_all(&info, err);
	if (result == 0)
		result = commands_print(operands[0], "by_rank", info_report, &info, err);
	free(info.ranks);
	array_release(&info.classes);
	flow_release(flow);
	return result;
}

static const struct help_entry info_examples[] = {
	{"eventflow info app.efg", "print how many nodes and edges the graphs have"},
	{"eventflow info app.trace --format csv",
	 "the same of the ranks of an archive, as a table"},
	{0},
};

static const struct option_spec *const info_options[] = {NULL};

const struct command info_command = {
	.name = "info",
	.operands = "FILE",
	.least_operands = 1,
	.most_operands = 1,
	.summary =
		"print the size of event flow graphs: calls, nodes, edges, visits of a node, compression",
	.notes = INPUT_NOTES
	" Compression is measured against 8 bytes for each call, and against the records of OTF2. JSON and CSV have all ranks.",
	.options = info_options,
	.output = &print_output,
	.run = cmd_info,
	.examples = info_examples,
};
