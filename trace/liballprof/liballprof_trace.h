/*
 * Traces of liballprof, a file for each rank: calls as lines (trace/liballprof/liballprof_line.h,
 * trace/liballprof/liballprof_calls.h).
 *
 * A path names the file of rank 0, whose name has a 0 (or 00...) as its last number, or the folder
 * that holds it.  The file of another rank has the rank's number in its place.  All files must
 * exist.
 */
#ifndef TRACE_LIBALLPROF_TRACE_H
#define TRACE_LIBALLPROF_TRACE_H

#include "trace/call/trace_backend.h"

extern const struct trace_backend liballprof_backend;

#endif
