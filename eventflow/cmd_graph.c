/* Command eventflow graph: the graph of a rank, as data for other programs and as a page. */
#include "eventflow/commands.h"
#include "eventflow/loops/graph_page.h"
#include "eventflow/loops/graph_report.h"
#include "eventflow/loops/write_graph.h"

#include <stdio.h>

enum graph_format { GRAPH_DOT, GRAPH_GRAPHML, GRAPH_JSON, GRAPH_SCHEMA, GRAPH_PAGE };

static const struct output_format graph_formats[] = {
	[GRAPH_DOT] = {"dot", ".dot .gv", NULL},
	[GRAPH_GRAPHML] = {"graphml", ".graphml", NULL},
	[GRAPH_JSON] = {"json", ".json", NULL},
	[GRAPH_SCHEMA] = {"schema", "", NULL},
	[GRAPH_PAGE] = {"html", ".html .htm", "a page"},
	{0}};
static struct command_output graph_output = {.formats = graph_formats};

static bool given_all;

static const struct option_spec graph_own_options[] = {
	{"all", 0, NULL, "show each call, not chains of calls that always follow each other as one",
	 option_flag, &given_all},
	{0},
};

/*
 * Lines of the tree in a page, events of a graph that has one there, and rows and columns of the
 * heat map, at most.
 */
enum { MOST_TREE_LINES = 3000, MOST_TREE_EVENTS = 20000000, MOST_MAP_SIDE = 200 };

/* The tree and the iterations of a page. */
struct page_parts {
	struct flow_chains chains;
	struct flow_tree tree;
	struct tree_lines lines;
	struct evolution evolution;
};

/* Whether the order of the calls of a graph is not known. */
static bool has_no_order(const struct flow *flow, const struct flow_graph *graph)
{
	const uint32_t number = (uint32_t)(graph - flow->graphs.items);

	for (uint32_t r = 0; r < flow->rank_count; r++)
		for (size_t t = 0; t < flow->ranks[r].threads.count; t++)
			if (flow->ranks[r].threads.items[t].graph == number)
				return flow->ranks[r].lossy;
	return false;
}

static int find_tree(struct graph_page *page, struct page_parts *parts, struct error *err)
{
	if (page->graph->events > MOST_TREE_EVENTS || has_no_order(page->flow, page->graph))
		return 0;
	TRY(flow_chains_find(&parts->chains, page->graph, err));
	TRY(flow_tree_make(&parts->tree, page->graph, page->loops, err));
	if (tree_lines_make(&parts->lines, &parts->tree, &parts->chains, MOST_TREE_LINES, err) == 0)
		page->lines = &parts->lines;
	else if (err->status != STATUS_LIMIT)
		return -1;
	return 0;
}

static int write_graph_page(struct graph_page *page, FILE *stream, struct error *err)
{
	struct page_parts parts = {0};
	int result = find_tree(page, &parts, err);

	if (result == 0 && page->flow->times == FLOW_TIMES_ALL) {
		result = evolution_find(&parts.evolution, page->flow, UINT32_MAX, MOST_MAP_SIDE,
					err);
		page->evolution = &parts.evolution;
	}
	if (result == 0)
		result = graph_page_write(page, stream, err);
	evolution_release(&parts.evolution);
	array_release(&parts.lines);
	flow_tree_release(&parts.tree);
	flow_chains_release(&parts.chains);
	return result;
}

static void write_graph_data(const struct graph_page *page, const struct graph_report *report,
			     const char *file, FILE *stream)
{
	switch ((enum graph_format)graph_output.format) {
	case GRAPH_GRAPHML:
		write_graph_graphml(page->shown, page->loops, stream);
		break;
	case GRAPH_JSON:
		graph_report_write(report, file, REPORT_JSON, stream);
		break;
	case GRAPH_SCHEMA:
		graph_report_write(report, file, REPORT_SCHEMA, stream);
		break;
	default:
		write_graph_dot(page->shown, page->loops, stream);
	}
}

static int write_output(struct graph_page *page, const struct graph_report *report,
			const char *file, struct error *err)
{
	struct output output;
	int result = 0;

	TRY(output_open(&output, graph_output.path, err));
	if (graph_output.format == GRAPH_PAGE)
		result = write_graph_page(page, output.stream, err);
	else
		write_graph_data(page, report, file, output.stream);
	if (result == 0)
		return output_commit(&output, err);
	output_discard(&output);
	return -1;
}

static int show_rank(const struct flow *flow, const char *file, struct error *err)
{
	struct graph_times *times;
	struct shown_graph shown = {0};
	struct flow_loops loops = {0};
	struct graph_page page = {.flow = flow, .loops = &loops, .shown = &shown};
	uint32_t rank, thread, number;
	char title[512];
	int result;

	TRY(commands_given_rank(flow, &rank, err));
	rank = rank == UINT32_MAX ? 0 : rank;
	if (rank >= flow->world.rank_count || !flow->ranks[rank].threads.count)
		return error_set(err, STATUS_DATA, "%s: rank %u has no calls", file, rank);
	TRY(commands_given_thread(&flow->ranks[rank], &thread, err));
	number = flow->ranks[rank].threads.items[thread].graph;
	page.graph = &flow->graphs.items[number];
	TRY(graph_times_find(&times, flow, UINT32_MAX, err));
	page.times = &times[number];
	snprintf(title, sizeof title, "Event flow of rank %u of %.400s", rank, file);
	page.title = title;
	result = flow_loops_find(&loops, page.graph, err);
	if (result == 0)
		result = shown_graph_make(&shown, flow, page.graph, page.times, !given_all, err);
	if (result == 0)
		result = write_output(&page,
				      &(struct graph_report){rank, thread, page.graph->events,
							     &shown, &loops},
				      file, err);
	shown_graph_release(&shown);
	flow_loops_release(&loops);
	graph_times_release(times, flow);
	return result;
}

static int cmd_graph(char **operands, int operand_count, struct error *err)
{
	struct flow *flow;
	int result;

	(void)operand_count;
	TRY(commands_open_flow_with(&flow, operands[0],
				    graph_output.format == GRAPH_PAGE ? FLOW_TIMES_ALL
								      : FLOW_TIMES_STATS,
				    err));
	result = show_rank(flow, operands[0], err);
	flow_release(flow);
	return result;
}

static const struct help_entry graph_examples[] = {
	{"eventflow graph app.efg -o app.html", "show the graph of rank 0 as a page for a browser"},
	{"eventflow graph app.efg --rank 3 | dot -Tsvg -o app.svg",
	 "draw that of rank 3 with Graphviz"},
	{0},
};

static const struct option_spec *const graph_options[] = {rank_options, thread_options,
							  graph_own_options, NULL};

const struct command graph_command = {
	.name = "graph",
	.operands = "FILE",
	.least_operands = 1,
	.most_operands = 1,
	.summary =
		"write the event flow graph of a rank as DOT, GraphML, JSON or a page, with its loops",
	.notes = INPUT_NOTES
	" The rank is 0 unless --rank is given. Times are means of the threads with an equal graph.",
	.options = graph_options,
	.output = &graph_output,
	.run = cmd_graph,
	.examples = graph_examples,
};
