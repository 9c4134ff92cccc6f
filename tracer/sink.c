/* Sink of the tracer: a journal for each thread, and an archive of all journals at the end. */
#include "pmpi/sink.h"

#include "common/machine/preemptions.h"
#include "common/machine/ticks.h"
#include "launch/forwarded.h"
#include "pmpi/callers.h"
#include "pmpi/process.h"
#include "pmpi/threads.h"
#include "pmpi/together.h"
#include "trace/journal/journal_chunks.h"
#include "trace/journal/settings.h"
#include "tracer/below.h"
#include "tracer/clock.h"
#include "tracer/finish.h"
#include "tracer/iteration_recorder.h"
#include "tracer/flow.h"
#include "tracer/last_message.h"
#include "tracer/report.h"
#include "tracer/tracer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pid_t launched_process;
static bool complete;				    /* all ranks have begun */
static bool required_fails;			    /* the trace is required but missing */
static bool records;				    /* recording is on, or has been */
static struct preemptions_reading preempted_before; /* until recording began */

/* End the process with an error instead of status 0 if a required trace is missing. */
static void change_status(int status, void *nothing)
{
	(void)nothing;
	if (status != 0 || !required_fails)
		return;
	fflush(NULL);
	forwarded_wait();
	_exit(STATUS_SYSTEM);
}

/* Choose the clock before the first call.  A setting that is not valid is reported when recording begins. */
static void choose_clock(void)
{
	struct error err;
	bool counter;

	if (settings_read_clock(&counter, &err) == 0 && counter)
		ticks_choose(TICKS_SOURCE);
}

__attribute__((constructor)) static void load(void)
{
	const char *launched = getenv(SETTINGS_PROCESS);

	/* Register first to be called last, after all functions that may fail. */
	on_exit(change_status, NULL);
	if (launched)
		launched_process = atoi(launched);
	choose_clock();
}

/* ------------------------------------------------------------------- begin */

/* Let the watcher explain an early end of the run, in which no rank may be left to do so. */
static void expect_end(bool recorded)
{
	static const char early[] = "the run ended before MPI_Finalize was over";
	static char line[REPORT_LINE_BYTES]; /* threads may have small stacks */
	char why[256];

	records = recorded;
	snprintf(why, sizeof why, "%s%s", early,
		 recorded ? ""
			  : "; no call was recorded: LLAMP_TRACE_RECORD is off, and the program had"
			    " not called MPI_Pcontrol(1)");
	if (process.rank == 0 && report_lost(line, why, recorded))
		last_message(line);
}

static void forget_end(void)
{
	if (process.rank == 0 && tracer.reports)
		last_message("");
}

static int tracer_begin(bool together, bool *record, struct error *err)
{
	bool has_begun = process.state != PROCESS_NEW;
	struct settings settings;

	if (tracer.mark_error.status)
		return error_set(err, tracer.mark_error.status, "%s", tracer.mark_error.text);
	if (!tracer.ranks)
		tracer.ranks = process.size;
	if (!has_begun)
		tracer_choose_directory(together);
	if (together)
		TRY(tracer_share_directory(has_begun, err));
	TRY(settings_read(&settings, err));
	tracer.buffer_bytes = settings.buffer_bytes;
	tracer.call_sites = settings.call_sites;
	tracer.below_mpi = settings.below_mpi;
	below_end();
	if (tracer.call_sites)
		callers_find();
	tracer.reports = settings.reports;
	tracer.archive = settings.archive;
	tracer.flow = settings.flow;
	tracer.calls = !settings.flow || settings.iterations || getenv(SETTINGS_BOTH);
	tracer.memory_bytes = settings.memory_bytes;
	tracer.folds = settings.folds;
	tracer.iterations = settings.iterations;
	tracer.ring_bytes = settings.ring_bytes;
	if (tracer.iterations)
		iteration_recorder_begin(settings.iterations, settings.first_iteration,
					 settings.phases);
	tracer.unnamed = !settings.archive;
	tracer.quiet = settings.quiet;
	tracer.budget_share = settings.budget_share;
	tracer.budget_ns = settings.budget_ns;
	*record = settings.record;
	expect_end(settings.record);
	/* What this rank does below MPI before all ranks have begun is the tracer's own. */
	return tracer.below_mpi && !together ? below_begin(err) : 0;
}

