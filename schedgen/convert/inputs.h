/* Files that schedgen reads, which its output must not overwrite. */
#ifndef SCHEDGEN_INPUTS_H
#define SCHEDGEN_INPUTS_H

#include "common/error.h"

/*
 * Refuse to write a graph to `output`, or its calls beside it, if that would destroy the
 * rules or a part of the archive: STATUS_USAGE.  Nothing may lie inside an archive that is
 * given as a folder; beside one that is given as a file everything may but the archive's
 * own files.  `rules` may be NULL.
 */
int inputs_refuse_output(const char *output, const char *archive, const char *rules,
			 struct error *err);

#endif
