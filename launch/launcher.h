/* The launcher that has started this process, and the MPI that this process uses. */
#ifndef LAUNCH_LAUNCHER_H
#define LAUNCH_LAUNCHER_H

#include "common/error.h"

#include <stdbool.h>

/* A row of launch/mpi_implementations.def. */
struct mpi_implementation {
	const char *key, *title;
	const char *versions; /* of its libraries, with blanks between */
	const char *symbol;   /* or "" */
	const char *rank, *size, *local_size;
};

#define LAUNCHER(name)
#define TEST_SETTING(key, variable, value)
#define MPI(key, ...) MPI_##key,
enum {
#include "launch/mpi_implementations.def"
	MPI_IMPLEMENTATIONS
};
#undef MPI
#undef LAUNCHER
#undef TEST_SETTING

extern const struct mpi_implementation mpi_implementations[MPI_IMPLEMENTATIONS];

/* Find the MPI of the launcher from the environment; NULL if that does not say. */
const struct mpi_implementation *launcher_mpi(void);

/*
 * Rank in MPI_COMM_WORLD by the environment: by the variable of the launcher of `mpi`, of any MPI if `mpi`
 * is NULL, else by those of PMIx and Slurm.  -1 if unknown.
 */
long launcher_rank(const struct mpi_implementation *mpi);

/* Number of processes that the launcher has started on this node, by the environment; 0 if it does not say. */
long launcher_local_size(void);

/* Find the MPI of a loaded library, a handle of dlopen or NULL, by a symbol that only that MPI has. */
const struct mpi_implementation *launcher_mpi_of_library(void *handle);

/*
 * Note the launcher from the environment, before MPI sets variables of its own.  key: the MPI that the
 * calling library was compiled for.  The functions below need it.
 */
void launcher_note(const char *key);

/* Implementation that this library was compiled for. */
const struct mpi_implementation *launcher_own_mpi(void);

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
