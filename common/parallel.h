/*
 * Work on numbered items by all processors, with the results in order.
 *
 *	items are made		by several threads at once, in any order
 *	items are lined up	by one thread at a time, in ascending order
 *	items are finished	by several threads at once
 *	items are taken		by one thread at a time, in ascending order
 *
 * So a result does not depend on the number of threads, and as many items as
 * there are threads are in memory at a time.  Of several items that fail, the
 * first in order is the error, and those before it have all been taken.
 */
#ifndef COMMON_PARALLEL_H
#define COMMON_PARALLEL_H

#include "common/error.h"

#include <stddef.h>
#include <stdint.h>

struct parallel_work {
	/*
	 * Called with `shared` and with the state of the calling thread; return
	 * 0, or -1 with the error filled.  Any may be NULL.
	 */
	int (*make)(void *shared, void *state, uint32_t item, struct error *err);
	int (*line_up)(void *shared, void *state, uint32_t item, struct error *err);
	int (*finish)(void *shared, void *state, uint32_t item, struct error *err);
	int (*take)(void *shared, void *state, uint32_t item, struct error *err);
	void *shared;
	/* What each thread works with: zero bytes in the beginning; released at the end. */
	size_t state_bytes;
	void (*release)(void *state);	/* may be NULL */
};

/* Processors this process may use, at least 1. */
unsigned processor_count(void);

/* As many, or 1 where so many short steps are done sooner than threads are started. */
unsigned parallel_threads(uint64_t steps);

/* Make and take the items 0 ... count - 1, by at most so many threads; 0 or -1. */
int parallel_run(const struct parallel_work *work, uint32_t count, unsigned threads,
		 struct error *err);

#endif
