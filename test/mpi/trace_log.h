/*
 * Log of a traced program's calls, which trace_lines.py compares with the trace.  Each MPI call
 * has a line, "FUNCTION: record | record".  Requests are "#N" in the order in which the rank
 * starts them.  With threads (trace_threads.h), they are "#T.N" in the order of thread T.
 */
#ifndef TRACE_LOG_H
#define TRACE_LOG_H

#include <mpi.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static int rank, size;
static _Thread_local FILE *log_file;
/* MPI_STATUS_IGNORE and MPI_STATUSES_IGNORE, volatile to avoid warnings of the compiler. */
static MPI_Status *volatile no_status, *volatile no_statuses;

__attribute__((format(printf, 1, 2))) static void did(const char *format, ...)
{
	va_list arguments;

	if (!log_file)
		return;
	va_start(arguments, format);
	vfprintf(log_file, format, arguments);
	va_end(arguments);
	fputc('\n', log_file);
}

/* Open the log of a thread: file RANK for the first thread, RANK.THREAD for others. */
static void open_log(int thread)
{
	const char *directory = getenv("TRACE_LOG");
	char path[4096], suffix[16] = "";

	if (!directory || log_file)
		return;
	if (thread)
		snprintf(suffix, sizeof suffix, ".%d", thread);
	snprintf(path, sizeof path, "%s/%d%s", directory, rank, suffix);
	log_file = fopen(path, "w");
	if (!log_file)
		MPI_Abort(MPI_COMM_WORLD, 1);
	setvbuf(log_file, NULL, _IOLBF, 0);	/* the program may be killed */
}

static int close_log(void)
{
	FILE *file = log_file;

	log_file = NULL;
	return file ? fclose(file) : 0;
}

/* Begin the log after MPI has been initialised. */
static void begin_log(const char *first)
{
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	no_status = MPI_STATUS_IGNORE;
	no_statuses = MPI_STATUSES_IGNORE;
	open_log(0);
	did("%s", first);
}

static inline void begin(int *argc, char ***argv)
{
	MPI_Init(argc, argv);
	begin_log("MPI_Init:");
}

static int end(void)
{
	did("MPI_Finalize:");
	MPI_Finalize();
	return close_log() != 0;
}

#endif
