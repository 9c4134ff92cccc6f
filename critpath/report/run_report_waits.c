#include "critpath/report/run_report_waits.h"

#include "common/text.h"
#include "common/units.h"

#include <inttypes.h>

/* What the rows of a table are made of. */
struct source {
	const struct findings *findings;
	const struct wait_findings *waits;
};

/* ------------------------------------------------------------------- patterns */

static const struct report_field pattern_fields[] = {
	{NULL, "waits", VALUE_NAME, .width = 20},
	{"pattern", NULL, VALUE_NAME, .values = wait_pattern_names},
	{"waits", "number", VALUE_COUNT, .width = 8},
	{"time_ns", "time", VALUE_TIME, .width = 9},
	{NULL, "share", VALUE_SHARE, .width = 8},
	{"most_ns", "longest", VALUE_TIME, .width = 9, .meaning = "Longest wait"},
	{0},
};

static void pattern_row(struct report_row *row, const void *data, size_t number)
{
	static const char *const names[PATTERNS] = {
		[PATTERN_LATE_SENDER] = "for a late sender",
		[PATTERN_WRONG_ORDER_SAME] = "- wrong order, same sender",
		[PATTERN_WRONG_ORDER_DIFFERENT] = "- wrong order, other sender",
		[PATTERN_LATE_RECEIVER] = "for a late receiver",
		[PATTERN_BARRIER] = "at barriers",
		[PATTERN_COLLECTIVE] = "in other collectives",
		[PATTERN_EARLY_REDUCE] = "early at a reduction",
		[PATTERN_EARLY_SCAN] = "early at a scan",
		[PATTERN_LATE_BROADCAST] = "for the root",
		[PATTERN_LOCK] = "for a lock",
	};
	/* In text the part comes after the whole. */
	static const enum wait_pattern order[PATTERNS] = {
		PATTERN_LATE_SENDER,   PATTERN_WRONG_ORDER_SAME, PATTERN_WRONG_ORDER_DIFFERENT,
		PATTERN_LATE_RECEIVER, PATTERN_BARRIER,		 PATTERN_COLLECTIVE,
		PATTERN_EARLY_REDUCE,  PATTERN_EARLY_SCAN,	 PATTERN_LATE_BROADCAST,
		PATTERN_LOCK};
	const struct wait_groups *groups = ((const struct source *)data)->waits->groups;
	const size_t at = row_in_text(row) ? order[number] : number;
	uint64_t sum_ns = 0;

	for (int i = 0; i < PATTERN_WRONG_ORDER_SAME; i++)
		sum_ns += groups->patterns[i].ns;
	put_name(row, names[at]);
	put_name(row, wait_pattern_names[at]);
	put_count(row, groups->patterns[at].waits);
	put_count(row, groups->patterns[at].ns);
	put_share(row, groups->patterns[at].ns, sum_ns);
	put_count(row, groups->patterns[at].most_ns);
}

/* --------------------------------------------------------------------- groups */

#define GROUP_FIELDS(cause_heading, share_heading)                                                \
	{"waits", "waits", VALUE_COUNT, .width = 7}, {"time_ns", "time", VALUE_TIME, .width = 9}, \
		{NULL, "share", VALUE_SHARE, .width = 8},                                         \
		{"most_ns", "longest", VALUE_TIME, .width = 9, .meaning = "Longest wait"},        \
		{"cause_rank", cause_heading, VALUE_COUNT, .width = 5,                            \
		 .meaning = "Rank that caused most of time_ns; the lowest of equal ones"},        \
		{"cause_ns", NULL, VALUE_TIME, .meaning = "Time that it caused"},                 \
		{NULL, share_heading, VALUE_SHARE, .width = 8},                                   \
	{                                                                                         \
		0                                                                                 \
	}