static int tracer_begun(struct error *err)
{
	const struct clock_point *start = clock_measure_start();
	struct journal *journal;

	tracer_clear_mark();
	together_limit(0);
	complete = true;
	if (tracer.iterations)
		iteration_recorder_together();
	if (start) {
		journal = tracer_journal(err);
		if (!journal || journal_clock(journal, start, err) < 0)
			return -1;
	}
	return tracer.below_mpi ? below_begin(err) : 0;
}

/* Remove the journals of this rank's first threads. */
static void remove_journals(uint32_t threads)
{
	if (tracer.iterations)
		journal_chunks_remove(tracer.directory, (uint32_t)process.rank, threads);
	journal_remove(tracer.directory, (uint32_t)process.rank, threads);
}

static void tracer_cancel(void)
{
	below_end();
	tracer_close_journals();
	flow_recorder_cancel();
	tracer_clear_mark();
	forget_end();
	if (process.state != PROCESS_NEW)
		return;
	if (tracer.archive && (tracer.recorded || tracer.claimed))
		remove_journals(tracer.recorded);
	tracer.claimed = false;
	tracer.nameless.count = 0;
	tracer.recorded = false;
}

/* Record the settings, on one rank for all. */
static int record_settings(struct journal *journal, struct error *err)
{
	char name[64];

	for (int i = 0; i < SETTING_COUNT; i++) {
		const char *value = setting_text(i);

		/* Archives without them are the same as those of versions that had none. */
		if ((i == SETTING_CALL_SITES && !tracer.call_sites) ||
		    (i == SETTING_BELOW_MPI && !tracer.below_mpi) ||
		    (i == SETTING_FOLD && !tracer.folds) ||
		    ((i == SETTING_ITERATIONS || i == SETTING_PHASES || i == SETTING_RING) &&
		     !tracer.iterations) ||
		    ((i == SETTING_FLOW || i == SETTING_MEMORY) && !tracer.flow))
			continue;
		snprintf(name, sizeof name, "TRACE_%s", setting_name(i));
		TRY(journal_property(journal, name, *value ? value : "default", err));
	}
	return 0;
}

/* Folder of journals without names. */
static const char *temporary_folder(void)
{
	const char *folder = getenv("TMPDIR");

	return folder && *folder ? folder : "/tmp";
}

/* Without calls a journal has little. */
static size_t buffer_bytes(void)
{
	return tracer.calls ? tracer.buffer_bytes : JOURNAL_LEAST_BYTES;
}

static int create_journal(struct journal **journal, uint32_t number, struct error *err)
{
	const uint64_t begin_ns = number ? now_ns() : process.load_ns;
	struct journal_place place = {tracer.directory, (uint32_t)process.rank, number};

	TRY(array_reserve(&tracer.ended, tracer.journals, err));
	if (!tracer.unnamed)
		return journal_create(journal, &place, (uint32_t)process.size, begin_ns,
				      buffer_bytes(), err);
	place.directory = temporary_folder();
	TRY(array_reserve(&tracer.nameless, 1, err));
	TRY(journal_create_unnamed(journal, &place, (uint32_t)process.size, begin_ns,
				   tracer.buffer_bytes, err));
	tracer.nameless.items[tracer.nameless.count++] = *journal;
	return 0;
}

static int begin_recorder(struct recorder *recorder, uint32_t number, struct error *err)
{
	TRY(create_journal(&recorder->journal, number, err));
	if (number == 0)
		preemptions_own(&preempted_before);
	tracer.recorded = true;
	if (number == 0 && process.rank == 0)
		TRY(record_settings(recorder->journal, err));
	if (tracer.call_sites && tracer.calls)
		TRY(journal_record_sites(recorder->journal, err));
	if (tracer.iterations)
		TRY(iteration_recorder_divide(recorder->journal, number == 0, tracer.ring_bytes,
					      err));
	recorder->thread = number;
	return tracer.flow ? flow_recorder_begin(&recorder->flow, number, err) : 0;
}

