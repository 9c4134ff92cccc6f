/* MPI_Session_init and MPI_Session_finalize. */
#include "pmpi/sessions.h"
#include "pmpi/sink.h"
#include "pmpi/sizes.h"
#include "pmpi/start.h"

#include <stdio.h>

#if HAVE_MPI4
static void say_not_recorded(void)
{
	static bool said;

	if (!said && process.rank == 0)
		fprintf(stderr, "%s: sessions that begin after MPI_Finalize are not recorded\n",
			sink.name);
	said = true;
}

static void begin_session(void)
{
	/* MPI may have been initialised unseen. */
	bool may_start = start_late() || call_depth == 0;

	pthread_mutex_lock(&process.lock);
	if (process.state == PROCESS_DONE && process.finalize)
		say_not_recorded();
	if (sessions_enter(may_start))
		start_alone();
	pthread_mutex_unlock(&process.lock);
}

static void end_session(void)
{
	pthread_mutex_lock(&process.lock);
	sessions_leave();
	pthread_mutex_unlock(&process.lock);
}

/* Leave the call after recording has started, so that the start is no time of the program. */
EXPORT int MPI_Session_init(MPI_Info info, MPI_Errhandler handler, MPI_Session *session)
{
	struct call call;
	uint64_t enter;
	int result;

	library_need();
	enter = ticks_now();
	result = NEXT_Session_init(info, handler, session);
	if (result == MPI_SUCCESS)
		begin_session();
	call_prepare(&call, CALL_Session_init);
	call.enter = enter;
	return call_return(&call, result);
}

EXPORT int MPI_Session_finalize(MPI_Session *session)
{
	bool ends = session && *session != MPI_SESSION_NULL;
	BRACKETED_CALL call;
	int result;

	call_prepare(&call, CALL_Session_finalize);
	sizes_forget_comms();
	if (ends)
		end_session();
	call_clock(&call);
	result = NEXT_Session_finalize(session);
	if (ends && result != MPI_SUCCESS)
		begin_session();
	return call_return(&call, result);
}
#endif
