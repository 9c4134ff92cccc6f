/* State of the tracer in this process, and the end of its trace. */
#ifndef TRACER_TRACER_H
#define TRACER_TRACER_H

#include "common/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tracer {
	char directory[4096];		/* of the trace */
	size_t buffer_bytes;		/* of a journal */
	uint32_t journals;		/* of this rank, one for each recorder */
	bool recorded;			/* there are journals of this rank */
	int ranks;			/* that are traced */
};

extern struct tracer tracer;

/*
 * Make an archive of the journals, which are at their end; whether it is whole.  All ranks take
 * part, also those that have failed.
 */
bool tracer_finish(void);

/*
 * The same where ranks do not meet: the last one that is traced does it for all.  The journals of
 * this rank are closed.
 */
int tracer_finish_alone(struct error *err);

#endif
