/* Part of llamp path: latencies and bytes on the path by pair of ranks, communicator and function. */
#include "common/table.h"
#include "common/text.h"
#include "llamp/report/report_critical_calls.h"
#include "llamp/report/report_path.h"

#include <inttypes.h>

/* -------------------------------------------------------------------- text */

/* Part of the path: messages of a pair of ranks or of a communicator, calls of a function. */
struct part {
	uint64_t lambda, lambda_G, count;
	int128 time_as;
};

static struct part part_of_pair(const struct path_handover *pair)
{
	return (struct part){pair->lambda, pair->lambda_G, pair->messages, pair->transfer_as};
}

static struct part part_of_communicator(const struct critical_communicator *communicator)
{
	return (struct part){communicator->lambda, communicator->lambda_G, communicator->messages,
			     communicator->transfer_as};
}

static struct part part_of_function(const struct critical_function *function)
{
	return (struct part){function->lambda, function->lambda_G, function->call_count,
			     function->all_as};
}

static void lambda_row(struct part part, int128 runtime_as, char cells[][TABLE_CELL_BYTES])
{
	report_time(report_ns(part.time_as), cells[1]);
	report_share(part.time_as, runtime_as, cells[2]);
	snprintf(cells[3], TABLE_CELL_BYTES, "%" PRIu64, part.lambda);
	snprintf(cells[4], TABLE_CELL_BYTES, "%" PRIu64 " B", part.lambda_G);
	snprintf(cells[5], TABLE_CELL_BYTES, "%" PRIu64, part.count);
}

static void pair_row(const void *data, size_t number, char cells[][TABLE_CELL_BYTES])
{
	const struct composition *composition = data;
	const struct path_handover *pair = &composition->handovers.items[number];

	snprintf(cells[0], TABLE_CELL_BYTES, "%" PRIu32 " to %" PRIu32, pair->from, pair->to);
	lambda_row(part_of_pair(pair), composition->runtime_as, cells);
}

static void communicator_row(const void *data, size_t number, char cells[][TABLE_CELL_BYTES])
{
	const struct findings *findings = data;
	const struct critical_communicator *communicator =
		&findings->communicators.list.items[number];

	snprintf(cells[0], TABLE_CELL_BYTES, "%s",
		 communicator->name ? communicator->name : "(not known)");
	lambda_row(part_of_communicator(communicator), findings->path.runtime_as, cells);
}

static void print_lambda(FILE *stream, const char *heading, size_t count, table_row *row,
			 const void *data)
{
	const struct table_column columns[] = {
		{heading, TABLE_LEFT, 12}, {"transfer", TABLE_RIGHT, 14},
		{"share", TABLE_RIGHT, 10}, {"lambda_L", TABLE_RIGHT, 0},
		{"lambda_G", TABLE_RIGHT, 10}, {"messages", TABLE_RIGHT, 0},
	};

	if (!count)
		return;
	putc('\n', stream);
	table_print(stream, columns, 6, count < PATH_MOST_LINES ? count : PATH_MOST_LINES, row,
		    data);
	report_more(stream, count, "lambda");
}

void report_text_lambda(FILE *stream, const struct findings *findings)
{
	print_lambda(stream, "ranks", findings->composition.handovers.count, pair_row,
		     &findings->composition);
	/* One that is not known says nothing. */
	if (findings->has_calls && (findings->communicators.list.count > 1 ||
				    (findings->communicators.list.count == 1 &&
				     findings->communicators.list.items[0].name)))
		print_lambda(stream, "communicator", findings->communicators.list.count,
			     communicator_row, findings);
}

/* -------------------------------------------------------------------- JSON */

static void json_lambda(struct json *json, struct part part)
{
	json_integer(json, "lambda_L", part.lambda);
	json_integer(json, "lambda_G", part.lambda_G);
	json_integer(json, "messages", part.count);
	json_attoseconds(json, "transfer_ns", part.time_as);
	json_end(json);
}

void report_json_lambda(struct json *json, const struct findings *findings)
{
	const struct composition *composition = &findings->composition;

	json_begin(json, "rank_pairs", '[', JSON_LINES);
	for (size_t i = 0; i < composition->handovers.count; i++) {
		const struct path_handover *pair = &composition->handovers.items[i];

		json_begin(json, NULL, '{', JSON_INLINE);
		json_integer(json, "from", pair->from);
		json_integer(json, "to", pair->to);
		json_lambda(json, part_of_pair(pair));
	}
	json_end(json);
	if (!findings->has_calls)
		return;
	json_begin(json, "communicators", '[', JSON_LINES);
	for (size_t i = 0; i < findings->communicators.list.count; i++) {
		const struct critical_communicator *communicator =
			&findings->communicators.list.items[i];

		json_begin(json, NULL, '{', JSON_INLINE);
		if (communicator->name)
			json_text(json, "communicator", communicator->name);
		else
			json_null(json, "communicator");
		json_lambda(json, part_of_communicator(communicator));
	}
	json_end(json);
}

/* --------------------------------------------------------------------- CSV */

static void csv_begin(FILE *stream, const struct findings *findings, const char *by)
{
	report_csv_model(stream, findings->model, ENGINE_PATH, VARIABLE_L, NULL);
	fprintf(stream, ",%s,", by);
}

static void csv_end(FILE *stream, struct part part)
{
	char time[NUMBER_TEXT_BYTES];

	fprintf(stream, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%s\n", part.lambda, part.lambda_G,
		part.count, attoseconds_text(part.time_as, time));
}

void report_csv_lambda(FILE *stream, const struct findings *findings)
{
	const size_t functions = findings->has_calls ? findings->calls.functions.list.count : 0;
	const size_t communicators = findings->has_calls ? findings->communicators.list.count : 0;

	report_csv_model_columns(stream, &findings->model->loggps.variables);
	fputs(",by,function,place,from,to,communicator,lambda_L,lambda_G,count,time_ns\n", stream);
	for (size_t i = 0; i < functions; i++) {
		const struct critical_function *function = &findings->calls.functions.list.items[i];

		csv_begin(stream, findings, "function");
		text_print_csv(stream, function->function ? function->function : "");
		fprintf(stream, ",%s,,,", report_place(function->before));
		csv_end(stream, part_of_function(function));
	}
	for (size_t i = 0; i < findings->composition.handovers.count; i++) {
		const struct path_handover *pair = &findings->composition.handovers.items[i];

		csv_begin(stream, findings, "rank_pair");
		fprintf(stream, ",,%" PRIu32 ",%" PRIu32 ",", pair->from, pair->to);
		csv_end(stream, part_of_pair(pair));
	}
	for (size_t i = 0; i < communicators; i++) {
		const struct critical_communicator *communicator =
			&findings->communicators.list.items[i];

		csv_begin(stream, findings, "communicator");
		fputs(",,,,", stream);
		text_print_csv(stream, communicator->name ? communicator->name : "");
		csv_end(stream, part_of_communicator(communicator));
	}
}
