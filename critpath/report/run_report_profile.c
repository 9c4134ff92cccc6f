#include "critpath/report/run_report_profile.h"

#include "common/table.h"
#include "common/text.h"
#include "common/units.h"
#include "critpath/report/run_table.h"

#include <inttypes.h>

/* What the rows of a table are made of. */
struct source {
	const struct findings *findings;
	const struct profile *profile;
	size_t chosen[RUN_MOST_ROWS];  /* ranks of the table in text */
	uint32_t sizes[PROFILE_SIZES]; /* that occur */
	size_t size_count;
};

static void find_sizes(struct source *source)
{
	for (uint32_t n = 0; n < PROFILE_SIZES; n++)
		if (source->profile->sizes[n].messages || source->profile->sizes[n].parts)
			source->sizes[source->size_count++] = n;
}

static size_t at_most(size_t count, size_t most)
{
	return count < most ? count : most;
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

/* ------------------------------------------------------------------------ text */

static void function_row(const void *data, size_t number, char cells[][TABLE_CELL_BYTES])
{
	const struct source *source = data;
	const struct profile_calls *calls = &source->profile->functions.items[number];

	text_show(measured_function(&source->findings->run->names, calls->function), cells[0],
		  TABLE_CELL_BYTES);
	snprintf(cells[1], TABLE_CELL_BYTES, "%" PRIu64, calls->calls);
	run_report_short_time(calls->ns, cells[2]);
	run_report_share(calls->run_ns, source->profile->sum.run_ns, cells[3]);
	run_report_short_time(calls->ns / calls->calls, cells[4]);
	run_report_short_time(calls->least_ns, cells[5]);
	run_report_short_time(calls->most_ns, cells[6]);
}

static void print_functions(FILE *stream, const struct source *source)
{
	static const struct table_column columns[] = {
		{"function", TABLE_LEFT, 14}, {"calls", TABLE_RIGHT, 7}, {"time", TABLE_RIGHT, 9},
		{"share", TABLE_RIGHT, 7},    {"mean", TABLE_RIGHT, 9},	 {"least", TABLE_RIGHT, 9},
		{"most", TABLE_RIGHT, 9},
	};
	enum { MOST = 20 };
	const size_t count = source->profile->functions.count;

	fputs("\ntime of the calls of all ranks, and its share of the run of all ranks\n", stream);
	table_print(stream, columns, 7, at_most(count, MOST), function_row, source);
	if (count > MOST)
		fprintf(stream, "... and %zu more\n", count - MOST);
}

static void site_row(const void *data, size_t number, char cells[][TABLE_CELL_BYTES])
{
	const struct source *source = data;
	const struct profile_calls *calls = &source->profile->sites.items[number];

	text_show(run_site_short(source->findings->run, calls->site), cells[0], TABLE_CELL_BYTES);
	text_show(measured_function(&source->findings->run->names, calls->function), cells[1],
		  TABLE_CELL_BYTES);
	snprintf(cells[2], TABLE_CELL_BYTES, "%" PRIu64, calls->calls);
	run_report_short_time(calls->ns, cells[3]);
	run_report_share(calls->run_ns, source->profile->sum.run_ns, cells[4]);
	run_report_short_time(calls->wait_ns, cells[5]);
	run_report_short_time(calls->most_ns, cells[6]);
}

static void print_sites(FILE *stream, const struct source *source)
{
	static const struct table_column columns[] = {
		{"call site", TABLE_LEFT, 14}, {"function", TABLE_LEFT, 10},
		{"calls", TABLE_RIGHT, 7},     {"time", TABLE_RIGHT, 9},
		{"share", TABLE_RIGHT, 7},     {"waiting", TABLE_RIGHT, 9},
		{"most", TABLE_RIGHT, 9},
	};
	enum { MOST = 20 };
	const size_t count = source->profile->sites.count;

	if (!source->findings->run->site_count)
		return;
	fputs("\ncall sites with most time, of all ranks\n", stream);
	table_print(stream, columns, 7, at_most(count, MOST), site_row, source);
	if (count > MOST)
		fprintf(stream, "... and %zu more\n", count - MOST);
}

static uint64_t mpi_of(const void *data, size_t rank)
{
	return ((const struct profile *)data)->ranks[rank].mpi_ns;
}

static void rank_row(const void *data, size_t number, char cells[][TABLE_CELL_BYTES])
{
	const struct source *source = data;
	const size_t rank = source->chosen[number];
	const struct profile_rank *total = &source->profile->ranks[rank];

	snprintf(cells[0], TABLE_CELL_BYTES, "%zu", rank);
	snprintf(cells[1], TABLE_CELL_BYTES, "%" PRIu64, total->calls);
	run_report_short_time(total->mpi_ns, cells[2]);
	run_report_share(total->mpi_ns, total->run_ns, cells[3]);
	run_report_short_time(total->wait_ns, cells[4]);
	snprintf(cells[5], TABLE_CELL_BYTES, "%" PRIu64, total->sent);
	format_bytes((double)total->sent_bytes, cells[6]);
	format_bytes((double)total->received_bytes, cells[7]);
}

static void print_ranks(FILE *stream, struct source *source)
{
	static const struct table_column columns[] = {
		{"rank", TABLE_RIGHT, 5},  {"calls", TABLE_RIGHT, 7},	 {"in MPI", TABLE_RIGHT, 9},
		{"share", TABLE_RIGHT, 7}, {"waiting", TABLE_RIGHT, 9},	 {"sent", TABLE_RIGHT, 7},
		{"bytes", TABLE_RIGHT, 9}, {"received", TABLE_RIGHT, 9},
	};
	const size_t count = run_largest(source->findings->run->rank_count, mpi_of, source->profile,
					 source->chosen);

	fputs("\nranks with most time in MPI, and their messages\n", stream);
	table_print(stream, columns, 8, count, rank_row, source);
}

static void size_row(const void *data, size_t number, char cells[][TABLE_CELL_BYTES])
{
	const struct source *source = data;
	const uint32_t n = source->sizes[number];
	const struct profile_size *size = &source->profile->sizes[n];

	format_bytes((double)least_bytes(n), cells[0]);
	snprintf(cells[1], TABLE_CELL_BYTES, "%" PRIu64, size->messages);
	format_bytes((double)size->message_bytes, cells[2]);
	run_report_share(size->message_bytes, source->profile->sum.sent_bytes, cells[3]);
	snprintf(cells[4], TABLE_CELL_BYTES, "%" PRIu64, size->parts);
	format_bytes((double)size->part_bytes, cells[5]);
}

static void print_sizes(FILE *stream, const struct source *source)
{
	static const struct table_column columns[] = {
		{"size from", TABLE_RIGHT, 9},	  {"messages", TABLE_RIGHT, 9},
		{"bytes", TABLE_RIGHT, 10},	  {"share", TABLE_RIGHT, 8},
		{"collectives", TABLE_RIGHT, 11}, {"bytes", TABLE_RIGHT, 10},
	};

	if (!source->size_count)
		return;
	fputs("\nmessages, and collectives of each rank, by powers of two of their size\n", stream);
	table_print(stream, columns, 6, source->size_count, size_row, source);
}

static void pair_row(const void *data, size_t number, char cells[][TABLE_CELL_BYTES])
{
	const struct source *source = data;
	const struct profile_pair *pair = &source->profile->pairs.items[number];

	snprintf(cells[0], TABLE_CELL_BYTES, "%u", pair->sender);
	snprintf(cells[1], TABLE_CELL_BYTES, "%u", pair->receiver);
	snprintf(cells[2], TABLE_CELL_BYTES, "%" PRIu64, pair->messages);
	format_bytes((double)pair->bytes, cells[3]);
	run_report_share(pair->bytes, source->profile->sum.sent_bytes, cells[4]);
	format_bytes((double)pair->bytes / (double)pair->messages, cells[5]);
}

static void print_pairs(FILE *stream, const struct source *source)
{
	static const struct table_column columns[] = {
		{"from rank", TABLE_RIGHT, 9}, {"to rank", TABLE_RIGHT, 9},
		{"messages", TABLE_RIGHT, 9},  {"bytes", TABLE_RIGHT, 10},
		{"share", TABLE_RIGHT, 8},     {"mean size", TABLE_RIGHT, 10},
	};
	const size_t count = source->profile->pairs.count;

	if (!count)
		return;
	fprintf(stream, "\npairs of ranks with most bytes, of %zu\n", count);
	table_print(stream, columns, 6, at_most(count, RUN_MOST_ROWS), pair_row, source);
}

static void profile_text(FILE *stream, struct source *source)
{
	const struct profile_rank *sum = &source->profile->sum;
	char time[RUN_TEXT_BYTES], share[RUN_TEXT_BYTES], waits[RUN_TEXT_BYTES];

	run_report_heading(stream, source->findings);
	fprintf(stream, "in MPI      %s of all ranks, %s of their run, %s of it waiting\n",
		run_report_time(sum->mpi_ns, time),
		run_report_share(sum->mpi_ns, sum->run_ns, share),
		run_report_share(sum->wait_ns, sum->mpi_ns, waits));
	print_functions(stream, source);
	print_sites(stream, source);
	print_ranks(stream, source);
	print_sizes(stream, source);
	print_pairs(stream, source);
}

/* ------------------------------------------------------------------ JSON, CSV */

static void record_calls(struct run_record *record, const struct profile_calls *calls)
{
	record_integer(record, calls->calls);
	record_integer(record, calls->ns);
	record_integer(record, calls->run_ns);
	record_integer(record, calls->wait_ns);
	record_integer(record, calls->least_ns);
	record_integer(record, calls->most_ns);
}

#define CALLS_FIELDS "function,calls,time_ns,in_run_ns,wait_ns,least_ns,most_ns"

static void function_record(struct run_record *record, const void *data, size_t number)
{
	const struct source *source = data;
	const struct profile_calls *calls = &source->profile->functions.items[number];

	record_text(record, measured_function(&source->findings->run->names, calls->function));
	record_calls(record, calls);
}

static void cell_record(struct run_record *record, const void *data, size_t number)
{
	const struct source *source = data;
	const struct profile_calls *calls = &source->profile->cells.items[number];

	record_integer(record, calls->rank);
	record_text(record, measured_function(&source->findings->run->names, calls->function));
	record_calls(record, calls);
}

static void site_record(struct run_record *record, const void *data, size_t number)
{
	const struct source *source = data;
	const struct profile_calls *calls = &source->profile->sites.items[number];

	if (calls->site == NO_SITE)
		record_none(record);
	else
		record_text(record, source->findings->run->site_names[calls->site]);
	record_text(record, measured_function(&source->findings->run->names, calls->function));
	record_calls(record, calls);
}

static void rank_record(struct run_record *record, const void *data, size_t number)
{
	const struct profile_rank *rank = &((const struct source *)data)->profile->ranks[number];

	record_integer(record, number);
	record_integer(record, rank->calls);
	record_integer(record, rank->run_ns);
	record_integer(record, rank->mpi_ns);
	record_integer(record, rank->wait_ns);
	record_integer(record, rank->sent);
	record_integer(record, rank->sent_bytes);
	record_integer(record, rank->received);
	record_integer(record, rank->received_bytes);
}

static void size_record(struct run_record *record, const void *data, size_t number)
{
	const struct source *source = data;
	const uint32_t n = source->sizes[number];
	const struct profile_size *size = &source->profile->sizes[n];

	record_integer(record, least_bytes(n));
	record_integer(record, most_bytes(n));
	record_integer(record, size->messages);
	record_integer(record, size->message_bytes);
	record_integer(record, size->parts);
	record_integer(record, size->part_bytes);
}

static void pair_record(struct run_record *record, const void *data, size_t number)
{
	const struct profile_pair *pair =
		&((const struct source *)data)->profile->pairs.items[number];

	record_integer(record, pair->sender);
	record_integer(record, pair->receiver);
	record_integer(record, pair->messages);
	record_integer(record, pair->bytes);
}

static struct run_table table_of(enum profile_table table, const struct source *source)
{
	switch (table) {
	case PROFILE_FUNCTIONS:
		return (struct run_table){"functions_by_rank", "rank," CALLS_FIELDS,
					  source->profile->cells.count, cell_record, source};
	case PROFILE_RANKS:
		return (struct run_table){
			"rank_totals",
			"rank,calls,run_ns,mpi_ns,wait_ns,sent,sent_bytes,received,received_bytes",
			source->findings->run->rank_count, rank_record, source};
	case PROFILE_BY_SIZE:
		return (struct run_table){
			"sizes",
			"from_bytes,to_bytes,messages,message_bytes,collectives,collective_bytes",
			source->size_count, size_record, source};
	case PROFILE_SITES:
		return (struct run_table){"sites", "site," CALLS_FIELDS,
					  source->profile->sites.count, site_record, source};
	case PROFILE_PAIRS:
		break;
	}
	return (struct run_table){"pairs", "sender,receiver,messages,bytes",
				  source->profile->pairs.count, pair_record, source};
}

static void profile_json(FILE *stream, const struct source *source)
{
	const struct run_table functions = {"functions", CALLS_FIELDS,
					    source->profile->functions.count, function_record,
					    source};
	struct json json = {.stream = stream};

	json_begin(&json, NULL, '{', JSON_LINES);
	run_report_json_heading(&json, "critpath-profile-1", source->findings);
	run_table_json(&json, &functions);
	for (int i = PROFILE_FUNCTIONS; i <= PROFILE_PAIRS + !!source->findings->run->site_count;
	     i++) {
		const struct run_table table = table_of((enum profile_table)i, source);

		run_table_json(&json, &table);
	}
	json_end(&json);
}

void run_report_profile(FILE *stream, enum run_format format, enum profile_table table,
			const struct findings *findings, const struct profile *profile)
{
	struct source source = {.findings = findings, .profile = profile};
	struct run_table rows;

	find_sizes(&source);
	switch (format) {
	case RUN_TEXT:
		profile_text(stream, &source);
		break;
	case RUN_JSON:
		profile_json(stream, &source);
		break;
	case RUN_CSV:
		rows = table_of(table, &source);
		run_table_csv(stream, findings->path, &rows);
		break;
	}
}
