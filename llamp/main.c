/* llamp: how much network latency can an MPI application take? */
#include "llamp/commands.h"

#include "common/progress.h"
#include "common/units.h"
#include "goal/calls.h"
#include "llamp/report/report.h"

static const char input_notes[] =
	"FILE is a GOAL graph, text or binary; - is stdin.\n\n"
	"Times accept ns us ms s (bare: ns), sizes B KB KiB MB MiB (bare: bytes). A parameter "
	"file has lines such as \"L: 3us\", \"G: 56Gbit/s\", \"S: 256KB\"; command-line options "
	"override it.";

static const char compare_notes[] =
	"Each FILE is a GOAL graph, analyzed as llamp analyze does. With several --params each graph is "
	"analyzed on each of these networks; other options apply to all. Two or three programs are "
	"columns of a table, more are its rows. Differences are to the first: its value is "
	"subtracted, also in per cent of it.";

static const char report_notes[] =
	"Each FILE is a GOAL graph. With several --params each graph is analyzed on each of these "
	"networks; other options apply to all. The page needs no other file and no network. Several "
	"programs are compared: their curves share the range, and differences are to the first.";

static const char lp_notes[] =
	"The output is in CPLEX LP format, or in free MPS format.\n\n"
	"The linear program minimises the runtime t in ns; the reduced costs of l, G and o are "
	"the sensitivities lambda. With --tolerance it maximises l (or another) with t bounded; "
	"in MPS, which has no maximum, it minimises -l. FILE and the parameters are as for "
	"llamp analyze.";

static const struct help_entry tool_examples[] = {
	{"schedgen app.trace -o app.bin && llamp analyze app.bin",
	 "convert a trace to a graph, print its runtime and the latency that it tolerates"},
	{0},
};

static const struct help_entry analyze_examples[] = {
	{"llamp analyze app.bin -L 1.5us -G 100Gbit/s --tolerance 1,5,10",
	 "the latencies at which the runtime grows by 1, 5 and 10 %"},
	{"llamp analyze app.bin --params cluster.yaml --format json",
	 "the analysis as JSON, for programs"},
	{0},
};

static const struct help_entry sweep_examples[] = {
	{"llamp sweep app.bin --min 0 --max 100us", "the runtime at every critical latency up to 100 us"},
	{"llamp sweep app.bin --min 1us --max 10us --step 1us --format csv", "ten samples as CSV"},
	{0},
};

static const struct help_entry path_examples[] = {
	{"llamp path app.bin", "the categories, ranks and MPI calls to which the time goes"},
	{"llamp path app.bin --format csv", "all segments of the path"},
	{"llamp path app.bin --format csv --table slack",
	 "how late each MPI call may be without changing the runtime"},
	{0},
};

static const struct help_entry compare_examples[] = {
	{"llamp compare ring.bin doubling.bin",
	 "the same program with two algorithms of its collectives"},
	{"llamp compare app.bin --params old.yaml --params new.yaml",
	 "the same program on two networks"},
	{"llamp compare app-*.bin --format csv", "all facts as CSV, for a table of your own"},
	{0},
};

static const struct help_entry report_examples[] = {
	{"llamp report app.bin -o report.html", "one page about one program"},
	{"llamp report ring.bin doubling.bin -o report.html", "two algorithms side by side"},
	{"llamp report app.bin --params old.yaml --params new.yaml -o report.html",
	 "two networks side by side"},
	{"llamp report app.bin --measured runs.csv -o report.html",
	 "with measured runtimes, whose first line is L_ns,seconds"},
	{"llamp report app.bin --svg pictures", "all pictures as SVG, for a paper"},
	{0},
};

static const struct help_entry lp_examples[] = {
	{"llamp lp app.bin -o app.mps", "write the linear program for another solver"},
	{0},
};

static const char timeline_notes[] =
	"FILE.pftrace is for Perfetto, which opens it fastest, FILE.json for chrome://tracing and "
	"others, FILE.svg is a picture of a small run. Perfetto is at "
	"ui.perfetto.dev; the file stays in the browser.\n\n"
	"Each rank is a track with its MPI calls, the operations in them and the computation between "
	"them; arrows are messages; the critical path is a track of its own. Times are rounded down "
	"to whole ns. FILE and the parameters are as for llamp analyze.";

