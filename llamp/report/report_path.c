#include "llamp/report/report_path.h"

#include "common/options.h"
#include "common/table.h"
#include "llamp/report/report_critical_calls.h"

#include <stdlib.h>
#include <string.h>

static const char *kind_name(int kind)
{
	return kind == GOAL_SEND ? "send" : kind == GOAL_RECV ? "recv" : "calc";
}

/* ---------------------------------------------------------- JSON and CSV */

static const struct report_field segment_fields[] = {
	{"start_ns", NULL, .kind = VALUE_ATTOSECONDS},
	{"end_ns", NULL, .kind = VALUE_ATTOSECONDS},
	{"rank", NULL, .kind = VALUE_COUNT},
	{"category", NULL, .kind = VALUE_NAME},
	{"operation", NULL, .kind = VALUE_COUNT},
	{"kind", NULL, .kind = VALUE_NAME},
	CALL_FIELDS,
	{0},
};

static void segment_values(struct report_row *row, const void *data, size_t number)
{
	const struct findings *findings = data;
	const struct critical_segment *segment = &findings->path.segments.items[number];

	put_attoseconds(row, segment->start_as);
	put_attoseconds(row, segment->end_as);
	put_count(row, segment->rank);
	put_name(row, category_name(segment->category));
	put_count(row, segment->operation);
	put_name(row, kind_name(segment->kind));
	report_put_call(row, findings->has_calls ? &findings->calls : NULL, number);
}

static void report_segments(struct report *report, const struct findings *findings)
{
	report_table(report, &(struct report_table){
		"segments", .fields = segment_fields, .row = segment_values, .data = findings,
		.count = findings->path.segments.count,
		.lacks_optional = !findings->has_calls || !findings->calls.lines});
}

static void path_json(struct report *report, const struct findings *findings)
{
	struct json *json = &report->json;
	const struct critical_calls *calls = findings->has_calls ? &findings->calls : NULL;

	json_attoseconds(json, "runtime_ns", findings->path.runtime_as);
	json_number(json, "runtime_to_traced",
		    model_to_traced(findings->model, report_ns(findings->path.runtime_as)));
	json_number(json, "lambda_L", (double)findings->path.lambda);
	json_number(json, "lambda_G", (double)findings->path.lambda_G);
	json_integer(json, "messages_on_path", findings->path.message_count);
	if (calls)
		report_json_functions(json, calls);
	report_lambda(report, findings);
	report_json_slack(json, findings);
	report_json_next(json, findings);
	report_segments(report, findings);
}

/* -------------------------------------------------------------------- text */

void report_more(FILE *stream, size_t count, const char *table)
{
	if (count <= PATH_MOST_LINES)
		return;
	fprintf(stream, "and %zu more", count - PATH_MOST_LINES);
	if (table)
		fprintf(stream, "; --format csv%s%s lists all", *table ? " --table " : "", table);
	putc('\n', stream);
}

struct share {
	int128 as;
	uint32_t what;		/* rank, category or kind */
};

static int shares_by_time(const void *a, const void *b)
{
	const struct share *left = a, *right = b;

	if (left->as != right->as)
		return left->as < right->as ? 1 : -1;
	return left->what < right->what ? -1 : left->what > right->what;
}

struct shares {
	const char *const *names;	/* NULL for the numbers themselves */
	const struct share *items;
	int128 runtime_as;
};

static void share_row(const void *data, size_t number, char cells[][TABLE_CELL_BYTES])
{
	const struct shares *shares = data;
	const struct share *share = &shares->items[number];

	if (shares->names)
		snprintf(cells[0], TABLE_CELL_BYTES, "%s", shares->names[share->what]);
	else
		snprintf(cells[0], TABLE_CELL_BYTES, "%u", share->what);
	report_time(report_ns(share->as), cells[1]);
	report_share(share->as, shares->runtime_as, cells[2]);
}

/* Print the shares that are not 0, in descending order. */
static void print_shares(FILE *stream, const char *heading, const char *const *names,
			 struct share *items, uint32_t count, int128 runtime_as)
{
	const struct table_column columns[] = {
		{heading, TABLE_LEFT, 12}, {"time", TABLE_RIGHT, 14}, {"share", TABLE_RIGHT, 10},
	};
	uint32_t present = 0;

