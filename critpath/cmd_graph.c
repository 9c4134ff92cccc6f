#include "common/units.h"
#include "critpath/commands.h"
#include "critpath/report/run_report_graph.h"
#include "trace/trace_files.h"

#include <string.h>

static const char *graph_output;

static const struct option_spec options[] = {
	{"output", 'o', "FILE", "write FILE.csv, FILE.json or FILE.dot, whole or not at all",
	 option_text, &graph_output},
	{0},
};

const struct option_spec *const graph_options[] = {options, slice_options, NULL};

static const char *const endings[GRAPH_FORMATS] = {".csv", ".json", ".dot"};

/* Find the format that the name of the output says. */
static int find_format(enum graph_format *format, struct error *err)
{
	const size_t length = graph_output ? strlen(graph_output) : 0;

	if (!graph_output)
		return error_set(err, STATUS_USAGE,
				 "-o FILE is missing: FILE.csv for tables, FILE.json for programs,"
				 " FILE.dot for Graphviz");
	for (int i = 0; i < GRAPH_FORMATS; i++) {
		const size_t bytes = strlen(endings[i]);

		if (length <= bytes || strcmp(graph_output + length - bytes, endings[i]) != 0)
			continue;
		*format = (enum graph_format)i;
		return 0;
	}
	return error_set(err, STATUS_USAGE, "the output '%s' must end in .csv, .json or .dot",
			 graph_output);
}

static int write_slice(const struct findings *findings, const struct graph_slice *slice,
		       struct error *err)
{
	enum graph_format format = GRAPH_CSV;
	struct output output;

	TRY(find_format(&format, err));
	TRY(output_open(&output, graph_output, err));
	run_report_graph(output.stream, format, findings, slice);
	TRY(output_commit(&output, err));
	fprintf(stderr, "critpath: %s: %zu vertices, %zu edge%s\n", graph_output,
		slice->vertices.count, slice->edges.count, plural(slice->edges.count));
	if (slice->graph->left_out)
		tool_warning("critpath",
			     "%llu edge%s back in time: left out, the clocks of the ranks"
			     " contradict each other, or a collective needed only some members",
			     (unsigned long long)slice->graph->left_out,
			     plural(slice->graph->left_out));
	return 0;
}

static int write_graph(const struct findings *findings, struct error *err)
{
	struct program_graph graph;
	struct graph_slice slice;
	const struct measured_run *run = findings->run;
	int result;

	TRY(program_graph_build(&graph, findings->waits, err));
	result = run->sliced ? graph_slice_find(&slice, &graph, run->slice_begin_ns - run->begin_ns,
						run->slice_end_ns - run->begin_ns, err)
			     : graph_slice_find(&slice, &graph, 0, UINT64_MAX, err);
	if (result == 0) {
		result = write_slice(findings, &slice, err);
		graph_slice_release(&slice);
	}
	program_graph_release(&graph);
	return result;
}

int cmd_graph(char **operands, int count, struct error *err)
{
	enum graph_format format;

	(void)count;
	TRY(find_format(&format, err));
	TRY(trace_refuse_output(graph_output, operands[0], err));
	return with_waits(operands[0], write_graph, err);
}
