/*
 * Check that threads in the place of processes, each with the calls of some ranks, find in a run what one
 * finds alone.
 */
#ifndef TEST_DIST_CHECK_H
#define TEST_DIST_CHECK_H

#include "critpath/path/totals.h"
#include "dist/dist.h"

/* Results of one process alone. */
struct found_alone {
	const struct measured_run *run;
	const struct waits *waits;
	const struct walk *walk;
	const struct totals *totals;
};

/* Let `processes` threads find the same; fails the test on a difference. */
void dist_check(const struct found_alone *alone, uint32_t processes);

/* Give a process a copy of its ranks of a run, which are not matched yet. */
int dist_check_take(struct measured_run *run, const struct measured_run *whole,
		    const struct dist *dist, struct error *err);

#endif
