/* The files of a trace: an OTF2 archive, or a text trace of liballprof. */
#ifndef TRACE_FILES_H
#define TRACE_FILES_H

#include "common/error.h"

/*
 * Note the files of a trace as inputs (common/output.h): a folder with all that is in it, and what an
 * archive has beside its anchor file.  Files of ranks of a text trace are noted when they are opened.
 */
int trace_note_files(const char *trace, struct error *err);

#endif
