/* Part of llamp path: what becomes critical when the variable grows. */
#include "common/text.h"
#include "llamp/report/report_critical_calls.h"
#include "llamp/report/report_path.h"

#include <inttypes.h>

/* -------------------------------------------------------------------- text */

enum { MOST_CHANGES = 4 };

/* Write the largest changes: "MPI_Allreduce +2, MPI_Recv -1". */
static void grow_changes(struct sentence *text, const struct critical_next *next)
{
	for (size_t i = 0; i < next->changes.count && i < MOST_CHANGES; i++) {
		const struct critical_change *change = &next->changes.items[i];
		char name[REPORT_CALL_BYTES];

		report_function_text(change->function, change->before, name);
		if (!next->has_calls)
			snprintf(name, sizeof name, "%" PRIu32 " to %" PRIu32, change->from,
				 change->to);
		sentence_add(text, "%s%s %+lld", i ? ", " : "", name,
		     (long long)(change->there - change->now));
	}
	if (next->changes.count > MOST_CHANGES)
		sentence_add(text, ", ...");
}

/* Write the calls: "3 join: MPI_Allreduce, call 6 of rank 0, ...; 2 leave". */
static void grow_calls(struct sentence *text, const struct critical_next *next, bool timed)
{
	const char *separator = text->length ? "; " : "";

	if (next->joining.count) {
		const struct report_call call = report_call_of(&next->joining.items[0], timed);
		char name[REPORT_CALL_BYTES];

		sentence_add(text, "%s%zu call%s join%s: %s%s", separator, next->joining.count,
		     plural(next->joining.count), next->joining.count == 1 ? "s" : "",
		     report_call_text(&call, name), next->joining.count > 1 ? ", ..." : "");
		separator = "; ";
	}
	if (next->leaving)
		sentence_add(text, "%s%" PRIu64 " leave%s", separator, next->leaving,
		     next->leaving == 1 ? "s" : "");
}

static void next_row(struct report_row *row, const void *data, size_t number)
{
	const struct findings *findings = data;
	const struct critical_next *next = &findings->nexts.list.items[number];
	struct sentence text = {.length = 0};

	grow_changes(&text, next);
	grow_calls(&text, next, findings->calls.timed);
	put_number(row, rational_in_ns(next->latency_as));
	put_count(row, (uint64_t)next->lambda);
	put_name(row, text.text);
}

static void print_next(struct report *report, const struct findings *findings)
{
	const struct critical_nexts *nexts = &findings->nexts;
	const struct report_field fields[] = {
		{NULL, "critical L", .kind = VALUE_NS},
		{NULL, report->format == REPORT_PAGE ? "lambda_L above" : "lambda_L",
		 .kind = VALUE_COUNT},
		{NULL, "change of the path", .kind = VALUE_NAME},
		{0},
	};
	char limit[UNIT_TEXT_BYTES];

	report_table(report, &(struct report_table){
		.caption = "What joins the path next", .fields = fields, .row = next_row,
		.data = findings, .count = nexts->list.count});
	if (report->format == REPORT_TEXT && !nexts->list.count)
		putc('\n', report->stream);
	if (nexts->limited)
		report_line(report, "critical L",
			    "%s up to %s, beyond which the order of service may change",
			    nexts->list.count ? "no other" : "none",
			    report_time(rational_in_ns(rational_from(nexts->limit_as)), limit));
	else if (!nexts->list.count)
		report_line(report, "critical L", "none above: lambda_L stays %" PRIu64,
			    (uint64_t)findings->path.lambda);
}

/* ---------------------------------------------------------- JSON and CSV */

static const struct report_field limit_fields[] = {
	{"next_up_to_ns", NULL, VALUE_ATTOSECONDS, .flags = FIELD_NULL,
	 .meaning = "With limited resources: the next critical latencies are known up to this L, beyond"
		    " which the order of service may change. null: they are all known"},
	{0},
};

static void limit_row(struct report_row *row, const void *data, size_t number)
{
	const struct critical_nexts *nexts = data;

	(void)number;
	if (nexts->limited)
		put_attoseconds(row, nexts->limit_as);
	else
		put_none(row);
}

static const struct report_field next_fields[] = {
	{"L_ns", NULL, VALUE_NUMBER, .meaning = "The critical latency"},
	{"runtime_ns", NULL, VALUE_ATTOSECONDS, .meaning = "T there, or at the next attosecond"},
	{"lambda_L", NULL, VALUE_COUNT, .flags = FIELD_POSITIVE, .meaning = "Above it"},
	{0},
};

static void next_facts(struct report_row *row, const void *data, size_t number)
{
	const struct critical_next *next = data;

	(void)number;
	put_number(row, rational_in_ns(next->latency_as));
	put_attoseconds(row, next->runtime_as);
	put_count(row, (uint64_t)next->lambda);
}

#define CHANGE_FIELDS                                                                           \
	{"lambda_L", NULL, VALUE_COUNT, .meaning = "Above the critical latency"},               \
	{"lambda_L_before", NULL, VALUE_COUNT, .meaning = "At the given latency"}