static void *thread_begins(uint32_t number, struct error *err)
{
	struct recorder *recorder;

	tracer.journals = number + 1;
	if (allocate(&recorder, 1, sizeof *recorder, err) < 0)
		return NULL;
	if (begin_recorder(recorder, number, err) == 0)
		return recorder;
	journal_chunks_close(recorder->journal);
	free(recorder);
	return NULL;
}

/* End the journal of the rank's last thread, which has the preemptions of all. */
static int end_rank(struct journal *journal, struct error *err)
{
	struct preemptions_reading now;
	struct preemptions since;

	preemptions_own(&now);
	since = preemptions_between(&preempted_before, &now);
	preemptions_release(&now);
	preemptions_release(&preempted_before);
	TRY(journal_preemptions(journal, &since, err));
	return journal_end(journal, now_ns(), err);
}

static int thread_ends(void *data, bool last, struct error *err)
{
	struct recorder *recorder = data;

	below_end();
	tracer.ended.items[tracer.ended.count++] = recorder;
	return last ? end_rank(recorder->journal, err) : 0;
}

/* --------------------------------------------------------------- recording */

/* Record a call in the journal, with the polls below MPI in it. */
static int record_with_polls(struct recorder *recorder, unsigned function,
			     const struct mpi_call *call, struct error *err)
{
	struct mpi_call with_polls = *call;

	below_take_polls(&with_polls);
	return journal_call(recorder->journal, function, &with_polls, err);
}

static int record_call(void *data, unsigned function, const struct mpi_call *call,
		       struct error *err)
{
	struct recorder *recorder = data;

	if (recorder->flow && !tracer.iterations && !tracer.calls)
		return flow_recorder_call(recorder->flow, function, call, err);
	if (recorder->flow)
		TRY(flow_recorder_call(recorder->flow, function, call, err));
	if (tracer.iterations)
		return iteration_recorder_call(recorder->journal, &recorder->stage,
					       recorder->thread == 0, function, call, err);
	if (!tracer.calls)
		return 0;
	return tracer.below_mpi ? record_with_polls(recorder, function, call, err)
				: journal_call(recorder->journal, function, call, err);
}

static int record_switch(void *data, uint64_t time_ns, bool on, struct error *err)
{
	const struct recorder *recorder = data;

	if (on && !records)
		expect_end(true);
	if (recorder->flow)
		TRY(flow_recorder_switch(recorder->flow, time_ns, on, err));
	return journal_chunks_switch(recorder->journal, time_ns, on, err);
}

static int record_comm(void *recorder, const struct mpi_comm *comm, struct error *err)
{
	if (tracer.flow)
		TRY(flow_recorder_comm(comm, err));
	return journal_comm(((const struct recorder *)recorder)->journal, comm, err);
}

static int record_comm_name(void *recorder, uint32_t id, const char *name, struct error *err)
{
	return journal_comm_name(((const struct recorder *)recorder)->journal, id, name, err);
}

static int record_window(void *recorder, const struct mpi_window *window, struct error *err)
{
	return journal_window(((const struct recorder *)recorder)->journal, window, err);
}

static int record_window_name(void *recorder, uint32_t id, const char *name, struct error *err)
{
	return journal_window_name(((const struct recorder *)recorder)->journal, id, name, err);
}

static int record_group(void *recorder, const struct mpi_group *group, struct error *err)
{
	if (tracer.flow)
		TRY(flow_recorder_group(group, err));
	return journal_group(((const struct recorder *)recorder)->journal, group, err);
}

/* --------------------------------------------------------------------- end */

static bool is_required(void)
{
	return strcmp(setting_text(SETTING_REQUIRED), "1") == 0;
}

