/* Event flow files as traces: their calls are recovered (trace/flow/flow_recover.h). */
#ifndef TRACE_FLOW_BACKEND_H
#define TRACE_FLOW_BACKEND_H

#include "trace/call/trace_backend.h"

extern const struct trace_backend flow_backend;

#endif
