/*
 * Epochs of one-sided communication under locks, from MPI_Win_lock or _lock_all to _unlock or _unlock_all, and the
 * calls in them that may wait for the lock: those two, and, if they lock one rank, calls that complete operations, as
 * MPI_Win_flush.
 */
#ifndef TRACE_MEASURED_LOCKS_H
#define TRACE_MEASURED_LOCKS_H

#include "trace/measured/measured_rank.h"

/* Begin with a rank. */
void measured_locks_begin(struct measured_reading *reading);

/*
 * Take an event of call `at`: EVENT_RMA_LOCK, _UNLOCK, the start of an operation, or its completion.  Does nothing where
 * no epoch is open.
 */
int measured_locks_take(struct measured_reading *reading, const struct mpi_event *event,
			uint32_t at, struct error *err);

#endif
