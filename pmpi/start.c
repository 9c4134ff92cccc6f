#include "pmpi/sessions.h"
#include "pmpi/threads.h"
#include "pmpi/totals.h"
#include "pmpi/windows.h"
#include "trace/journal/settings.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct tracer tracer = {.lock = PTHREAD_MUTEX_INITIALIZER};
_Thread_local unsigned call_depth __attribute__((tls_model("initial-exec")));
_Thread_local bool tracer_is_locked __attribute__((tls_model("initial-exec")));

static char start_directory[2048];	/* the program may change it before MPI_Init */
static pid_t traced_process, launched_process;

__attribute__((constructor)) static void load(void)
{
	const char *launched = getenv(SETTINGS_PROCESS);

	if (launched)
		launched_process = atoi(launched);
	tracer.load_ns = now_ns();
	library_need();
	if (!getcwd(start_directory, sizeof start_directory))
		strcpy(start_directory, ".");
}

/* Another process has made these with MPI_Comm_spawn, and may be traced too. */
static bool is_spawned(void)
{
	MPI_Comm parent;

	return PMPI_Comm_get_parent(&parent) == MPI_SUCCESS && parent != MPI_COMM_NULL;
}

/*
 * Where the trace goes: LLAMP_TRACE_DIR, else llamp-trace-PROGRAM-ID with the
 * job step of Slurm or a process id.
 */
static void choose_directory(bool together)
{
	const char *given = setting_text(SETTING_DIR), *job = getenv("SLURM_JOB_ID");
	const char *step = getenv("SLURM_STEP_ID");
	char id[64];

	if (job)
		snprintf(id, sizeof id, "%s.%s", job, step ? step : "0");
	else
		snprintf(id, sizeof id, "%d", (int)(together ? getpid() : getppid()));
	if (!*given)
		snprintf(tracer.directory, sizeof tracer.directory, "%s/llamp-trace-%s-%s",
			 start_directory, program_invocation_short_name, id);
	else if (*given == '/')
		snprintf(tracer.directory, sizeof tracer.directory, "%s", given);
	else
		snprintf(tracer.directory, sizeof tracer.directory, "%s/%s", start_directory,
			 given);
	if (together && is_spawned())
		snprintf(tracer.directory + strlen(tracer.directory),
			 sizeof tracer.directory - strlen(tracer.directory), "-spawned-%d",
			 (int)getpid());
}

static void complain(void)
{
	if (threads_have_recorded())
		fprintf(stderr, "llamp-trace: rank %d: %s; llamp-trace --recover %s makes a trace"
			" of what was recorded\n",
			tracer.rank, tracer.error.text, tracer.directory);
	else
		fprintf(stderr, "llamp-trace: rank %d: %s; there is no trace\n", tracer.rank,
			tracer.error.text);
}

/*
 * The program has MPI in itself, or none, or calls it past the tracer.  A script is not meant if
 * what it has started left something.
 */
static void say_unseen(void)
{
	if (!*setting_text(SETTING_DIR))
		return;
	choose_directory(false);
	if (access(tracer.directory, F_OK) < 0)
		fprintf(stderr, "llamp-trace: %s: MPI_Init was not seen; there is no trace\n",
			program_invocation_short_name);
}

/* The program ends, with sessions or without MPI_Finalize; a copy of it made by fork is silent. */
__attribute__((destructor)) static void unload(void)
{
	if (tracer.state == TRACER_NEW && getpid() == launched_process)
		say_unseen();
	if (getpid() != traced_process)
		return;
	if (tracer.state == TRACER_ACTIVE && !tracer.world && !sessions_are_open())
		tracer_finish_alone();
	else if (tracer.state == TRACER_ACTIVE && tracer.rank == 0)
		fprintf(stderr, "llamp-trace: %s was not called; llamp-trace --recover %s makes a"
			" trace of what was recorded\n",
			tracer.world ? "MPI_Finalize" : "MPI_Session_finalize", tracer.directory);
	if (tracer.state == TRACER_FAILED && tracer.error.status)
		complain();
}

