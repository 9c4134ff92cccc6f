#include "critpath/report/run_report_efficiency.h"

#include <inttypes.h>
#include <math.h>

/* ----------------------------------------------------------------- efficiencies */

/* What is below another one in text is a factor of it. */
static const struct {
	const char *key, *text, *formula;
} kinds[EFFICIENCIES] = {
	[EFFICIENCY_PARALLEL] = {"parallel", "parallel", "mean C / T"},
	[EFFICIENCY_LOAD_BALANCE] = {"load-balance", "- load balance", "mean C / most C"},
	[EFFICIENCY_COMMUNICATION] = {"communication", "- communication", "most C / T"},
	[EFFICIENCY_SERIALISATION] = {"serialisation", "  - serialisation", "most C / ideal"},
	[EFFICIENCY_TRANSFER] = {"transfer", "  - transfer", "ideal / T"},
	[EFFICIENCY_ALGORITHMS] = {"algorithms", "    - algorithms", "ideal / graph ideal"},
	[EFFICIENCY_NETWORK] = {"network", "    - network", "graph ideal / T"},
	[EFFICIENCY_SCALING] = {"computation-scaling", "computation scaling",
				"sum of C of the reference / sum of C"},
	[EFFICIENCY_GLOBAL] = {"global", "global", "parallel * computation scaling"},
	[EFFICIENCY_HYBRID] = {"hybrid", "hybrid", "useful of all threads / (T * threads)"},
	[EFFICIENCY_OPENMP] = {"openmp", "- OpenMP", "hybrid / parallel"},
	[EFFICIENCY_OPENMP_SERIALISATION] = {"openmp-serialisation", "  - serialisation",
					     "1 - lost outside of teams / (threads * C)"},
	[EFFICIENCY_OPENMP_LOAD_BALANCE] = {"openmp-load-balance", "  - load balance",
					    "mean / most busy thread of a team"},
	[EFFICIENCY_OPENMP_SCHEDULING] = {"openmp-scheduling", "  - scheduling",
					  "OpenMP / (serialisation * load balance)"},
};

static const char *const kind_keys[EFFICIENCIES + 1] = {
	"parallel",
	"load-balance",
	"communication",
	"serialisation",
	"transfer",
	"algorithms",
	"network",
	"computation-scaling",
	"global",
	"hybrid",
	"openmp",
	"openmp-serialisation",
	"openmp-load-balance",
	"openmp-scheduling",
};

static const struct report_field efficiency_fields[] = {
	{NULL, "efficiency", VALUE_NAME, .width = 20},
	{"efficiency", NULL, VALUE_NAME, .values = kind_keys},
	{"value", "value", VALUE_SHARE, .width = 8, .flags = FIELD_NULL,
	 .meaning = "1 is best; null if there is no reference, graph or computation for it"},
	{"formula", "formula", VALUE_NAME,
	 .meaning =
		 "C: time outside of MPI of the first thread of a rank; T: the run time; ideal: T"
		 " if MPI calls took no time, but for what they wait for; graph ideal: the longest path of"
		 " computation in the graph"},
	{0},
};

/* The rows of the table. */
struct shown {
	const struct efficiency *efficiency;
	enum efficiency_kind kinds[EFFICIENCIES];
	size_t count;
};

/* Text has no rows without a value, as for a reference that is not given. */
static void show_rows(struct shown *shown, bool text)
{
	const struct efficiency *efficiency = shown->efficiency;

	for (enum efficiency_kind kind = 0; kind < EFFICIENCIES; kind++) {
		const bool of_graph = kind == EFFICIENCY_ALGORITHMS || kind == EFFICIENCY_NETWORK;
		const bool of_reference = kind == EFFICIENCY_SCALING || kind == EFFICIENCY_GLOBAL;

		if (text && kind >= EFFICIENCY_HYBRID && !efficiency->threads.threads)
			continue;
		if (text && ((of_graph && !efficiency->graph.path) ||
			     (of_reference && !efficiency->reference.path)))
			continue;
		shown->kinds[shown->count++] = kind;
	}
}

static void efficiency_row(struct report_row *row, const void *data, size_t number)
{
	const struct shown *shown = data;
	const struct efficiency *efficiency = shown->efficiency;
	const enum efficiency_kind kind = shown->kinds[number];
	const bool weak = kind == EFFICIENCY_SCALING && efficiency->reference.weak;
	char formula[96];

	put_name(row, kinds[kind].text);
	put_name(row, kinds[kind].key);
	put_number(row, efficiency->values[kind]);
	snprintf(formula, sizeof formula, "%s%s", kinds[kind].formula,
		 weak ? " * ranks / its ranks" : "");
	put_name(row, formula);
}

/* ------------------------------------------------------------------------ facts */

