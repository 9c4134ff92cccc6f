/* The methods for runs that processes share, with all processes played by one. */
#ifndef TEST_DIST_METHODS_CHECK_H
#define TEST_DIST_METHODS_CHECK_H

#include "test/unit/lib/make/make_run.h"

/*
 * Share a run among `processes` (at most 8), and check that they find the waits, the walk and the groups of one
 * process, a path of the minimum wait, and segments that cover the run.  Fails the test if not.
 */
void dist_methods_check(const struct made_run *made, const struct waits *waits, uint32_t processes,
			uint64_t delta_ns, uint64_t minimum_wait_ns);

#endif
