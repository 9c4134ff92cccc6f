/* Command eventflow graph: the graph of a rank, for other programs and as a page. */
#include "eventflow/commands.h"
#include "eventflow/loops/write_graph.h"

#include <stdio.h>

enum graph_format { GRAPH_DOT, GRAPH_GRAPHML, GRAPH_PAGE };

static const struct output_format graph_formats[] = {[GRAPH_DOT] = {"dot", ".dot .gv", NULL},
						     [GRAPH_GRAPHML] = {"graphml", ".graphml",
									NULL},
						     [GRAPH_PAGE] = {"html", ".html .htm",
								     "a page"},
						     {0}};
static struct command_output graph_output = {.formats = graph_formats};

static bool given_all;

static const struct option_spec graph_own_options[] = {
	{"all", 0, NULL, "show each call, not chains of calls that always follow each other as one",
	 option_flag, &given_all},
	{0},
};

static int write_shown(const struct shown_graph *shown, const struct flow_loops *loops,
		       const char *title, FILE *stream, struct error *err)
{
	if (graph_output.format == GRAPH_PAGE)
		return write_graph_page(shown, loops, title, stream, err);
	if (graph_output.format == GRAPH_GRAPHML)
		write_graph_graphml(shown, loops, stream);
	else
		write_graph_dot(shown, loops, stream);
	return 0;
}

static int write_output(const struct shown_graph *shown, const struct flow_loops *loops,
			const char *title, struct error *err)
{
	struct output output;

	TRY(output_open(&output, graph_output.path, err));
	if (write_shown(shown, loops, title, output.stream, err) < 0) {
		output_discard(&output);
		return -1;
	}
	return output_commit(&output, err);
}

static int show_rank(const struct flow *flow, const char *file, struct error *err)
{
	struct graph_times *times;
	struct shown_graph shown = {0};
	struct flow_loops loops = {0};
	const struct flow_graph *graph;
	uint32_t rank, thread, number;
	char title[512];
	int result;

	TRY(commands_given_rank(flow, &rank, err));
	rank = rank == UINT32_MAX ? 0 : rank;
	if (rank >= flow->world.rank_count || !flow->ranks[rank].threads.count)
		return error_set(err, STATUS_DATA, "%s: rank %u has no calls", file, rank);
	TRY(commands_given_thread(&flow->ranks[rank], &thread, err));
	number = flow->ranks[rank].threads.items[thread].graph;
	graph = &flow->graphs.items[number];
	TRY(graph_times_find(&times, flow, UINT32_MAX, err));
	snprintf(title, sizeof title, "Event flow of rank %u of %.400s", rank, file);
	result = flow_loops_find(&loops, graph, err);
	if (result == 0)
		result = shown_graph_make(&shown, flow, graph, &times[number], !given_all, err);
	if (result == 0)
		result = write_output(&shown, &loops, title, err);
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
	TRY(commands_open_flow(&flow, operands[0], err));
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
	.summary = "write the event flow graph of a rank as DOT, GraphML or a page, with its loops",
	.notes = INPUT_NOTES
	" The rank is 0 unless --rank is given. Times are means of the threads with an equal graph.",
	.options = graph_options,
	.output = &graph_output,
	.run = cmd_graph,
	.examples = graph_examples,
};
