/*
 * Text traces as liballprof writes them, a file for each rank: calls as lines
 * (trace/liballprof/liballprof_line.h, trace/liballprof/liballprof_calls.h).
 *
 * trace/trace_reader.h reads them with the same functions as OTF2 archives.
 */
#ifndef TRACE_LIBALLPROF_TRACE_H
#define TRACE_LIBALLPROF_TRACE_H

#include "trace/trace_reader.h"

struct liballprof_trace;

/*
 * Open the trace that `path` names: the file of rank 0, whose name has a 0 (or 00...)
 * as its last number, or the folder that holds it.  *trace is NULL if there is none,
 * but perhaps something else.  The files of the other ranks are those with their
 * numbers in its place; all must be there.
 */
int liballprof_trace_open(struct liballprof_trace **trace, const char *path, struct error *err);

/* As trace_reader_world, trace_reader_rank and trace_reader_close. */
const struct trace_world *liballprof_trace_world(const struct liballprof_trace *trace);
int liballprof_trace_rank(struct liballprof_trace *trace, uint32_t rank, trace_receive *receive,
			  void *data,
			  struct trace_left_out *left_out, struct error *err);
void liballprof_trace_close(struct liballprof_trace *trace);

#endif
