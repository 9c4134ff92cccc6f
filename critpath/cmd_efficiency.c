/* Command critpath efficiency: load balance, serialisation, transfer, and scaling between two runs. */
#include "common/units.h"
#include "critpath/commands.h"
#include "critpath/graph/computation_path.h"
#include "critpath/graph/ideal_run.h"
#include "critpath/report/run_report_efficiency.h"
#include "goal/counts.h"

static const char *reference_path, *graph_path;
static struct efficiency_reference reference;
static struct efficiency_graph graph;

static const struct option_spec efficiency_options_own[] = {
	{"reference", 0, "ARCHIVE",
	 "a run of the same program to compare with, mostly on fewer ranks: how computation scales",
	 option_text, &reference_path},
	{"weak", 0, NULL, "with --reference: the work grows with the number of ranks", option_flag,
	 &reference.weak},
	{"graph", 0, "FILE",
	 "the GOAL graph that schedgen made of ARCHIVE: tell what algorithms of collectives wait for from what the"
	 " network takes",
	 option_text, &graph_path},
	{0},
};

static const struct option_spec *const efficiency_options[] = {efficiency_options_own,
							       strict_options, NULL};

static const char *weak_unused(const char *option)
{
	(void)option;
	return reference_path ? NULL : "--weak is for --reference";
}

static const struct option_condition efficiency_conditions[] = {{"weak", weak_unused}, {0}};

static int read_reference(struct study *study, struct error *err)
{
	TRY(study_totals(study, err));
	reference.ranks = study->found.run->rank_count;
	for (uint32_t r = 0; r < reference.ranks; r++)
		reference.compute_ns += study->found.totals->ranks[r].compute_ns;
	reference.path = reference_path;
	return 0;
}

static int read_graph(const struct goal *goal, struct error *err)
{
	struct goal_counts counts = {0};

	for (uint32_t r = 0; r < goal->rank_count; r++)
		TRY(goal_count(&counts, &goal->ranks[r], err));
	TRY(computation_path_find(&graph.ideal_ns, goal, err));
	graph.compute_ns = counts.calc_ns;
	graph.path = graph_path;
	return 0;
}

/* Read the graph, which has to be that of the run. */
static int open_graph(const struct study *study, struct error *err)
{
	const uint32_t ranks = study->found.run->rank_count;
	struct goal goal;
	int result;

	TRY(goal_open(&goal, graph_path, err));
	result = read_graph(&goal, err);
	if (result == 0 && goal.rank_count != ranks)
		result = error_set(
			err, STATUS_DATA,
			"the graph has %u rank%s and %s %u: make it of this archive by schedgen",
			goal.rank_count, plural(goal.rank_count), study->found.path, ranks);
	goal_release(&goal);
	return result == 0 ? 0 : error_prefix(err, "%s", graph_path);
}

/* A graph of another run, or of a slice, would have other computation. */
static void warn_of_other_computation(const struct efficiency *efficiency)
{
	const double run_ns = (double)efficiency->compute_ns, graph_ns = (double)graph.compute_ns;
	char run[UNIT_TEXT_BYTES], of_graph[UNIT_TEXT_BYTES];

	if (graph_ns < run_ns * 0.9 || graph_ns > run_ns * 1.1)
		tool_warning("critpath",
			     "%s computes for %s, the run for %s: is it the graph of this run?",
			     graph_path, format_time(graph_ns, 4, of_graph),
			     format_time(run_ns, 4, run));
}

static int write_efficiency(struct study *study, struct error *err)
{
	struct efficiency efficiency;
	struct output output;
	struct report report;
	uint64_t ideal_ns;

	TRY(study_totals(study, err));
	if (ideal_run_find(&ideal_ns, study->found.waits, err) < 0)
		return error_prefix(err, "%s", study->found.path);
	if (graph_path)
		TRY(open_graph(study, err));
	efficiency_find(&efficiency, study->found.run, study->found.totals, ideal_ns, &reference,
			&graph);
	if (graph_path)
		warn_of_other_computation(&efficiency);
	TRY(commands_open(&output, &report, err));
	run_report_efficiency(&report, &study->found, &efficiency);
	TRY(commands_commit(&output, 0, err));
	return 0;
}

static int cmd_efficiency(char **operands, int count, struct error *err)
{
	(void)count;
	if (reference_path)
		TRY(with_study(reference_path, false, read_reference, err));
	return with_study(operands[0], false, write_efficiency, err);
}

static const struct help_entry efficiency_examples[] = {
	{"critpath efficiency app.trace",
	 "what keeps the run from being faster: balance, serialisation, transfer"},
	{"schedgen app.trace -o app.bin && critpath efficiency app.trace --graph app.bin",
	 "what the algorithms of collectives wait for, too"},
	{"critpath efficiency 64.trace --reference 8.trace", "how computation scales, too"},
	{0},
};

const struct command efficiency_command = {
	.name = "efficiency",
	.operands = "ARCHIVE",
	.least_operands = 1,
	.most_operands = 1,
	.summary = "load balance, serialisation and transfer, as POP defines them",
	.notes = input_notes,
	.options = efficiency_options,
	.conditions = efficiency_conditions,
	.output = &table_output,
	.run = cmd_efficiency,
	.examples = efficiency_examples,
};
