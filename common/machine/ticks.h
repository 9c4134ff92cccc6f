/*
 * A clock that is read in a few ns: the processor's time-stamp counter where the kernel keeps time by
 * it too, else CLOCK_MONOTONIC.
 *
 * The kernel takes the counter for its clock only if it runs at a constant rate, also while processors
 * sleep, and is the same on all processors.  So ticks of all threads and processes of a computer can be compared.
 * A tick of CLOCK_MONOTONIC is 1 ns.
 */
#ifndef COMMON_TICKS_H
#define COMMON_TICKS_H

#include "common/machine/now.h"

#include <stdbool.h>
#ifdef __x86_64__
#include <x86intrin.h>
#endif

/* Ticks are those of the time-stamp counter.  False at first. */
extern bool ticks_are_cycles __attribute__((visibility("hidden")));

/*
 * Use the time-stamp counter from now on if `source`, the kernel's file that names its clock, says "tsc".
 * Ticks of before mean something else.
 */
#define TICKS_SOURCE "/sys/devices/system/clocksource/clocksource0/current_clocksource"
void ticks_choose(const char *source);

static inline uint64_t ticks_now(void)
{
#ifdef __x86_64__
	if (ticks_are_cycles)
		return __rdtsc();
#endif
	return now_ns();
}

/* One moment by both clocks. */
struct ticks_point {
	uint64_t ticks, ns;
};

/* Read both clocks, as close to each other as a few attempts get. */
struct ticks_point ticks_point(void);

/* A rate, from two points: the longer the time between them, the more exact.  Zero bytes: 1 ns a tick. */
struct ticks_rate {
	double ns_per_tick;
};
struct ticks_rate ticks_rate(const struct ticks_point *from, const struct ticks_point *to);

/* Convert a duration. */
uint64_t ticks_to_ns(struct ticks_rate rate, uint64_t ticks);
uint64_t ticks_of_ns(struct ticks_rate rate, uint64_t ns);

#endif
