/* Which MPI a program uses, found out without running it. */
#ifndef PMPI_LAUNCH_MPI_H
#define PMPI_LAUNCH_MPI_H

/*
 * "mpich" or "openmpi", as in the names of the tracer's libraries: from the
 * shared libraries that the program needs, directly or not; if MPI is not among
 * them (a script, an interpreter that loads MPI later) from what the launcher
 * has put into the environment.  NULL if neither says.
 */
const char *launch_mpi(const char *program);

#endif
