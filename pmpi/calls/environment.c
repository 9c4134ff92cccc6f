/* Initialisation, end, and MPI_Pcontrol. */
#include "pmpi/call.h"
#include "pmpi/init_end.h"
#include "pmpi/sessions.h"
#include "pmpi/sink.h"
#include "pmpi/start.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>

static void end_init(void)
{
	void (*wait)(void) = NULL;

	*(void **)&wait = dlsym(RTLD_DEFAULT, INIT_END_NAME);
	if (wait)
		wait();
}

/* Start after MPI_Init, and record it.  The time for the start is part of MPI_Init. */
static int initialised(struct call *call, int result)
{
	struct mpi_sums sums = {0};

	if (result == MPI_SUCCESS && !process.world) {
		start_together();
		end_init();
	}
	call->leave = ticks_now();
	call->tracking = process.state == PROCESS_ACTIVE && (own_thread || thread_register());
	call->thread = own_thread;
	call->recording = call->tracking && call_depth == 0 && process.on;
	if (!call->tracking)
		return result;
	if (!sink.needs)
		return call->recording ? call_count(call, &sums, result) : result;
	process_lock();
	call->thread->events.count = 0;
	return call_end(call, result);
}

static void before_initialising(void)
{
	library_need();
	library_must_fit();
	call_depth++;
	if (!process.world && sink.initialising)
		sink.initialising();
}

EXPORT int MPI_Init(int *argc, char ***argv)
{
	struct call call = {.number = CALL_Init, .return_address = RETURN_ADDRESS,
			    .cfa = WRAPPER_CFA};
	int result;

	before_initialising();
	call.enter = ticks_now();
	result = NEXT_Init(argc, argv);
	call_depth--;
	return initialised(&call, result);
}

EXPORT int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
	struct call call = {.number = CALL_Init_thread, .return_address = RETURN_ADDRESS,
			    .cfa = WRAPPER_CFA};
	int result;

	before_initialising();
	process.level_asked = required;
	call.enter = ticks_now();
	result = NEXT_Init_thread(argc, argv, required, provided);
	call_depth--;
	return initialised(&call, result);
}

/* The trace is written inside, when MPI deletes the attributes of MPI_COMM_SELF. */
EXPORT int MPI_Finalize(void)
{
	int result;

	if (process.state == PROCESS_NEW)
		start_late();
	if (call_depth)
		fprintf(stderr, "%s: rank %d: a call was left by longjmp; later calls of its thread"
			" are not recorded\n", sink.name, process.rank);
	call_depth++;
	process.finalize_ns = now_ns();
	process.finalize = ticks_now();
	process.finalize_address = RETURN_ADDRESS;
	process.finalize_cfa = WRAPPER_CFA;
	/* MPICH 4.0 deletes the attributes of MPI_COMM_SELF only with the last session. */
	if (sessions_are_open())
		end_together();
	result = NEXT_Finalize();
	call_depth--;
	return result;
}

EXPORT int MPI_Pcontrol(const int level, ...)
{
	struct error err;
	bool on = level > 0;

	library_need();
	if (!sink.always && level >= 0 && (process.state == PROCESS_ACTIVE || start_late())) {
		process_lock();
		if (on != process.on && threads_switch(now_ns(), on, &err) < 0)
			process_fail(&err);
		process_unlock();
	}
	return NEXT_Pcontrol(level);
}
