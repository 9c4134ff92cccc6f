/* Bytes that a profile counts for a collective, from its event in a trace. */
#ifndef USAGE_ARCHIVE_EVENT_BYTES_H
#define USAGE_ARCHIVE_EVENT_BYTES_H

#include "trace/call/call_tracker.h"

/* Find the number of ranks of a communicator, of the group that the tracker's rank is in. */
int event_group_size(struct call_tracker *tracker, uint32_t comm, uint32_t *size,
		     struct error *err);

/*
 * Find the bytes that the rank passes as its own data to a collective (collective_own_bytes).  Where a trace of
 * another tool lacks the sizes of unequal blocks, they follow from the totals.
 */
int event_own_bytes(struct call_tracker *tracker, const struct mpi_event *event, uint64_t *bytes,
		    struct error *err);

#endif
