/*
 * Polls of a rank that is read (trace/measured/measured_rank.h): calls in which a thread waits become one call.
 */
#ifndef TRACE_MEASURED_POLLS_H
#define TRACE_MEASURED_POLLS_H

#include "trace/measured/measured_rank.h"

/*
 * Note that call *at, the last one added, has been read from `call`.  If it ends the polls before it, *at
 * becomes the call that all of them are.  Polls that the trace has made one call, and between which
 * the thread computes, become one poll that is as long as all of them together.
 */
void measured_polls_note(struct measured_reading *reading, const struct mpi_call *call,
			 uint32_t *at);

/* End the polls at the end of the rank, and remove the calls that are part of others. */
int measured_polls_end(struct measured_reading *reading, struct error *err);

#endif
