#include "critpath/report/run_report_iterations.h"

struct source {
	const struct findings *findings;
	const struct imbalance_iterations *iterations;
};

/* Computation that the ranks would be spared if they were balanced: most - mean. */
static report_weight excess_of(const void *data, size_t number)
{
	const struct iteration_parts *parts =
		&((const struct source *)data)->iterations->list.items[number];

	return parts->ranks ? parts->most_ns - parts->computation_ns / parts->ranks : 0;
}

static const struct report_field fields[] = {
	{NULL, "iteration", VALUE_NAME, .width = 9, .right = true},
	{"iteration", NULL, VALUE_COUNT, .flags = FIELD_NULL | FIELD_POSITIVE,
	 .meaning = "Number of the iteration, from 1; null for what is outside of all"},
	{"start_ns", "from", VALUE_TIME, .width = 9,
	 .meaning = "When the first rank began it, since the run began"},
	{"ranks", NULL, VALUE_COUNT, .flags = FIELD_POSITIVE, .meaning = "That have it"},
	{"computation_ns", NULL, VALUE_TIME,
	 .meaning = "Of the first threads of all ranks, that began in it"},
	{NULL, "computing", VALUE_TIME, .width = 9},
	{"most_computation_ns", "most", VALUE_TIME, .width = 9, .meaning = "Of a rank"},
	{"most_computation_rank", "rank", VALUE_COUNT, .width = 5,
	 .meaning = "The lowest rank that has so much"},
	{"load_balance", "balance", VALUE_SHARE, .width = 8,
	 .meaning = "Mean computation of the ranks / most"},
	{"wait_before_ns", NULL, VALUE_TIME,
	 .meaning = "Of the calls of all ranks and threads that began in it"},
	{"execution_ns", NULL, .kind = VALUE_TIME},
	{"wait_after_ns", NULL, .kind = VALUE_TIME},
	{NULL, "waits", VALUE_TIME, .width = 9},
	{"imbalance", NULL, VALUE_NUMBER, .flags = FIELD_NULL,
	 .meaning = "Waits / (execution + computation); null: infinite"},
	{0},
};

static void iteration_row(struct report_row *row, const void *data, size_t number)
{
	const struct source *source = data;
	const struct iteration_parts *parts = &source->iterations->list.items[number];
	char name[16] = "outside";

	if (parts->iteration != NO_ITERATION)
		snprintf(name, sizeof name, "%u", parts->iteration + 1);
	put_name(row, name);
	if (parts->iteration == NO_ITERATION)
		put_none(row);
	else
		put_count(row, parts->iteration + 1);
	put_count(row, measured_since_begin(source->findings->run, parts->start_ns));
	put_count(row, parts->ranks);
	put_count(row, parts->computation_ns);
	put_count(row, parts->ranks ? parts->computation_ns / parts->ranks : 0);
	put_count(row, parts->most_ns);
	put_count(row, parts->busiest);
	put_number(row, iteration_load_balance(parts));
	put_count(row, parts->calls.before_ns);
	put_count(row, parts->calls.execution_ns);
	put_count(row, parts->calls.after_ns);
	put_count(row, parts->calls.before_ns + parts->calls.after_ns);
	put_number(row, imbalance_ratio(&parts->calls, parts->computation_ns));
}

void run_report_iterations(struct report *report, const struct findings *findings,
			   const struct imbalance_iterations *iterations)
{
	const struct source source = {.findings = findings, .iterations = iterations};

	report->rows = "iterations";
	run_report_begin(report, "critpath-iterations-1", findings);
	if (iterations->least == iterations->most)
		report_line(report, "iterations", "%u", iterations->most);
	else
		report_line(report, "iterations", "%u to %u, by rank", iterations->least,
			    iterations->most);
	report_table(report, &(struct report_table){
		"iterations",
		.title = "iterations with the most computation beyond the mean of the ranks",
		.fields = fields, .row = iteration_row, .data = &source,
		.count = iterations->list.count, .most = RUN_MOST_ROWS, .weight = excess_of});
	report_end(report);
}
