/* State of the tracer in this process, and ending its trace. */
#ifndef TRACER_TRACER_H
#define TRACER_TRACER_H

#include "common/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tracer {
	char directory[4096];		/* of the trace */
	size_t buffer_bytes;		/* of a journal */
	bool call_sites;		/* are recorded */
	uint32_t journals;		/* number of this rank's journals, one for each recorder */
	bool recorded;			/* this rank has created a journal */
	int ranks;			/* number of traced ranks */
};

extern struct tracer tracer;

/*
 * Make an archive of the complete journals.  True if the archive is complete.  All ranks take part,
 * also failed ones.
 */
bool tracer_finish(void);

/*
 * Make the archive if ranks cannot communicate at the end: the last traced rank does it for all.
 * The journals of this rank must be closed.
 */
int tracer_finish_alone(struct error *err);

#endif