static const struct report_field waits_function_fields[] = {
	{"function", "function", VALUE_NAME, .width = 9},
	GROUP_FIELDS("cause", "of it"),
};
static const struct report_field comm_fields[] = {
	{"comm", "comm", VALUE_NAME, .width = 9},
	GROUP_FIELDS("cause", "of it"),
};
static const struct report_field waits_rank_fields[] = {
	{"rank", "rank", VALUE_COUNT, .width = 9, .left = true,
	 .meaning = "Rank in MPI_COMM_WORLD"},
	GROUP_FIELDS("cause", "of it"),
};
/* The other end is the only cause of waits of a channel. */
static const struct report_field channel_fields[] = {
	{NULL, "channel", VALUE_NAME, .width = 9},
	{"sender", NULL, VALUE_COUNT, .meaning = "Rank in MPI_COMM_WORLD"},
	{"receiver", NULL, VALUE_COUNT, .meaning = "Rank in MPI_COMM_WORLD"},
	{"comm", NULL, .kind = VALUE_NAME},
	{"tag", NULL, .kind = VALUE_COUNT},
	GROUP_FIELDS(NULL, NULL),
};
static const struct report_field iteration_fields[] = {
	{"iteration", "iteration", VALUE_COUNT, .width = 9, .left = true, .flags = FIELD_POSITIVE,
	 .meaning = "From 1"},
	GROUP_FIELDS("cause", "of it"),
};
static const struct report_field site_fields[] = {
	{NULL, "site", VALUE_NAME, .width = 9},
	{"site", NULL, VALUE_NAME,
	 .meaning =
		 "FILE:LINE of the call in the program, or what is known of it. Only if the trace has call sites"},
	GROUP_FIELDS("cause", "of it"),
};

static void put_channel(struct report_row *row, const struct measured_run *run,
			const struct wait_group *group)
{
	char comm[MEASURED_COMM_BYTES], name[MEASURED_COMM_BYTES + 64];

	measured_comm_name(run, group->comm, comm);
	snprintf(name, sizeof name, "%u to %u, tag %u, %s", group->sender, group->receiver,
		 group->tag, comm);
	put_name(row, name);
	put_count(row, group->sender);
	put_count(row, group->receiver);
	put_name(row, comm);
	put_count(row, group->tag);
}

static void put_group(struct report_row *row, const struct source *source,
		      const struct wait_group *group)
{
	const struct measured_run *run = source->findings->run;
	char comm[MEASURED_COMM_BYTES];

	switch (source->waits->by) {
	case WAITS_BY_FUNCTION:
		put_name(row, measured_function(&run->names, group->number));
		break;
	case WAITS_BY_COMM:
		put_name(row, measured_comm_name(run, group->number, comm));
		break;
	case WAITS_BY_CHANNEL:
		put_channel(row, run, group);
		break;
	case WAITS_BY_ITERATION:
		put_count(row, group->number + 1);
		break;
	case WAITS_BY_SITE:
		put_name(row, run_site_short(run, group->number));
		put_name(row, run->site_names[group->number]);
		break;
	default:
		put_count(row, group->number);
	}
}

static void group_row(struct report_row *row, const void *data, size_t number)
{
	const struct source *source = data;
	const struct wait_groups *groups = source->waits->groups;
	const struct wait_group *group = &groups->groups.items[number];

	put_group(row, source, group);
	put_count(row, group->sum.waits);
	put_count(row, group->sum.ns);
	put_share(row, group->sum.ns, groups->all.ns);
	put_count(row, group->sum.most_ns);
	put_count(row, group->cause);
	put_count(row, group->cause_ns);
	put_share(row, group->cause_ns, group->sum.ns);
}

static report_weight group_ns(const void *data, size_t number)
{
	return ((const struct source *)data)->waits->groups->groups.items[number].sum.ns;
}

/* ---------------------------------------------------------------------- calls */

