#include "pmpi/sessions.h"

#include "pmpi/requests.h"
#include "pmpi/windows.h"

#include <stdio.h>

#if HAVE_MPI4
static MPI_Session own = MPI_SESSION_NULL;
static unsigned open_sessions;		/* of the program */

bool sessions_are_open(void)
{
	return open_sessions;
}

static int find_rank(struct error *err)
{
	if (PMPI_Group_from_session_pset(own, "mpi://WORLD", &tracer.world_group) != MPI_SUCCESS)
		return error_set(err, STATUS_SYSTEM, "there is no process set mpi://WORLD");
	PMPI_Group_rank(tracer.world_group, &tracer.rank);
	PMPI_Group_size(tracer.world_group, &tracer.size);
	return 0;
}

static int open_own(struct error *err)
{
	if (PMPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &own) != MPI_SUCCESS)
		return error_set(err, STATUS_SYSTEM, "the tracer gets no session of its own");
	TRY(find_rank(err));
	return tracer.state == TRACER_ACTIVE ? comms_enter_sessions(err) : 0;
}

void sessions_close_own(void)
{
	if (own == MPI_SESSION_NULL)
		return;
	PMPI_Group_free(&tracer.world_group);
	PMPI_Session_finalize(&own);
}

/* The program's first session, or its first after it had none. */
static void enter(void)
{
	struct error err;

	if (open_own(&err) < 0)
		tracer_fail(&err);
	else if (tracer.state == TRACER_NEW)
		tracer_start_alone();
}

/* Its last one: what was made in sessions is gone with it. */
static void leave(void)
{
	if (tracer.state == TRACER_ACTIVE) {
		windows_forget();
		requests_release();
		comms_leave_sessions();
	}
	sessions_close_own();
}

static void say_not_recorded(void)
{
	static bool said;

	if (!said && tracer.rank == 0)
		fprintf(stderr,
			"llamp-trace: sessions that begin after MPI_Finalize are not recorded\n");
	said = true;
}

static void begin_session(void)
{
	/* (MPI may have been initialised where it was not seen.) */
	bool may_start = tracer_is_active() || call_depth == 0;

	pthread_mutex_lock(&tracer.lock);
	tracer.threaded = true;
	open_sessions++;
	if (tracer.state == TRACER_DONE && tracer.finalize_ns)
		say_not_recorded();
	else if (!tracer.world && own == MPI_SESSION_NULL && may_start &&
		 (tracer.state == TRACER_NEW || tracer.state == TRACER_ACTIVE))
		enter();
	pthread_mutex_unlock(&tracer.lock);
}

static void end_session(void)
{
	pthread_mutex_lock(&tracer.lock);
	if (open_sessions && --open_sessions == 0 && !tracer.world)
		leave();
	pthread_mutex_unlock(&tracer.lock);
}

/* Left when the tracer has started, so that this is no time of the program. */
EXPORT int MPI_Session_init(MPI_Info info, MPI_Errhandler handler, MPI_Session *session)
{
	struct call call;
	uint64_t enter_ns;
	int result;

	library_need();
	enter_ns = now_ns();
	result = PMPI_Session_init(info, handler, session);
	if (result == MPI_SUCCESS)
		begin_session();
	call_prepare(&call, CALL_Session_init);
	call.enter_ns = enter_ns;
	return call_leave(&call) ? call_end(&call, result) : result;
}

EXPORT int MPI_Session_finalize(MPI_Session *session)
{
	bool ends = session && *session != MPI_SESSION_NULL;
	TRACED_CALL call;
	int result;

	call_prepare(&call, CALL_Session_finalize);
	if (ends)
		end_session();
	call_clock(&call);
	result = PMPI_Session_finalize(session);
	if (ends && result != MPI_SUCCESS)
		begin_session();
	return call_leave(&call) ? call_end(&call, result) : result;
}
#else
bool sessions_are_open(void)
{
	return false;
}

void sessions_close_own(void)
{
}
#endif
