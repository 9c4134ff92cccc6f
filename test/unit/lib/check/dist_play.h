/*
 * Exchange between processes that one process plays (dist/dist.h): each has a stack of its
 * own, and goes on until it waits for others.
 */
#ifndef TEST_DIST_PLAY_H
#define TEST_DIST_PLAY_H

#include "dist/dist.h"

/* Work of a process.  It must not fail a test itself, as that would leave its stack. */
typedef void dist_work(struct dist *dist, void *data);

/* Let all processes work on the same data.  Aborts if they wait for each other for ever. */
void dist_play(uint32_t processes, dist_work *work, void *data);

#endif
