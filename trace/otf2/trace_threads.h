/* Reading a rank with several threads; internal to trace/otf2/. */
#ifndef TRACE_TRACE_THREADS_H
#define TRACE_TRACE_THREADS_H

#include "trace/otf2/otf2_reader.h"

/*
 * Read the rank, which has these threads besides its own location.  Calls are delivered in the
 * order in which they were entered.
 */
int trace_threads_read(struct otf2_reader *reader, const struct trace_location *threads,
		       uint32_t count, struct error *err);
void trace_threads_close(struct otf2_reader *reader);

#endif