static const struct report_field call_fields[] = {
	{"rank", NULL, VALUE_COUNT, .meaning = "Rank in MPI_COMM_WORLD"},
	{"thread", NULL, .kind = VALUE_COUNT},
	{"call", NULL, VALUE_COUNT, .flags = FIELD_POSITIVE,
	 .meaning = "Number of the call on its rank"},
	{"function", NULL, .kind = VALUE_NAME},
	{"comm", NULL, VALUE_NAME, .meaning = "Communicator of the message or collective"},
	{"start_ns", NULL, VALUE_TIME, .meaning = "Begin of the call, since the run began"},
	{"end_ns", NULL, .kind = VALUE_TIME},
	{"pattern", NULL, VALUE_NAME, .values = wait_pattern_names},
	{"wait_ns", NULL, .kind = VALUE_TIME},
	{"wrong_order", NULL, VALUE_NAME, .flags = FIELD_NULL,
	 .values = wait_pattern_names + PATTERN_WRONG_ORDER_SAME,
	 .meaning = "Whether the sender of that other message is the same, if there is one"},
	{"wrong_order_ns", NULL, VALUE_TIME,
	 .meaning =
		 "Part of wait_ns in which another message, received later, had already been sent"},
	{"cause_rank", NULL, .kind = VALUE_COUNT},
	{"cause_call", NULL, VALUE_COUNT, .flags = FIELD_POSITIVE,
	 .meaning = "Number of the call that was waited for"},
	{"cause_function", NULL, .kind = VALUE_NAME},
	{"site", NULL, VALUE_NAME, .flags = FIELD_NULL | FIELD_OPTIONAL,
	 .meaning =
		 "FILE:LINE of the call in the program, or what is known of it. Only if the trace has call sites"},
	{"cause_site", NULL, VALUE_NAME, .flags = FIELD_NULL | FIELD_OPTIONAL,
	 .meaning = "Site of the call that was waited for"},
	{0},
};

static void call_row(struct report_row *row, const void *data, size_t number)
{
	const struct source *source = data;
	const struct measured_run *run = source->findings->run;
	const struct wait_item *item = dist_rows_next(source->waits->rows);
	char comm[MEASURED_COMM_BYTES];

	(void)number;
	put_count(row, item->rank);
	put_count(row, item->thread);
	put_call(row, item->call);
	put_name(row, measured_function(&run->names, item->function));
	put_name(row, measured_comm_name(run, item->comm, comm));
	put_count(row, measured_since_begin(run, item->enter_ns));
	put_count(row, measured_since_begin(run, item->leave_ns));
	put_name(row, wait_pattern_names[item->pattern]);
	put_count(row, item->ns);
	put_name(row, item->wrong_order_ns ? wait_pattern_names[item->order] : NULL);
	put_count(row, item->wrong_order_ns);
	put_count(row, item->cause_rank);
	put_call(row, item->cause_call);
	put_name(row, measured_function(&run->names, item->cause_function));
	put_name(row, measured_site_name(run, item->site));
	put_name(row, measured_site_name(run, item->cause_site));
}

/* In text only: the longest of the waits. */
static const struct report_field longest_fields[] = {
	{NULL, "wait", VALUE_TIME, .width = 9},
	{NULL, "of", VALUE_NAME, .width = 20},
	{NULL, "for", VALUE_NAME, .width = 20},
	{0},
};

static report_weight longest_ns(const void *data, size_t number)
{
	const struct wait_findings *waits = ((const struct source *)data)->waits;

	return wait_item_ns(&waits->items->list.items[number], waits->pattern);
}

static void longest_row(struct report_row *row, const void *data, size_t number)
{
	const struct source *source = data;
	const struct measured_run *run = source->findings->run;
	const struct wait_item *item = &source->waits->items->list.items[number];
	char call[RUN_CALL_BYTES];

	put_count(row, longest_ns(data, number));
	put_name(row,
		 run_report_call(run, item->rank, item->call, item->function, item->site, call));
	put_name(row, run_report_call(run, item->cause_rank, item->cause_call, item->cause_function,
				      item->cause_site, call));
}

/* --------------------------------------------------------------------- report */

static const struct report_field waits_fact_fields[] = {
	{"by", NULL, VALUE_NAME, .values = wait_grouping_names},
	{"pattern", NULL, VALUE_NAME, .values = wait_pattern_names, .meaning = "Of the rows"},
	{"waits", NULL, VALUE_COUNT, .meaning = "Number of waits of the pattern"},
	{"wait_ns", NULL, VALUE_TIME, .meaning = "Their time; of a wrong order only that part"},
	{"outside_ns", NULL, VALUE_TIME, .meaning = "Part of wait_ns in no channel or iteration"},
	{0},
};

