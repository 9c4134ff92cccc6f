/* Input files of schedgen: refuse to overwrite them, and explain a file that is no archive. */
#ifndef SCHEDGEN_INPUTS_H
#define SCHEDGEN_INPUTS_H

#include "common/error.h"

/*
 * Refuse with STATUS_USAGE to write a graph to `output`, or its calls beside it, if this would
 * destroy the rules or a part of the archive (trace/trace_files.h).  `rules` may be NULL.
 */
int inputs_refuse_output(const char *output, const char *archive, const char *rules,
			 struct error *err);

/* After trace_reader_open failed: say so in *err if the file is a graph.  Returns -1. */
int inputs_explain(const char *archive, struct error *err);

#endif
