#include "pmpi/start.h"

#include "launch/launcher.h"
#include "pmpi/persistent.h"
#include "pmpi/sessions.h"
#include "pmpi/sink.h"
#include "pmpi/together.h"
#include "pmpi/windows.h"
#include "preload/preload.h"

#include <dlfcn.h>
#include <stdio.h>
#include <unistd.h>

static pid_t recorded_process;

/* When this library was loaded, or the one that has loaded it, which came with the process. */
static uint64_t load_time(void)
{
	const uint64_t *preloaded;

	*(const void **)&preloaded = dlsym(RTLD_DEFAULT, PRELOAD_NS);
	return preloaded && *preloaded ? *preloaded : now_ns();
}

__attribute__((constructor)) static void load(void)
{
	process.load_ns = load_time();
	library_need();
}

/* ------------------------------------------------------------------- start */

static int begin_sink(bool together, bool *record, struct error *err)
{
	*record = true;
	return sink.begin ? sink.begin(together, record, err) : 0;
}

/* Called by MPI first of all in MPI_Finalize, from any language, while MPI still works. */
static int finish_all(MPI_Comm comm, int keyval, void *value, void *state)
{
	(void)comm;
	(void)keyval;
	(void)value;
	(void)state;
	end_together();
	return MPI_SUCCESS;
}

/* Let MPI_Finalize call finish_all(). */
static int expect_finish(struct error *err)
{
	int keyval;

	if (PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, finish_all, &keyval, NULL) !=
		    MPI_SUCCESS ||
	    PMPI_Comm_set_attr(MPI_COMM_SELF, keyval, NULL) != MPI_SUCCESS)
		return error_set(err, STATUS_SYSTEM, "no attribute for MPI_COMM_SELF");
	PMPI_Comm_free_keyval(&keyval);
	return 0;
}

/* Note that MPI_COMM_WORLD exists. */
static int meet_world(struct error *err)
{
	if (sink.needs)
		TRY(comms_meet_world(err));
	return expect_finish(err);
}

static int start_rank(bool record, struct error *err)
{
	int level = MPI_THREAD_SINGLE;

	if (process.world)
		PMPI_Query_thread(&level);
	process.threaded = level == MPI_THREAD_MULTIPLE || sessions_are_open();
	recorded_process = getpid();
	if (!thread_recorder(err))
		return -1;
	process.on = true;
	if (!record)
		TRY(threads_switch(process.load_ns, false, err));
	if (sink.needs)
		TRY(comms_start(err));
	return process.world ? meet_world(err) : 0;
}

static void cancel_start(void)
{
	threads_end(false);
	if (sink.cancel)
		sink.cancel();
}

static bool has_begun; /* before MPI_Init, in sessions */

/* Cancel the start unless this rank has done so when it failed. */
static void cancel_with_others(void)
{
	if (has_begun || process.state == PROCESS_NEW)
		cancel_start();
}

static int start_or_fail(bool together)
{
	struct error err;
	bool record;

	if (begin_sink(together, &record, &err) == 0 && start_rank(record, &err) == 0)
		return 0;
	cancel_start();
	process_fail(&err);
	return -1;
}

/* Continue a rank that sessions have started, unless it has failed. */
static void go_on_or_fail(bool together)
{
	struct error err;
	bool record;
	int result = begin_sink(together, &record, &err);

	if (process.state != PROCESS_ACTIVE)
		return;
	process_lock();
	sessions_close_own();
	if (result < 0 || meet_world(&err) < 0)
		process_fail(&err);
	process_unlock();
}

static void know_world(void)
{
	PMPI_Comm_rank(MPI_COMM_WORLD, &process.rank);
	PMPI_Comm_size(MPI_COMM_WORLD, &process.size);
	process.world = true;
	if (process.rank == 0 && library_other_tool())
		fprintf(stderr,
			"%s: %s wraps MPI functions, too, but no call reaches it; name it"
			" in LD_PRELOAD before the command, and both work\n",
			sink.name, library_other_tool());
}

/* Whether all processes of the launcher are in MPI_COMM_WORLD.  If not, nothing is recorded. */
static bool launcher_fits(void)
{
	struct error err;
	bool first;

	if (launcher_check(process.size, &first, &err) == 0)
		return true;
	if (process.state == PROCESS_NEW && sink.cancel)
		sink.cancel();
	if (first && sink.failed)
		sink.failed(&err);
	process.state = PROCESS_DONE;
	return false;
}

