#include "critpath/report/run_report_causes.h"

#include "common/text.h"
#include "common/units.h"
#include "trace/call/trace_hosts.h"

#include <inttypes.h>
#include <string.h>

/* What the rows of a table are made of. */
struct source {
	const struct findings *findings;
	const struct cause_findings *causes;
	const struct cause_rows *rows;
};

enum { CAUSE_BYTES = 400 };

/* ----------------------------------------------------------------------- names */

static bool is_start(uint64_t code)
{
	return cell_function(code) == NO_FUNCTION && cell_kind(code) == CELL_CALL;
}

/* Name the function and the call site of a cell: "MPI_Send (pipe.c:31)". */
static const char *call_text(const struct measured_run *run, uint64_t code,
			     char text[static CAUSE_BYTES])
{
	const char *site = measured_site_name(run, cell_site(code));

	snprintf(text, CAUSE_BYTES, "%.120s%s%.200s%s",
		 measured_function(&run->names, cell_function(code)), site ? " (" : "",
		 site ? call_site_short(site) : "", site ? ")" : "");
	return text;
}

/* Name a cell: "computation before MPI_Send (pipe.c:31)". */
static const char *cell_text(const struct measured_run *run, uint64_t code,
			     char text[static CAUSE_BYTES])
{
	char call[CAUSE_BYTES];

	if (is_start(code))
		snprintf(text, CAUSE_BYTES, "time before the end of MPI_Init");
	else if (cell_function(code) == NO_FUNCTION)
		snprintf(text, CAUSE_BYTES, "computation at the end");
	else
		snprintf(text, CAUSE_BYTES, "%s %.360s",
			 cell_kind(code) == CELL_CALL ? "time in" : "computation before",
			 call_text(run, code, call));
	return text;
}

static const char *other_text(const struct cause_row *row)
{
	switch (row->key.first) {
	case ROW_UNKNOWN:
		return "unknown";
	case ROW_BEFORE:
		return "before the slice";
	default:
		return "in no iteration";
	}
}

/* --------------------------------------------------------------------- culprit */

static double ns_of(__int128 as)
{
	return (double)as / (double)AS_PER_NS;
}

static __int128 all_as(const struct wait_causes *causes)
{
	return ((__int128)causes->calls.ns + causes->ends.ns) * AS_PER_NS;
}

/* Find the row that cost most, of those that are about a rank, or NULL. */
static const struct cause_row *first_row(const struct wait_causes *causes)
{
	for (size_t i = 0; i < causes->rows.list.count; i++) {
		const struct cause_row *row = &causes->rows.list.items[i];

		if (!cause_row_is_other(row) && row->cost_as > 0)
			return row;
	}
	return NULL;
}

/* Write "150 of 150 ms", with both units if they differ. */
enum { PART_BYTES = 2 * UNIT_TEXT_BYTES + 8 };
static void part_text(__int128 part_as, __int128 whole_as, char text[static PART_BYTES])
{
	char part[UNIT_TEXT_BYTES], whole[UNIT_TEXT_BYTES];
	const char *part_unit, *whole_unit;

	format_time(ns_of(part_as), 4, part);
	format_time(ns_of(whole_as), 4, whole);
	part_unit = strchr(part, ' ');
	whole_unit = strchr(whole, ' ');
	if (part_unit && whole_unit && !strcmp(part_unit, whole_unit))
		snprintf(text, PART_BYTES, "%.*s of %s", (int)(part_unit - part), part, whole);
	else
		snprintf(text, PART_BYTES, "%s of %s", part, whole);
}

