#include "llamp/report/report_path.h"

#include "common/options.h"
#include "llamp/report/repeated.h"
#include "llamp/report/report_critical_calls.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static const char *const kind_names[] = {
	[GOAL_SEND] = "send", [GOAL_RECV] = "recv", [GOAL_CALC] = "calc", NULL};

/* ----------------------------------------------------------------------- facts */

/* What the first facts are of. */
struct path_facts {
	const struct findings *findings;
	struct repeated repeated;
};

static const struct report_field path_fields[] = {
	{"runtime_ns", "T", VALUE_ATTOSECONDS, .meaning = "T, exactly"},
	{NULL, "T / traced", .kind = VALUE_NAME},
	{"runtime_to_traced", NULL, VALUE_NUMBER, .flags = FIELD_NULL,
	 .meaning = "T / traced_ns; null if traced_ns is"},
	{NULL, "T async", .kind = VALUE_NAME},
	{"runtime_async_ns", NULL, VALUE_ATTOSECONDS, REPORT_ASYNC},
	{"lambda_L", "lambda_L", VALUE_COUNT,
	 .meaning = "Latencies on the path, the slope of T to the right of L"},
	{NULL, "repeated", .kind = VALUE_NAME},
	{"lambda_L_run_low", NULL, VALUE_NUMBER, .flags = FIELD_OPTIONAL | FIELD_NULL,
	 .meaning =
		 "lambda_L of the run whose iterations the graph repeats (schedgen --repeat) is from here, if"
		 " the other iterations are like the recorded ones. null: a single iteration was recorded"},
	{"lambda_L_run_high", NULL, VALUE_NUMBER, .flags = FIELD_OPTIONAL | FIELD_NULL,
	 .meaning = "... to here"},
	{"lambda_G", "lambda_G", VALUE_ALL_BYTES,
	 .meaning = "Bytes of the messages on the path, each one less than its size"},
	{"messages_on_path", NULL, VALUE_COUNT,
	 .meaning = "Messages whose latency or bandwidth the path contains"},
	{NULL, "path", .kind = VALUE_NAME},
	{0},
};

static void put_async(struct report_row *row, const struct overlap *overlap, double runtime_ns)
{
	char text[REPORT_ASYNC_BYTES + UNIT_TEXT_BYTES], less[REPORT_ASYNC_BYTES],
		time[UNIT_TEXT_BYTES];

	snprintf(text, sizeof text, "%s; %s", report_time(report_ns(overlap->async_as), time),
		 report_async_text(overlap, runtime_ns, less));
	put_name(row, overlap->messages ? text : NULL);
	if (overlap->messages)
		put_attoseconds(row, overlap->async_as);
	else
		put_missing(row);
}

/* Put between which numbers lambda_L of a run is whose iterations the graph repeats. */
static void put_repeated(struct report_row *row, const struct repeated *repeated)
{
	const bool known = repeated->recorded && isfinite(repeated->high);
	char text[160], range[96] = "of the run lambda_L is not known";

	if (known)
		snprintf(range, sizeof range, "of the run lambda_L is %.0f to %.0f by estimate",
			 floor(repeated->low), ceil(repeated->high));
	snprintf(text, sizeof text, "%" PRIu32 " iteration%s in %" PRIu64 " others; %s",
		 repeated->recorded, plural(repeated->recorded), repeated->repetitions, range);
	put_name(row, repeated->recorded ? text : NULL);
	for (int i = 0; i < 2; i++)
		if (known)
			put_number(row, i ? repeated->high : repeated->low);
		else if (repeated->recorded)
			put_none(row);
		else
			put_missing(row);
}

