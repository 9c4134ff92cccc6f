#include "critpath/report/run_report_efficiency_parts.h"

struct part_source {
	const struct findings *findings;
	const struct efficiency_parts *parts;
};

/* Time of a part that its ranks spend otherwise than with computation. */
static report_weight loss_of(const void *data, size_t number)
{
	const struct efficiency_times *times =
		&((const struct part_source *)data)->parts->list[number].times;

	return times->ranks ? times->run_ns - times->compute_ns / times->ranks : 0;
}

static const struct report_field part_fields[] = {
	{"number", "number", VALUE_COUNT, .width = 6, .flags = FIELD_POSITIVE,
	 .meaning = "Of the iteration or the visit, from 1"},
	{"start_ns", "from", VALUE_TIME, .width = 9,
	 .meaning = "When the first rank began it, since the run began"},
	{"runtime_ns", "T", VALUE_TIME, .width = 9, .meaning = "Until the last rank ended it"},
	{"ideal_ns", NULL, VALUE_TIME,
	 .meaning = "T if MPI calls took no time, but for what they wait for in it"},
	{"ranks", NULL, VALUE_COUNT, .flags = FIELD_POSITIVE, .meaning = "That have it"},
	{"mean_computation_ns", NULL, VALUE_NS, .meaning = "Mean C of these ranks"},
	{"most_computation_ns", "most C", VALUE_TIME, .width = 9},
	{"busiest_rank", "rank", VALUE_COUNT, .width = 5,
	 .meaning = "The lowest rank with the most computation"},
	{"parallel", "parallel", VALUE_SHARE, .width = 9, .flags = FIELD_NULL},
	{"load_balance", "balance", VALUE_SHARE, .width = 9, .flags = FIELD_NULL},
	{"communication", NULL, VALUE_SHARE, .flags = FIELD_NULL},
	{"serialisation", "serial", VALUE_SHARE, .width = 9, .flags = FIELD_NULL},
	{"transfer", "transfer", VALUE_SHARE, .width = 9, .flags = FIELD_NULL,
	 .meaning = "null: no computation, or no time"},
	{0},
};

static void part_row(struct report_row *row, const void *data, size_t number)
{
	const struct part_source *source = data;
	const struct efficiency_part *part = &source->parts->list[number];
	double values[EFFICIENCIES];

	efficiency_values(values, &part->times);
	put_count(row, number + 1);
	put_count(row, measured_since_begin(source->findings->run, part->start_ns));
	put_count(row, part->times.run_ns);
	put_count(row, part->times.ideal_ns);
	put_count(row, part->times.ranks);
	put_number(row, (double)part->times.compute_ns / part->times.ranks);
	put_count(row, part->times.most_compute_ns);
	put_count(row, part->times.busiest);
	put_number(row, values[EFFICIENCY_PARALLEL]);
	put_number(row, values[EFFICIENCY_LOAD_BALANCE]);
	put_number(row, values[EFFICIENCY_COMMUNICATION]);
	put_number(row, values[EFFICIENCY_SERIALISATION]);
	put_number(row, values[EFFICIENCY_TRANSFER]);
}

static const struct report_field part_facts[] = {
	{"region", NULL, VALUE_NAME, .flags = FIELD_NULL,
	 .meaning = "Whose visits the parts are; null: they are the iterations of the main loop"},
	{"least_parts", NULL, VALUE_COUNT, .meaning = "The fewest parts of a rank"},
	{0},
};

struct part_fact_source {
	const struct efficiency_parts *parts;
	const char *region;
};

static void part_fact_row(struct report_row *row, const void *data, size_t number)
{
	const struct part_fact_source *source = data;

	(void)number;
	put_name(row, source->region);
	put_count(row, source->parts->least);
}

void run_report_efficiency_parts(struct report *report, const struct findings *findings,
				 const struct efficiency_parts *parts, const char *region)
{
	const struct part_source source = {findings, parts};
	const struct part_fact_source facts = {parts, region};
	const char *label = region ? "visits" : "iterations";

	report->rows = "parts";
	run_report_begin(report, "critpath-efficiency-parts-1", findings);
	if (region)
		report_line(report, "region", "%s", region);
	if (parts->least == parts->count)
		report_line(report, label, "%u", parts->count);
	else
		report_line(report, label, "%u to %u, by rank", parts->least, parts->count);
	report_facts(report, &(struct report_facts){.fields = part_facts,
						    .row = part_fact_row,
						    .data = &facts});
	report_table(
		report,
		&(struct report_table){
			"parts",
			.title = region ? "visits with the most time that is no computation"
					: "iterations with the most time that is no computation",
			.fields = part_fields, .row = part_row, .data = &source,
			.count = parts->count, .most = RUN_MOST_ROWS, .weight = loss_of});
	report_end(report);
}
