/* The clock of measurements: ns of CLOCK_MONOTONIC.  MPI_Wtime may be coarser. */
#ifndef MEASURE_CLOCK_H
#define MEASURE_CLOCK_H

#include "common/machine/now.h"

#include <sched.h>

/*
 * Stay away from MPI until `end_ns`; returns the time.  The other rank, which has to answer
 * meanwhile, may run if it shares the core.
 */
static inline uint64_t stay_away_until(uint64_t end_ns)
{
	uint64_t time_ns;

	do {
		sched_yield();
		time_ns = now_ns();
	} while (time_ns < end_ns);
	return time_ns;
}

static inline void sleep_until(uint64_t end_ns)
{
	const struct timespec end = {.tv_sec = (time_t)(end_ns / 1000000000),
				     .tv_nsec = (long)(end_ns % 1000000000)};

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &end, NULL) != 0)
		;
}

#endif
