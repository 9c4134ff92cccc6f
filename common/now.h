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

#endif