static void waits_fact_row(struct report_row *row, const void *data, size_t number)
{
	const struct wait_findings *waits = ((const struct source *)data)->waits;

	(void)number;
	put_name(row, wait_grouping_names[waits->by]);
	put_name(row, wait_pattern_names[waits->pattern]);
	put_count(row, waits->groups->all.waits);
	put_count(row, waits->groups->all.ns);
	put_count(row, waits->groups->outside.ns);
}

static void report_rows(struct report *report, const struct source *source)
{
	static const struct report_field *const forms[WAIT_GROUPINGS + 1] = {
		[WAITS_BY_CALL] = call_fields,	     [WAITS_BY_FUNCTION] = waits_function_fields,
		[WAITS_BY_COMM] = comm_fields,	     [WAITS_BY_RANK] = waits_rank_fields,
		[WAITS_BY_CHANNEL] = channel_fields, [WAITS_BY_ITERATION] = iteration_fields,
		[WAITS_BY_SITE] = site_fields,
	};
	const bool calls = source->waits->by == WAITS_BY_CALL;
	const bool channels = source->waits->by == WAITS_BY_CHANNEL;

	if (calls && report->format == REPORT_TEXT)
		return;
	report_table(
		report,
		&(struct report_table){
			"rows",
			.title = channels ? NULL
					  : "waits, and the rank that caused most of their time",
			.fields = forms[source->waits->by], .forms = forms,
			.row = calls ? call_row : group_row, .data = source,
			.count = calls ? source->waits->rows->total
				       : source->waits->groups->groups.count,
			.lacks_optional = !source->findings->run->site_count, .most = RUN_MOST_ROWS,
			.weight = group_ns, .counts_rest = true});
}

static void report_outside(const struct report *report, const struct source *source)
{
	const struct wait_groups *groups = source->waits->groups;
	char time[RUN_TEXT_BYTES], label[32];

	if (source->waits->by == WAITS_BY_ITERATION)
		report_line(report, "iterations of a rank:", " %u to %u", groups->least_iterations,
			    groups->most_iterations);
	snprintf(label, sizeof label, "in no %s:", wait_grouping_names[source->waits->by]);
	if (groups->outside.waits)
		report_line(report, label, " %" PRIu64 " wait%s, %s", groups->outside.waits,
			    plural(groups->outside.waits),
			    run_report_short_time(groups->outside.ns, time));
}

void run_report_waits(struct report *report, const struct findings *findings,
		      const struct wait_findings *waits)
{
	const struct source source = {.findings = findings, .waits = waits};
	const struct wait_groups *groups = waits->groups;
	const bool any = waits->pattern == PATTERN_ANY;
	char time[RUN_TEXT_BYTES];

	report->rows = "rows";
	run_report_begin(report, "critpath-waits-1", findings);
	report_line(report, "waits", "%" PRIu64 " call%s, %s of all ranks%s%s%s", groups->all.waits,
		    plural(groups->all.waits), run_report_time(groups->all.ns, time),
		    any ? "" : " (", any ? "" : wait_pattern_names[waits->pattern], any ? "" : ")");
	report_table(report,
		     &(struct report_table){
			     "patterns", .meaning = "All waits; wrong-order is part of late-sender",
			     .fields = pattern_fields, .row = pattern_row, .data = &source,
			     .count = PATTERNS});
	report_facts(report, &(struct report_facts){.fields = waits_fact_fields,
						    .row = waits_fact_row,
						    .data = &source});
	report_rows(report, &source);
	report_outside(report, &source);
	report_table(report, &(struct report_table){
				     .title = "longest waits, and the calls that caused them",
				     .fields = longest_fields,
				     .row = longest_row,
				     .data = &source,
				     .count = waits->items->list.count,
				     .most = RUN_MOST_ROWS,
				     .weight = longest_ns});
	report_end(report);
}
