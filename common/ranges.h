/* Ranges of numbers that follow each other, as those of the vertices or ranks that each process has. */
#ifndef COMMON_RANGES_H
#define COMMON_RANGES_H

#include <stdint.h>

/*
 * Find the range that has a number.  Range i, of `count`, begins with first[i] and ends where the next one
 * begins; the last has no end.  Ranges may be empty.  Returns 0 if there is none.
 */
static inline uint32_t range_of(const uint64_t *first, uint32_t count, uint64_t number)
{
	uint32_t low = 0, high = count;

	while (high - low > 1) {
		const uint32_t middle = low + (high - low) / 2;

		if (first[middle] <= number)
			low = middle;
		else
			high = middle;
	}
	return low;
}

#endif
