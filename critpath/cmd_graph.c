/* Command critpath graph: the program graph of the run, or of a slice, as a file. */
#include "common/units.h"
#include "critpath/commands.h"
#include "critpath/report/run_report_graph.h"

static const struct option_spec *const graph_options[] = {slice_options, NULL};

/* CSV has a row for each edge, DOT is for the programs of Graphviz. */
enum { GRAPH_CSV, GRAPH_JSON, GRAPH_DOT, GRAPH_SCHEMA };

static const struct output_format graph_formats[] = {
	[GRAPH_CSV] = {"csv", ".csv", NULL},
	[GRAPH_JSON] = {"json", ".json", NULL},
	[GRAPH_DOT] = {"dot", ".dot .gv", NULL},
	[GRAPH_SCHEMA] = {"schema", "", NULL},
	{0},
};
static struct command_output graph_output = {
	.formats = graph_formats,
	.required = "FILE.csv for tables, FILE.json for programs, FILE.dot for Graphviz",
	.needs_suffix = true,
};

static int write_slice(const struct findings *findings, const struct graph_slice *slice,
		       struct error *err)
{
	static const enum report_format report_formats[] = {[GRAPH_CSV] = REPORT_CSV,
							    [GRAPH_JSON] = REPORT_JSON,
							    [GRAPH_SCHEMA] = REPORT_SCHEMA};
	struct output output;

	TRY(output_open(&output, graph_output.path, err));
	if (graph_output.format == GRAPH_DOT)
		run_report_graph_dot(output.stream, findings, slice);
	else
		run_report_graph(&(struct report){.stream = output.stream,
						  .format = report_formats[graph_output.format]},
				 findings, slice);
	TRY(output_commit(&output, err));
	fprintf(stderr, "critpath: %s: %zu vertices, %zu edge%s\n", graph_output.path,
		slice->vertices.count, slice->edges.count, plural(slice->edges.count));
	if (slice->graph->left_out)
		tool_warning("critpath",
			     "%llu edge%s back in time: left out, the clocks of the ranks"
			     " contradict each other, or a collective needed only some members",
			     (unsigned long long)slice->graph->left_out,
			     plural(slice->graph->left_out));
	return 0;
}

static int write_graph(struct study *study, struct error *err)
{
	struct program_graph graph;
	struct graph_slice slice;
	const struct measured_run *run = study->found.run;
	int result;

	TRY(study_waits(study, err));
	TRY(program_graph_build(&graph, study->found.waits, err));
	result = run->sliced ? graph_slice_find(&slice, &graph, run->slice_begin_ns - run->begin_ns,
						run->slice_end_ns - run->begin_ns, err)
			     : graph_slice_find(&slice, &graph, 0, UINT64_MAX, err);
	if (result == 0) {
		result = write_slice(&study->found, &slice, err);
		graph_slice_release(&slice);
	}
	program_graph_release(&graph);
	return result;
}

static int cmd_graph(char **operands, int count, struct error *err)
{
	(void)count;
	return with_study(operands[0], false, write_graph, err);
}

static const char graph_notes[] =
	"Each MPI call has two vertices, its begin and its end; each edge has its activity and its wait, "
	"which together are the time between its ends. FILE.csv has a row for each edge, FILE.json "
	"lists of vertices and edges, FILE.dot is for Graphviz. ARCHIVE "
	"is as for critpath path.";

static const struct help_entry graph_examples[] = {
	{"critpath graph app.trace -o app.csv", "all calls, and how they depend on each other"},
	{"critpath graph app.trace --from 1.5s --to 1.501s -o part.dot", "a millisecond of the run,"
									 " as a picture"},
	{0},
};

const struct command graph_command = {
	.name = "graph",
	.operands = "ARCHIVE",
	.least_operands = 1,
	.most_operands = 1,
	.summary = "the calls and what they depend on, as a graph",
	.notes = graph_notes,
	.options = graph_options,
	.output = &graph_output,
	.run = cmd_graph,
	.examples = graph_examples,
};
