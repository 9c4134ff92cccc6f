/* The launcher that has started this process, as a library inside it sees it. */
#ifndef PMPI_LAUNCHER_H
#define PMPI_LAUNCHER_H

#include "common/error.h"
#include "pmpi/mpi_implementations.h"

#include <stdbool.h>

/* Implementation that this library was compiled for. */
const struct mpi_implementation *launcher_own_mpi(void);

/* Note the launcher from the environment, before MPI sets variables of its own. */
void launcher_note(void);

/*
 * Name of the job as a file name: the same in all its processes on all hosts, and another one in any other
 * job that runs at the time.  "unknown" if the launcher tells none.
 */
const char *launcher_job(void);

/*
 * Fail if the process is alone in MPI_COMM_WORLD, whose size is given, but a launcher of another MPI
 * has started several processes.  *first: it is the first of these.
 */
int launcher_check(int size, bool *first, struct error *err);

#endif
