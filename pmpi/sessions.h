/*
 * Sessions of MPI 4.
 *
 * A program that never calls MPI_Init has no MPI_COMM_WORLD, and no end to which
 * all ranks come together; whether other processes have sessions at all is not
 * known.  So in sessions the tracer never communicates.  It has a session of
 * its own, as long as the program has one, for the process set mpi://WORLD, which
 * numbers the ranks.  When a rank's process has ended with no session open its journals are
 * complete, and the last one makes the archive (tracer_finish_alone).
 *
 * If MPI_Init is called too, before or after, all ends in MPI_Finalize as ever.
 */
#ifndef PMPI_SESSIONS_H
#define PMPI_SESSIONS_H

#include <stdbool.h>

/* Whether the program has one. */
bool sessions_are_open(void);

/* End the tracer's own: there is MPI_COMM_WORLD now. */
void sessions_close_own(void);

#endif
