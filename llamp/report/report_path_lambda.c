/* Part of llamp path: latencies and bytes on the path by pair of ranks, communicator and function. */
#include "common/text.h"
#include "llamp/report/report_critical_calls.h"
#include "llamp/report/report_path.h"

#include <inttypes.h>

/* Part of the path: messages of a pair of ranks or of a communicator, calls of a function. */
struct part {
	uint64_t lambda, lambda_G, count;
	int128 time_as;
};

static struct part part_of_pair(const struct rank_switch *pair)
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

/* A text begins with the time. */
#define PART_FIELDS                                                                             \
	{NULL, "transfer", VALUE_ATTOSECONDS, .width = 14},                                     \
	{NULL, "share", VALUE_SHARE, .width = 10},                                              \
	{"lambda_L", "lambda_L", .kind = VALUE_COUNT},                                          \
	{"lambda_G", "lambda_G", VALUE_ALL_BYTES, .width = 10},                                 \
	{"messages", "messages", VALUE_COUNT, .flags = FIELD_POSITIVE},                         \
	{"transfer_ns", NULL, .kind = VALUE_ATTOSECONDS}

static void put_part(struct report_row *row, struct part part, int128 runtime_as)
{
	put_attoseconds(row, part.time_as);
	put_number(row, runtime_as > 0 ? (double)part.time_as / (double)runtime_as : 0);
	put_count(row, part.lambda);
	put_count(row, part.lambda_G);
	put_count(row, part.count);
	put_attoseconds(row, part.time_as);
}

static const struct report_field pair_fields[] = {
	{NULL, "ranks", VALUE_NAME, .width = 12},
	{"from", NULL, .kind = VALUE_COUNT},
	{"to", NULL, .kind = VALUE_COUNT},
	PART_FIELDS,
	{0},
};

static void pair_row(struct report_row *row, const void *data, size_t number)
{
	const struct composition *composition = data;
	const struct rank_switch *pair = &composition->rank_switches.items[number];
	char ranks[32];

	snprintf(ranks, sizeof ranks, "%" PRIu32 " to %" PRIu32, pair->from, pair->to);
	put_name(row, ranks);
	put_count(row, pair->from);
	put_count(row, pair->to);
	put_part(row, part_of_pair(pair), composition->runtime_as);
}

static const struct report_field communicator_fields[] = {
	{"communicator", "communicator", VALUE_NAME, .width = 12, .flags = FIELD_NULL},
	PART_FIELDS,
	{0},
};

static void communicator_row(struct report_row *row, const void *data, size_t number)
{
	const struct findings *findings = data;
	const struct critical_communicator *communicator =
		&findings->communicators.list.items[number];

	put_name(row, communicator->name || !row_in_text(row) ? communicator->name : "(not known)");
	put_part(row, part_of_communicator(communicator), findings->path.runtime_as);
}

void report_lambda(struct report *report, const struct findings *findings)
{
	const size_t communicators = findings->has_calls ? findings->communicators.list.count : 0;
	/* One that is not known says nothing. */
	const bool tells = communicators > 1 ||
			   (communicators == 1 && findings->communicators.list.items[0].name);

	report_table(report,
		     &(struct report_table){"rank_pairs", .fields = pair_fields, .row = pair_row,
					    .data = &findings->composition,
					    .count = findings->composition.rank_switches.count,
					    .most = PATH_MOST_LINES, .counts_rest = true,
					    .lists_all = "--format csv --table lambda"});
	if (findings->has_calls && (tells || report->format != REPORT_TEXT))
		report_table(report, &(struct report_table){
			"communicators", .fields = communicator_fields, .row = communicator_row,
			.data = findings, .count = communicators,
			.most = PATH_MOST_LINES, .counts_rest = true,
			.lists_all = "--format csv --table lambda"});
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
	for (size_t i = 0; i < findings->composition.rank_switches.count; i++) {
		const struct rank_switch *pair = &findings->composition.rank_switches.items[i];

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
