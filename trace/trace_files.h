/* The files of a trace: an OTF2 archive, or a text trace of liballprof. */
#ifndef TRACE_FILES_H
#define TRACE_FILES_H

#include "common/error.h"

/*
 * Refuse with STATUS_USAGE to write to `output` if that would destroy a part of the trace.  No output
 * may be inside a trace that is given as a folder.  Beside a trace that is given as a file, only the
 * names of its own files are refused.
 */
int trace_refuse_output(const char *output, const char *trace, struct error *err);

#endif