static void path_row(struct report_row *row, const void *data, size_t number)
{
	const struct path_facts *facts = data;
	const struct findings *findings = facts->findings;
	const struct model *model = findings->model;
	const struct critical_path *path = &findings->path;
	const double runtime_ns = report_ns(path->runtime_as);
	char text[128], traced[UNIT_TEXT_BYTES], ratio[UNIT_TEXT_BYTES];

	(void)number;
	put_attoseconds(row, path->runtime_as);
	snprintf(text, sizeof text, "%s; the traced run took %s",
		 report_ratio_text(model, runtime_ns, ratio), report_traced(model, traced));
	put_name(row, model_traced_ns(model) ? text : NULL);
	put_number(row, model_to_traced(model, runtime_ns));
	put_async(row, &findings->overlap, runtime_ns);
	put_count(row, (uint64_t)path->lambda);
	put_repeated(row, &facts->repeated);
	put_count(row, (uint64_t)path->lambda_G);
	put_count(row, path->message_count);
	snprintf(text, sizeof text, "%zu segment%s, %" PRIu64 " of %u message%s",
		 path->segments.count, plural(path->segments.count), path->message_count,
		 model->graph.message_count, plural(model->graph.message_count));
	put_name(row, text);
}

/* ------------------------------------------------------ shares, in texts and pages */

/* Time of each of some parts, and the slope of variables. */
struct shares {
	const char *names[VARIABLES_MOST];
	int128 as[VARIABLES_MOST], runtime_as;
	const char *counted[VARIABLES_MOST];
	double lambda[VARIABLES_MOST];
	size_t count;
};

#define SHARE_FIELDS                                    \
	{NULL, "time", VALUE_ATTOSECONDS, .width = 14}, \
	{                                               \
		NULL, "share", VALUE_SHARE, .width = 10 \
	}

/* Add a part, unless it has neither time nor a slope. */
static void add_share(struct shares *shares, const char *name, int128 as)
{
	if (as > 0 || shares->counted[shares->count]) {
		shares->names[shares->count] = name;
		shares->as[shares->count++] = as;
	}
}

static void share_row(struct report_row *row, const void *data, size_t number)
{
	const struct shares *shares = data;

	put_name(row, shares->names[number]);
	put_number(row, shares->lambda[number]);
	put_name(row, shares->counted[number]);
	put_attoseconds(row, shares->as[number]);
	report_put_share(row, shares->as[number], shares->runtime_as);
}

/* Order parts by time, those of a page also without any. */
static report_weight share_weight(const void *data, size_t number)
{
	return (report_weight)((const struct shares *)data)->as[number] + 1;
}

static void print_shares(struct report *report, const char *heading, const struct shares *shares)
{
	const bool has_slopes = shares->counted[0];
	const struct report_field fields[] = {
		{NULL, heading, VALUE_NAME, .width = 12},
		{NULL, has_slopes ? "λ" : NULL, .kind = VALUE_LONG_NUMBER},
		{NULL, has_slopes ? "counts" : NULL, .kind = VALUE_NAME},
		SHARE_FIELDS,
		{0},
	};
	char caption[64];

	snprintf(caption, sizeof caption, "Time on the critical path by %s", heading);
	report_table(report, &(struct report_table){.caption = caption,
						    .fields = fields,
						    .row = share_row,
						    .data = shares,
						    .count = shares->count,
						    .most = report->format == REPORT_TEXT
								    ? PATH_MOST_LINES
								    : REPORT_MOST_ROWS,
						    .weight = share_weight,
						    .counts_rest = true});
}

static void print_categories(struct report *report, const struct findings *findings)
{
	const struct critical_path *path = &findings->path;
	struct shares categories = {.runtime_as = path->runtime_as}, kinds = categories;
	int128 kind_as[GOAL_CALC + 1] = {0};

	for (int i = 0; i < CATEGORY_COUNT; i++)
		add_share(&categories, category_names[i], findings->category_as[i]);
	for (size_t i = 0; i < path->segments.count; i++) {
		const struct critical_segment *segment = &path->segments.items[i];

		kind_as[segment->kind] += segment->end_as - segment->start_as;
	}
	for (int i = GOAL_SEND; i <= GOAL_CALC; i++)
		add_share(&kinds, kind_names[i], kind_as[i]);
	print_shares(report, "category", &categories);
	if (report->format == REPORT_TEXT)
		print_shares(report, "operation", &kinds);
}

