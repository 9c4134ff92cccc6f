/* Check that all methods for the path with the minimum wait agree. */
#ifndef TEST_METHODS_CHECK_H
#define TEST_METHODS_CHECK_H

#include "test/unit/lib/make/make_run.h"

/*
 * Check that all methods find the same minimum wait in a run, with waits as defined or as observed, and
 * segments that cover the run; by synchronization points, by subgraphs and, for some seeds, by
 * several processes, too.
 * Adds the number of synchronization points.  Returns the minimum wait.  Fails the test if not.
 */
uint64_t methods_check(const struct made_run *made, const struct waits *waits, uint64_t seed,
		       uint64_t *sync_points_seen);

#endif
