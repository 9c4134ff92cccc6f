#include "critpath/report/run_report_groups.h"

#include "common/units.h"

#include <inttypes.h>

struct source {
	const struct findings *findings;
	const struct groups *groups;
};

static uint64_t length_of(const struct compute_interval *interval)
{
	return interval->end_ns - interval->start_ns;
}

static report_weight longest_of(const void *data, size_t number)
{
	return length_of(&((const struct source *)data)->groups->list.items[number].longest);
}

static const struct report_field groups_fact_fields[] = {
	{"computations", NULL, VALUE_COUNT,
	 .meaning = "Computations of all groups, of at least the threshold if one is given"},
	{"longest_ns", NULL, VALUE_TIME,
	 .meaning = "Sum of the longest computations of all groups: at most T"},
	{"is_path", NULL, VALUE_TRUTH, .meaning = "Whether they are at least half of T"},
	{0},
};

static void groups_fact_row(struct report_row *row, const void *data, size_t number)
{
	const struct source *source = data;

	(void)number;
	put_count(row, source->groups->intervals);
	put_count(row, source->groups->longest_ns);
	put_truth(row, groups_are_path(source->groups, source->findings->run));
}

static const struct report_field group_fields[] = {
	{NULL, "longest", VALUE_LONG_TIME, .width = 13},
	{NULL, "from", VALUE_LONG_TIME, .width = 13},
	{NULL, "group", VALUE_LONG_TIME, .width = 13},
	{"start_ns", NULL, VALUE_TIME,
	 .meaning = "Since the run began; at or after the end of the group before it"},
	{"end_ns", NULL, VALUE_TIME, .flags = FIELD_POSITIVE},
	{"computations", "computations", VALUE_COUNT, .width = 12, .flags = FIELD_POSITIVE,
	 .meaning = "Computations in the group: all ranks and threads between their calls"},
	{"rank", NULL, VALUE_COUNT, .meaning = "Rank of the longest one"},
	{"thread", NULL, VALUE_COUNT, .meaning = "Its thread"},
	{"longest_start_ns", NULL, .kind = VALUE_TIME},
	{"longest_end_ns", NULL, VALUE_TIME, .flags = FIELD_POSITIVE},
	{"call", NULL, VALUE_COUNT, .flags = FIELD_NULL | FIELD_POSITIVE,
	 .meaning = "Number of the call on its rank, from 1, that it comes before; null at the end of a rank"},
	{"function", NULL, VALUE_NAME, .flags = FIELD_NULL, .meaning = "Function of this call"},
	{"site", NULL, VALUE_NAME, .flags = FIELD_NULL | FIELD_OPTIONAL,
	 .meaning = "FILE:LINE of this call in the program, or what is known of it. Only if the trace has call sites"},
	{NULL, "longest computation", .kind = VALUE_NAME},
	{0},
};

static void group_row(struct report_row *row, const void *data, size_t number)
{
	const struct source *source = data;
	const struct measured_run *run = source->findings->run;
	const struct compute_group *group = &source->groups->list.items[number];
	const struct compute_interval *longest = &group->longest;
	char call[RUN_CALL_BYTES], before[RUN_CALL_BYTES + 8] = "";

	put_count(row, length_of(longest));
	put_count(row, longest->start_ns - run->begin_ns);
	put_count(row, group->end_ns - group->start_ns);
	put_count(row, group->start_ns - run->begin_ns);
	put_count(row, group->end_ns - run->begin_ns);
	put_count(row, group->intervals);
	put_count(row, longest->rank);
	put_count(row, longest->thread);
	put_count(row, longest->start_ns - run->begin_ns);
	put_count(row, longest->end_ns - run->begin_ns);
	put_call(row, longest->call);
	put_name(row, longest->call == NO_CALL
			      ? NULL
			      : measured_function(&run->names, longest->function));
	put_name(row, measured_site_name(run, longest->site));
	if (row_in_text(row))
		snprintf(before, sizeof before, "before %s",
			 run_report_call(run, longest->rank, longest->call, longest->function,
					 longest->site, call));
	put_name(row, before);
}

void run_report_groups(struct report *report, const struct findings *findings,
		       const struct groups *groups)
{
	const struct source source = {.findings = findings, .groups = groups};
	const struct measured_run *run = findings->run;
	char share[RUN_TEXT_BYTES], time[RUN_TEXT_BYTES];

	report->rows = "groups";
	run_report_begin(report, "critpath-groups-1", findings);
	run_report_blocks(report, findings);
	report_line(report, "groups", "%zu group%s of %" PRIu64 " computation%s", groups->list.count,
		    plural(groups->list.count), groups->intervals, plural(groups->intervals));
	report_line(report, "coverage", "%s of T: %s in the longest computation of each group",
		    run_report_share(groups->longest_ns, run->end_ns - run->begin_ns, share),
		    run_report_time(groups->longest_ns, time));
	if (!groups_are_path(groups, run))
		report_line(report, "path",
			    "none: the longest computations are less than half of T");
	report_facts(report, &(struct report_facts){.fields = groups_fact_fields,
						    .row = groups_fact_row,
						    .data = &source});
	report_table(report, &(struct report_table){
		"groups", .meaning = "Computations that overlap, in order of time",
		.fields = group_fields, .row = group_row, .data = &source,
		.count = groups->list.count, .lacks_optional = !run->site_count,
		.most = RUN_MOST_ROWS, .weight = longest_of});
	report_end(report);
}
