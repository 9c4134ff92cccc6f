/* Tables of a shown log: functions of a rank, ranks that have a role. */
#include "usage/log/function_names.h"
#include "usage/show/show_tables.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* ------------------------------------------------------------------ functions */

static const struct report_field show_function_fields[] = {
	{"function", "function", VALUE_NAME, .width = 14,
	 .meaning = "(rest): of calls that had no cell of their own"},
	{"class", "class", VALUE_NAME, .width = 10},
	{"calls", "calls", VALUE_COUNT, .width = 9},
	{"ns", "time", VALUE_TIME, .width = 9},
	{"share", "share", VALUE_SHARE, .width = 7, .flags = FIELD_NULL,
	 .meaning = "Of the rank's time in MPI; null: the function does not count as MPI"},
	{"bytes", "bytes", VALUE_BYTES, .width = 9,
	 .meaning = "That the calls passed as data of their own, or received"},
	{"bytes_per_call", "per call", VALUE_NUMBER, .width = 9, .flags = FIELD_NULL},
	{"moved", "moved", VALUE_BYTES, .width = 9, .meaning = "That the calls sent and received"},
	{0},
};

static void show_function_row(struct report_row *row, const void *data, size_t number)
{
	const struct show *show = data;
	const struct job_calls *calls = &show->rank->calls.items[number];

	put_name(row, usage_function_name(calls->function));
	put_name(row, usage_class_name(calls->function));
	put_count(row, calls->calls);
	put_count(row, calls->ns);
	if (usage_counts_as_mpi(calls->function))
		put_share(row, calls->ns, show->rank->mpi_ns);
	else
		put_none(row);
	put_count(row, calls->bytes);
	put_number(row, calls->calls ? (double)calls->bytes / (double)calls->calls : NAN);
	put_count(row, calls->moved);
}

/* Functions that took no time are listed, too, behind the others. */
static report_weight time_of_function(const void *data, size_t number)
{
	return (report_weight)((const struct show *)data)->rank->calls.items[number].ns + 1;
}

void show_functions(struct report *report, const struct show *show)
{
	char title[96];

	if (show->ranks == SHOW_ALL)
		snprintf(title, sizeof title, "calls of all ranks by function");
	else
		snprintf(title, sizeof title, "calls of rank %" PRIu32 " (%s) by function",
			 show->rank ? show->rank->rank : 0, show_rank_names[show->ranks]);
	report_table(report,
		     &(struct report_table){
			     "functions", .title = title,
			     .meaning = "Calls of the rank that was asked for, or of all ranks",
			     .fields = show_function_fields, .row = show_function_row, .data = show,
			     .count = show->rank ? show->rank->calls.count : 0,
			     .most = REPORT_MOST_ROWS, .weight = time_of_function,
			     .counts_rest = true, .lists_all = "--format csv"});
}

/* ---------------------------------------------------------------------- ranks */

static const struct report_field show_rank_fields[] = {
	{"rank", "rank", VALUE_COUNT, .width = 7},
	{"first", NULL, .kind = VALUE_TRUTH},
	{"most", NULL, VALUE_TRUTH, .meaning = "Most time in MPI"},
	{"least", NULL, VALUE_TRUTH, .meaning = "Least time in MPI"},
	{"average", NULL, VALUE_TRUTH, .meaning = "Nearest to the mean"},
	{NULL, "roles", VALUE_NAME, .width = 20, .left = true},
	{"host", "host", VALUE_NAME, .width = 8, .flags = FIELD_NULL, .left = true},
	{"mpi_ns", "in MPI", VALUE_TIME, .width = 9},
	{"local_ns", "local", VALUE_TIME, .width = 9,
	 .meaning = "In functions that concern no other rank"},
	{"instructions", NULL, VALUE_COUNT, .flags = FIELD_NULL},
	{"cycles", NULL, VALUE_COUNT, .flags = FIELD_NULL},
	{"floating_point", NULL, VALUE_COUNT, .flags = FIELD_NULL},
	{"rss_bytes", "memory", VALUE_BYTES, .width = 9, .flags = FIELD_NULL,
	 .meaning = "Greatest resident set"},
	{"user_ns", "user", VALUE_TIME, .width = 9, .flags = FIELD_NULL},
	{"system_ns", "system", VALUE_TIME, .width = 9, .flags = FIELD_NULL},
	{"voluntary_switches", NULL, VALUE_COUNT, .flags = FIELD_NULL},
	{"involuntary_switches", NULL, VALUE_COUNT, .flags = FIELD_NULL},
	{0},
};

static void show_rank_row(struct report_row *row, const void *data, size_t number)
{
	const struct job_rank *rank = &((const struct show *)data)->log->rank_list.items[number];
	char roles[64] = "";

	put_count(row, rank->rank);
	for (unsigned i = 0; i < 4; i++) {
		static const char *const names[] = {"first", "most", "least", "average"};

		put_truth(row, rank->roles >> i & 1);
		if (rank->roles >> i & 1)
			snprintf(roles + strlen(roles), sizeof roles - strlen(roles), "%s%s",
				 *roles ? ", " : "", names[i]);
	}
	put_name(row, roles);
	put_name(row, rank->host);
	put_count(row, rank->mpi_ns);
	put_count(row, rank->local_ns);
	for (unsigned i = 0; i < JOB_COUNTER_END; i++)
		show_put_known(row, rank->counters[i]);
}

static report_weight weight_of_rank(const void *data, size_t number)
{
	const struct job_rank *rank = &((const struct show *)data)->log->rank_list.items[number];

	/* Those with roles first. */
	return ((report_weight)(rank->roles != 0) << 64) + rank->mpi_ns + 1;
}

void show_rank_list(struct report *report, const struct show *show)
{
	enum { MOST_RANKS = 8 };

	report_table(report,
		     &(struct report_table){"rank_list", .title = "ranks",
					    .fields = show_rank_fields,
					    .meaning = "Ranks that have a role, or all",
					    .row = show_rank_row, .data = show,
					    .count = show->log->rank_list.count, .most = MOST_RANKS,
					    .weight = weight_of_rank, .counts_rest = true,
					    .lists_all = "--format json"});
}
