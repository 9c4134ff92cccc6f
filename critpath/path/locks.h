/*
 * Waits for locks of windows: of calls that begin an epoch, end it, or complete operations in it, but not in one that
 * locks all ranks (trace/measured/measured_locks.h).
 *
 * Two epochs conflict if they lock the same rank of a window, and one of the locks is exclusive.  A call waits for the
 * last MPI_Win_unlock to begin of the epochs that conflict with its own and had the lock before, unless the call ended
 * sooner.  When a lock was granted is not in the trace.  So the order is
 *	- if no two epochs of the window that conflict are both between MPI_Win_lock and MPI_Win_unlock at some time:
 *	  that of their MPI_Win_unlock, by begin.  MPI_Win_lock waits for the lock
 *	- else, as MPI may ask for a lock as late as in MPI_Win_unlock: that in which they had the lock for sure: when
 *	  MPI_Win_unlock began, if an operation was complete at the target before, else when it ended
 * At the same time the lower rank was first.
 */
#ifndef CRITPATH_LOCKS_H
#define CRITPATH_LOCKS_H

#include "critpath/path/waits.h"

/* Collective.  Let own calls wait for locks. */
int locks_wait(struct waits *waits, struct dist *dist, struct error *err);

#endif
