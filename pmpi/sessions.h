/*
 * Sessions of MPI 4.
 *
 * A program that never calls MPI_Init has no MPI_COMM_WORLD, and no end that all ranks reach
 * together.  It is not known whether other processes have sessions at all.  Therefore this library
 * never communicates in sessions.  As long as the program has a session, the library has its own
 * one, for the ranks in the process set mpi://WORLD.  When a process ends with no session open,
 * recording ends in this process alone (sink.h).
 *
 * If MPI_Init is called too, before or after, everything ends in MPI_Finalize as usual.
 */
#ifndef PMPI_SESSIONS_H
#define PMPI_SESSIONS_H

#include <stdbool.h>

/* Whether the program has an open session. */
bool sessions_are_open(void);

/*
 * Count one more session of the program, while the lock is held.  True if recording is to be
 * started; the rank is known then.  `may_start`: MPI is not being initialised.
 */
bool sessions_enter(bool may_start);

/*
 * Count one session less, while the lock is held.  With the last one, forget everything made in
 * sessions.
 */
void sessions_leave(void);

/* End the session of our own: MPI_COMM_WORLD exists now. */
void sessions_close_own(void);

#endif
