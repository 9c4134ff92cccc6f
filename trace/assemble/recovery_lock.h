/*
 * Lock of a trace's journals, which one recovery at a time takes: the file DIR/journal/recovering,
 * locked with flock.  The lock ends with its process, so a file that a killed process has left locks
 * nothing.  Where files cannot be locked, as on NFS without a lock manager, the file itself is
 * the lock; one that a killed process has left is then removed by hand.
 */
#ifndef TRACE_RECOVERY_LOCK_H
#define TRACE_RECOVERY_LOCK_H

#include "common/error.h"

#include <stdbool.h>

struct recovery_lock {
	int file;	/* -1: nothing is locked */
	bool waited;	/* another process had it when it was asked for */
	char path[4096];
};

/*
 * Take the lock.  STATUS_DATA if another process has it; with `wait` the function waits for the end
 * of that process instead, where files can be locked.  Success without a lock if the directory has
 * no journals.
 */
int recovery_lock_take(struct recovery_lock *lock, const char *directory, bool wait,
		       struct error *err);

/* Release the lock, if it is taken, and remove its file, and the folder of the journals if it is empty. */
void recovery_lock_release(struct recovery_lock *lock);

#endif