static const struct help_entry timeline_examples[] = {
	{"llamp timeline app.bin -o app.pftrace", "the modelled run, for Perfetto"},
	{"llamp timeline app.bin --from 10ms --to 12ms --only-ranks 0-7 -o app.pftrace",
	 "2 ms of 8 ranks"},
	{"llamp timeline app.bin --to 100us --only-ranks 0-3 -o app.svg", "a picture of the first 100 us"},
	{0},
};

static const char tradeoff_notes[] =
	"The pairs of values at which T is longer by no more than a tolerance, the other variables "
	"having the given values: vertices of a frontier, between which both change in proportion. The "
	"slopes are those on the line from a vertex to the next one. FILE and the parameters are as "
	"for llamp analyze.";

static const struct help_entry tradeoff_examples[] = {
	{"llamp tradeoff app.bin --tolerance 5", "latency against bandwidth, for 5 % more runtime"},
	{"llamp tradeoff app.bin --vary L,o --format svg -o tradeoff.svg", "the same as a picture,"
	 " of L and o"},
	{0},
};

static const char place_notes[] =
	"Ranks change places where the critical path says that this helps, until no swap makes T "
	"smaller; T of every mapping is exact. The parameter file describes the network: a topology, "
	"or nodes with several ranks (doc/parameters.md).";

static const struct help_entry place_examples[] = {
	{"llamp place app.bin --params cluster.yaml --mapping ranks.txt", "the best mapping found, as a"
	 " file for 'mapping:'"},
	{"llamp place app.bin --params cluster.yaml --mapping rankfile --mapping-format openmpi"
	 " --hosts names.txt", "the same for Open MPI"},
	{0},
};

static const char topology_notes[] =
	"FILE is a parameter file with a topology (doc/parameters.md). Routes are those of all pairs "
	"of hosts; the bisection is the least number of links that separate the first half of the "
	"hosts from the others.";

static const struct help_entry topology_examples[] = {
	{"llamp topology examples/params/dragonfly.yaml", "size, diameter, bisection and routes"},
	{"llamp topology examples/params/dragonfly.yaml --route 0,100", "links between two hosts"},
	{"llamp topology cluster.yaml --load app.bin", "what passes each link"},
	{"llamp topology cluster.yaml --load app.bin -p mapping=app.hosts", "the same with the hosts that llamp"
	 " place has found"},
	{0},
};

static const struct help_entry graph_files[] = {
	{"FILE", "the graph, as schedgen writes it"},
	{"FILE.calls", "the MPI calls that made the operations, if schedgen wrote it, from which "
	 "llamp path and timeline name calls"},
	{0},
};

