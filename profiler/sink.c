/* Sink of the profiler: a table of cells for each thread, and one log of the job at the end. */
#include "pmpi/sink.h"

#include "pmpi/process.h"
#include "pmpi/together.h"
#include "profiler/attendance.h"
#include "profiler/counters.h"
#include "profiler/finish.h"
#include "profiler/job.h"
#include "profiler/places.h"
#include "profiler/profiler.h"
#include "profiler/recorder.h"
#include "profiler/survive.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/*
 * Limit of waits after MPI_Init, for ranks of nodes on which none may have this library: LEAST_LIMIT_S and
 * TIMES_INIT times the duration of MPI_Init, at most MOST_LIMIT_S.  Ranks leave MPI_Init at about the same time.
 */
enum { LEAST_LIMIT_S = 3, TIMES_INIT = 10, MOST_LIMIT_S = 30 };

static uint64_t initialising_ns; /* when MPI_Init began */

/* The child of a fork is no rank: its calls are not counted. */
static void detach(void)
{
	if (process.state == PROCESS_ACTIVE)
		process.state = PROCESS_DONE;
}

__attribute__((constructor)) static void load(void)
{
	struct error err;

	profiler.off = settings_read(&profiler.settings, &err) == 0 &&
		       (profiler.settings.off ||
			(!*profiler.settings.directory && !*profiler.settings.file));
	if (profiler.off)
		return;
	pthread_atfork(NULL, NULL, detach);
	if (!profiler.settings.monotonic)
		ticks_choose(TICKS_SOURCE);
	profiler.load = ticks_point();
}

static void profiler_initialising(void)
{
	initialising_ns = now_ns();
	if (!profiler.off)
		attendance_mark();
}

static void limit_waits(void)
{
	const uint64_t init_ns = initialising_ns ? passed_ns(initialising_ns, now_ns())
						 : UINT64_MAX;
	const uint64_t limit_s = LEAST_LIMIT_S + init_ns / (1000000000 / TIMES_INIT);

	together_limit(limit_s < MOST_LIMIT_S ? (unsigned)limit_s : MOST_LIMIT_S);
}

/* Tell whether ranks meet: not if nothing is recorded, or some lack this library. */
static bool profiler_complete(void)
{
	if (profiler.off || !attendance_is_whole())
		return false;
	limit_waits();
	return true;
}

/* Name of a run that this process begins. */
static struct run_name own_name(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (struct run_name){
		.unix_ns = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec,
		.process = getpid(),
	};
}

static void set_name(const struct run_name *name)
{
	profiler.name = *name;
	snprintf(profiler.step, sizeof profiler.step, "%d", (int)name->process);
}

/* Begin to count, under the name that rank 0 has told if together. */
static void begin_counting(bool together)
{
	struct ticks_rate rate;

	profiler.begin = ticks_point();
	rate = ticks_rate(&profiler.load, &profiler.begin);
	recorders_set_rate(rate);
	profiler.spawned = job_is_spawned();
	if (together)
		places_find(&profiler.name);
	set_name(&profiler.name);
	survive_begin(profiler.step);
}

/* Last of all, so that they count the program alone, and no ranks that wait for each other. */
static void begin_counters(void)
{
	if (profiler.settings.counters && !profiler.excluded)
		counters_open();
}

static int profiler_begin(bool together, bool *record, struct error *err)
{
	const bool has_begun = profiler.begin.ns;
	struct run_name name;

	(void)record;
	if (profiler.off)
		return error_set(err, STATUS_OK, "nothing is recorded");
	TRY(settings_read(&profiler.settings, err));
	profiler.excluded = settings_exclude(program_invocation_short_name);
	if (!has_begun)
		profiler.name = own_name();
	if (together)
		TRY(places_ask(&profiler.name, err));
	if (!has_begun)
		begin_counting(together);
	else if (together)
		places_find(&name); /* Sessions have begun here, under a name that stays. */
	if (!together)
		begin_counters();
	return 0;
}

static int profiler_begun(struct error *err)
{
	(void)err;
	together_limit(0);
	begin_counters();
	return 0;
}

static void *thread_begins(uint32_t number, struct error *err)
{
	(void)number;
	return recorder_make(err);
}

/* Say on rank 0 why there is no log. */
static void profiler_failed(const struct error *err)
{
	if (err->status != STATUS_OK && !profiler.settings.quiet)
		fprintf(stderr, "llamp-usage: rank %d: %s; this run leaves no log\n", process.rank,
			err->text);
}

static int profiler_end(bool together, struct error *err)
{
	if (profiler.off || finish(together, err) == 0)
		return 0;
	/* The program goes on, and so does MPI_Finalize. */
	profiler_failed(err);
	return 0;
}

/* Say on rank 0 why there is no log of all ranks. */
static void ranks_are_late(const struct error *err)
{
	if (process.rank == 0 && !profiler.settings.quiet)
		fprintf(stderr, "llamp-usage: %s; ranks that have it leave logs of their own\n",
			err->text);
}

/* Rank 0 leaves a log without calls: the job is known to have run. */
static void is_hidden_by(const char *tool)
{
	char reason[300];
	struct run_name name;
	struct error err;

	if (profiler.off || process.rank != 0 || settings_read(&profiler.settings, &err) < 0 ||
	    settings_exclude(program_invocation_short_name))
		return;
	snprintf(reason, sizeof reason, "another tool has initialised MPI: %.250s", tool);
	name = own_name();
	set_name(&name);
	if (finish_stub(reason, &err) < 0)
		profiler_failed(&err);
}

/* Name this job in the logs of processes that it spawns. */
static const char *name_parent(void)
{
	static char variable[sizeof JOB_PARENT_VARIABLE "=" + JOB_LOG_NAME_BYTES];
	char identity[JOB_LOG_NAME_BYTES];
	struct job_log log = {0};
	struct error err;

	if (job_describe(&log, false, &err) == 0 &&
	    job_describe_run(&log, profiler.step, &err) == 0) {
		job_log_identity(&log, identity, sizeof identity);
		snprintf(variable, sizeof variable, JOB_PARENT_VARIABLE "=%s", identity);
	}
	job_log_release(&log);
	return *variable ? variable : NULL;
}

static void ends_early(const char *function)
{
	(void)function;
	survive_exit();
}

const struct sink sink = {
	.name = "llamp-usage",
	.always = true,
	.begin = profiler_begin,
	.begun = profiler_begun,
	.initialising = profiler_initialising,
	.complete = profiler_complete,
	.thread_begin = thread_begins,
	.inside = recorder_inside,
	.count = recorder_count,
	.variable = name_parent,
	.late = ranks_are_late,
	.hidden = is_hidden_by,
	.end = profiler_end,
	.failed = profiler_failed,
	.unfinished = ends_early,
};
