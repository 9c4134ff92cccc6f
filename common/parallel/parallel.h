/*
 * Work on numbered items by all processors, with ordered results.
 *
 *	items are made		by several threads at once, in any order
 *	items are lined up	by one thread at a time, in ascending order
 *	items are finished	by several threads at once
 *	items are taken		by one thread at a time, in ascending order
 *
 * The result does not depend on the number of threads, and at most one item per thread is
 * in memory.  If several items fail, the error is that of the first in order, and all
 * items before it have been taken.
 */
#ifndef COMMON_PARALLEL_H
#define COMMON_PARALLEL_H

#include "common/error.h"

#include <stddef.h>
#include <stdint.h>

/* More threads than this would only take memory. */
enum { PARALLEL_THREADS_MOST = 256 };

struct parallel_work {
	/*
	 * Steps of an item.  They get `shared` and the state of the calling thread, and return
	 * 0, or -1 with *err filled.  Each may be NULL.
	 */
	int (*make)(void *shared, void *state, uint32_t item, struct error *err);
	int (*line_up)(void *shared, void *state, uint32_t item, struct error *err);
	int (*finish)(void *shared, void *state, uint32_t item, struct error *err);
	int (*take)(void *shared, void *state, uint32_t item, struct error *err);
	void *shared;
	/* State of each thread.  It is zeroed at first, and released at the end. */
	size_t state_bytes;
	void (*release)(void *state); /* may be NULL */
};

/* Processors this process may use, at least 1. */
unsigned processor_count(void);

/* Number of threads for `steps` short steps.  1 if starting more would take longer. */
unsigned parallel_threads(uint64_t steps);

/* Run the items 0 ... count - 1 by at most `threads` threads.  Returns 0 or -1. */
int parallel_run(const struct parallel_work *work, uint32_t count, unsigned threads,
		 struct error *err);

#endif