/* Write the time of each variable, in a page with its slope, where categories do not tell them apart. */
static void print_variables(struct report *report, const struct findings *findings)
{
	const struct loggps *loggps = &findings->model->loggps;
	struct shares shares = {.runtime_as = findings->path.runtime_as};

	if (!loggps->network || network_is_plain(loggps->network))
		return;
	for (uint32_t v = 0; v < loggps->variables.count; v++) {
		const struct variable *variable = &loggps->variables.of[v];

		if (report->format == REPORT_PAGE && variable_is_on(variable)) {
			shares.counted[shares.count] = variable->counted;
			shares.lambda[shares.count] = findings->analysis.lambda[v];
		}
		add_share(&shares, variable->name, findings->path.variable_as[v]);
	}
	print_shares(report, "variable", &shares);
}

static void rank_row(struct report_row *row, const void *data, size_t number)
{
	const struct findings *findings = data;

	put_count(row, findings->path_ranks.items[number].rank);
	put_attoseconds(row, findings->path_ranks.items[number].all_as);
	report_put_share(row, findings->path_ranks.items[number].all_as, findings->path.runtime_as);
	put_attoseconds(row, findings->path_ranks.items[number].as[CATEGORY_COMPUTE]);
}

void report_path_times(struct report *report, const struct findings *findings)
{
	const bool is_page = report->format == REPORT_PAGE;
	const struct report_field rank_fields[] = {
		{NULL, "rank", VALUE_COUNT, .width = 12, .left = !is_page},
		SHARE_FIELDS,
		{NULL, is_page ? "computation" : NULL, .kind = VALUE_ATTOSECONDS},
		{0},
	};

	print_categories(report, findings);
	print_variables(report, findings);
	report_table(report, &(struct report_table){.caption = "Time on the critical path by rank",
						    .fields = rank_fields,
						    .row = rank_row,
						    .data = findings,
						    .count = findings->path_ranks.count,
						    .most = PATH_MOST_LINES,
						    .counts_rest = true});
}

/* -------------------------------------------------------------------- segments */

/* Put the call of a segment, and its site if a column has it. */
static void put_segment_call(struct report_row *row, const struct findings *findings, size_t number)
{
	const struct critical_calls *calls = &findings->calls;
	const struct report_call call =
		findings->has_calls
			? report_call_of(&calls->calls.items[calls->of[number]], calls->timed)
			: (struct report_call){0};

	report_put_call(row, &call);
	if (call.function && call.site)
		put_name(row, call.site);
	else
		put_missing(row);
}

static void segment_row(struct report_row *row, const void *data, size_t number)
{
	const struct findings *findings = data;
	const struct critical_segment *segment = &findings->path.segments.items[number];
	const struct goal *goal = &findings->model->goal;
	char text[GOAL_TEXT_BYTES];

	put_attoseconds(row, segment->start_as);
	put_attoseconds(row, segment->end_as - segment->start_as);
	put_attoseconds(row, segment->end_as);
	put_name(row, category_names[segment->category]);
	put_count(row, segment->rank);
	put_name(row, category_names[segment->category]);
	put_count(row, segment->operation);
	put_name(row, kind_names[segment->kind]);
	put_segment_call(row, findings, number);
	if (!row_in_text(row)) {
		put_none(row);
		return;
	}
	/* "rank 3, operation 17 (send 8 bytes to 4, tag 1)": the rank has a column of its own. */
	goal_describe(goal, goal->ranks[segment->rank].first_op + segment->operation, text);
	put_name(row, strstr(text, "operation ") + strlen("operation "));
}

static report_weight segment_length(const void *data, size_t number)
{
	const struct critical_segment *segment =
		&((const struct findings *)data)->path.segments.items[number];

	return (report_weight)(segment->end_as - segment->start_as);
}

/* ---------------------------------------------------------------------- report */

static const char *const table_names[] = {
	[PATH_SEGMENTS] = "segments", [PATH_SLACK] = "slack",	  [PATH_LAMBDA] = "lambda",
	[PATH_NEXT] = "next",	      [PATH_OVERLAP] = "overlap", NULL};

