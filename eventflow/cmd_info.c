/* Command eventflow info: the size of event flow graphs. */
#include "eventflow/commands.h"
#include "eventflow/graph/order.h"

#include <stdlib.h>

/* Sizes of the graphs of a rank, or sums. */
struct info_sizes {
	uint64_t calls, events, nodes, edges, blocks, bytes_of_times;
	bool order_fixed;
};

struct info {
	const struct flow *flow;
	struct info_sizes total, *ranks;
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
	{0},
};

static void put_mean(struct report_row *row, uint64_t sum, uint64_t count)
{
	if (count)
		put_number(row, (double)sum / (double)count);
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
	if (flow->file_bytes)
		put_mean(row, 8 * total->calls, flow->file_bytes - total->bytes_of_times);
	else
		put_none(row);
}

static const struct report_field rank_fields[] = {
	{"rank", "rank", VALUE_COUNT, .width = 6},
	{"graph", "graph", VALUE_COUNT, .width = 7, .flags = FIELD_NULL,
	 .meaning =
		 "Number of the graph of the rank's first thread: ranks with equal ones have the same"},
	{"calls", "calls", VALUE_COUNT, .width = 11},
	{"events", "events", VALUE_COUNT, .width = 11},
	{"nodes", "nodes", VALUE_COUNT, .width = 8},
	{"edges", "edges", VALUE_COUNT, .width = 8},
	{"blocks", "blocks", VALUE_COUNT, .width = 8},
	{"cardinality", "cardinality", VALUE_NUMBER, .width = 12, .flags = FIELD_NULL},
	{"order_fixed", "fixed", VALUE_TRUTH, .width = 6,
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
	put_truth(row, sizes->order_fixed);
}

static void info_report(struct report *report, const void *data)
{
	const struct info *info = data;

	report_begin(report, "eventflow-info-1");
	report_facts(report,
		     &(struct report_facts){.fields = info_fields, .row = info_row, .data = info});
	report_table(report,
		     &(struct report_table){
			     "by_rank", .title = "graphs of the ranks",
			     .meaning = "Sizes of the graphs of each rank, all of its threads",
			     .fields = rank_fields, .row = rank_row, .data = info,
			     .count = info->flow->world.rank_count, .most = REPORT_MOST_ROWS,
			     .counts_rest = true});
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
	}
	return 0;
}

static int measure(struct info *info, struct error *err)
{
	for (uint32_t r = 0; r < info->flow->world.rank_count; r++) {
		const struct info_sizes *sizes = &info->ranks[r];

		TRY(measure_rank(info->flow, &info->flow->ranks[r], &info->ranks[r], err));
		info->total.calls += sizes->calls;
		info->total.events += sizes->events;
		info->total.nodes += sizes->nodes;
		info->total.edges += sizes->edges;
		info->total.blocks += sizes->blocks;
		info->total.bytes_of_times += sizes->bytes_of_times;
	}
	return 0;
}

static int cmd_info(char **operands, int operand_count, struct error *err)
{
	struct info info = {0};
	struct flow *flow;
	int result;

	(void)operand_count;
	TRY(commands_open_flow(&flow, operands[0], err));
	info.flow = flow;
	result = allocate(&info.ranks, flow->world.rank_count, sizeof *info.ranks, err);
	if (result == 0)
		result = measure(&info, err);
	if (result == 0)
		result = commands_print(operands[0], "by_rank", info_report, &info, err);
	free(info.ranks);
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
	.notes = INPUT_NOTES " A text has the first 20 ranks, other formats have all.",
	.options = info_options,
	.output = &print_output,
	.run = cmd_info,
	.examples = info_examples,
};
