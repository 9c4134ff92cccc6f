#include "llamp/report/report_critical_calls.h"

#include "common/table.h"

#include <stdlib.h>
#include <string.h>

static const char *kind_name(int kind)
{
	return kind == GOAL_SEND ? "send" : kind == GOAL_RECV ? "recv" : "calc";
}

/* ---------------------------------------------------------- JSON and CSV */

static void path_json(FILE *stream, const struct model *model, const struct critical_path *path,
		      const struct critical_calls *calls)
{
	struct json json = {.stream = stream};

	json_begin(&json, NULL, '{', JSON_LINES);
	report_json_heading(&json, "llamp-path-1", model, ENGINE_PATH);
	json_attoseconds(&json, "runtime_ns", path->runtime_as);
	json_integer(&json, "messages_on_path", path->message_count);
	if (calls)
		report_json_functions(&json, calls);
	json_begin(&json, "segments", '[', JSON_LINES);
	for (size_t i = 0; i < path->segments.count; i++) {
		const struct critical_segment *segment = &path->segments.items[i];

		json_begin(&json, NULL, '{', JSON_INLINE);
		json_attoseconds(&json, "start_ns", segment->start_as);
		json_attoseconds(&json, "end_ns", segment->end_as);
		json_integer(&json, "rank", segment->rank);
		json_text(&json, "category", category_name(segment->category));
		json_integer(&json, "operation", segment->operation);
		json_text(&json, "kind", kind_name(segment->kind));
		if (calls)
			report_json_call(&json, calls, i);
		json_end(&json);
	}
	json_end(&json);
	json_end(&json);
}

static void path_csv(FILE *stream, const struct model *model, const struct critical_path *path,
		     const struct critical_calls *calls)
{
	report_csv_model_columns(stream, model);
	fprintf(stream, ",start_ns,end_ns,rank,category,operation,kind%s\n",
		report_csv_call_columns);
	for (size_t i = 0; i < path->segments.count; i++) {
		const struct critical_segment *segment = &path->segments.items[i];
		char start[NUMBER_TEXT_BYTES], end[NUMBER_TEXT_BYTES];

		report_csv_model(stream, model, ENGINE_PATH, VARIABLE_L, NULL);
		fprintf(stream, ",%s,%s,%u,%s,%u,%s", attoseconds_text(segment->start_as, start),
			attoseconds_text(segment->end_as, end), segment->rank,
			category_name(segment->category), segment->operation,
			kind_name(segment->kind));
		report_csv_call(stream, calls, i);
		putc('\n', stream);
	}
}

/* -------------------------------------------------------------------- text */

enum { MOST_LINES = 10 };	/* of each table */

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
	table_print(stream, columns, 3, present < MOST_LINES ? present : MOST_LINES, share_row,
		    &(struct shares){names, items, runtime_as});
	if (present > MOST_LINES)
		fprintf(stream, "and %u more\n", present - MOST_LINES);
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
static size_t keep_longest(const struct critical_segment *longest[MOST_LINES], size_t count,
			   const struct critical_segment *segment)
{
	int128 length = segment->end_as - segment->start_as;
	size_t at = count;

	while (at > 0 && longest[at - 1]->end_as - longest[at - 1]->start_as < length)
		at--;
	if (at == MOST_LINES)
		return count;
	if (count < MOST_LINES)
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

	report_time(report_ns(segment->start_as), cells[0]);
	report_time(report_ns(segment->end_as - segment->start_as), cells[1]);
	snprintf(cells[2], TABLE_CELL_BYTES, "%s", category_name(segment->category));
	goal_describe(goal, goal->ranks[segment->rank].first_op + segment->operation, cells[3]);
}

static void print_longest(FILE *stream, const struct model *model,
			  const struct critical_path *path)
{
	static const struct table_column columns[] = {
		{"start", TABLE_RIGHT, 0}, {"time", TABLE_RIGHT, 0}, {"category", TABLE_LEFT, 0},
		{"operation", TABLE_LEFT, 0},
	};
	const struct critical_segment *longest[MOST_LINES];
	size_t count = 0;

	for (size_t i = 0; i < path->segments.count; i++)
		count = keep_longest(longest, count, &path->segments.items[i]);
	fprintf(stream, "\nlongest segments\n");
	table_print(stream, columns, 4, count, segment_row, &(struct segments){model, longest});
	if (count < path->segments.count)
		fprintf(stream, "and %zu more; --format csv lists all\n",
			path->segments.count - count);
}

static int path_text(FILE *stream, const struct model *model, const struct critical_path *path,
		     const struct critical_calls *calls, struct error *err)
{
	char time[UNIT_TEXT_BYTES];

	report_heading(stream, model, VARIABLE_L, NULL, ENGINE_PATH);
	fprintf(stream, "T           %s\n", report_time(report_ns(path->runtime_as), time));
	fprintf(stream, "path        %zu segment%s, %llu of %u message%s\n", path->segments.count,
		plural(path->segments.count), (unsigned long long)path->message_count,
		model->graph.message_count, plural(model->graph.message_count));
	print_categories(stream, path);
	TRY(print_rank_shares(stream, model, path, err));
	if (calls)
		TRY(report_text_calls(stream, calls, path->runtime_as, MOST_LINES, err));
	print_longest(stream, model, path);
	return 0;
}

int report_path(FILE *stream, enum report_format format, const struct model *model,
		const struct critical_path *path, const struct critical_calls *calls,
		struct error *err)
{
	switch (format) {
	case REPORT_TEXT:
		return path_text(stream, model, path, calls, err);
	case REPORT_JSON:
		path_json(stream, model, path, calls);
		return 0;
	case REPORT_CSV:
		path_csv(stream, model, path, calls);
		return 0;
	}
	return 0;
}
