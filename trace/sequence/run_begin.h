/*
 * The begin of a run, from which all times that are printed count: when the first rank leaves MPI_Init,
 * or enters its first call if the trace has no MPI_Init (doc/critpath.md).
 */
#ifndef TRACE_RUN_BEGIN_H
#define TRACE_RUN_BEGIN_H

#include "trace/trace_reader.h"

/* Find it, in the time of the trace.  Reads the first calls of all ranks. */
int run_begin_find(uint64_t *begin_ns, const struct trace_reader *opened, struct error *err);

#endif
