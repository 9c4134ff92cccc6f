#include "tracer/report.h"

#include "common/memory.h"
#include "common/units.h"
#include "pmpi/process.h"
#include "pmpi/together.h"
#include "trace/assemble/journal_calls.h"
#include "trace/assemble/run_world.h"
#include "trace/call/mpi_functions.h"
#include "tracer/report_gather.h"
#include "tracer/report_print.h"
#include "tracer/report_steps.h"
#include "tracer/tracer.h"

#include <errno.h>
#include <stdio.h>

/* Calls between two looks at the clock. */
enum { CALLS_AT_ONCE = 1024 };

/* Memory of a call on its own rank: a call, and mostly a part of a message or collective. */
enum { BYTES_OF_CALL = 100 };

/* Bytes of a broadcast. */
enum { PIECE_BYTES = 1 << 26 };

struct report {
	const struct report_source *source;
	struct report_budget budget;
	struct rank_message definitions;
	struct run_world world;
	struct measured_run run; /* of this rank; on rank 0, later of all */
	struct measured_reading reading;
	unsigned calls; /* since the last look at the clock */
};

/* ------------------------------------------------------------- definitions */

static bool tell_definitions(struct report *report)
{
	const size_t bytes = report->definitions.words.count * sizeof(uint64_t);
	char *at = (char *)report->definitions.words.items;

	for (size_t told = 0; told < bytes; told += PIECE_BYTES) {
		const size_t left = bytes - told;

		if (!together_tell(at + told, (int)(left < PIECE_BYTES ? left : PIECE_BYTES), 0))
			return false;
	}
	return true;
}

static bool share_definitions(struct report *report)
{
	struct error err;
	uint64_t count;
	int result = 0;

	if (process.rank == 0)
		result = run_world_pack(&report->definitions, report->source->all, &err);
	count = report->definitions.words.count;
	if (!report_agree(result, &err) || !together_tell(&count, sizeof count, 0))
		return false;
	if (process.rank != 0)
		result = array_reserve(&report->definitions.words, count, &err);
	report->definitions.words.count = result == 0 ? count : 0;
	if (!report_agree(result, &err) || !tell_definitions(report))
		return false;
	result = run_world_unpack(&report->world, report->definitions.words.items, &err);
	return report_agree(result, &err);
}

/* ------------------------------------------------------------------- calls */

static int take_call(void *data, const struct mpi_call *call, struct error *err)
{
	struct report *report = data;

	if (++report->calls % CALLS_AT_ONCE == 0)
		TRY(report_budget_check(&report->budget, 0, err));
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
	return journal_calls(&journals, take_call, report, err);
}

/* Number the only function that is not in the table alike on all ranks. */
static int name_gap(struct measured_names *names, struct error *err)
{
	char gap[] = "(recording off)", *list[] = {gap};
	const struct measured_names only = {{list, 1, 1}};
	uint32_t function = MPI_FUNCTION_COUNT;

	return measured_names_copy(names, &only, &function, err);
}

static int read_rank(struct report *report, struct error *err)
{
	struct measured_run *run = &report->run;
	struct measured_rank *rank;

	TRY(report_budget_check(&report->budget, 0, err));
	TRY(memory_require(report->source->summary->calls * BYTES_OF_CALL, "the report", err));
	TRY(name_gap(&run->names, err));
	TRY(allocate(&run->ranks, (size_t)process.size, sizeof *run->ranks, err));
	run->world = &report->world.world;
	run->rank_count = (uint32_t)process.size;
	rank = &run->ranks[process.rank];
	rank->rank = (uint32_t)process.rank;
	report->reading.world = run->world;
	report->reading.names = &run->names;
	measured_reading_begin(&report->reading, rank);
	TRY(read_calls(report, err));
	return measured_reading_end(&report->reading, err);
}

/* --------------------------------------------------------------- the whole */

static void say_time(const struct report *report)
{
	const uint64_t run_ns = report->run.end_ns - report->run.begin_ns;
	const uint64_t took_ns = now_ns() - report->budget.begin_ns;
	char text[UNIT_TEXT_BYTES];

	fprintf(stderr, "\nllamp-trace: the report took %s, %.2f %% of the run\n",
		format_time((double)took_ns, 3, text),
		run_ns ? 100 * (double)took_ns / (double)run_ns : 0);
}

/* Name the trace, or the program if there is none. */
static const char *name_run(char name[static 256])
{
	if (tracer.archive)
		return tracer.directory;
	snprintf(name, 256, "%.200s (no archive)", program_invocation_short_name);
	return name;
}

static int print_all(struct report *report, struct error *err)
{
	char name[256];

	TRY(report_budget_check(&report->budget, 0, err));
	TRY(report_print(&report->run, name_run(name), err));
	say_time(report);
	return 0;
}

static void make(struct report *report)
{
	struct error err;
	int result;

	if (!report_budget_begin(&report->budget) || !share_definitions(report))
		return;
	result = read_rank(report, &err);
	if (!report_agree(result, &err) || !report_gather(&report->run, &report->budget))
		return;
	if (process.rank == 0)
		result = print_all(report, &err);
	report_agree(result, &err);
}

void report_make(const struct report_source *source)
{
	struct report report = {.source = source};

	if (!tracer.reports)
		return;
	make(&report);
	measured_reading_release(&report.reading);
	measured_run_release(&report.run);
	run_world_release(&report.world);
	array_release(&report.definitions.words);
}
