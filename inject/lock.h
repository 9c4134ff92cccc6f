/*
 * The locks of this library, for MPI_THREAD_MULTIPLE.
 *
 * lock() is for its data; neither MPI nor UCX is called with it held.  matching_lock() keeps a
 * receive and a probe apart while they look for their message among those that have arrived and in
 * UCX; UCX is called with it held.
 */
#ifndef INJECT_LOCK_H
#define INJECT_LOCK_H

void lock(void);
void unlock(void);
void matching_lock(void);
void matching_unlock(void);

#endif
