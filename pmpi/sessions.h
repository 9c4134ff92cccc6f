/*
 * Sessions of MPI 4.
 *
 * A program that never calls MPI_Init has no MPI_COMM_WORLD, and no end that all ranks reach
 * together; whether other processes have sessions at all is not known.  So in sessions this library
 * never communicates.  It has a session of its own, as long as the program has one, for the process
 * set mpi://WORLD, which numbers the ranks.  When a process ends with no session open, recording
 * has come to its end there, alone (sink.h).
 *
 * If MPI_Init is called too, before or after, everything ends in MPI_Finalize as usual.
 */
#ifndef PMPI_SESSIONS_H
#define PMPI_SESSIONS_H

#include <stdbool.h>

/* Whether the program has one. */
bool sessions_are_open(void);

/*
 * Count one more session of the program; the lock is held.  True if recording is to be started,
 * for which the rank is known.  `may_start`: MPI is not being initialised.
 */
bool sessions_enter(bool may_start);

/* Count one less; the lock is held.  The last one takes all that was made in sessions with it. */
void sessions_leave(void);

/* End the session of our own: MPI_COMM_WORLD exists now. */
void sessions_close_own(void);

#endif
