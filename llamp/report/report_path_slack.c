/* Part of llamp path: slack of the calls. */
#include "common/table.h"
#include "common/text.h"
#include "llamp/report/report_critical_calls.h"
#include "llamp/report/report_path.h"

#include <inttypes.h>

/* -------------------------------------------------------------------- text */

void report_slack_count(const struct slack *slack, size_t number, char cells[][TABLE_CELL_BYTES])
{
	const uint64_t count = number == 0		    ? slack->critical
			       : number <= SLACK_LIMITS ? slack->below[number - 1]
							    : slack->count;

	if (number == 0)
		snprintf(cells[0], TABLE_CELL_BYTES, "0: critical");
	else if (number <= SLACK_LIMITS)
		snprintf(cells[0], TABLE_CELL_BYTES, "below %g %% of T",
			 slack_limits[number - 1] / 10.0);
	else
		snprintf(cells[0], TABLE_CELL_BYTES, "any");
	snprintf(cells[1], TABLE_CELL_BYTES, "%" PRIu64, count);
	report_share((int128)count, (int128)slack->count, cells[2]);
}

static void count_row(const void *data, size_t number, char cells[][TABLE_CELL_BYTES])
{
	report_slack_count(data, number, cells);
}

void report_slack_level(const struct slack *slack, const struct goal *goal, size_t number,
			char cells[][TABLE_CELL_BYTES])
{
	const struct slack_level *level = &slack->least.items[number];
	const struct report_call call = {
		.function = level->first.function, .before = level->first.before,
		.timed = slack->calls && slack->calls->origin.timed,
		.number = level->first.number, .rank = level->first.rank,
		.time_ns = level->first.time_ns,
	};

	report_time(report_ns(level->slack_as), cells[0]);
	report_share(level->slack_as, slack->runtime_as, cells[1]);
	snprintf(cells[2], TABLE_CELL_BYTES, "%" PRIu64, level->count);
	if (slack->calls)
		report_call_text(&call, cells[3]);
	else
		goal_describe(goal, goal->ranks[level->first.rank].first_op +
					    level->first.operation,
			      cells[3]);
}

static void level_row(const void *data, size_t number, char cells[][TABLE_CELL_BYTES])
{
	const struct findings *findings = data;

	report_slack_level(&findings->slack, &findings->model->goal, number, cells);
}

void report_text_slack(FILE *stream, const struct findings *findings)
{
	const struct slack *slack = &findings->slack;
	const char *what = slack->calls ? "calls" : "operations";
	const struct table_column counts[] = {
		{"slack", TABLE_LEFT, 12}, {what, TABLE_RIGHT, 14}, {"share", TABLE_RIGHT, 10},
	};
	const struct table_column levels[] = {
		{"slack", TABLE_RIGHT, 0}, {"of T", TABLE_RIGHT, 0}, {what, TABLE_RIGHT, 0},
		{"first of them", TABLE_LEFT, 0},
	};

	fprintf(stream, "\nhow late %s may be without changing T\n", what);
	table_print(stream, counts, 3, REPORT_SLACK_COUNTS, count_row, slack);
	if (!slack->least.count)
		return;
	fprintf(stream, "\n%s with the least slack above 0\n", what);
	table_print(stream, levels, 4, slack->least.count, level_row, findings);
}

/* -------------------------------------------------------------------- JSON */

static void json_level(struct json *json, const struct slack *slack,
		       const struct slack_level *level)
{
	json_begin(json, NULL, '{', JSON_INLINE);
	json_attoseconds(json, "slack_ns", level->slack_as);
	json_integer(json, "count", level->count);
	json_integer(json, "rank", level->first.rank);
	json_integer(json, "operation", level->first.operation);
	if (slack->calls) {
		json_text(json, "function", level->first.function);
		json_integer(json, "call", level->first.number);
		if (slack->calls->origin.timed)
			json_attoseconds(json, "call_time_ns",
					 (int128)level->first.time_ns * AS_PER_NS);
	}
	json_end(json);
}

void report_json_slack(struct json *json, const struct findings *findings)
{
	const struct slack *slack = &findings->slack;

	json_begin(json, "slack", '{', JSON_LINES);
	json_text(json, "of", slack->calls ? "calls" : "operations");
	json_integer(json, "count", slack->count);
	json_integer(json, "critical", slack->critical);
	json_begin(json, "below", '[', JSON_LINES);
	for (int i = 0; i < SLACK_LIMITS; i++) {
		json_begin(json, NULL, '{', JSON_INLINE);
		json_number(json, "percent", slack_limits[i] / 10.0);
		json_integer(json, "count", slack->below[i]);
		json_end(json);
	}
	json_end(json);
	json_begin(json, "least", '[', JSON_LINES);
	for (size_t i = 0; i < slack->least.count; i++)
		json_level(json, slack, &slack->least.items[i]);
	json_end(json);
	json_end(json);
}

/* --------------------------------------------------------------------- CSV */

struct slack_csv {
	FILE *stream;
	const struct findings *findings;
};

static int csv_slack_row(void *context, const struct slack_call *call, struct error *err)
{
	const struct slack_csv *csv = context;
	const struct goal_calls *calls = csv->findings->slack.calls;
	char slack[NUMBER_TEXT_BYTES];

	(void)err;
	report_csv_model(csv->stream, csv->findings->model, ENGINE_PATH, VARIABLE_L, NULL);
	fprintf(csv->stream, ",%" PRIu32 ",%" PRIu32 ",", call->rank, call->operation);
	if (calls) {
		text_print_csv(csv->stream, call->function);
		fprintf(csv->stream, ",%s,%" PRIu64 ",", report_place(call->before), call->number);
		if (calls->origin.timed)
			fprintf(csv->stream, "%" PRId64, call->time_ns);
	} else {
		fputs(",,,", csv->stream);
	}
	fprintf(csv->stream, ",%s\n", attoseconds_text(call->slack_as, slack));
	return 0;
}

int report_csv_slack(FILE *stream, const struct findings *findings, struct error *err)
{
	struct slack_csv csv = {stream, findings};

	report_csv_model_columns(stream, &findings->model->loggps.variables);
	fputs(",rank,operation,function,place,call,call_time_ns,slack_ns\n", stream);
	return slack_visit(findings->model, findings->slack.calls, findings->slack_as,
			   csv_slack_row, &csv, err);
}