int option_path_table(const char *text, void *target, struct error *err)
{
	const int table = parse_choice(text, "table", table_names, err);

	TRY(table);
	*(enum path_table *)target = (enum path_table)table;
	return 0;
}

/* Times by what takes them.  In JSON functions and sites come first. */
static void report_shares(struct report *report, const struct findings *findings)
{
	const bool is_text = report->format == REPORT_TEXT;

	if (is_text) {
		report_path_times(report, findings);
	} else {
		report_functions(report, findings);
	}
	report_lambda(report, findings);
	if (is_text) {
		report_functions(report, findings);
		report_longest_calls(report, findings);
	}
}

static void report_segments(struct report *report, const struct findings *findings)
{
	const bool has_sites = findings->calls.lines || report->format == REPORT_SCHEMA;
	const struct report_field fields[] = {
		{"start_ns", "start", .kind = VALUE_ATTOSECONDS},
		{NULL, "time", .kind = VALUE_ATTOSECONDS},
		{"end_ns", NULL, .kind = VALUE_ATTOSECONDS},
		{NULL, "category", .kind = VALUE_NAME},
		{"rank", "rank", VALUE_COUNT,
		 .meaning =
			 "Rank that spends the time. For latency and bandwidth the receiving rank"},
		{"category", NULL, VALUE_NAME, .values = category_names},
		{"operation", NULL, VALUE_COUNT,
		 .meaning = "Index in the rank, from 0, in the order of the file"},
		{"kind", NULL, VALUE_NAME, .values = kind_names + GOAL_SEND},
		CALL_FIELDS,
		{has_sites ? "site" : NULL, NULL, VALUE_NAME, .flags = FIELD_OPTIONAL,
		 .meaning =
			 "FILE:LINE of the call in the program, or what is known of it. Only if the trace has"
			 " call sites"},
		{NULL, "operation", .kind = VALUE_NAME},
		{0},
	};

	report_table(
		report,
		&(struct report_table){
			"segments",
			.meaning =
				"Segments in order of time from 0 to T. Each begins where the one before it"
				" ends. Times are exact",
			.title = "longest segments", .fields = fields, .row = segment_row,
			.data = findings, .count = findings->path.segments.count,
			.most = PATH_MOST_LINES, .weight = segment_length, .counts_rest = true,
			.lists_all = "--format csv"});
}

static int write_csv(struct report *report, enum path_table table, const struct findings *findings,
		     struct error *err)
{
	report->rows = table == PATH_NEXT ? "joining" : table_names[table];
	switch (table) {
	case PATH_SEGMENTS:
		report_segments(report, findings);
		break;
	case PATH_SLACK:
		return report_slack_rows(report, findings, err);
	case PATH_LAMBDA:
		report_lambda(report, findings);
		break;
	case PATH_NEXT:
		if (!findings->has_calls)
			return error_set(err, STATUS_LIMIT,
					 "the calls of %s are not known, as it has no side file",
					 findings->model->path);
		report_next(report, findings);
		break;
	case PATH_OVERLAP:
		report_overlap(report, findings);
		break;
	}
	return 0;
}

int report_path(struct report *report, enum path_table table, const struct findings *findings,
		struct error *err)
{
	const struct report_columns columns = {.model = findings->model, .engine = ENGINE_PATH};
	struct path_facts facts = {.findings = findings};

	report->first_columns = report_first_columns;
	report->first_data = &columns;
	if (report->format == REPORT_CSV)
		return write_csv(report, table, findings, err);
	if (findings->has_calls)
		TRY(repeated_find(&facts.repeated, &findings->path, &findings->calls, err));
	report_begin_model(report, "llamp-path-1", findings->model, VARIABLE_L, NULL, ENGINE_PATH);
	report_facts(report, &(struct report_facts){.fields = path_fields,
						    .row = path_row,
						    .data = &facts});
	report_shares(report, findings);
	report_slack(report, findings);
	report_overlap(report, findings);
	report_next(report, findings);
	report_segments(report, findings);
	report_end(report);
	return 0;
}