/* Fail if a complete trace is required, at once if not all ranks have begun. */
static void fail_if_required(void)
{
	if (!is_required())
		return;
	if (!complete && process.world && process.state != PROCESS_ACTIVE &&
	    (!process.apart || tracer.mark_error.status)) {
		forwarded_wait();
		PMPI_Abort(MPI_COMM_WORLD, STATUS_SYSTEM);
	}
	required_fails = true;
}

static int end_trace(bool together, struct error *err)
{
	bool done = together && tracer_finish();

	tracer_close_journals();
	tracer_clear_mark();
	if (tracer.unnamed && tracer.claimed)
		journal_remove(tracer.directory, (uint32_t)process.rank, 0);
	else if (done && !tracer.unnamed)
		remove_journals(tracer.journals);
	if (tracer.empty)
		fail_if_required();
	if (together || process.state != PROCESS_ACTIVE)
		return 0;
	if (process.rank == tracer.first_traced)
		report_refuse("not all ranks meet in MPI_Finalize with the tracer");
	if (tracer.flow && tracer.recorded)
		TRY(flow_recorder_end(err));
	return tracer.archive ? tracer_finish_alone(err) : 0;
}

static int tracer_end(bool together, struct error *err)
{
	const int result = end_trace(together, err);

	iteration_recorder_release();
	forget_end();
	return result;
}

/* Time for rank 0 to end the run, if it has the same error, before other ranks do. */
enum { FIRST_RANK_S = 3 };

static void tracer_failed(const struct error *err)
{
	static char line[REPORT_LINE_BYTES];
	char why[sizeof err->text + 32];

	/* Rank 0 reports the same error, or that this rank is missing. */
	if (tracer.mark_error.status && process.rank != 0) {
		if (!is_required())
			return;
		sleep(FIRST_RANK_S);
	}
	snprintf(why, sizeof why, "rank %d: %s", process.rank, err->text);
	if (tracer.recorded && !tracer.unnamed && report_lost(line, why, true))
		fputs(line, stderr);
	else if (tracer.recorded && !tracer.unnamed)
		fprintf(stderr,
			"llamp-trace: rank %d: %s; llamp-trace --recover %s builds a"
			" trace of what was recorded\n",
			process.rank, err->text, tracer.directory);
	else
		fprintf(stderr, "llamp-trace: rank %d: %s; this run leaves no %s\n", process.rank,
			err->text, tracer.unnamed ? "report" : "trace");
	fail_if_required();
}

/*
 * Report that no call was seen: the program is linked with MPI statically, does not use it or
 * bypasses the tracer.  Say nothing of a script whose programs have left a trace.
 */
static void say_unseen(void)
{
	if (getpid() != launched_process || !*setting_text(SETTING_DIR))
		return;
	tracer_choose_directory(false);
	if (access(tracer.directory, F_OK) == 0)
		return;
	fprintf(stderr, "llamp-trace: %s: no MPI call was intercepted; there is no trace\n",
		program_invocation_short_name);
	fail_if_required();
}

static void say_unfinished(const char *function)
{
	static char line[REPORT_LINE_BYTES];
	char why[64];

	forget_end();
	flow_recorder_save();
	snprintf(why, sizeof why, "%s was not called", function);
	if (process.rank == 0 && report_lost(line, why, records))
		fputs(line, stderr);
	else if (process.rank == 0)
		fprintf(stderr,
			"llamp-trace: %s was not called; llamp-trace --recover %s builds a"
			" trace of what was recorded\n",
			function, tracer.directory);
	forwarded_wait();
	fail_if_required();
}

const struct sink sink = {
	.name = "llamp-trace",
	.needs = SINK_CALLS,
	.begin = tracer_begin,
	.begun = tracer_begun,
	.initialising = tracer_leave_mark,
	.complete = tracer_all_are_traced,
	.cancel = tracer_cancel,
	.thread_begin = thread_begins,
	.thread_end = thread_ends,
	.call = record_call,
	.recording = record_switch,
	.comm = record_comm,
	.comm_name = record_comm_name,
	.window = record_window,
	.window_name = record_window_name,
	.group = record_group,
	.end = tracer_end,
	.failed = tracer_failed,
	.unseen = say_unseen,
	.unfinished = say_unfinished,
};
