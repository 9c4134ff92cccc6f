/* Time of CLOCK_MONOTONIC in ns: the same clock for all processes of a computer. */
#ifndef COMMON_NOW_H
#define COMMON_NOW_H

#include <stdint.h>
#include <time.h>

static inline uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Time from one reading to a later one; 0 if the clock was set back between them. */
static inline uint64_t passed_ns(uint64_t from_ns, uint64_t to_ns)
{
	return to_ns > from_ns ? to_ns - from_ns : 0;
}

#endif
