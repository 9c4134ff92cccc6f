#include "tracer/report.h"

#include "common/memory.h"
#include "common/units.h"
#include "dist/mpi/dist_mpi.h"
#include "pmpi/process.h"
#include "trace/assemble/journal_calls.h"
#include "trace/assemble/run_world.h"
#include "trace/journal/settings.h"
#include "tracer/report_print.h"
#include "tracer/tracer.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Calls between two looks at the clock. */
enum { CALLS_AT_ONCE = 1024 };

/* Memory of a call on its own rank: a call, and mostly a part of a message or collective. */
enum { BYTES_OF_CALL = 100 };

/* Least time of a budget that is a share of the run. */
enum { LEAST_NS = 1000000000 };

struct report {
	const struct report_source *source;
	struct dist_mpi mpi;
	uint64_t begin_ns;
	uint64_t busy_ns; /* processor time: of this rank so far, at the end of the busiest rank */
	struct rank_message definitions;
	struct run_world world;
	struct measured_run run; /* of this rank */
	struct measured_reading reading;
	struct string_table site_texts;
	unsigned calls; /* since the last look at the clock */
};

/* ------------------------------------------------------------------ budget */

static uint64_t own_budget(void)
{
	const double run_ns = (double)passed_ns(process.load_ns, process.finalize_ns);
	const double share_ns = tracer.budget_share * run_ns;

	if (tracer.budget_share < 0)
		return tracer.budget_ns;
	return share_ns > LEAST_NS ? (uint64_t)share_ns : LEAST_NS;
}

/* Processor time of this thread: the report has no other one. */
static uint64_t processor_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* Begin.  The budget is that of the longest run. */
static int begin(struct report *report, struct error *err)
{
	uint64_t budget_ns = own_budget();

	report->begin_ns = now_ns();
	report->busy_ns = processor_ns();
	TRY(dist_mpi_open(&report->mpi, process.comm, err));
	TRY(dist_allreduce(&report->mpi.dist, &budget_ns, 1, DIST_MAX, err));
	report->mpi.dist.deadline_ns = report->begin_ns + budget_ns;
	return dist_agree(&report->mpi.dist, 0, err);
}

static bool is_late(const struct report *report)
{
	const uint64_t deadline_ns = report->mpi.dist.deadline_ns;

	return deadline_ns && now_ns() > deadline_ns;
}

/* ------------------------------------------------------------- definitions */

static int make_room(struct rank_message *message, uint64_t count, struct error *err)
{
	TRY(array_reserve(&message->words, count - message->words.count, err));
	message->words.count = count;
	return 0;
}

static int share_definitions(struct report *report, struct error *err)
{
	struct dist *dist = &report->mpi.dist;
	struct rank_message *words = &report->definitions;
	uint64_t count;
	int result = 0;

	if (dist->rank == 0)
		result = run_world_pack(words, report->source->all, err);
	TRY(dist_agree(dist, result, err));
	count = words->words.count;
	TRY(dist_bcast(dist, 0, &count, sizeof count, err));
	TRY(dist_agree(dist, make_room(words, count, err), err));
	TRY(dist_bcast(dist, 0, words->words.items, count * sizeof *words->words.items, err));
	return dist_agree(dist, run_world_unpack(&report->world, words->words.items, err), err);
}

/* ------------------------------------------------------------------- calls */

static int take_call(void *data, const struct mpi_call *call, struct error *err)
{
	struct report *report = data;

	if (++report->calls % CALLS_AT_ONCE == 0)
		if (is_late(report))
			return error_set(err, STATUS_LIMIT, "reading the journals takes too long");
	return measured_take_call(&report->reading, call, err);
}

static int read_calls(struct report *report, struct error *err)
{
	struct rank_journals journals = tracer_journals();

	journals.clock = *report->source->clock;
	journals.begin_ns = process.load_ns;
	journals.comms = report->source->comms;
	journals.comm_count = report->source->summary->comms.count;
	journals.windows = report->source->windows;
	journals.window_count = report->source->summary->windows.count;
	journals.groups = report->source->summary->groups.items;
	journals.group_count = report->source->summary->groups.count;
	journals.sites = &report->site_texts;
	return journal_calls(&journals, take_call, report, err);
}

static int read_rank(struct report *report, struct error *err)
{
	struct measured_run *run = &report->run;
	struct measured_rank *rank;

	TRY(memory_require(report->source->summary->calls * BYTES_OF_CALL, "the report", err));
	TRY(allocate(&run->ranks, (size_t)process.size, sizeof *run->ranks, err));
	run->world = &report->world.world;
	run->rank_count = (uint32_t)process.size;
	run->own_first = (uint32_t)process.rank;
	run->own_end = run->own_first + 1;
	/* The other processors are those of other ranks. */
	run->threads = 1;
	run->site_texts = &report->site_texts;
	rank = &run->ranks[process.rank];
	rank->rank = (uint32_t)process.rank;
	report->reading.world = run->world;
	report->reading.names = &run->names;
	measured_reading_begin(&report->reading, rank);
	TRY(read_calls(report, err));
	return measured_reading_end(&report->reading, err);
}

