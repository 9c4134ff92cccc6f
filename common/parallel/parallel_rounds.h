/*
 * Threads that work in rounds.
 *
 *	work		the parts of a round, several at a time
 *	between		one thread, after all parts of a round: it may read and change all parts
 *
 * Each part is worked on by the same thread in all rounds, so that its data stay near.  A part
 * must not read what another part writes in the same round.  Then results do not depend on the
 * number of threads.
 */
#ifndef COMMON_PARALLEL_ROUNDS_H
#define COMMON_PARALLEL_ROUNDS_H

#include "common/error.h"

#include <stdint.h>

struct parallel_rounds_work {
	/* Work on a part.  Returns 0, or -1 with *err filled. */
	int (*work)(void *shared, uint32_t part, struct error *err);
	/* Returns 1 for another round, 0 for the end, or -1 with *err filled. */
	int (*between)(void *shared, struct error *err);
	void *shared;
};

/*
 * Work in rounds on the parts 0 ... count - 1, which are at least one, by at most `threads`
 * threads, at least one.  If parts of a round fail, the error is that of the first of them.
 * Returns 0 or -1.
 */
int parallel_rounds(const struct parallel_rounds_work *work, uint32_t count, unsigned threads,
		    struct error *err);

#endif
