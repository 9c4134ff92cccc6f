/* Starting a program with the library of a tool preloaded, for commands such as llamp-trace. */
#ifndef LAUNCH_LAUNCH_PRELOAD_H
#define LAUNCH_LAUNCH_PRELOAD_H

#include "common/error.h"

#include <stdbool.h>

struct launch_tool {
	const char *command; /* "llamp-trace" */
	const char *library; /* "libllamptrace" for ../lib/libllamptrace-MPI.so */
	const char *given;   /* path of a library to load instead, or "" */
	const char *title;   /* "the tracer" */
	const char *result;  /* "trace" */
	const char *below;   /* beginning of the name of a library that stays behind it, or NULL */
	bool neutral; /* `library`.so itself, where it is there, leads to the library for the program's MPI */
};

/*
 * Whether this process reports errors of all ranks, each of which has a launcher.  True if the
 * environment does not say.
 */
bool launch_is_first_rank(void);

/*
 * For struct tool's before_message: of help, or of an error that all ranks may have, only the first
 * rank speaks.  The others end with the status: after an error not before the first rank has had
 * time for its message, as mpiexec may end all ranks as soon as one has failed.  Under a launcher of
 * MPICH or Open MPI, which ends them if the first rank fails, they only wait, and the function returns.
 */
void launch_end_silently(int status);

/*
 * Let MPICH's launcher end all ranks after an error.  Otherwise ranks without an error would wait
 * in MPI_Init for this one.  Does nothing unless the launcher has started this very process.
 */
void launch_end_job(int status);

/*
 * Fail with STATUS_USAGE if `program`, a command with its arguments, is a launcher such as mpiexec.
 * The message shows the right order.  `options` are the tool's own ones (" -o DIR"), or "".
 */
int launch_check(const struct launch_tool *tool, char **program, const char *options,
		 struct error *err);

/*
 * Put the library for the program's MPI into LD_PRELOAD, after what it holds: another tool there
 * that wraps MPI calls gets them first, and passes them on to our PMPI functions.  Only a library
 * `below` at its end stays there.  Warn if the library cannot be loaded into this program.
 */
int launch_preload(const struct launch_tool *tool, char **program, struct error *err);

/* Become the program.  Returns -1 on failure. */
int launch_run(char **program, struct error *err);

#endif