	qsort(items, count, sizeof *items, shares_by_time);
	while (present < count && items[present].as > 0)
		present++;
	putc('\n', stream);
	table_print(stream, columns, 3, present < PATH_MOST_LINES ? present : PATH_MOST_LINES, share_row,
		    &(struct shares){names, items, runtime_as});
	report_more(stream, present, NULL);
}

static void print_categories(FILE *stream, const struct critical_path *path)
{
	struct share categories[CATEGORY_COUNT], kinds[GOAL_CALC + 1];
	const char *category_names[CATEGORY_COUNT], *kind_names[GOAL_CALC + 1];

	for (uint32_t i = 0; i < CATEGORY_COUNT; i++) {
		categories[i] = (struct share){0, i};
		category_names[i] = category_name((enum category)i);
	}
	for (uint32_t i = 0; i <= GOAL_CALC; i++) {
		kinds[i] = (struct share){0, i};
		kind_names[i] = kind_name((int)i);
	}
	for (size_t i = 0; i < path->segments.count; i++) {
		const struct critical_segment *segment = &path->segments.items[i];

		categories[segment->category].as += segment->end_as - segment->start_as;
		kinds[segment->kind].as += segment->end_as - segment->start_as;
	}
	print_shares(stream, "category", category_names, categories, CATEGORY_COUNT,
		     path->runtime_as);
	print_shares(stream, "operation", kind_names, kinds, GOAL_CALC + 1, path->runtime_as);
}

/* Print the time of each variable, where categories do not tell them apart. */
static void print_variables(FILE *stream, const struct model *model,
			    const struct critical_path *path)
{
	const struct variables *variables = &model->loggps.variables;
	struct share items[VARIABLES_MOST];
	const char *names[VARIABLES_MOST];

	if (!model->loggps.network || network_is_plain(model->loggps.network))
		return;
	for (uint32_t v = 0; v < variables->count; v++) {
		items[v] = (struct share){path->variable_as[v], v};
		names[v] = variables->of[v].name;
	}
	print_shares(stream, "variable", names, items, variables->count, path->runtime_as);
}

static int print_rank_shares(FILE *stream, const struct model *model,
			     const struct critical_path *path, struct error *err)
{
	struct share *ranks;

	TRY(allocate(&ranks, model->goal.rank_count, sizeof *ranks, err));
	for (uint32_t rank = 0; rank < model->goal.rank_count; rank++)
		ranks[rank].what = rank;
	for (size_t i = 0; i < path->segments.count; i++) {
		const struct critical_segment *segment = &path->segments.items[i];

		ranks[segment->rank].as += segment->end_as - segment->start_as;
	}
	print_shares(stream, "rank", NULL, ranks, model->goal.rank_count, path->runtime_as);
	free(ranks);
	return 0;
}

/* Add a segment to the longest ones, which are in descending order of length. */
static size_t keep_longest(const struct critical_segment *longest[PATH_MOST_LINES], size_t count,
			   const struct critical_segment *segment)
{
	int128 length = segment->end_as - segment->start_as;
	size_t at = count;

	while (at > 0 && longest[at - 1]->end_as - longest[at - 1]->start_as < length)
		at--;
	if (at == PATH_MOST_LINES)
		return count;
	if (count < PATH_MOST_LINES)
		count++;
	memmove(longest + at + 1, longest + at, (count - at - 1) * sizeof *longest);
	longest[at] = segment;
	return count;
}

struct segments {
	const struct model *model;
	const struct critical_segment **items;
};

static void segment_row(const void *data, size_t number, char cells[][TABLE_CELL_BYTES])
{
	const struct segments *segments = data;
	const struct critical_segment *segment = segments->items[number];
	const struct goal *goal = &segments->model->goal;
	char text[GOAL_TEXT_BYTES];

	report_time(report_ns(segment->start_as), cells[0]);
	report_time(report_ns(segment->end_as - segment->start_as), cells[1]);
	snprintf(cells[2], TABLE_CELL_BYTES, "%s", category_name(segment->category));
	snprintf(cells[3], TABLE_CELL_BYTES, "%u", segment->rank);
	/* "rank 3, operation 17 (send 8 bytes to 4, tag 1)": the rank has a column of its own. */
	goal_describe(goal, goal->ranks[segment->rank].first_op + segment->operation, text);
	snprintf(cells[4], TABLE_CELL_BYTES, "%s", strstr(text, "operation ") + strlen("operation "));
}

