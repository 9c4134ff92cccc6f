/*
 * OTF2 archives as the tracer writes them (doc/trace-format.md) and as Score-P does.
 *
 * A path names the anchor file (*.otf2) or the folder that holds traces.otf2.
 */
#ifndef TRACE_OTF2_BACKEND_H
#define TRACE_OTF2_BACKEND_H

#include "trace/call/trace_backend.h"

extern const struct trace_backend otf2_backend;

#endif