/* --------------------------------------------------------------- the whole */

/* Four commands with the name of the directory, which has less than 4096 bytes. */
enum { COMMANDS_BYTES = 4 * (4096 + 32) };

/* Name the commands that print the reports of the archive. */
static void name_commands(char text[static COMMANDS_BYTES])
{
	static const char *const commands[] = {[REPORT_PATH] = "path",
					       [REPORT_WAITS] = "waits",
					       [REPORT_CAUSES] = "causes",
					       [REPORT_IMBALANCE] = "imbalance"};
	unsigned left = tracer.reports;
	size_t length = 0;

	for (int i = REPORT_PATH; i <= REPORT_IMBALANCE; i++) {
		if (!(left & 1U << i))
			continue;
		left &= ~(1U << i);
		length += (size_t)snprintf(text + length, COMMANDS_BYTES - length,
					   "%scritpath %s %s",
					   !length ? ""
					   : left  ? ", "
						   : " and ",
					   commands[i], tracer_name());
	}
	snprintf(text + length, COMMANDS_BYTES - length, " print%s it",
		 tracer.reports & (tracer.reports - 1) ? "" : "s");
}

void report_refuse(const char *why)
{
	char commands[COMMANDS_BYTES];

	if (!tracer.reports)
		return;
	name_commands(commands);
	/* One call for each message: those of several hosts come at the same time. */
	fprintf(stderr, "llamp-trace: no report: %s%s%s\n", why, tracer.archive ? "; " : "",
		tracer.archive ? commands : "");
}

bool report_lost(char line[static REPORT_LINE_BYTES], const char *why, bool recorded)
{
	/* Threads may have small stacks. */
	static char commands[COMMANDS_BYTES], text[COMMANDS_BYTES + sizeof tracer.directory + 80];

	if (!tracer.reports)
		return false;
	name_commands(commands);
	*text = 0;
	if (recorded && !tracer.unnamed)
		snprintf(text, sizeof text,
			 "; llamp-trace --recover %s builds a trace of what was recorded, then %s",
			 tracer_name(), commands);
	else if (recorded)
		strcpy(text,
		       "; without --no-archive, llamp-trace --recover could build a trace of what was"
		       " recorded");
	snprintf(line, REPORT_LINE_BYTES, "llamp-trace: no report: %s%s\n", why, text);
	return true;
}

/* Name the trace, or the program if there is none. */
static const char *name_run(char name[static 256])
{
	if (tracer.archive)
		return tracer.directory;
	snprintf(name, 256, "%.200s (no archive)", program_invocation_short_name);
	return name;
}

static int make(struct report *report, struct error *err)
{
	struct dist *dist = &report->mpi.dist;
	char name[256];

	TRY(begin(report, err));
	TRY(share_definitions(report, err));
	TRY(dist_agree(dist, read_rank(report, err), err));
	TRY(report_print(&report->run, name_run(name), dist, err));
	report->busy_ns = processor_ns() - report->busy_ns;
	return dist_allreduce(dist, &report->busy_ns, 1, DIST_MAX, err);
}

static void say_time(const struct report *report)
{
	const uint64_t run_ns = passed_ns(report->run.begin_ns, report->run.end_ns);
	const uint64_t took_ns = passed_ns(report->begin_ns, now_ns());
	char text[UNIT_TEXT_BYTES], busy[UNIT_TEXT_BYTES];

	fprintf(stderr,
		"\nllamp-trace: the report took %s, %.2f %% of the run; the busiest rank worked %s\n",
		format_time((double)took_ns, 3, text),
		run_ns ? 100 * (double)took_ns / (double)run_ns : 0,
		format_time((double)report->busy_ns, 3, busy));
}

int report_make(const struct report_source *source, struct error *err)
{
	struct report report = {.source = source};
	int result;

	if (!tracer.reports)
		return 0;
	result = make(&report, err);
	if (result == 0 && process.rank == 0)
		say_time(&report);
	else if (result < 0 && is_late(&report))
		error_set(err, STATUS_LIMIT, "it takes longer than LLAMP_TRACE_BUDGET allows");
	measured_reading_release(&report.reading);
	measured_run_release(&report.run);
	string_table_release(&report.site_texts);
	run_world_release(&report.world);
	array_release(&report.definitions.words);
	return result;
}
