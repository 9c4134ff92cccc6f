/* Part of llamp path: slack of the calls. */
#include "llamp/report/report_critical_calls.h"
#include "llamp/report/report_path.h"

/* ------------------------------------------------------------------ the summary */

static const char *const slack_kinds[] = {"calls", "operations", NULL};

static const struct report_field slack_fields[] = {
	{"of", NULL, VALUE_NAME, .values = slack_kinds,
	 .meaning = "calls: MPI calls. operations: FILE.calls does not exist"},
	{"count", NULL, .kind = VALUE_COUNT},
	{"critical", NULL, VALUE_COUNT, .meaning = "Number with slack 0"},
	{0},
};

static void slack_row(struct report_row *row, const void *data, size_t number)
{
	const struct slack *slack = data;

	(void)number;
	put_name(row, slack_kinds[!slack->calls]);
	put_count(row, slack->count);
	put_count(row, slack->critical);
}

/* A text also has the critical ones before the limits, and all of them behind. */
static void below_row(struct report_row *row, const void *data, size_t number)
{
	const struct slack *slack = data;
	const size_t limit = number - row_in_text(row);
	const bool is_limit = limit < SLACK_LIMITS;
	const uint64_t count = is_limit ? slack->below[limit]
			       : number ? slack->count
					: slack->critical;
	char text[UNIT_TEXT_BYTES];

	if (is_limit)
		snprintf(text, sizeof text, "below %g %% of T", slack_limits[limit] / 10.0);
	put_name(row, is_limit ? text : number ? "any" : "0: critical");
	put_number(row, is_limit ? slack_limits[limit] / 10.0 : 0);
	put_count(row, count);
	put_share(row, count, slack->count);
}

static struct report_call call_of(const struct goal_calls *calls, const struct slack_call *call)
{
	return (struct report_call){
		.function = call->function, .rank = call->rank, .before = call->before,
		.timed = calls && calls->origin.timed, .number = call->number,
		.time_ns = call->time_ns};
}

static void level_row(struct report_row *row, const void *data, size_t number)
{
	const struct findings *findings = data;
	const struct goal *goal = &findings->model->goal;
	const struct slack_level *level = &findings->slack.least.items[number];
	const struct report_call first = call_of(findings->slack.calls, &level->first);
	char text[REPORT_CALL_BYTES + GOAL_TEXT_BYTES];

	put_attoseconds(row, level->slack_as);
	report_put_share(row, level->slack_as, findings->slack.runtime_as);
	put_count(row, level->count);
	put_count(row, first.rank);
	put_count(row, level->first.operation);
	report_put_call(row, &first);
	if (findings->slack.calls)
		report_call_text(&first, text);
	else
		goal_describe(goal, goal->ranks[first.rank].first_op + level->first.operation,
			      text);
	put_name(row, text);
}

static void write_slack(struct report *report, const void *data, size_t number)
{
	const struct findings *findings = data;
	const struct slack *slack = &findings->slack;
	const char *what = slack_kinds[!slack->calls];
	const bool is_page = report->format == REPORT_PAGE;
	const struct report_field below_fields[] = {
		{NULL, "slack", VALUE_NAME, .width = 12},
		{"percent", NULL, VALUE_NUMBER, .meaning = "Of T"},
		{"count", what, VALUE_COUNT, .width = 14, .meaning = "Number with less slack"},
		{NULL, "share", VALUE_SHARE, .width = 10},
		{0},
	};
	const struct report_field level_fields[] = {
		{"slack_ns", "slack", .kind = VALUE_ATTOSECONDS},
		{NULL, "of T", .kind = VALUE_SHARE},
		{"count", what, VALUE_COUNT, .flags = FIELD_POSITIVE,
		 .meaning = "Number of calls or operations with this slack"},
		{"rank", NULL, VALUE_COUNT, .meaning = "Rank of the one that was entered first"},
		{"operation", NULL, VALUE_COUNT,
		 .meaning = "Its operation with this slack, index in the rank"},
		CALL_FUNCTION,
		{.kind = VALUE_NAME},
		CALL_NUMBER,
		CALL_TIME,
		{NULL, "first of them", .kind = VALUE_NAME},
		{0},
	};
	char title[80], least[80];

	(void)number;
	snprintf(title, sizeof title, "how late %s may be without changing T", what);
	snprintf(least, sizeof least, "%s with the least slack above 0", what);
	report_facts(report, &(struct report_facts){
		.fields = slack_fields, .row = slack_row, .data = slack});
	report_table(report, &(struct report_table){
		"below", .title = title,
		.caption = slack->calls ? "Slack: how much later a call may end without changing T"
					: "Slack: how much later an operation may end without changing T",
		.fields = below_fields, .row = below_row, .data = slack,
		.count = SLACK_LIMITS + (report->format == REPORT_TEXT || is_page ? 2 : 0)});
	report_table(report, &(struct report_table){
		"least", .meaning = "The smallest slacks above 0, ascending", .title = least,
		.caption = "Least slack above 0", .fields = level_fields, .row = level_row,
		.data = findings, .count = slack->least.count, .most = is_page ? 5 : 0});
}

void report_slack(struct report *report, const struct findings *findings)
{
	report_list(report, &(struct report_list){
		"slack",
		"How late calls may be without changing T. With limited resources in the same order of"
		" service",
		write_slack, findings, .count = 1, .is_object = true});
}

/* ------------------------------------------------------------------------- CSV */

static const struct report_field row_fields[] = {
	{"rank", NULL, .kind = VALUE_COUNT},
	{"operation", NULL, .kind = VALUE_COUNT},
	CALL_FIELDS,
	{"slack_ns", NULL, .kind = VALUE_ATTOSECONDS},
	{0},
};

struct rows {
	struct report *report;
	const struct findings *findings;
	const struct slack_call *call;
};

static void slack_call_row(struct report_row *row, const void *data, size_t number)
{
	const struct rows *rows = data;
	const struct report_call call = call_of(rows->findings->slack.calls, rows->call);

	(void)number;
	put_count(row, call.rank);
	put_count(row, rows->call->operation);
	report_put_call(row, &call);
	put_attoseconds(row, rows->call->slack_as);
}

static void write_rows(const struct rows *rows, size_t count)
{
	report_table(rows->report, &(struct report_table){
		"slack", .fields = row_fields, .row = slack_call_row, .data = rows, .count = count});
}

static int write_call(void *context, const struct slack_call *call, struct error *err)
{
	struct rows *rows = context;

	(void)err;
	rows->call = call;
	write_rows(rows, 1);
	return 0;
}

int report_slack_rows(struct report *report, const struct findings *findings, struct error *err)
{
	struct rows rows = {.report = report, .findings = findings};

	write_rows(&rows, 0);
	return slack_visit(findings->model, findings->slack.calls, findings->slack_as, write_call,
			   &rows, err);
}
