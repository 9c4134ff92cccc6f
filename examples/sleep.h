/*
 * Computation that needs no core.
 *
 * With more ranks than cores, ranks that compute wait for each other's cores, and times tell
 * nothing about the network.  With the option --sleep MICROSECONDS an example also sleeps in each
 * of its steps: as if it computed that long, on a core of its own.
 */
#ifndef EXAMPLES_SLEEP_H
#define EXAMPLES_SLEEP_H

#include <sys/prctl.h>
#include <time.h>

static inline void sleep_us(long microseconds)
{
	struct timespec duration = {microseconds / 1000000, microseconds % 1000000 * 1000};

	if (microseconds <= 0)
		return;
	prctl(PR_SET_TIMERSLACK, 1); /* else Linux adds up to 50 us */
	nanosleep(&duration, NULL);
}

#endif
