#include "common/table.h"
#include "common/text.h"
#include "llamp/report/report_critical_calls.h"
#include "llamp/report/report_path.h"

#include <inttypes.h>

/* -------------------------------------------------------------------- text */

static void lambda_row(int128 transfer_as, int128 runtime_as, uint64_t lambda, uint64_t messages,
		       char cells[][TABLE_CELL_BYTES])
{
	report_time(report_ns(transfer_as), cells[1]);
	report_share(transfer_as, runtime_as, cells[2]);
	snprintf(cells[3], TABLE_CELL_BYTES, "%" PRIu64, lambda);
	snprintf(cells[4], TABLE_CELL_BYTES, "%" PRIu64, messages);
}

static void pair_row(const void *data, size_t number, char cells[][TABLE_CELL_BYTES])
{
	const struct composition *composition = data;
	const struct path_handover *pair = &composition->handovers.items[number];

	snprintf(cells[0], TABLE_CELL_BYTES, "%" PRIu32 " to %" PRIu32, pair->from, pair->to);
	lambda_row(pair->transfer_as, composition->runtime_as, pair->lambda, pair->messages,
		   cells);
}

static void communicator_row(const void *data, size_t number, char cells[][TABLE_CELL_BYTES])
{
	const struct path_findings *findings = data;
	const struct critical_communicator *communicator =
		&findings->communicators.list.items[number];

	snprintf(cells[0], TABLE_CELL_BYTES, "%s",
		 communicator->name ? communicator->name : "(not known)");
	lambda_row(communicator->transfer_as, findings->path.runtime_as, communicator->lambda,
		   communicator->messages, cells);
}

static void print_lambda(FILE *stream, const char *heading, size_t count, table_row *row,
			 const void *data)
{
	const struct table_column columns[] = {
		{heading, TABLE_LEFT, 12}, {"transfer", TABLE_RIGHT, 14},
		{"share", TABLE_RIGHT, 10}, {"lambda_L", TABLE_RIGHT, 0},
		{"messages", TABLE_RIGHT, 0},
	};

	if (!count)
		return;
	putc('\n', stream);
	table_print(stream, columns, 5, count < PATH_MOST_LINES ? count : PATH_MOST_LINES, row,
		    data);
	report_more(stream, count, "lambda");
}

void report_text_lambda(FILE *stream, const struct path_findings *findings)
{
	print_lambda(stream, "ranks", findings->composition.handovers.count, pair_row,
		     &findings->composition);
	if (findings->has_calls)
		print_lambda(stream, "communicator", findings->communicators.list.count,
			     communicator_row, findings);
}

/* -------------------------------------------------------------------- JSON */

static void json_lambda(struct json *json, uint64_t lambda, uint64_t messages, int128 transfer_as)
{
	json_integer(json, "lambda_L", lambda);
	json_integer(json, "messages", messages);
	json_attoseconds(json, "transfer_ns", transfer_as);
	json_end(json);
}

void report_json_lambda(struct json *json, const struct path_findings *findings)
{
	const struct composition *composition = &findings->composition;

	json_begin(json, "rank_pairs", '[', JSON_LINES);
	for (size_t i = 0; i < composition->handovers.count; i++) {
		const struct path_handover *pair = &composition->handovers.items[i];

		json_begin(json, NULL, '{', JSON_INLINE);
		json_integer(json, "from", pair->from);
		json_integer(json, "to", pair->to);
		json_lambda(json, pair->lambda, pair->messages, pair->transfer_as);
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
		json_lambda(json, communicator->lambda, communicator->messages,
			    communicator->transfer_as);
	}
	json_end(json);
}

/* --------------------------------------------------------------------- CSV */

static void csv_begin(FILE *stream, const struct path_findings *findings, const char *by)
{
	report_csv_model(stream, findings->model, ENGINE_PATH, VARIABLE_L, NULL);
	fprintf(stream, ",%s,", by);
}

static void csv_end(FILE *stream, uint64_t lambda, uint64_t count, int128 time_as)
{
	char time[NUMBER_TEXT_BYTES];

	fprintf(stream, ",%" PRIu64 ",%" PRIu64 ",%s\n", lambda, count,
		attoseconds_text(time_as, time));
}

void report_csv_lambda(FILE *stream, const struct path_findings *findings)
{
	const size_t functions = findings->has_calls ? findings->calls.functions.count : 0;
	const size_t communicators = findings->has_calls ? findings->communicators.list.count : 0;

	report_csv_model_columns(stream, &findings->model->loggps.variables);
	fputs(",by,function,place,from,to,communicator,lambda_L,count,time_ns\n", stream);
	for (size_t i = 0; i < functions; i++) {
		const struct critical_function *function = &findings->calls.functions.items[i];

		csv_begin(stream, findings, "function");
		text_print_csv(stream, function->function ? function->function : "");
		fprintf(stream, ",%s,,,", report_place(function->before));
		csv_end(stream, function->lambda, function->call_count, function->all_as);
	}
	for (size_t i = 0; i < findings->composition.handovers.count; i++) {
		const struct path_handover *pair = &findings->composition.handovers.items[i];

		csv_begin(stream, findings, "rank_pair");
		fprintf(stream, ",,%" PRIu32 ",%" PRIu32 ",", pair->from, pair->to);
		csv_end(stream, pair->lambda, pair->messages, pair->transfer_as);
	}
	for (size_t i = 0; i < communicators; i++) {
		const struct critical_communicator *communicator =
			&findings->communicators.list.items[i];

		csv_begin(stream, findings, "communicator");
		fputs(",,,,", stream);
		text_print_csv(stream, communicator->name ? communicator->name : "");
		csv_end(stream, communicator->lambda, communicator->messages,
			communicator->transfer_as);
	}
}
