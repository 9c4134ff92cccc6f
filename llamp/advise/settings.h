/* How to make a change by settings of an MPI library, without touching the program. */
#ifndef LLAMP_SETTINGS_H
#define LLAMP_SETTINGS_H

#include "llamp/advise/change.h"

#include <stddef.h>

enum setting_library { SETTING_MPICH, SETTING_OPENMPI };

enum { SETTING_BYTES = 256 };

/*
 * Write how the library is told to make the change for the blocking calls of the program: a setting of the
 * environment for MPICH, options of mpiexec for Open MPI.  Returns `text`, or NULL if the library has no such
 * setting, as for a change at one call site.  An eager threshold is that of messages over UCX and, for Open MPI, TCP and shared
 * memory.
 */
const char *setting_of(const struct change *change, enum setting_library library,
		       char text[static SETTING_BYTES]);

#endif