const char *run_report_culprit(const struct measured_run *run, const struct wait_causes *causes,
			       char text[static RUN_CULPRIT_BYTES])
{
	const struct cause_row *row = first_row(causes);
	char cell[CAUSE_BYTES], part[PART_BYTES], indirect[RUN_TEXT_BYTES];
	__int128 indirect_as;

	if (wait_causes_doubtful(causes, run)) {
		snprintf(
			text, RUN_CULPRIT_BYTES,
			"What caused the waiting is not told, as clocks contradict each other by up to %s.",
			format_time((double)run->violations.most_ns, 4, part));
		return text;
	}
	if (!row) {
		snprintf(text, RUN_CULPRIT_BYTES, "%s",
			 causes->rows.list.count && all_as(causes)
				 ? "What caused the waiting is not known."
				 : "No call waited for another rank.");
		return text;
	}
	indirect_as = row->cost_as - row->direct_as;
	part_text(row->cost_as, all_as(causes), part);
	snprintf(text, RUN_CULPRIT_BYTES, "Rank %u's %s caused %s of waiting%s%s%s.",
		 row->key.first, cell_text(run, row->key.second, cell), part,
		 indirect_as ? ", " : "",
		 indirect_as ? format_time(ns_of(indirect_as), 4, indirect) : "",
		 indirect_as ? " indirectly" : "");
	return text;
}

/* ------------------------------------------------------------------------ rows */

static const char *const activities[] = {"computation", "call", "start", "end", NULL};

#define OTHER_FIELD                                                                                               \
	{                                                                                                         \
		"other", NULL, VALUE_NAME,                                                                        \
			.flags = FIELD_NULL,                                                                      \
			.meaning =                                                                                \
				"Null, or what the row is about instead: unknown causes, causes before the slice" \
				" or in no iteration"                                                             \
	}
#define CELL_FIELDS                                                                                    \
	{"activity",                                                                                   \
	 NULL,                                                                                         \
	 VALUE_NAME,                                                                                   \
	 .flags = FIELD_NULL,                                                                          \
	 .values = activities,                                                                         \
	 .meaning =                                                                                    \
		 "Computation before calls of the function or at the end of a rank, the calls, or the" \
		 " time before the rank left MPI_Init"},                                               \
	{                                                                                              \
		"function", NULL, VALUE_NAME, .flags = FIELD_NULL                                      \
	}
#define SITE_FIELD                                                                                                 \
	{                                                                                                          \
		"site", NULL, VALUE_NAME,                                                                          \
			.flags = FIELD_NULL | FIELD_OPTIONAL,                                                      \
			.meaning =                                                                                 \
				"FILE:LINE of the calls in the program, or what is known of it. Only if the trace" \
				" has call sites"                                                                  \
	}
#define COST_FIELDS                                                            \
	{"cost_ns", "cost", VALUE_ATTOSECONDS, .width = 9,                     \
	 .meaning = "Waiting that it caused; all rows add up to the waiting"}, \
		{"direct_ns", "direct", VALUE_ATTOSECONDS, .width = 9,         \
		 .meaning = "Part of it without another wait between"},        \
		{"indirect_ns", "indirect", VALUE_ATTOSECONDS, .width = 9,     \
		 .meaning = "The rest of it"},                                 \
	{                                                                      \
		NULL, "share", VALUE_SHARE, .width = 8, .flags = FIELD_NULL    \
	}
#define TIME_FIELDS                                                                                       \
	{"slope",                                                                                         \
	 "slope",                                                                                         \
	 VALUE_NUMBER,                                                                                    \
	 .width = 6,                                                                                      \
	 .flags = FIELD_NULL | FIELD_SIGNED,                                                              \
	 .meaning =                                                                                       \
		 "How much less waiting there would be for each ns less of time_ns, while the same calls" \
		 " wait for the same ones"},                                                              \
		{"time_ns", NULL, VALUE_TIME,                                                             \
		 .meaning = "Time of all of it, whether it caused waiting or not"},                       \
	{                                                                                                 \
		"path_ns", "on path", VALUE_TIME, .width = 9,                                             \
						  .meaning = "Part of it on the critical path"            \
	}
#define VICTIMS_FIELD                                                                           \
	{"victims", "victims", VALUE_COUNT, .width = 7, .meaning = "Ranks that waited for it"}, \
	{                                                                                       \
		0                                                                               \
	}