static const struct report_field efficiency_facts[] = {
	{"ideal_ns", NULL, VALUE_TIME,
	 .meaning = "The run time if MPI calls took no time, but for what they wait for"},
	{"mean_computation_ns", NULL, VALUE_NS, .meaning = "Mean C of the ranks"},
	{"most_computation_ns", NULL, .kind = VALUE_TIME},
	{"busiest_rank", NULL, VALUE_COUNT, .meaning = "The lowest rank with the most computation"},
	{"additive_serialisation", NULL, VALUE_SHARE, .flags = FIELD_NULL,
	 .meaning = "1 - (ideal - most C) / T: communication = transfer + this - 1"},
	{"reference", NULL, VALUE_NAME, .flags = FIELD_NULL,
	 .meaning = "The trace to compare with, or null"},
	{"reference_ranks", NULL, VALUE_COUNT, .flags = FIELD_NULL},
	{"reference_computation_ns", NULL, VALUE_TIME, .flags = FIELD_NULL,
	 .meaning = "Sum of C of all its ranks"},
	{"graph", NULL, VALUE_NAME, .flags = FIELD_NULL,
	 .meaning = "The GOAL graph of the run, or null"},
	{"graph_ideal_ns", NULL, VALUE_TIME, .flags = FIELD_NULL,
	 .meaning = "Its longest path of computation: T without a network"},
	{"graph_computation_ns", NULL, VALUE_TIME, .flags = FIELD_NULL,
	 .meaning = "Sum of the computation of all its ranks"},
	{"openmp_threads", NULL, VALUE_COUNT,
	 .meaning = "Threads of all ranks, if they have parallel regions of OpenMP; else 0"},
	{"openmp_regions", NULL, VALUE_COUNT, .meaning = "Parallel regions of the first threads"},
	{"idle_threads_ns", NULL, VALUE_TIME,
	 .meaning = "Of the further threads outside of parallel regions, also during MPI calls"},
	{"limited_parallelism_ns", NULL, VALUE_TIME,
	 .meaning = "Of threads that are not in the team of a parallel region"},
	{"critical_ns", NULL, VALUE_TIME,
	 .meaning = "Of all threads, until critical sections were free"},
	{0},
};

static void efficiency_fact_row(struct report_row *row, const void *data, size_t number)
{
	const struct efficiency *efficiency = data;
	const struct efficiency_reference *reference = &efficiency->reference;
	const struct efficiency_graph *graph = &efficiency->graph;

	(void)number;
	put_count(row, efficiency->times.ideal_ns);
	put_number(row, (double)efficiency->times.compute_ns / efficiency->times.ranks);
	put_count(row, efficiency->times.most_compute_ns);
	put_count(row, efficiency->times.busiest);
	put_number(row, efficiency->additive_serialisation);
	put_name(row, reference->path);
	put_count_or_none(row, reference->ranks, reference->path != NULL);
	put_count_or_none(row, reference->compute_ns, reference->path != NULL);
	put_name(row, graph->path);
	put_count_or_none(row, graph->ideal_ns, graph->path != NULL);
	put_count_or_none(row, graph->compute_ns, graph->path != NULL);
	put_count(row, efficiency->threads.threads);
	put_count(row, efficiency->threads.visits);
	put_count(row, efficiency->threads.idle_ns);
	put_count(row, efficiency->threads.limited_ns);
	put_count(row, efficiency->threads.critical_ns);
}

/* ----------------------------------------------------------------------- report */

static void report_threads(const struct report *report, const struct efficiency_threads *threads)
{
	char idle[RUN_TEXT_BYTES], limited[RUN_TEXT_BYTES], critical[RUN_TEXT_BYTES];

	report_line(report, "OpenMP",
		    "%" PRIu64 " threads of all ranks, %" PRIu64
		    " parallel regions: %s idle outside of"
		    " them, %s not in their teams, %s before critical sections",
		    threads->threads, threads->visits, run_report_time(threads->idle_ns, idle),
		    run_report_time(threads->limited_ns, limited),
		    run_report_time(threads->critical_ns, critical));
}

static void report_times(const struct report *report, const struct efficiency *efficiency)
{
	char text[RUN_TEXT_BYTES], computation[RUN_TEXT_BYTES];

	report_line(report, "ideal", "%s, if MPI calls took no time but for what they wait for",
		    run_report_time(efficiency->times.ideal_ns, text));
	report_line(report, "mean C", "%s outside of MPI for each rank",
		    run_report_time(efficiency->times.compute_ns / efficiency->times.ranks, text));
	report_line(report, "most C", "%s, of rank %u",
		    run_report_time(efficiency->times.most_compute_ns, text),
		    efficiency->times.busiest);
	if (efficiency->graph.path)
		report_line(report, "graph",
			    "%s: %s without a network, of %s computation of all ranks",
			    efficiency->graph.path,
			    run_report_time(efficiency->graph.ideal_ns, text),
			    run_report_time(efficiency->graph.compute_ns, computation));
	if (efficiency->reference.path)
		report_line(report, "reference", "%s: %u ranks, %s outside of MPI",
			    efficiency->reference.path, efficiency->reference.ranks,
			    run_report_time(efficiency->reference.compute_ns, text));
	if (efficiency->threads.threads)
		report_threads(report, &efficiency->threads);
}

void run_report_efficiency(struct report *report, const struct findings *findings,
			   const struct efficiency *efficiency)
{
	struct shown shown = {.efficiency = efficiency};

	show_rows(&shown, report->format == REPORT_TEXT);
	report->rows = "efficiencies";
	run_report_begin(report, "critpath-efficiency-1", findings);
	report_times(report, efficiency);
	report_facts(report, &(struct report_facts){.fields = efficiency_facts,
						    .row = efficiency_fact_row,
						    .data = efficiency});
	report_table(report,
		     &(struct report_table){"efficiencies", .title = "efficiencies",
					    .fields = efficiency_fields, .row = efficiency_row,
					    .data = &shown, .count = shown.count});
	report_end(report);
}
