/*
 * Groups of ranks by the window of time in which each is to be visited.
 *
 * Windows open in ascending order of their numbers, and no group is added to a window before the
 * open one.  Later windows are in lists of a radix heap (Ahuja, Mehlhorn, Orlin, Tarjan, "Faster
 * algorithms for the shortest path problem", 1990): the list of level l and digit d has the windows
 * whose number, written to the base 32, has digit d at place l, and the digits of `base` above it.
 * Zero bytes are valid and empty.
 */
#ifndef LLAMP_LOOKAHEAD_H
#define LLAMP_LOOKAHEAD_H

#include "common/array.h"

#include <stdint.h>

struct window_entry {
	uint64_t window;
	uint32_t group;
};

struct window_list {
	struct window_entry *items;
	size_t count, capacity;
};

enum { WINDOW_DIGIT_BITS = 5, WINDOW_DIGITS = 32, WINDOW_LEVELS = 13 };

struct lookahead {
	struct window_list lists[WINDOW_LEVELS][WINDOW_DIGITS];
	uint32_t filled[WINDOW_LEVELS]; /* bit d: the list of digit d is not empty */
	uint64_t base;			/* the open window */
	struct window_list *open;	/* its groups, or NULL */
};

/* Add a group to a window. */
static inline int lookahead_add(struct lookahead *windows, uint64_t window, uint32_t group,
				struct error *err)
{
	const int bit = 63 - __builtin_clzll((window ^ windows->base) | 1);
	const int level = bit / WINDOW_DIGIT_BITS;
	const uint32_t digit = window >> level * WINDOW_DIGIT_BITS & (WINDOW_DIGITS - 1);

	windows->filled[level] |= UINT32_C(1) << digit;
	return array_push(&windows->lists[level][digit], ((struct window_entry){window, group}),
			  err);
}

/*
 * Close the open window, and open the first window that has groups.  windows->open becomes the list
 * of these groups.  Returns 1, or 0 if there is none, or -1.
 */
int lookahead_open(struct lookahead *windows, struct error *err);

void lookahead_release(struct lookahead *windows);

#endif