void tracer_fail(const struct error *err)
{
	static atomic_flag failed = ATOMIC_FLAG_INIT;

	if ((tracer.state != TRACER_ACTIVE && tracer.state != TRACER_NEW) ||
	    atomic_flag_test_and_set(&failed))
		return;
	tracer.error = *err;
	tracer.state = TRACER_FAILED;
}

bool tracer_agree(MPI_Comm comm)
{
	int failed = tracer.state == TRACER_FAILED ? tracer.rank : tracer.size, first;

	PMPI_Allreduce(&failed, &first, 1, MPI_INT, MPI_MIN, comm);
	if (first == tracer.rank)
		complain();
	return first == tracer.size;
}

/* ----------------------------------------------------------------- calls */

struct mpi_event *call_event(const struct call *call, enum mpi_event_kind kind)
{
	static _Thread_local struct mpi_event nowhere;
	struct error err;
	struct mpi_event *event = &nowhere;

	if (call->recording && tracer.state == TRACER_ACTIVE) {
		struct thread *thread = call->thread;

		if (array_reserve(&thread->events, 1, &err) < 0)
			tracer_fail(&err);
		else
			event = &thread->events.items[thread->events.count++];
	}
	memset(event, 0, sizeof *event);
	event->kind = kind;
	return event;
}

static void record(const struct call *call)
{
	struct thread *thread = call->thread;
	struct mpi_call record = {
		.enter_ns = call->enter_ns,
		.leave_ns = call->leave_ns,
		.events = thread->events.items,
		.event_count = (uint32_t)thread->events.count,
		.polls = call->polled,
	};
	struct error err;

	if ((!thread->journal && !thread_journal(&err)) ||
	    journal_call(thread->journal, call->number, &record, &err) < 0)
		tracer_fail(&err);
}

int call_end(const struct call *call, int result)
{
	bool lent = call->thread->events_lent;

	if (!lent)
		tracer_unlock();
	if (call->recording && tracer.state == TRACER_ACTIVE)
		record(call);
	if (lent)
		tracer_unlock();
	call->thread->events_lent = false;
	return result;
}

/* ----------------------------------------------------------------- start */

void tracer_end(void)
{
	struct call call = {.number = CALL_Finalize};

	if (tracer.state == TRACER_DONE || !tracer.world)
		return;
	call.leave_ns = now_ns();
	call.enter_ns = tracer.finalize_ns ? tracer.finalize_ns : call.leave_ns;
	call.recording = tracer.on;
	call.thread = own_thread;
	if (call.thread || thread_begin()) {
		call.thread = own_thread;
		call.thread->events.count = 0;
		tracer_lock();
		call_end(&call, 0);
	}
	tracer_lock();
	tracer_finish();
	tracer.state = TRACER_DONE;
	requests_release();
	requests_release_scratch();
	totals_release();
	windows_release();
	comms_release();
	tracer_unlock();
}

/*
 * MPI calls this first of all in MPI_Finalize, in whatever language the program
 * called it; MPI still works.
 */
static int finish(MPI_Comm comm, int keyval, void *value, void *state)
{
	(void)comm;
	(void)keyval;
	(void)value;
	(void)state;
	tracer_end();
	return MPI_SUCCESS;
}

/* Let MPI_Finalize call finish(). */
static int expect_finish(struct error *err)
{
	int keyval;

	if (PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, finish, &keyval, NULL) != MPI_SUCCESS ||
	    PMPI_Comm_set_attr(MPI_COMM_SELF, keyval, NULL) != MPI_SUCCESS)
		return error_set(err, STATUS_SYSTEM, "no attribute for MPI_COMM_SELF");
	PMPI_Comm_free_keyval(&keyval);
	return 0;
}

/* There is MPI_COMM_WORLD now. */
static int meet_world(struct error *err)
{
	TRY(comms_meet_world(err));
	return expect_finish(err);
}

