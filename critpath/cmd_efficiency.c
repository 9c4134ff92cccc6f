/* Command critpath efficiency: load balance, serialisation, transfer, and scaling between two runs. */
#include "common/progress.h"
#include "common/units.h"
#include "critpath/commands.h"
#include "critpath/graph/ideal_run.h"
#include "critpath/report/run_report_efficiency.h"
#include "critpath/report/run_report_efficiency_parts.h"
#include "goal/traversal/check.h"
#include "goal/counts.h"

/* What has efficiencies of its own: the run, iterations, or visits of a region. */
struct grouping {
	enum { BY_RUN, BY_ITERATION, BY_REGION } kind;
	const char *region; /* BY_REGION: its name */
};

static const char *reference_path, *graph_path;
static struct efficiency_reference reference;
static struct efficiency_graph graph;
static struct grouping parts_by;

static int option_by(const char *text, void *target, struct error *err)
{
	static const char region[] = "region:";
	struct grouping *grouping = target;

	if (!strcmp(text, "iteration"))
		*grouping = (struct grouping){.kind = BY_ITERATION};
	else if (!strcmp(text, "all"))
		*grouping = (struct grouping){.kind = BY_RUN};
	else if (!strncmp(text, region, strlen(region)) && text[strlen(region)])
		*grouping = (struct grouping){.kind = BY_REGION, .region = text + strlen(region)};
	else
		return error_set(err, STATUS_USAGE,
				 "unknown grouping '%s' (expected all, iteration or region:NAME)",
				 text);
	return 0;
}

static const struct option_spec efficiency_options_own[] = {
	{"by", 0, "NAME",
	 "efficiencies of all of the run (default), of each iteration of the main loop (iteration), or of each"
	 " visit of a region (region:NAME)",
	 option_by, &parts_by},
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

static const char *whole_unused(const char *option)
{
	(void)option;
	return parts_by.kind != BY_RUN ? "it is about the whole run, not about its parts (--by)"
				       : NULL;
}

static const struct option_condition efficiency_conditions[] = {{"weak", weak_unused},
								{"reference", whole_unused},
								{"graph", whole_unused},
								{0}};

/* Process 0 has the totals of all ranks. */
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
	TRY(goal_find_computation(&graph.ideal_ns, goal, err));
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
	if (goal.rank_count == ranks)
		result = read_graph(&goal, err);
	else
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
	const double run_ns = (double)efficiency->times.compute_ns,
		     graph_ns = (double)graph.compute_ns;
	char run[UNIT_TEXT_BYTES], of_graph[UNIT_TEXT_BYTES];

	if (graph_ns < run_ns * 0.9 || graph_ns > run_ns * 1.1)
		tool_warning("critpath",
			     "%s computes for %s, the run for %s: is it the graph of this run?",
			     graph_path, format_time(graph_ns, 4, of_graph),
			     format_time(run_ns, 4, run));
}

/* Find the efficiencies of the run, by process 0, which has all that they need. */
static void find_of_run(struct efficiency *efficiency, const struct study *study, uint64_t ideal_ns,
			const struct efficiency_threads *threads)
{
	efficiency_find(efficiency, study->found.run, study->found.totals, ideal_ns, &reference,
			&graph, threads);
	if (graph_path)
		warn_of_other_computation(efficiency);
}

/* By many processes it may take long (critpath/graph/ideal_run.h). */
static void begin_ideal(const struct study *study)
{
	if (study->dist->rank == 0)
		progress_begin("critpath", "finding the ideal run");
}

static int find_ideal(struct study *study, uint64_t *ideal_ns, struct efficiency_threads *threads,
		      struct error *err)
{
	int result;

	begin_ideal(study);
	result = ideal_run_find(ideal_ns, study->found.waits, study->dist, err);
	progress_end();
	TRY(result);
	return efficiency_threads_find(threads, study->found.run, study->found.totals, study->dist,
				       err);
}

static int write_efficiency(struct study *study, struct error *err)
{
	struct efficiency_threads threads;
	struct efficiency efficiency;
	struct output output;
	struct report report;
	uint64_t ideal_ns;
	int result = 0;

	TRY(study_totals(study, err));
	if (find_ideal(study, &ideal_ns, &threads, err) < 0)
		return error_prefix(err, "%s", study->found.path);
	if (graph_path && study->dist->rank == 0)
		result = open_graph(study, err);
	TRY(dist_agree(study->dist, result, err));
	if (study->dist->rank == 0)
		find_of_run(&efficiency, study, ideal_ns, &threads);
	TRY(commands_open(&output, &report, err));
	if (study->dist->rank == 0)
		run_report_efficiency(&report, &study->found, &efficiency);
	return commands_commit(&output, 0, err);
}

/* -------------------------------------------------------------------------------- parts */

static int write_parts(struct study *study, const struct measured_parts *of_ranks,
		       const uint64_t *ideal_ns, struct error *err)
{
	struct efficiency_parts parts;
	struct output output;
	struct report report;
	int result;

	TRY(efficiency_parts_find(&parts, study->found.run, of_ranks, ideal_ns, study->dist, err));
	result = commands_open(&output, &report, err);
	if (result == 0) {
		if (study->dist->rank == 0)
			run_report_efficiency_parts(&report, &study->found, &parts,
						    parts_by.region);
		result = commands_commit(&output, 0, err);
	}
	efficiency_parts_release(&parts);
	return result;
}

static int find_parts(struct study *study, const struct measured_parts *of_ranks, struct error *err)
{
	uint64_t *ideal_ns;
	int result = allocate(&ideal_ns, of_ranks->most, sizeof *ideal_ns, err);

	TRY(dist_agree(study->dist, result, err));
	begin_ideal(study);
	result = ideal_parts_find(ideal_ns, of_ranks, study->found.waits, study->dist, err);
	progress_end();
	if (result < 0)
		error_prefix(err, "%s", study->found.path);
	else
		result = write_parts(study, of_ranks, ideal_ns, err);
	free(ideal_ns);
	return result;
}

static int write_by_part(struct study *study, struct error *err)
{
	struct measured_parts of_ranks;
	int result;

	TRY(study_waits(study, err));
	if (efficiency_parts_of_ranks(&of_ranks, study->found.run, parts_by.region, study->dist,
				      err) < 0)
		return error_prefix(err, "%s", study->found.path);
	result = find_parts(study, &of_ranks, err);
	measured_parts_release(&of_ranks);
	return result;
}

static int cmd_efficiency(char **operands, int count, struct error *err)
{
	(void)count;
	if (reference_path)
		TRY(with_study(reference_path, false, read_reference, err));
	return with_study(operands[0], false,
			  parts_by.kind == BY_RUN ? write_efficiency : write_by_part, err);
}

static const struct help_entry efficiency_examples[] = {
	{"critpath efficiency app.trace",
	 "what keeps the run from being faster: balance, serialisation, transfer"},
	{"critpath efficiency app.trace --by iteration", "which iterations are the worst, and why"},
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
