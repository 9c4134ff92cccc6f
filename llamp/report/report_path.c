#include "llamp/report/report_calls.h"

#include <stdlib.h>
#include <string.h>

static const char *kind_name(int kind)
{
	return kind == GOAL_SEND ? "send" : kind == GOAL_RECV ? "recv" : "calc";
}

/* ---------------------------------------------------------- JSON and CSV */

static void print_json(FILE *stream, const struct model *model, const struct critical_path *path,
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
		json_text(&json, "category", path_category_name(segment->category));
		json_integer(&json, "operation", segment->operation);
		json_text(&json, "kind", kind_name(segment->kind));
		if (calls)
			report_json_call(&json, calls, i);
		json_end(&json);
	}
	json_end(&json);
	json_end(&json);
}

static void print_csv(FILE *stream, const struct critical_path *path,
		      const struct critical_calls *calls)
{
	fprintf(stream, "start_ns,end_ns,rank,category,operation,kind%s\n",
		calls ? report_csv_call_columns : "");
	for (size_t i = 0; i < path->segments.count; i++) {
		const struct critical_segment *segment = &path->segments.items[i];
		char start[NUMBER_TEXT_BYTES], end[NUMBER_TEXT_BYTES];

		fprintf(stream, "%s,%s,%u,%s,%u,%s", attoseconds_text(segment->start_as, start),
			attoseconds_text(segment->end_as, end), segment->rank,
			path_category_name(segment->category), segment->operation,
			kind_name(segment->kind));
		if (calls)
			report_csv_call(stream, calls, i);
		putc('\n', stream);
	}
}

/* -------------------------------------------------------------------- text */

enum { MOST_LINES = 10 };	/* of the tables that could have many */

struct share {
	int128 as;
	uint32_t what;		/* rank, category or kind */
};

static int by_time(const void *a, const void *b)
{
	const struct share *left = a, *right = b;

	if (left->as != right->as)
		return left->as < right->as ? 1 : -1;
	return left->what < right->what ? -1 : left->what > right->what;
}

static void print_share(FILE *stream, const char *name, int128 as, int128 runtime_as)
{
	char time[UNIT_TEXT_BYTES];

	fprintf(stream, "%-12s%16s%10.2f %%\n", name, report_time(report_ns(as), time),
		runtime_as > 0 ? 100 * (double)as / (double)runtime_as : 0);
}

/* Print the shares that are not zero, largest first. */
static void print_shares(FILE *stream, const char *heading, const char *const *names,
			 struct share *shares, uint32_t count, int128 runtime_as)
{
	uint32_t printed = 0, present = 0;

	qsort(shares, count, sizeof *shares, by_time);
	while (present < count && shares[present].as > 0)
		present++;
	fprintf(stream, "\n%-12s%16s%12s\n", heading, "time", "share");
	for (; printed < present && printed < MOST_LINES; printed++) {
		char number[16];

		snprintf(number, sizeof number, "%u", shares[printed].what);
		print_share(stream, names ? names[shares[printed].what] : number,
			    shares[printed].as, runtime_as);
	}
	if (printed < present)
		fprintf(stream, "and %u more\n", present - printed);
}

static void print_categories(FILE *stream, const struct critical_path *path)
{
	struct share categories[PATH_CATEGORY_COUNT], kinds[GOAL_CALC + 1];
	const char *category_names[PATH_CATEGORY_COUNT], *kind_names[GOAL_CALC + 1];

	for (uint32_t i = 0; i < PATH_CATEGORY_COUNT; i++) {
		categories[i] = (struct share){0, i};
		category_names[i] = path_category_name((enum path_category)i);
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
	print_shares(stream, "category", category_names, categories, PATH_CATEGORY_COUNT,
		     path->runtime_as);
	print_shares(stream, "operation", kind_names, kinds, GOAL_CALC + 1, path->runtime_as);
}

static int print_ranks(FILE *stream, const struct model *model, const struct critical_path *path,
		       struct error *err)
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

/* Put a segment into the list of the longest, in descending order of length. */
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

static void print_longest(FILE *stream, const struct model *model,
			  const struct critical_path *path)
{
	const struct critical_segment *longest[MOST_LINES];
	size_t count = 0;

	for (size_t i = 0; i < path->segments.count; i++)
		count = keep_longest(longest, count, &path->segments.items[i]);
	fprintf(stream, "\nlongest segments\n%16s%16s  %-11s%s\n", "start", "time", "category",
		"operation");
	for (size_t i = 0; i < count; i++) {
		const struct critical_segment *segment = longest[i];
		uint32_t number = model->goal.ranks[segment->rank].first_op + segment->operation;
		char start[UNIT_TEXT_BYTES], time[UNIT_TEXT_BYTES], what[GOAL_TEXT_BYTES];

		fprintf(stream, "%16s%16s  %-11s%s\n",
			report_time(report_ns(segment->start_as), start),
			report_time(report_ns(segment->end_as - segment->start_as), time),
			path_category_name(segment->category),
			goal_describe(&model->goal, number, what));
	}
	if (count < path->segments.count)
		fprintf(stream, "and %zu more; --format csv lists all\n",
			path->segments.count - count);
}

static int print_text(FILE *stream, const struct model *model, const struct critical_path *path,
		      const struct critical_calls *calls, struct error *err)
{
	char time[UNIT_TEXT_BYTES];

	report_heading(stream, model, PARAMETER_L, NULL, ENGINE_PATH);
	fprintf(stream, "T           %s\n", report_time(report_ns(path->runtime_as), time));
	fprintf(stream, "path        %zu segment%s, %llu of %u message%s\n", path->segments.count,
		plural(path->segments.count), (unsigned long long)path->message_count,
		model->graph.message_count, plural(model->graph.message_count));
	print_categories(stream, path);
	TRY(print_ranks(stream, model, path, err));
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
		return print_text(stream, model, path, calls, err);
	case REPORT_JSON:
		print_json(stream, model, path, calls);
		return 0;
	case REPORT_CSV:
		print_csv(stream, path, calls);
		return 0;
	}
	return 0;
}
