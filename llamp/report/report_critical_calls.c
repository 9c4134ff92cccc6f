#include "llamp/report/report_critical_calls.h"

#include "llamp/report/report_path.h"

#include <inttypes.h>

const char *const report_places[] = {"in", "before", NULL};

/* ------------------------------------------------------------------- a call */

const char *report_function_text(const char *function, bool before,
				 char text[static REPORT_CALL_BYTES])
{
	snprintf(text, REPORT_CALL_BYTES, "%s%s", before ? "before " : "",
		 function ? function : "(no call)");
	return text;
}

struct report_call report_call_of(const struct critical_call *call, bool timed)
{
	return (struct report_call){call->function, call->site,	  call->rank,	call->before,
				    timed,	    call->number, call->time_ns};
}

const char *report_call_text(const struct report_call *call, char text[static REPORT_CALL_BYTES])
{
	char name[REPORT_CALL_BYTES], at[64] = "", when[UNIT_TEXT_BYTES], numbered[32] = "";
	const char *site = call->site ? call_site_short(call->site) : "";

	report_function_text(call->function, call->before, name);
	if (call->function)
		snprintf(numbered, sizeof numbered, ", call %" PRIu64, call->number);
	if (call->function && call->timed)
		snprintf(at, sizeof at, ", at %s", report_time((double)call->time_ns, when));
	snprintf(text, REPORT_CALL_BYTES, "%.200s%s of rank %" PRIu32 "%s%s%.100s", name, numbered,
		 call->rank, at, *site ? ", " : "", site);
	return text;
}

void report_put_call(struct report_row *row, const struct report_call *call)
{
	if (!call->function) {
		for (int i = 0; i < 4; i++)
			put_missing(row);
		return;
	}
	put_name(row, call->function);
	put_name(row, report_places[call->before]);
	put_count(row, call->number);
	if (call->timed)
		put_attoseconds(row, (int128)call->time_ns * AS_PER_NS);
	else
		put_missing(row);
}

/* ---------------------------------------------------- functions and call sites */

/* A text and a page begin with the time. */
#define FUNCTION_FIELDS(heading, key, of_it)                                                    \
	{NULL, heading, VALUE_NAME, .width = 20},                                               \
	{NULL, "time", VALUE_ATTOSECONDS, .width = 13},                                         \
	{NULL, "share", VALUE_SHARE, .width = 8},                                               \
	{NULL, "latency", VALUE_ATTOSECONDS, .width = 13},                                      \
	{key, NULL, VALUE_NAME, .flags = FIELD_NULL, .meaning = of_it},                         \
	{"place", NULL, VALUE_NAME, .values = report_places,                                    \
	 .meaning = "Time in the calls, or of computation before them"},                        \
	{"calls", NULL, VALUE_COUNT, .flags = FIELD_POSITIVE,                                   \
	 .meaning = "Number of different calls, on any rank, on the path"},                     \
	{"lambda_L", "lambda_L", VALUE_COUNT, .width = 8,                                       \
	 .meaning = "Latencies of the messages that these calls receive: a part of lambda_L"},  \
	{NULL, "calls", VALUE_COUNT, .width = 6},                                               \
	{"lambda_G", NULL, VALUE_COUNT,                                                         \
	 .meaning = "Bytes of the messages that these calls receive: a part of lambda_G"},      \
	{"time_ns", NULL, VALUE_ATTOSECONDS, .meaning = "Sum of all categories"},               \
	{"compute_ns", NULL, .kind = VALUE_ATTOSECONDS},                                        \
	{"overhead_ns", NULL, .kind = VALUE_ATTOSECONDS},                                       \
	{"latency_ns", NULL, .kind = VALUE_ATTOSECONDS},                                        \
	{"bandwidth_ns", NULL, .kind = VALUE_ATTOSECONDS},                                      \
	{"gap_ns", NULL, .kind = VALUE_ATTOSECONDS}

