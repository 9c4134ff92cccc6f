/* Event flow files as traces: their calls are recovered (trace/flow/recover/flow_recover.h). */
#ifndef TRACE_FLOW_BACKEND_H
#define TRACE_FLOW_BACKEND_H

#include "trace/call/trace_backend.h"

extern const struct trace_backend flow_backend;

/*
 * Find the event flow file that a path names: the file itself, or flow.efg in a folder.  `file`
 * becomes its path.  False if there is none.
 */
bool flow_find(const char *path, char file[static 4096]);

#endif
