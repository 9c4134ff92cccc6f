/* Ending a trace: reports and the archive. */
#ifndef TRACER_FINISH_H
#define TRACER_FINISH_H

#include "common/error.h"

#include <stdbool.h>

/*
 * Make an archive of the complete journals, and reports if they are asked for.  True if the archive
 * is complete, or none is made.  All ranks take part, also failed ones.
 */
bool tracer_finish(void);

/*
 * Make the archive if ranks cannot communicate at the end: the last traced rank does it for all.
 * The journals of this rank must be closed.
 */
int tracer_finish_alone(struct error *err);

#endif