static const struct report_field cause_fields[] = {
	{NULL, "cause", VALUE_NAME, .width = 9},
	{"rank", NULL, VALUE_COUNT, .flags = FIELD_NULL, .meaning = "Rank in MPI_COMM_WORLD"},
	OTHER_FIELD,
	CELL_FIELDS,
	SITE_FIELD,
	COST_FIELDS,
	TIME_FIELDS,
	VICTIMS_FIELD,
};
static const struct report_field cause_rank_fields[] = {
	{NULL, "cause", VALUE_NAME, .width = 9},
	{"rank", NULL, VALUE_COUNT, .flags = FIELD_NULL, .meaning = "Rank in MPI_COMM_WORLD"},
	OTHER_FIELD,
	COST_FIELDS,
	TIME_FIELDS,
	VICTIMS_FIELD,
};
static const struct report_field cause_function_fields[] = {
	{NULL, "cause", VALUE_NAME, .width = 9},
	OTHER_FIELD,
	CELL_FIELDS,
	COST_FIELDS,
	TIME_FIELDS,
	VICTIMS_FIELD,
};
static const struct report_field cause_site_fields[] = {
	{NULL, "cause", VALUE_NAME, .width = 9},
	OTHER_FIELD,
	CELL_FIELDS,
	SITE_FIELD,
	COST_FIELDS,
	TIME_FIELDS,
	VICTIMS_FIELD,
};
static const struct report_field cause_iteration_fields[] = {
	{NULL, "iteration", VALUE_NAME, .width = 9},
	{"iteration", NULL, VALUE_COUNT, .flags = FIELD_NULL | FIELD_POSITIVE,
	 .meaning = "From 1, of the rank that caused the waiting"},
	OTHER_FIELD,
	COST_FIELDS,
	TIME_FIELDS,
	VICTIMS_FIELD,
};
/* Both ranks have no time in common, so there is none. */
static const struct report_field cause_pair_fields[] = {
	{NULL, "cause and waiting rank", VALUE_NAME, .width = 9},
	{"rank", NULL, VALUE_COUNT, .flags = FIELD_NULL, .meaning = "Rank that caused the waiting"},
	{"waiting_rank", NULL, VALUE_COUNT, .flags = FIELD_NULL},
	OTHER_FIELD,
	COST_FIELDS,
	{0},
};

/* Waits by what waited, with what caused most of them. */
static const char *const waiting_names[] = {"late-sender", "late-receiver",
					    "collective",  "late-broadcast",
					    "lock",	   "end",
					    NULL};

static const struct report_field waiter_fields[] = {
	{NULL, "waits in", VALUE_NAME, .width = 9},
	{"function", NULL, VALUE_NAME, .flags = FIELD_NULL,
	 .meaning = "Function of the calls that waited; null for the ends of ranks"},
	SITE_FIELD,
	{"wait", NULL, VALUE_NAME, .values = waiting_names, .meaning = "What for"},
	{"waits", "number", VALUE_COUNT, .width = 7},
	COST_FIELDS,
	{"propagating_ns", "propagates", VALUE_TIME, .width = 9,
	 .meaning = "Part of cost_ns in waits that made others wait"},
	{"terminal_ns", NULL, VALUE_TIME, .meaning = "The rest of it"},
	{"ranks", "ranks", VALUE_COUNT, .width = 5, .meaning = "Ranks that waited"},
	{NULL, "largest cause", VALUE_NAME, .width = 9},
	{"cause_rank", NULL, VALUE_COUNT, .flags = FIELD_NULL,
	 .meaning = "Rank that caused most; null if it is not known or before the slice"},
	{"cause_activity", NULL, VALUE_NAME, .flags = FIELD_NULL, .values = activities},
	{"cause_function", NULL, VALUE_NAME, .flags = FIELD_NULL},
	{"cause_site", NULL, VALUE_NAME, .flags = FIELD_NULL | FIELD_OPTIONAL},
	{"cause_ns", "of it", VALUE_ATTOSECONDS, .width = 9, .meaning = "Part that this caused"},
	{0},
};