static const struct report_field function_fields[] = {
	FUNCTION_FIELDS("function", "function", "null for operations that belong to no call"),
	{0},
};

static const struct report_field call_site_fields[] = {
	FUNCTION_FIELDS("call site", "site",
			"FILE:LINE of the call in the program, or what is known of it"),
	{0},
};

static void put_function(struct report_row *row, const struct critical_function *function,
			 const char *name, int128 runtime_as)
{
	char text[REPORT_CALL_BYTES];

	put_name(row, report_function_text(name, function->before, text));
	put_attoseconds(row, function->all_as);
	report_put_share(row, function->all_as, runtime_as);
	put_attoseconds(row, function->as[CATEGORY_LATENCY]);
	put_name(row, function->function);
	put_name(row, report_places[function->before]);
	put_count(row, function->call_count);
	put_count(row, function->lambda);
	put_count(row, function->call_count);
	put_count(row, function->lambda_G);
	put_attoseconds(row, function->all_as);
	for (int category = 0; category < CATEGORY_COUNT; category++)
		put_attoseconds(row, function->as[category]);
}

static void function_row(struct report_row *row, const void *data, size_t number)
{
	const struct findings *findings = data;
	const struct critical_function *function = &findings->calls.functions.list.items[number];

	put_function(row, function, function->function, findings->path.runtime_as);
}

static void call_site_row(struct report_row *row, const void *data, size_t number)
{
	const struct findings *findings = data;
	const struct critical_function *site = &findings->calls.sites.list.items[number];

	put_function(row, site, call_site_short(site->function), findings->path.runtime_as);
}

void report_functions(struct report *report, const struct findings *findings)
{
	const struct critical_calls *calls = &findings->calls;

	if (findings->has_calls || report->format == REPORT_SCHEMA)
		report_table(report, &(struct report_table){
			"functions", .optional = true,
			.meaning = "Time of the path by MPI function, in descending order. Only if"
				   " FILE.calls exists",
			.caption = "Time on the critical path by MPI function",
			.fields = function_fields, .row = function_row, .data = findings,
			.count = calls->functions.list.count, .most = PATH_MOST_LINES,
			.counts_rest = true});
	if ((findings->has_calls && calls->lines) || report->format == REPORT_SCHEMA)
		report_table(report, &(struct report_table){
			"sites", .optional = true,
			.meaning = "The same by call site. Only if the trace has call sites",
			.caption = "Time on the critical path by call site",
			.fields = call_site_fields, .row = call_site_row, .data = findings,
			.count = calls->sites.list.count, .most = PATH_MOST_LINES,
			.counts_rest = true});
}

/* --------------------------------------------------------------------- calls */

static const struct report_field call_fields[] = {
	{NULL, "time", .kind = VALUE_ATTOSECONDS},
	{NULL, "latency", .kind = VALUE_ATTOSECONDS},
	{NULL, "call", .kind = VALUE_NAME},
	{0},
};

static void call_row(struct report_row *row, const void *data, size_t number)
{
	const struct critical_calls *calls = data;
	const struct report_call call = report_call_of(&calls->calls.items[number], calls->timed);
	char text[REPORT_CALL_BYTES];

	put_attoseconds(row, calls->calls.items[number].all_as);
	put_attoseconds(row, calls->calls.items[number].as[CATEGORY_LATENCY]);
	put_name(row, report_call_text(&call, text));
}

static report_weight call_time(const void *data, size_t number)
{
	return (report_weight)((const struct critical_calls *)data)->calls.items[number].all_as;
}

void report_longest_calls(struct report *report, const struct findings *findings)
{
	if (findings->has_calls)
		report_table(report, &(struct report_table){
			.title = "calls with most time", .fields = call_fields, .row = call_row,
			.data = &findings->calls, .count = findings->calls.calls.count,
			.most = PATH_MOST_LINES, .weight = call_time, .counts_rest = true,
			.lists_all = "--format csv"});
}
