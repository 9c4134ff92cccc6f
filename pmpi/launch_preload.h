/* Starting a program with the library of a tool preloaded: what commands such as llamp-trace do. */
#ifndef PMPI_LAUNCH_PRELOAD_H
#define PMPI_LAUNCH_PRELOAD_H

#include "common/error.h"

#include <stdbool.h>

struct launch_tool {
	const char *command;	/* "llamp-trace" */
	const char *library;	/* "llamptrace" for ../lib/libllamptrace-MPI.so */
	const char *given;	/* path of a library to load instead, or "" */
	const char *title;	/* "the tracer" */
	const char *result;	/* "trace" */
};

/*
 * Whether this process is the one whose messages are for all: every rank has a launcher.  True if
 * the environment does not say.
 */
bool launch_is_first_rank(void);

/*
 * Before an error that all ranks may have: end ranks but the first without a message, after the
 * first had time for its own, for mpiexec may end all ranks as soon as one has failed.  Returns
 * also in a rank that MPICH's launcher would have ended by then, had the first rank failed.
 */
void launch_end_silently(int status);

/*
 * After an error: let MPICH's launcher end all ranks.  Otherwise those that had no error would
 * wait in MPI_Init for this one.  Does nothing unless the launcher has started this very process.
 */
void launch_end_job(int status);

/*
 * STATUS_USAGE if `program`, a command with its arguments, is a launcher such as mpiexec; the
 * message shows the right order.  `options` are those of the command itself (" -o DIR"), or "".
 */
int launch_check(const struct launch_tool *tool, char **program, const char *options,
		 struct error *err);

/*
 * Put the library for the program's MPI into LD_PRELOAD, after what it holds: another tool there
 * that wraps MPI calls gets them first, and passes them on to our PMPI functions.  Warn if it
 * cannot be loaded into this program.
 */
int launch_preload(const struct launch_tool *tool, char **program, struct error *err);

/* Become the program; returns -1 if that fails. */
int launch_run(char **program, struct error *err);

#endif