/* Note the settings, on one rank for all. */
static int record_settings(struct error *err)
{
	char name[64];

	for (int i = 0; i < SETTING_COUNT && tracer.rank == 0; i++) {
		const char *value = setting_text(i);

		snprintf(name, sizeof name, "TRACE_%s", setting_name(i));
		TRY(journal_property(own_thread->journal, name, *value ? value : "default", err));
	}
	return 0;
}

static int start_rank(struct error *err)
{
	int level = MPI_THREAD_SINGLE;
	struct settings settings;

	TRY(settings_read(&settings, err));

	if (tracer.world)
		PMPI_Query_thread(&level);
	tracer.threaded = level == MPI_THREAD_MULTIPLE || sessions_are_open();
	traced_process = getpid();
	tracer.buffer_bytes = settings.buffer_bytes;
	if (!thread_journal(err))
		return -1;
	TRY(record_settings(err));
	tracer.on = true;
	if (!settings.record)
		TRY(threads_switch(tracer.load_ns, false, err));
	TRY(comms_start(err));
	return tracer.world ? meet_world(err) : 0;
}

static int start_or_fail(void)
{
	struct error err;

	if (start_rank(&err) == 0)
		return 0;
	threads_drop();
	tracer_fail(&err);
	return -1;
}

/* A rank that sessions have started goes on, into the directory of all. */
static void go_on_or_fail(const char *directory)
{
	struct error err;
	int result = 0;

	tracer_lock();
	sessions_close_own();
	if (strcmp(directory, tracer.directory) != 0)
		result = error_set(&err, STATUS_DATA,
				   "sessions record into another directory than other ranks: choose"
				   " one with -o");
	if (result < 0 || meet_world(&err) < 0)
		tracer_fail(&err);
	tracer_unlock();
}

/* That of the first rank that has one, else of rank 0. */
static void agree_on_directory(char directory[static sizeof tracer.directory], bool started)
{
	int first = 0, own = started ? tracer.rank : tracer.size;

	if (HAVE_MPI4)
		PMPI_Allreduce(&own, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
	if (first == tracer.size)
		first = 0;
	strcpy(directory, tracer.directory);
	PMPI_Bcast(directory, sizeof tracer.directory, MPI_CHAR, first, MPI_COMM_WORLD);
}

static void know_world(void)
{
	PMPI_Comm_rank(MPI_COMM_WORLD, &tracer.rank);
	PMPI_Comm_size(MPI_COMM_WORLD, &tracer.size);
	tracer.world = true;
}

/* All ranks start, or none. */
void tracer_start_together(void)
{
	static char directory[sizeof tracer.directory];
	bool started = tracer.state != TRACER_NEW;

	know_world();
	if (!started)
		choose_directory(true);
	agree_on_directory(directory, started);
	if (tracer.state == TRACER_ACTIVE) {
		go_on_or_fail(directory);
	} else if (!started) {
		strcpy(tracer.directory, directory);
		start_or_fail();
	}
	if (tracer_agree(MPI_COMM_WORLD)) {
		tracer.state = TRACER_ACTIVE;
		tracer_measure_clock();
		return;
	}
	if (started)
		threads_close();
	else
		threads_drop();
	tracer.state = TRACER_DONE;
}

/* The other ranks will come to finish(), so this one must too, even if it has failed. */
void tracer_start_alone(void)
{
	choose_directory(false);
	if (start_or_fail() == 0)
		tracer.state = TRACER_ACTIVE;
}

bool tracer_is_active(void)
{
	int initialised = 0, finalised = 0;

	/* MPI_Init may call functions of MPI that we see before it is over. */
	if (tracer.state != TRACER_NEW || call_depth)
		return tracer.state == TRACER_ACTIVE;
	library_need();
	PMPI_Initialized(&initialised);
	PMPI_Finalized(&finalised);
	if (!initialised || finalised)
		return false;
	pthread_mutex_lock(&tracer.lock);
	if (tracer.state == TRACER_NEW) {
		know_world();
		tracer_start_alone();
	}
	pthread_mutex_unlock(&tracer.lock);
	return tracer.state == TRACER_ACTIVE;
}
