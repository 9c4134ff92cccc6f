/* Logs as the plain text of Autoperf. */
#include "usage/log/function_names.h"
#include "usage/show/show.h"

#include "common/text.h"

#include <inttypes.h>

static void write_fact(FILE *stream, const char *label, const char *text)
{
	fprintf(stream, "# %s: ", label);
	text_print(stream, text ? text : "unknown");
	fputc('\n', stream);
}

static void write_time(FILE *stream, const char *label, uint64_t ns)
{
	if (ns == USAGE_UNKNOWN)
		write_fact(stream, label, NULL);
	else
		fprintf(stream, "# %s: %.9f s\n", label, (double)ns * 1e-9);
}

static void write_calls(FILE *stream, const struct job_log *log, const struct job_calls *calls)
{
	const bool has_cycles = log->clock_hz != 0 && log->clock_hz != USAGE_UNKNOWN;

	fprintf(stream, "%-28s %14" PRIu64, usage_function_name(calls->function), calls->calls);
	if (has_cycles)
		fprintf(stream, " %20.0f", (double)calls->ns * 1e-9 * (double)log->clock_hz);
	else
		fprintf(stream, " %20s", "-");
	fprintf(stream, " %20" PRIu64 " %16.9f\n", calls->bytes, (double)calls->ns * 1e-9);
}

static void write_role(FILE *stream, const struct job_log *log, const struct job_rank *rank)
{
	fprintf(stream, "\n# rank %" PRIu32 ":%s%s%s%s\n", rank->rank,
		rank->roles & JOB_FIRST ? " first" : "",
		rank->roles & JOB_MOST ? " maximum-MPI-time" : "",
		rank->roles & JOB_LEAST ? " minimum-MPI-time" : "",
		rank->roles & JOB_AVERAGE ? " average-MPI-time" : "");
	fprintf(stream, "%-28s %14s %20s %20s %16s\n", "# function", "calls", "cycles", "bytes",
		"seconds");
	for (size_t i = 0; i < rank->calls.count; i++)
		write_calls(stream, log, &rank->calls.items[i]);
}

void show_autoperf(FILE *stream, const struct job_log *log)
{
	write_fact(stream, "program", log->program);
	write_fact(stream, "job", log->job);
	write_fact(stream, "end", job_end_names[log->end]);
	write_fact(stream, "thread level", job_level_names[log->level_given]);
	fprintf(stream, "# ranks: %" PRIu32 "\n# nodes: %" PRIu32 "\n", log->ranks, log->nodes);
	write_time(stream, "runtime", log->mpi_ns);
	for (size_t i = 0; i < log->rank_list.count; i++)
		write_role(stream, log, &log->rank_list.items[i]);
}
