#include "pmpi/sessions.h"

#include "pmpi/requests.h"
#include "pmpi/persistent.h"
#include "pmpi/windows.h"

#if HAVE_MPI4
static MPI_Session own = MPI_SESSION_NULL;
static unsigned open_sessions;		/* of the program */

bool sessions_are_open(void)
{
	return open_sessions;
}

static int find_rank(struct error *err)
{
	if (PMPI_Group_from_session_pset(own, "mpi://WORLD", &process.world_group) != MPI_SUCCESS)
		return error_set(err, STATUS_SYSTEM, "there is no process set mpi://WORLD");
	PMPI_Group_rank(process.world_group, &process.rank);
	PMPI_Group_size(process.world_group, &process.size);
	return 0;
}

static int open_own(struct error *err)
{
	if (PMPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &own) != MPI_SUCCESS)
		return error_set(err, STATUS_SYSTEM, "MPI gives no session of our own");
	TRY(find_rank(err));
	return process.state == PROCESS_ACTIVE && sink.needs ? comms_enter_sessions(err) : 0;
}

void sessions_close_own(void)
{
	if (own == MPI_SESSION_NULL)
		return;
	PMPI_Group_free(&process.world_group);
	PMPI_Session_finalize(&own);
}

bool sessions_enter(bool may_start)
{
	struct error err;

	process.threaded = true;
	open_sessions++;
	if (process.world || own != MPI_SESSION_NULL || !may_start ||
	    (process.state != PROCESS_NEW && process.state != PROCESS_ACTIVE))
		return false;
	if (open_own(&err) < 0) {
		process_fail(&err);
		return false;
	}
	return process.state == PROCESS_NEW;
}

void sessions_leave(void)
{
	if (!open_sessions || --open_sessions > 0 || process.world)
		return;
	if (process.state == PROCESS_ACTIVE) {
		windows_forget();
		requests_release();
		comms_leave_sessions();
		persistent_release();
	}
	sessions_close_own();
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