/* Put what a row is about, for text. */
static void put_title(struct report_row *row, const struct source *source,
		      const struct cause_row *cause)
{
	const struct measured_run *run = source->findings->run;
	char text[CAUSE_BYTES + 32], cell[CAUSE_BYTES];

	switch (source->causes->options->by) {
	case CAUSES_BY_RANK:
		snprintf(text, sizeof text, "rank %u", cause->key.first);
		break;
	case CAUSES_BY_FUNCTION:
	case CAUSES_BY_SITE:
		snprintf(text, sizeof text, "%s", cell_text(run, cause->key.second, cell));
		break;
	case CAUSES_BY_ITERATION:
		snprintf(text, sizeof text, "%" PRIu64, cause->key.first + UINT64_C(1));
		break;
	case CAUSES_BY_PAIR:
		snprintf(text, sizeof text, "rank %u, rank %" PRIu64, cause->key.first,
			 cause->key.second);
		break;
	default:
		snprintf(text, sizeof text, "rank %u, %s", cause->key.first,
			 cell_text(run, cause->key.second, cell));
	}
	put_name(row, cause_row_is_other(cause) ? other_text(cause) : text);
}

static void put_cell(struct report_row *row, const struct measured_run *run, uint64_t code,
		     bool has_site, bool other)
{
	const bool end = cell_function(code) == NO_FUNCTION;

	put_name(row, other	       ? NULL
		      : is_start(code) ? "start"
		      : end	       ? "end"
				       : activities[cell_kind(code)]);
	put_name(row, other || end ? NULL : measured_function(&run->names, cell_function(code)));
	if (has_site)
		put_name(row, other ? NULL : measured_site_name(run, cell_site(code)));
}

/* Put the numbers and names that JSON and CSV have in place of the title. */
static void put_key(struct report_row *row, const struct source *source,
		    const struct cause_row *cause)
{
	const struct measured_run *run = source->findings->run;
	const enum cause_grouping by = source->causes->options->by;
	const bool other = cause_row_is_other(cause);

	if (by == CAUSES_BY_CAUSE || by == CAUSES_BY_RANK || by == CAUSES_BY_PAIR)
		put_count_or_none(row, cause->key.first, !other);
	if (by == CAUSES_BY_PAIR)
		put_count_or_none(row, cause->key.second, !other);
	if (by == CAUSES_BY_ITERATION)
		put_count_or_none(row, cause->key.first + UINT64_C(1), !other);
	put_name(row, other ? other_text(cause) : NULL);
	if (by == CAUSES_BY_CAUSE || by == CAUSES_BY_FUNCTION || by == CAUSES_BY_SITE)
		put_cell(row, run, cause->key.second, by != CAUSES_BY_FUNCTION, other);
}

static void put_waiter(struct report_row *row, const struct measured_run *run,
		       const struct cause_row *waiter)
{
	const bool end = cell_function(waiter->key.second) == NO_FUNCTION;
	const char *const kind = waiting_names[waiter->key.first - WAIT_LATE_SENDER];
	char text[CAUSE_BYTES + 32], call[CAUSE_BYTES];

	if (end)
		snprintf(text, sizeof text, "the end of ranks");
	else
		snprintf(text, sizeof text, "%s, %s", call_text(run, waiter->key.second, call),
			 kind);
	put_name(row, text);
	put_name(row,
		 end ? NULL : measured_function(&run->names, cell_function(waiter->key.second)));
	put_name(row, measured_site_name(run, cell_site(waiter->key.second)));
	put_name(row, kind);
	put_count(row, waiter->waits);
}

/* Put what caused most of a waiter's waiting. */
static void put_largest(struct report_row *row, const struct measured_run *run,
			const struct cause_row *waiter)
{
	const struct cause_row cause = {.key = waiter->cause};
	const bool other = cause_row_is_other(&cause);
	char text[CAUSE_BYTES + 32], cell[CAUSE_BYTES];

	if (!other)
		snprintf(text, sizeof text, "rank %u, %s", cause.key.first,
			 cell_text(run, cause.key.second, cell));
	put_name(row, other ? other_text(&cause) : text);
	put_count_or_none(row, cause.key.first, !other);
	put_cell(row, run, cause.key.second, true, other);
	put_attoseconds(row, waiter->cause_as);
}

