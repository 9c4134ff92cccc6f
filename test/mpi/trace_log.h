/*
 * What a traced program says it has done, for trace_check.py to compare with the
 * trace: one line for each MPI call, "FUNCTION: record | record".  Requests are
 * "#N" in the order in which they were started on the rank.
 */
#ifndef TRACE_LOG_H
#define TRACE_LOG_H

#include <mpi.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static int rank, size;
static FILE *log_file;
/* The compiler would warn that the library might use these. */
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

static void begin(int *argc, char ***argv)
{
	const char *directory = getenv("TRACE_LOG");
	char path[4096];

	MPI_Init(argc, argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	no_status = MPI_STATUS_IGNORE;
	no_statuses = MPI_STATUSES_IGNORE;
	if (!directory)
		return;
	snprintf(path, sizeof path, "%s/%d", directory, rank);
	log_file = fopen(path, "w");
	did("MPI_Init:");
}

static int end(void)
{
	did("MPI_Finalize:");
	MPI_Finalize();
	if (log_file && fclose(log_file) != 0)
		return 1;
	return 0;
}

#endif
