#include "critpath/report/run_report_profile.h"

#include "common/units.h"

/* What the rows of a table are made of. */
struct source {
	const struct findings *findings;
	const struct profile *profile;
	uint32_t sizes[PROFILE_SIZES]; /* that occur */
	size_t size_count;
};

enum { MOST_CALLS = 20 }; /* rows of functions and sites in text */

static void find_sizes(struct source *source)
{
	for (uint32_t n = 0; n < PROFILE_SIZES; n++)
		if (source->profile->sizes[n].messages || source->profile->sizes[n].parts)
			source->sizes[source->size_count++] = n;
}

/* Sizes of number n are from least_bytes(n) to most_bytes(n). */
static uint64_t least_bytes(uint32_t n)
{
	return n ? UINT64_C(1) << (n - 1) : 0;
}

static uint64_t most_bytes(uint32_t n)
{
	return n ? 2 * (least_bytes(n) - 1) + 1 : 0;
}

/* ------------------------------------------------------------------------ calls */

#define CALLS_FIELDS(share, waiting, mean, least)                                               \
	{"calls", "calls", VALUE_COUNT, .width = 7, .flags = FIELD_POSITIVE},                   \
	{"time_ns", "time", VALUE_TIME, .width = 9, .meaning = "Of all calls, whole"},          \
	{"in_run_ns", NULL, VALUE_TIME, .meaning = "Part of time_ns in the run"},               \
	{NULL, share, VALUE_SHARE, .width = 7},                                                 \
	{"wait_ns", waiting, VALUE_TIME, .width = 9,                                            \
	 .meaning = "Part of time_ns in which the calls waited"},                               \
	{NULL, mean, VALUE_TIME, .width = 9},                                                   \
	{"least_ns", least, VALUE_TIME, .width = 9, .meaning = "Of the shortest call"},         \
	{"most_ns", "most", VALUE_TIME, .width = 9, .meaning = "Of the longest call"}

static void put_calls(struct report_row *row, const struct source *source,
		      const struct profile_calls *calls)
{
	put_count(row, calls->calls);
	put_count(row, calls->ns);
	put_count(row, calls->run_ns);
	put_share(row, calls->run_ns, source->profile->sum.run_ns);
	put_count(row, calls->wait_ns);
	put_count(row, calls->ns / calls->calls);
	put_count(row, calls->least_ns);
	put_count(row, calls->most_ns);
}

static const char *profile_function_of(const struct source *source,
				       const struct profile_calls *calls)
{
	return measured_function(&source->findings->run->names, calls->function);
}

static const struct report_field profile_function_fields[] = {
	{"function", "function", VALUE_NAME, .width = 14},
	CALLS_FIELDS("share", NULL, "mean", "least"),
	{0},
};

static void profile_function_row(struct report_row *row, const void *data, size_t number)
{
	const struct source *source = data;
	const struct profile_calls *calls = &source->profile->functions.items[number];

	put_name(row, profile_function_of(source, calls));
	put_calls(row, source, calls);
}

static const struct report_field cell_fields[] = {
	{"rank", NULL, VALUE_COUNT, .meaning = "Rank in MPI_COMM_WORLD"},
	{"function", NULL, .kind = VALUE_NAME},
	CALLS_FIELDS(NULL, NULL, NULL, NULL),
	{0},
};

static void cell_row(struct report_row *row, const void *data, size_t number)
{
	const struct source *source = data;
	const struct profile_calls *calls = &source->profile->cells.items[number];

	put_count(row, calls->rank);
	put_name(row, profile_function_of(source, calls));
	put_calls(row, source, calls);
}

static const struct report_field site_fields[] = {
	{NULL, "call site", VALUE_NAME, .width = 14},
	{"site", NULL, VALUE_NAME, .flags = FIELD_NULL,
	 .meaning = "FILE:LINE of the call in the program, or what is known of it. Only if the trace has call sites"},
	{"function", "function", VALUE_NAME, .width = 10},
	CALLS_FIELDS("share", "waiting", NULL, NULL),
	{0},
};

