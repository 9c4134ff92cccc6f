/* Part of llamp path: latencies and bytes on the path by pair of ranks, communicator and function. */
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

/* --------------------------------------------------------------- text and JSON */

/* A text and a page begin with the time. */
#define PART_FIELDS                                                                             \
	{NULL, "transfer", VALUE_ATTOSECONDS, .width = 14},                                     \
	{NULL, "share", VALUE_SHARE, .width = 10},                                              \
	{"lambda_L", "lambda_L", VALUE_COUNT,                                                   \
	 .meaning = "Latencies on the path: a part of lambda_L"},                               \
	{"lambda_G", "lambda_G", VALUE_ALL_BYTES, .width = 10,                                  \
	 .meaning = "Bytes on the path: a part of lambda_G"},                                   \
	{"messages", "messages", VALUE_COUNT, .flags = FIELD_POSITIVE,                          \
	 .meaning = "Messages on the path"},                                                    \
	{"transfer_ns", NULL, VALUE_ATTOSECONDS,                                                \
	 .meaning = "Latency and bandwidth of these messages"}

static void put_part(struct report_row *row, struct part part, int128 runtime_as)
{
	put_attoseconds(row, part.time_as);
	report_put_share(row, part.time_as, runtime_as);
	put_count(row, part.lambda);
	put_count(row, part.lambda_G);
	put_count(row, part.count);
	put_attoseconds(row, part.time_as);
}

static const struct report_field pair_fields[] = {
	{NULL, "ranks", VALUE_NAME, .width = 12},
	{"from", NULL, VALUE_COUNT, .meaning = "Rank of the sender"},
	{"to", NULL, VALUE_COUNT, .meaning = "Rank of the receiver"},
	PART_FIELDS,
	{0},
};

static void pair_row(struct report_row *row, const void *data, size_t number)
{
	const struct findings *findings = data;
	const struct rank_switch *pair = &findings->rank_switches.items[number];
	char ranks[32];

	snprintf(ranks, sizeof ranks, "%" PRIu32 " to %" PRIu32, pair->from, pair->to);
	put_name(row, ranks);
	put_count(row, pair->from);
	put_count(row, pair->to);
	put_part(row, part_of_pair(pair), findings->path.runtime_as);
}

static const struct report_field communicator_fields[] = {
	{"communicator", "communicator", VALUE_NAME, .width = 12, .flags = FIELD_NULL,
	 .meaning = "null if it is not known"},
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

/* ------------------------------------------------------------------------- CSV */

static const struct report_field lambda_fields[] = {
	{"by", NULL, .kind = VALUE_NAME},	    {"function", NULL, .kind = VALUE_NAME},
	{"place", NULL, .kind = VALUE_NAME},	    {"from", NULL, .kind = VALUE_COUNT},
	{"to", NULL, .kind = VALUE_COUNT},	    {"communicator", NULL, .kind = VALUE_NAME},
	{"lambda_L", NULL, .kind = VALUE_COUNT},    {"lambda_G", NULL, .kind = VALUE_COUNT},
	{"count", NULL, .kind = VALUE_COUNT},	    {"time_ns", NULL, .kind = VALUE_ATTOSECONDS},
	{0},
};

static void put_lambda(struct report_row *row, const char *by,
		       const struct critical_function *function, const struct rank_switch *pair,
		       const struct critical_communicator *communicator)
{
	const struct part part = function ? part_of_function(function)
				 : pair	  ? part_of_pair(pair)
					  : part_of_communicator(communicator);

	put_name(row, by);
	put_name(row, function ? function->function : NULL);
	put_name(row, function ? report_places[function->before] : NULL);
	put_count_or_none(row, pair ? pair->from : 0, pair);
	put_count_or_none(row, pair ? pair->to : 0, pair);
	put_name(row, communicator ? communicator->name : NULL);
	put_count(row, part.lambda);
	put_count(row, part.lambda_G);
	put_count(row, part.count);
	put_attoseconds(row, part.time_as);
}

/* Functions, then pairs of ranks, then communicators. */
static void lambda_row(struct report_row *row, const void *data, size_t number)
{
	const struct findings *findings = data;
	const struct critical_functions *calls = &findings->calls.functions;
	const size_t functions = calls->list.count;
	const size_t pairs = findings->rank_switches.count;

	if (number < functions)
		put_lambda(row, "function", &calls->list.items[number], NULL, NULL);
	else if (number < functions + pairs)
		put_lambda(row, "rank_pair", NULL,
			   &findings->rank_switches.items[number - functions], NULL);
	else
		put_lambda(row, "communicator", NULL, NULL,
			   &findings->communicators.list.items[number - functions - pairs]);
}

/* ---------------------------------------------------------------------- report */

void report_lambda(struct report *report, const struct findings *findings)
{
	const struct critical_communicator *items = findings->communicators.list.items;
	const size_t pairs = findings->rank_switches.count;
	const size_t communicators = findings->communicators.list.count;
	/* One that is not known says nothing. */
	const bool tells = communicators > 1 || (communicators == 1 && items[0].name);

	if (report->format == REPORT_CSV) {
		report_table(report, &(struct report_table){
			"lambda", .fields = lambda_fields, .row = lambda_row, .data = findings,
			.count = findings->calls.functions.list.count + pairs + communicators});
		return;
	}
	report_table(
		report,
		&(struct report_table){
			"rank_pairs",
			.meaning =
				"Messages on the path by sender and receiver, most latencies first",
			.caption = "Messages of the critical path: latency and bandwidth by"
				   " pair of ranks",
			.fields = pair_fields, .row = pair_row, .data = findings, .count = pairs,
			.most = PATH_MOST_LINES, .counts_rest = true,
			.lists_all = "--format csv --table lambda"});
	if (report->format == REPORT_SCHEMA ||
	    (findings->has_calls && (tells || report->format != REPORT_TEXT)))
		report_table(report, &(struct report_table){
			"communicators", .optional = true,
			.meaning = "Messages on the path by communicator, most latencies first. Only if"
				   " FILE.calls exists",
			.caption = "Messages of the critical path by communicator",
			.fields = communicator_fields, .row = communicator_row, .data = findings,
			.count = communicators, .most = PATH_MOST_LINES, .counts_rest = true,
			.lists_all = "--format csv --table lambda"});
}