static void put_cost(struct report_row *row, const struct source *source,
		     const struct cause_row *cause)
{
	const __int128 whole_as = all_as(source->causes->causes);

	put_attoseconds(row, cause->cost_as);
	put_attoseconds(row, cause->direct_as);
	put_attoseconds(row, cause->cost_as - cause->direct_as);
	if (wait_causes_doubtful(source->causes->causes, source->findings->run))
		put_none(row);
	else
		put_number(row, whole_as ? (double)cause->cost_as / (double)whole_as : 0);
}

static void waiter_row_values(struct report_row *row, const void *data, size_t number)
{
	const struct source *source = data;
	const struct cause_row *waiter = &source->rows->list.items[number];
	const uint64_t wait_ns = (uint64_t)(waiter->cost_as / AS_PER_NS);

	put_waiter(row, source->findings->run, waiter);
	put_cost(row, source, waiter);
	put_count(row, waiter->propagating_ns);
	put_count(row, wait_ns - waiter->propagating_ns);
	put_count(row, waiter->victims);
	put_largest(row, source->findings->run, waiter);
}

static void cause_row_values(struct report_row *row, const void *data, size_t number)
{
	const struct source *source = data;
	const struct cause_row *cause = &source->rows->list.items[number];

	put_title(row, source, cause);
	put_key(row, source, cause);
	put_cost(row, source, cause);
	if (source->causes->options->by == CAUSES_BY_PAIR)
		return;
	if (cause_row_is_other(cause) || !cause->time_ns)
		put_none(row);
	else
		put_number(row, (double)cause->weighted_ns / (double)cause->time_ns);
	put_count(row, cause->time_ns);
	put_count(row, cause->path_ns);
	put_count(row, cause->victims);
}

/* Number of rows that cost something; by cost, these are the first. */
static size_t count_costly(const struct cause_rows *rows)
{
	size_t count = 0;

	for (size_t i = 0; i < rows->list.count; i++)
		count += rows->list.items[i].cost_as > 0;
	return count;
}

/* In text iterations are listed by cost, too. */
static report_weight cost_of(const void *data, size_t number)
{
	return (report_weight)((const struct source *)data)->rows->list.items[number].cost_as;
}

/* ---------------------------------------------------------------------- report */

static const struct report_field cause_fact_fields[] = {
	{"summary", NULL, VALUE_NAME, .meaning = "What caused most of the waiting"},
	{"doubtful", NULL, VALUE_TRUTH,
	 .meaning =
		 "Whether costs mean nothing: clocks contradict more than 1 % of the messages, or one by more than a"
		 " tenth of the median wait"},
	{"by", NULL, VALUE_NAME, .values = cause_grouping_names},
	{"match", NULL, VALUE_NAME, .values = cell_match_names,
	 .meaning =
		 "What cancels if both the rank that waited and the one that was waited for did it"},
	{"waits", NULL, VALUE_COUNT, .meaning = "Calls that waited"},
	{"wait_ns", NULL, VALUE_TIME, .meaning = "Their waiting"},
	{"ends", NULL, VALUE_COUNT, .meaning = "Ranks that ended before the run; 0 with --no-end"},
	{"end_ns", NULL, VALUE_TIME, .meaning = "Time from their ends to that of the run"},
	{"unknown_ns", NULL, VALUE_TIME,
	 .meaning = "Part of both of which the causes are not known"},
	{0},
};

static void cause_fact_row(struct report_row *row, const void *data, size_t number)
{
	const struct source *source = data;
	const struct wait_causes *causes = source->causes->causes;
	char text[RUN_CULPRIT_BYTES];

	(void)number;
	put_name(row, run_report_culprit(source->findings->run, causes, text));
	put_truth(row, wait_causes_doubtful(causes, source->findings->run));
	put_name(row, cause_grouping_names[source->causes->options->by]);
	put_name(row, cell_match_names[source->causes->options->match]);
	put_count(row, causes->calls.waits);
	put_count(row, causes->calls.ns);
	put_count(row, causes->ends.waits);
	put_count(row, causes->ends.ns);
	put_count(row, causes->unknown_ns);
}

