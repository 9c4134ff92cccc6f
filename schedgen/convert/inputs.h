/* Input files of schedgen: explain a file that is no archive. */
#ifndef SCHEDGEN_INPUTS_H
#define SCHEDGEN_INPUTS_H

#include "common/error.h"

/* After trace_reader_open failed: say so in *err if the file is a graph.  Returns -1. */
int inputs_explain(const char *archive, struct error *err);

#endif
