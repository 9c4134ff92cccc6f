/* Facts of a shown log: the job, its runtime, the balance of its ranks. */
#include "usage/model/exposure.h"
#include "usage/show/show_tables.h"

#include <inttypes.h>
#include <math.h>
#include <time.h>

static const char *const end_values[] = {"finalize", "partial",	   "exit", "killed",
					 "running",  "other-tool", NULL};
static const char *const level_values[] = {"single",   "funneled", "serialized",
					   "multiple", "unknown",  NULL};

static const struct report_field show_fact_fields[] = {
	{"program", "program", VALUE_NAME, .flags = FIELD_NULL},
	{"system", "system", VALUE_NAME, .flags = FIELD_NULL, .meaning = "Name of the cluster"},
	{"job", "job", VALUE_NAME, .flags = FIELD_NULL},
	{"step", "step", VALUE_NAME, .flags = FIELD_NULL,
	 .meaning = "Of the job; without a scheduler the process id of rank 0"},
	{"parent", "spawned by", VALUE_NAME, .flags = FIELD_NULL,
	 .meaning = "Log of the job that spawned these processes"},
	{"user", "user", VALUE_NAME, .flags = FIELD_NULL},
	{"build_id", NULL, VALUE_NAME, .flags = FIELD_NULL},
	{"args_hash", NULL, VALUE_NAME, .meaning = "Of the arguments, in hexadecimal"},
	{"library", "MPI", VALUE_NAME, .flags = FIELD_NULL},
	{"clock", NULL, VALUE_NAME, .flags = FIELD_NULL},
	{"clock_hz", NULL, VALUE_COUNT, .flags = FIELD_NULL,
	 .meaning = "Nominal frequency of the time-stamp counter"},
	{"start", "start", VALUE_NAME, .flags = FIELD_NULL,
	 .meaning = "UTC, when MPI_Init returned"},
	{"end", "end", VALUE_NAME, .values = end_values},
	{"reason", "note", VALUE_NAME, .flags = FIELD_NULL,
	 .meaning = "Why nothing was recorded, or what the log lacks"},
	{"runtime_ns", "runtime", VALUE_LONG_TIME, .flags = FIELD_NULL,
	 .meaning = "Of rank 0, from MPI_Init to MPI_Finalize"},
	{"process_ns", NULL, VALUE_LONG_TIME, .flags = FIELD_NULL,
	 .meaning = "Of rank 0, since its process was loaded"},
	{"ranks", "ranks", .kind = VALUE_COUNT},
	{"ranks_seen", NULL, VALUE_COUNT, .meaning = "Ranks that the log has data of"},
	{"nodes", "nodes", VALUE_COUNT, .meaning = "0: not known"},
	{"nodes_seen", NULL, .kind = VALUE_COUNT},
	{"threads", "threads", VALUE_COUNT,
	 .meaning = "That called MPI, of the rank that has most of them"},
	{"level_asked", NULL, VALUE_NAME, .values = level_values,
	 .meaning = "Level of thread support that the program asked for"},
	{"level_given", "thread level", VALUE_NAME, .values = level_values},
	{"overflow", NULL, VALUE_TRUTH, .meaning = "Whether calls of cells went to the catch-all"},
	{"fraction", "in MPI", VALUE_SHARE, .flags = FIELD_NULL,
	 .meaning = "Time in MPI of the average rank over runtime and threads that called MPI"},
	{"mean_ns", "mean", VALUE_NS, .meaning = "Time in MPI of a rank"},
	{"deviation_ns", "deviation", VALUE_NS,
	 .meaning = "Standard deviation of the ranks' times"},
	{"least_ns", "least", .kind = VALUE_TIME},
	{"most_ns", "most", .kind = VALUE_TIME},
	{"imbalance", "imbalance", VALUE_SHARE, .flags = FIELD_NULL,
	 .meaning = "(most - mean) / most of the ranks' times in MPI"},
	{"exposure", "exposure", VALUE_NUMBER,
	 .meaning = "Estimate of how often the rank that waits most has waited for a latency"},
	{"tolerance_ns", "tolerates", VALUE_NS, .flags = FIELD_NULL,
	 .meaning =
		 "Estimate of the rise of the latency that makes the runtime 1 % longer; null: any"},
	{0},
};

static void put_start(struct report_row *row, uint64_t unix_ns)
{
	const time_t seconds = (time_t)(unix_ns / 1000000000);
	char text[32] = "";
	struct tm utc;

	if (unix_ns == USAGE_UNKNOWN || unix_ns == 0 || !gmtime_r(&seconds, &utc) ||
	    strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc) == 0)
		put_none(row);
	else
		put_name(row, text);
}

static void put_origin(struct report_row *row, const struct job_log *log)
{
	char hash[17];

	snprintf(hash, sizeof hash, "%016" PRIx64, log->args_hash);
	put_name(row, log->program);
	put_name(row, log->system);
	put_name(row, log->job && *log->job ? log->job : NULL);
	put_name(row, log->step);
	put_name(row, log->parent);
	put_name(row, log->user);
	put_name(row, log->build_id);
	put_name(row, hash);
	put_name(row, log->library);
	put_name(row, log->clock);
	put_count_or_none(row, log->clock_hz, log->clock_hz != 0 && log->clock_hz != USAGE_UNKNOWN);
}

static void put_threads(struct report_row *row, const struct job_log *log)
{
	put_count(row, log->threads);
	put_name(row, job_level_names[log->level_asked]);
	if (log->level_asked != log->level_given)
		row_note(row, "asked for: %s", job_level_names[log->level_asked]);
	put_name(row, job_level_names[log->level_given]);
	put_truth(row, log->overflow);
}

static void put_exposure(struct report_row *row, const struct job_log *log)
{
	const double most = exposure_of_log(log).most;

	row_note(row, "latencies that a rank waits for, an estimate");
	put_number(row, most);
	row_note(row, "more latency for 1 %% of the runtime, an estimate");
	put_number(row, exposure_tolerance_ns(log->mpi_ns, most, 1));
}

static void show_fact_row(struct report_row *row, const void *data, size_t number)
{
	const struct job_log *log = ((const struct show *)data)->log;

	(void)number;
	put_origin(row, log);
	put_start(row, log->start_unix_ns);
	put_name(row, job_end_names[log->end]);
	put_name(row, log->reason);
	show_put_known(row, log->mpi_ns);
	show_put_known(row, log->process_ns);
	if (log->ranks_seen < log->ranks)
		row_note(row, "the log has data of %" PRIu32 " of them", log->ranks_seen);
	put_count(row, log->ranks);
	put_count(row, log->ranks_seen);
	put_count(row, log->nodes);
	put_count(row, log->nodes_seen);
	put_threads(row, log);
	row_note(row, "of the runtime, by the average rank");
	put_number(row, show_fraction(log));
	row_note(row, "time of a rank in MPI");
	put_number(row, log->mean_ns);
	put_number(row, log->deviation_ns);
	show_put_known(row, log->least_ns);
	show_put_known(row, log->most_ns);
	row_note(row, "of the ranks' times in MPI: (most - mean) / most");
	put_number(row, log->most_ns > 0 && log->most_ns != USAGE_UNKNOWN
				? 1 - log->mean_ns / (double)log->most_ns
				: NAN);
	put_exposure(row, log);
}

void show_facts(struct report *report, const struct show *show)
{
	report_facts(report, &(struct report_facts){.fields = show_fact_fields,
						    .row = show_fact_row,
						    .data = show});
}