static void site_row(struct report_row *row, const void *data, size_t number)
{
	const struct source *source = data;
	const struct profile_calls *calls = &source->profile->sites.items[number];
	const struct measured_run *run = source->findings->run;

	put_name(row, run_site_short(run, calls->site));
	put_name(row, measured_site_name(run, calls->site));
	put_name(row, profile_function_of(source, calls));
	put_calls(row, source, calls);
}

/* ------------------------------------------------------------------------ ranks */

static const struct report_field profile_rank_fields[] = {
	{"rank", "rank", VALUE_COUNT, .width = 5, .meaning = "Rank in MPI_COMM_WORLD"},
	{"calls", "calls", VALUE_COUNT, .width = 7},
	{"run_ns", NULL, VALUE_TIME, .meaning = "From MPI_Init to MPI_Finalize, times the threads"},
	{"mpi_ns", "in MPI", VALUE_TIME, .width = 9, .meaning = "Part of run_ns in MPI calls"},
	{NULL, "share", VALUE_SHARE, .width = 7},
	{"wait_ns", "waiting", VALUE_TIME, .width = 9, .meaning = "Time for which calls waited"},
	{"sent", "sent", VALUE_COUNT, .width = 7, .meaning = "Messages"},
	{"sent_bytes", "bytes", VALUE_BYTES, .width = 9},
	{"received", NULL, VALUE_COUNT, .meaning = "Messages"},
	{"received_bytes", "received", VALUE_BYTES, .width = 9},
	{0},
};

static void profile_rank_row(struct report_row *row, const void *data, size_t number)
{
	const struct profile_rank *rank = &((const struct source *)data)->profile->ranks[number];

	put_count(row, number);
	put_count(row, rank->calls);
	put_count(row, rank->run_ns);
	put_count(row, rank->mpi_ns);
	put_share(row, rank->mpi_ns, rank->run_ns);
	put_count(row, rank->wait_ns);
	put_count(row, rank->sent);
	put_count(row, rank->sent_bytes);
	put_count(row, rank->received);
	put_count(row, rank->received_bytes);
}

static report_weight mpi_of(const void *data, size_t rank)
{
	return ((const struct source *)data)->profile->ranks[rank].mpi_ns;
}

/* --------------------------------------------------------------- sizes and pairs */

static const struct report_field size_fields[] = {
	{"from_bytes", "size from", VALUE_BYTES, .width = 9, .meaning = "Least size"},
	{"to_bytes", NULL, VALUE_BYTES, .meaning = "Largest size"},
	{"messages", "messages", VALUE_COUNT, .width = 9, .meaning = "That were sent"},
	{"message_bytes", "bytes", VALUE_BYTES, .width = 10},
	{NULL, "share", VALUE_SHARE, .width = 8},
	{"collectives", "collectives", VALUE_COUNT, .width = 11,
	 .meaning = "Parts of ranks in collectives, by the bytes that the rank sends and receives"},
	{"collective_bytes", "bytes", VALUE_BYTES, .width = 10},
	{0},
};

static void size_row(struct report_row *row, const void *data, size_t number)
{
	const struct source *source = data;
	const uint32_t n = source->sizes[number];
	const struct profile_size *size = &source->profile->sizes[n];

	put_count(row, least_bytes(n));
	put_count(row, most_bytes(n));
	put_count(row, size->messages);
	put_count(row, size->message_bytes);
	put_share(row, size->message_bytes, source->profile->sum.sent_bytes);
	put_count(row, size->parts);
	put_count(row, size->part_bytes);
}

static const struct report_field pair_fields[] = {
	{"sender", "from rank", VALUE_COUNT, .width = 9, .meaning = "Rank in MPI_COMM_WORLD"},
	{"receiver", "to rank", VALUE_COUNT, .width = 9, .meaning = "Rank in MPI_COMM_WORLD"},
	{"messages", "messages", VALUE_COUNT, .width = 9, .flags = FIELD_POSITIVE},
	{"bytes", "bytes", VALUE_BYTES, .width = 10},
	{NULL, "share", VALUE_SHARE, .width = 8},
	{NULL, "mean size", VALUE_NAME, .width = 10, .right = true},
	{0},
};