/* Nobody waits for this rank in MPI_Finalize, so a failure can be reported at once. */
static void start_apart(void)
{
	start_alone();
	if (process.state == PROCESS_ACTIVE)
		return;
	if (sink.failed)
		sink.failed(&process.error);
	process.state = PROCESS_DONE;
}

void start_together(void)
{
	struct error err;

	has_begun = process.state != PROCESS_NEW;
	know_world();
	if (!launcher_fits())
		return;
	process.apart = (sink.complete && !sink.complete()) || (!together_open() && sink.late);
	if (process.apart && has_begun) {
		go_on_or_fail(false);
		return;
	}
	if (process.apart) {
		start_apart();
		return;
	}
	if (process.comm == MPI_COMM_NULL) {
		process.state = PROCESS_DONE;
		return;
	}
	if (has_begun)
		go_on_or_fail(true);
	else
		start_or_fail(true);
	if (together_agree_or(cancel_with_others)) {
		process.state = PROCESS_ACTIVE;
		if (sink.begun && sink.begun(&err) < 0)
			process_fail(&err);
		return;
	}
	process.state = PROCESS_DONE;
}

/* The other ranks will come to finish_all(), so this one must, too, even if it has failed. */
void start_alone(void)
{
	if (start_or_fail(false) == 0)
		process.state = PROCESS_ACTIVE;
}

/* Stay out if another tool has hidden MPI_Init from the sink: it hides other calls, too. */
static bool is_hidden(void)
{
	const char *tool = sink.hidden ? library_first_tool() : NULL;

	if (!tool)
		return false;
	sink.hidden(tool);
	process.state = PROCESS_DONE;
	return true;
}

bool start_late(void)
{
	int initialised = 0, finalised = 0;

	/* MPI_Init may call functions of MPI that are intercepted before it is over. */
	if (process.state != PROCESS_NEW || call_depth)
		return process.state == PROCESS_ACTIVE;
	library_need();
	PMPI_Initialized(&initialised);
	PMPI_Finalized(&finalised);
	if (!initialised || finalised)
		return false;
	pthread_mutex_lock(&process.lock);
	if (process.state == PROCESS_NEW) {
		know_world();
		if (!is_hidden() && launcher_fits())
			start_alone();
	}
	pthread_mutex_unlock(&process.lock);
	return process.state == PROCESS_ACTIVE;
}

/* --------------------------------------------------------------------- end */

/* Hand over MPI_Finalize, which has not returned. */
static void hand_over_finalize(void)
{
	struct call call = {.number = CALL_Finalize,
			    .leave = ticks_now(),
			    .recording = process.on,
			    .return_address = process.finalize_address,
			    .cfa = process.finalize_cfa};
	struct mpi_sums sums = {0};

	call.enter = process.finalize ? process.finalize : call.leave;
	if (!own_thread && !thread_register())
		return;
	call.thread = own_thread;
	if (!sink.needs) {
		call_count(&call, &sums, MPI_SUCCESS);
		return;
	}
	call.thread->events.count = 0;
	process_lock();
	call_end(&call, 0);
}

/* Hand over what is left. */
static void end_recording(void)
{
	struct error err;

	if (process.state != PROCESS_ACTIVE)
		return;
	if (!sink.needs)
		return;
	if (!thread_recorder(&err) || comms_hand_over_names(&err) < 0)
		process_fail(&err);
	else
		thread_switch(own_thread);
	windows_hand_over_names();
}

static void end_sink(bool together)
{
	struct error err;

	threads_end(true);
	if (together && !together_open())
		return;
	if (sink.end && sink.end(together, &err) < 0)
		process_fail(&err);
}

void end_together(void)
{
	if (process.state == PROCESS_DONE || !process.world)
		return;
	hand_over_finalize();
	process_lock();
	end_recording();
	end_sink(!process.apart);
	together_close();
	if (process.apart && process.state == PROCESS_FAILED && sink.failed)
		sink.failed(&process.error);
	process.state = PROCESS_DONE;
	requests_release();
	windows_release();
	comms_release();
	persistent_release();
	process_unlock();
}

/* Report how recording ends with the process.  A copy made by fork is silent. */
__attribute__((destructor)) static void unload(void)
{
	if (process.state == PROCESS_NEW && sink.unseen)
		sink.unseen();
	if (getpid() != recorded_process)
		return;
	if (process.state == PROCESS_ACTIVE && !process.world && !sessions_are_open())
		end_sink(false);
	else if (process.state == PROCESS_ACTIVE && sink.unfinished)
		sink.unfinished(process.world ? "MPI_Finalize" : "MPI_Session_finalize");
	if (process.state == PROCESS_FAILED && process.error.status && sink.failed)
		sink.failed(&process.error);
}