static const struct report_field function_fields[] = {
	{"function", NULL, VALUE_NAME, .flags = FIELD_NULL,
	 .meaning = "null for operations that belong to no call"},
	CHANGE_FIELDS,
	{0},
};

static void function_row(struct report_row *row, const void *data, size_t number)
{
	const struct critical_next *next = data;
	const struct critical_change *change = &next->changes.items[number];

	put_name(row, change->function);
	put_count(row, change->there);
	put_count(row, change->now);
}

static const struct report_field pair_fields[] = {
	{"from", NULL, .kind = VALUE_COUNT},
	{"to", NULL, .kind = VALUE_COUNT},
	CHANGE_FIELDS,
	{0},
};

static void pair_row(struct report_row *row, const void *data, size_t number)
{
	const struct critical_next *next = data;
	const struct critical_change *change = &next->changes.items[number];

	put_count(row, change->from);
	put_count(row, change->to);
	put_count(row, change->there);
	put_count(row, change->now);
}

struct joining {
	const struct critical_next *next;
	bool timed;
};

static const struct report_field joining_fields[] = {
	{"critical_L_ns", NULL, VALUE_NUMBER, .flags = FIELD_CSV},
	{"critical_lambda_L", NULL, VALUE_COUNT, .flags = FIELD_CSV},
	{"rank", NULL, .kind = VALUE_COUNT},
	CALL_FIELDS,
	{"lambda_L", NULL, VALUE_COUNT, .flags = FIELD_CSV},
	{"time_ns", NULL, VALUE_ATTOSECONDS, .meaning = "Its time on the path there"},
	{"lambda_L", NULL, VALUE_COUNT, .flags = FIELD_JSON,
	 .meaning = "Latencies on the path: a part of lambda_L"},
	{0},
};

static void joining_row(struct report_row *row, const void *data, size_t number)
{
	const struct joining *joining = data;
	const struct critical_call *item = &joining->next->joining.items[number];
	const struct report_call call = report_call_of(item, joining->timed);

	put_number(row, rational_in_ns(joining->next->latency_as));
	put_count(row, (uint64_t)joining->next->lambda);
	put_count(row, call.rank);
	report_put_call(row, &call);
	put_count(row, item->lambda);
	put_attoseconds(row, item->all_as);
	put_count(row, item->lambda);
}

static void write_joining(struct report *report, const struct joining *joining)
{
	report_table(report, &(struct report_table){
		"joining", .optional = true,
		.meaning = "Calls that are on the path there and not at the given latency, longest first."
			   " Only with functions",
		.fields = joining_fields, .row = joining_row, .data = joining,
		.count = joining->next ? joining->next->joining.count : 0});
}

static const struct report_field leaving_fields[] = {
	{"leaving", NULL, VALUE_COUNT, .flags = FIELD_OPTIONAL,
	 .meaning = "Number of calls on the path at the given latency and not there. Only with functions"},
	{0},
};

static void leaving_row(struct report_row *row, const void *data, size_t number)
{
	const struct critical_next *next = data;

	(void)number;
	put_count(row, next->leaving);
}

/* A schema has functions and rank pairs, of no path. */
static void write_next(struct report *report, const void *data, size_t number)
{
	static const struct critical_next none;
	const struct findings *findings = data;
	const bool is_schema = report->format == REPORT_SCHEMA;
	const struct critical_next *next = is_schema ? &none : &findings->nexts.list.items[number];

	report_facts(report, &(struct report_facts){
		.fields = next_fields, .row = next_facts, .data = next});
	if (!next->has_calls)
		report_table(report, &(struct report_table){
			"rank_pairs", .optional = true,
			.meaning = "The same as functions, of rank pairs, if FILE.calls does not exist",
			.fields = pair_fields, .row = pair_row, .data = next,
			.count = next->changes.count});
	if (!next->has_calls && !is_schema)
		return;
	report_table(report, &(struct report_table){
		"functions", .optional = true,
		.meaning = "Functions whose latencies change, the largest change first",
		.fields = function_fields, .row = function_row, .data = next,
		.count = next->changes.count});
	write_joining(report, &(struct joining){next, findings->calls.timed});
	report_facts(report, &(struct report_facts){
		.fields = leaving_fields, .row = leaving_row, .data = next});
}

void report_next(struct report *report, const struct findings *findings)
{
	if (report->format == REPORT_TEXT || report->format == REPORT_PAGE) {
		print_next(report, findings);
		return;
	}
	/* The heading of CSV, also of no calls. */
	if (report->format == REPORT_CSV)
		write_joining(report, &(struct joining){0});
	report_facts(report, &(struct report_facts){
		.fields = limit_fields, .row = limit_row, .data = &findings->nexts});
	report_list(report, &(struct report_list){
		"next", "The path above the next critical latencies, ascending", write_next, findings,
		.count = findings->nexts.list.count});
}