/* Write the answer, which comes first unless the times suffer from something that the heading says. */
static void report_answer(const struct report *report, const struct source *source, bool first)
{
	const struct measured_run *run = source->findings->run;
	char crowded[TRACE_HOSTS_TEXT_BYTES], text[RUN_CULPRIT_BYTES];

	if (report->format != REPORT_TEXT ||
	    first == (trace_hosts_say_shared(run->world, crowded) != NULL))
		return;
	text_print(report->stream, run_report_culprit(run, source->causes->causes, text));
	fputc('\n', report->stream);
}

static void report_waiting(const struct report *report, const struct wait_causes *causes)
{
	char time[RUN_TEXT_BYTES];

	report_line(report, "waiting", "%" PRIu64 " call%s, %s of all ranks", causes->calls.waits,
		    plural(causes->calls.waits), run_report_time(causes->calls.ns, time));
	if (causes->ends.waits)
		report_line(report, "ends", "%" PRIu64 " rank%s ended before the run, %s of all",
			    causes->ends.waits, plural(causes->ends.waits),
			    run_report_time(causes->ends.ns, time));
	if (causes->unknown_ns)
		report_line(report, "unknown", "what caused %s of it",
			    run_report_time(causes->unknown_ns, time));
}

static struct source source_of(const struct findings *findings, const struct cause_findings *causes)
{
	const bool by_cause = causes->options->by == CAUSES_BY_CAUSE;

	return (struct source){findings, causes,
			       by_cause ? &causes->causes->rows : &causes->causes->groups};
}

void run_report_cause_rows(struct report *report, const struct findings *findings,
			   const struct cause_findings *causes)
{
	static const struct report_field *const forms[CAUSE_GROUPINGS + 1] = {
		[CAUSES_BY_CAUSE] = cause_fields,
		[CAUSES_BY_RANK] = cause_rank_fields,
		[CAUSES_BY_FUNCTION] = cause_function_fields,
		[CAUSES_BY_SITE] = cause_site_fields,
		[CAUSES_BY_ITERATION] = cause_iteration_fields,
		[CAUSES_BY_PAIR] = cause_pair_fields,
		[CAUSES_BY_WAITER] = waiter_fields,
	};
	const struct source source = source_of(findings, causes);
	const enum cause_grouping by = causes->options->by;
	const bool text = report->format == REPORT_TEXT || report->format == REPORT_PAGE;
	const bool by_cost = text && by == CAUSES_BY_ITERATION;
	const size_t most = causes->most ? causes->most : RUN_MOST_ROWS;
	const size_t count = text && !by_cost ? count_costly(source.rows) : source.rows->list.count;

	report_table(report,
		     &(struct report_table){
			     "rows", .title = "what caused the waiting",
			     .caption = "Largest costs first",
			     .meaning = "Largest cost first; iterations in order",
			     .fields = forms[by], .forms = forms,
			     .row = by == CAUSES_BY_WAITER ? waiter_row_values : cause_row_values,
			     .data = &source,
			     .count = !text && causes->most && causes->most < count ? causes->most
										    : count,
			     .lacks_optional = !findings->run->site_count,
			     .most = by_cost && most > REPORT_MOST_ROWS ? REPORT_MOST_ROWS : most,
			     .weight = by_cost ? cost_of : NULL, .counts_rest = true});
}

void run_report_causes(struct report *report, const struct findings *findings,
		       const struct cause_findings *causes)
{
	const struct source source = source_of(findings, causes);

	report->rows = "rows";
	report_answer(report, &source, true);
	run_report_begin(report, "critpath-causes-1", findings);
	report_answer(report, &source, false);
	report_waiting(report, causes->causes);
	report_facts(report, &(struct report_facts){.fields = cause_fact_fields,
						    .row = cause_fact_row,
						    .data = &source});
	run_report_cause_rows(report, findings, causes);
	report_end(report);
}