static void pair_row(struct report_row *row, const void *data, size_t number)
{
	const struct source *source = data;
	const struct profile_pair *pair = &source->profile->pairs.items[number];
	char mean[UNIT_TEXT_BYTES];

	put_count(row, pair->sender);
	put_count(row, pair->receiver);
	put_count(row, pair->messages);
	put_count(row, pair->bytes);
	put_share(row, pair->bytes, source->profile->sum.sent_bytes);
	put_name(row, format_bytes((double)pair->bytes / (double)pair->messages, mean));
}

/* ----------------------------------------------------------------------- report */

static const char *const table_keys[] = {
	[PROFILE_FUNCTIONS] = "functions_by_rank", [PROFILE_RANKS] = "rank_totals",
	[PROFILE_BY_SIZE] = "sizes",		   [PROFILE_PAIRS] = "pairs",
	[PROFILE_SITES] = "sites",
};

static void report_functions(struct report *report, const struct source *source)
{
	const struct profile *profile = source->profile;

	report_table(
		report,
		&(struct report_table){
			"functions", .meaning = "Calls of all ranks, by time",
			.title =
				"time of the calls of all ranks, and its share of the run of all ranks",
			.fields = profile_function_fields, .row = profile_function_row,
			.data = source, .count = profile->functions.count, .most = MOST_CALLS,
			.counts_rest = true});
	if (report->format == REPORT_TEXT)
		return;
	report_table(report, &(struct report_table){
		table_keys[PROFILE_FUNCTIONS], .meaning = "Calls of each rank",
		.fields = cell_fields, .row = cell_row, .data = source,
		.count = profile->cells.count});
}

static void report_sites(struct report *report, const struct source *source)
{
	if (source->findings->run->site_count || report->format == REPORT_SCHEMA)
		report_table(report, &(struct report_table){
			table_keys[PROFILE_SITES], .optional = true,
			.meaning = "The same by call site and function. Only if the trace has call sites",
			.title = "call sites with most time, of all ranks",
			.fields = site_fields, .row = site_row, .data = source,
			.count = source->profile->sites.count, .most = MOST_CALLS,
			.counts_rest = true});
}

static void report_messages(struct report *report, const struct source *source)
{
	const struct profile *profile = source->profile;
	char title[64];

	report_table(report, &(struct report_table){
				     table_keys[PROFILE_RANKS], .meaning = "All ranks in order",
				     .title = "ranks with most time in MPI, and their messages",
				     .fields = profile_rank_fields, .row = profile_rank_row,
				     .data = source, .count = source->findings->run->rank_count,
				     .most = RUN_MOST_ROWS, .weight = mpi_of});
	report_table(report, &(struct report_table){
		table_keys[PROFILE_BY_SIZE], .meaning = "Powers of two that occur",
		.title = "messages, and collectives of each rank, by powers of two of their size",
		.fields = size_fields, .row = size_row, .data = source,
		.count = source->size_count});
	snprintf(title, sizeof title, "pairs of ranks with most bytes, of %zu", profile->pairs.count);
	report_table(report, &(struct report_table){
		table_keys[PROFILE_PAIRS], .meaning = "Communication matrix, by bytes", .title = title,
		.fields = pair_fields, .row = pair_row, .data = source,
		.count = profile->pairs.count, .most = RUN_MOST_ROWS});
}

void run_report_profile(struct report *report, enum profile_table table,
			const struct findings *findings, const struct profile *profile)
{
	struct source source = {.findings = findings, .profile = profile};
	const struct profile_rank *sum = &profile->sum;
	char time[RUN_TEXT_BYTES], share[RUN_TEXT_BYTES], waits[RUN_TEXT_BYTES];

	find_sizes(&source);
	report->rows = table_keys[table];
	run_report_begin(report, "critpath-profile-1", findings);
	report_line(report, "in MPI", "%s of all ranks, %s of their run, %s of it waiting",
		    run_report_time(sum->mpi_ns, time),
		    run_report_share(sum->mpi_ns, sum->run_ns, share),
		    run_report_share(sum->wait_ns, sum->mpi_ns, waits));
	report_functions(report, &source);
	report_sites(report, &source);
	report_messages(report, &source);
	report_end(report);
}