static void print_longest(FILE *stream, const struct model *model,
			  const struct critical_path *path)
{
	static const struct table_column columns[] = {
		{"start", TABLE_RIGHT, 0}, {"time", TABLE_RIGHT, 0}, {"category", TABLE_LEFT, 0},
		{"rank", TABLE_RIGHT, 0}, {"operation", TABLE_LEFT, 0},
	};
	const struct critical_segment *longest[PATH_MOST_LINES];
	size_t count = 0;

	for (size_t i = 0; i < path->segments.count; i++)
		count = keep_longest(longest, count, &path->segments.items[i]);
	fprintf(stream, "\nlongest segments\n");
	table_print(stream, columns, 5, count, segment_row, &(struct segments){model, longest});
	report_more(stream, path->segments.count, "");
}

static int path_text(struct report *report, const struct findings *findings, struct error *err)
{
	FILE *stream = report->stream;
	const struct model *model = findings->model;
	const struct critical_path *path = &findings->path;
	char time[UNIT_TEXT_BYTES], ratio[UNIT_TEXT_BYTES], lambda[UNIT_TEXT_BYTES];

	fprintf(stream, "T           %s\n", report_time(report_ns(path->runtime_as), time));
	if (model_traced_ns(model))
		fprintf(stream, "T / traced  %s; the traced run took %s\n",
			report_ratio_text(model, report_ns(path->runtime_as), ratio),
			report_traced(model, time));
	fprintf(stream, "lambda_L    %s\n", report_number((double)path->lambda, lambda));
	fprintf(stream, "lambda_G    %s B\n", report_number((double)path->lambda_G, lambda));
	fprintf(stream, "path        %zu segment%s, %llu of %u message%s\n", path->segments.count,
		plural(path->segments.count), (unsigned long long)path->message_count,
		model->graph.message_count, plural(model->graph.message_count));
	print_categories(stream, path);
	print_variables(stream, model, path);
	TRY(print_rank_shares(stream, model, path, err));
	report_lambda(report, findings);
	if (findings->has_calls)
		TRY(report_text_calls(stream, &findings->calls, path->runtime_as, PATH_MOST_LINES,
				      err));
	report_text_slack(stream, findings);
	report_text_next(stream, findings);
	print_longest(stream, model, path);
	return 0;
}

static int report_path_csv(struct report *report, enum path_table table,
			   const struct findings *findings, struct error *err)
{
	FILE *stream = report->stream;

	switch (table) {
	case PATH_SEGMENTS:
		report->rows = "segments";
		report->first_columns = report_first_columns;
		report->first_data = findings->model;
		report_segments(report, findings);
		break;
	case PATH_SLACK:
		return report_csv_slack(stream, findings, err);
	case PATH_LAMBDA:
		report_csv_lambda(stream, findings);
		break;
	case PATH_NEXT:
		return report_csv_next(stream, findings, err);
	}
	return 0;
}

int option_path_table(const char *text, void *target, struct error *err)
{
	static const char *const names[] = {
		[PATH_SEGMENTS] = "segments", [PATH_SLACK] = "slack", [PATH_LAMBDA] = "lambda",
		[PATH_NEXT] = "next", NULL};
	const int table = parse_choice(text, "table", names, err);

	TRY(table);
	*(enum path_table *)target = (enum path_table)table;
	return 0;
}

int report_path(struct report *report, enum path_table table, const struct findings *findings,
		struct error *err)
{
	if (report->format == REPORT_CSV)
		return report_path_csv(report, table, findings, err);
	report_begin_model(report, "llamp-path-1", findings->model, VARIABLE_L, NULL, ENGINE_PATH);
	if (report->format == REPORT_TEXT)
		return path_text(report, findings, err);
	path_json(report, findings);
	report_end(report);
	return 0;
}