static const struct command commands[] = {
	{
		.name = "analyze", .operands = "FILE", .least_operands = 1, .most_operands = 1,
		.summary = "runtime, latency sensitivity and latency tolerance",
		.notes = input_notes, .options = analyze_options, .output = &table_output,
		.conditions = analyze_conditions, .run = cmd_analyze,
		.examples = analyze_examples,
	},
	{
		.name = "sweep", .operands = "FILE", .least_operands = 1, .most_operands = 1,
		.summary = "runtime as a function of the latency, or of another variable",
		.notes = input_notes, .options = sweep_options, .output = &table_output, .run = cmd_sweep,
		.examples = sweep_examples,
	},
	{
		.name = "path", .operands = "FILE", .least_operands = 1, .most_operands = 1,
		.summary = "where the time on the critical path goes",
		.notes = input_notes, .options = path_options, .output = &table_output,
		.conditions = path_conditions, .run = cmd_path,
		.examples = path_examples, .files = graph_files,
	},
	{
		.name = "compare",
		.operands = "FILE...",
		.least_operands = 1,
		.most_operands = -1,
		.summary = "several graphs side by side, and how they differ from the first",
		.notes = compare_notes,
		.options = compare_options,
		.output = &table_output,
		.run = cmd_compare,
		.examples = compare_examples,
		.files = graph_files,
	},
	{
		.name = "report",
		.operands = "FILE...",
		.least_operands = 1,
		.most_operands = -1,
		.summary = "a page about one graph or several: the answer, curves, tables",
		.notes = report_notes,
		.options = report_options,
		.output = &page_output,
		.run = cmd_report,
		.examples = report_examples,
		.files = graph_files,
	},
	{
		.name = "lp", .operands = "FILE", .least_operands = 1, .most_operands = 1,
		.summary = "write the model as a linear program, for any solver",
		.notes = lp_notes, .options = lp_options, .output = &lp_output, .run = cmd_lp,
		.examples = lp_examples,
	},
	{
		.name = "timeline", .operands = "FILE", .least_operands = 1, .most_operands = 1,
		.summary = "the modelled run for a trace viewer, or as a picture",
		.notes = timeline_notes, .options = timeline_options, .output = &timeline_output, .run = cmd_timeline,
		.examples = timeline_examples, .files = graph_files,
	},
	{
		.name = "tradeoff", .operands = "FILE", .least_operands = 1, .most_operands = 1,
		.summary = "pairs of values, such as L and G, that the program tolerates",
		.notes = tradeoff_notes, .options = tradeoff_options, .output = &picture_output, .run = cmd_tradeoff,
		.examples = tradeoff_examples,
	},
	{
		.name = "place", .operands = "FILE", .least_operands = 1, .most_operands = 1,
		.summary = "place ranks on hosts so that the runtime is small",
		.notes = place_notes, .options = place_options, .output = &table_output,
		.conditions = place_conditions, .run = cmd_place,
		.examples = place_examples,
	},
	{
		.name = "topology", .operands = "FILE", .least_operands = 1, .most_operands = 1,
		.summary = "hosts, switches and routes of a network",
		.notes = topology_notes, .options = topology_options, .output = &picture_output,
		.conditions = topology_conditions, .run = cmd_topology,
		.examples = topology_examples,
	},
	{0},
};

static const struct tool tool = {
	.name = "llamp",
	.summary = "How much network latency can an MPI application take?",
	.commands = commands,
	.examples = tool_examples,
	.see_also = "goal(1), schedgen(1), llamp-trace(1)",
};

int open_graph(struct model *model, const char *path, const struct loggps *loggps,
	       struct error *err)
{
	int result;

	progress_begin("llamp", "reading the graph");
	result = model_open(model, path, loggps, err);
	progress_end();
	if (result == 0 && model->calls_error.status != STATUS_OK)
		tool_warning("llamp", "%s: not used (MPI calls, traced run time, nodes)",
			     model->calls_error.text);
	return result;
}

void warn_about_pivots(int64_t pivots)
{
	if (pivots > 0)
		tool_warning(
			"llamp",
			"GLPK took %lld pivot%s from the basis of the longest path, so the basis"
			" range is that of another basis",
			(long long)pivots, plural((uint64_t)pivots));
}

void warn_if_far_from_traced(const struct model *model, double least_ns, double most_ns)
{
	static bool warned;
	char text[REPORT_WARNING_BYTES];

	if (warned || !report_far_from_traced(model, least_ns, most_ns, text))
		return;
	tool_warning("llamp", "%s: %s", model->path, text);
	warned = true;
}

/* --------------------------------------------------------------------- output */

/* Refuse a time as file: -o is the overhead in most tools of this kind. */
static int refuse_time(const char *text, struct error *err)
{
	struct error none;
	int64_t as;

	if (parse_time_as(text, &as, &none) < 0)
		return 0;
	return error_set(err, STATUS_USAGE, "'%s' is a time, not a file: the overhead is --overhead %s"
			 " or -p o=%s", text, text, text);
}

#define TABLE_FORMATS                                                             \
	[REPORT_TEXT] = {"text", ".txt", NULL}, [REPORT_JSON] = {"json", ".json", NULL}, \
	[REPORT_CSV] = {"csv", ".csv", NULL}

static const struct output_format table_formats[] = {TABLE_FORMATS, {0}};
static const struct output_format picture_formats[] = {
	TABLE_FORMATS, [OUTPUT_SVG] = {"svg", ".svg", "a picture"}, {0},
};

struct command_output table_output = {.formats = table_formats, .check = refuse_time};
struct command_output picture_output = {.formats = picture_formats, .check = refuse_time};

int main(int argc, char **argv)
{
	return tool_main(&tool, argc, argv);
}
