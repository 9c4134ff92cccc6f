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

/*
 * Turns readings of one thread, in their order, into times of CLOCK_MONOTONIC: by both clocks where it has read
 * them, linearly between, and for at most TICKS_AHEAD_NS after it has last read them by the rate since
 * ticks_choose.  So times of the threads and processes of a computer agree to some 20 ns, as each reading of both
 * clocks does.  Zero bytes at first.
 */
enum { TICKS_AHEAD_NS = 1000000, TICKS_TOLD_BACK_NS = 1000 };
struct ticks_clock {
	struct ticks_point last;
	double ns_per_tick;
	uint64_t until;	  /* ticks for which `last` is good */
	uint64_t told_ns; /* latest time */
};

/* Read both clocks again, after `leave`, and turn the readings into times. */
void ticks_clock_read(struct ticks_clock *clock, uint64_t *enter, uint64_t *leave);

static inline uint64_t ticks_clock_at(const struct ticks_clock *clock, uint64_t ticks)
{
	const double ns = (double)(int64_t)(ticks - clock->last.ticks) * clock->ns_per_tick;
	const uint64_t time = clock->last.ns + (uint64_t)(int64_t)ns;

	/* Where two straight lines meet, time must not run back. */
	return time < clock->told_ns && clock->told_ns - time < TICKS_TOLD_BACK_NS ? clock->told_ns
										   : time;
}

/* Turn the readings at the start and the end of a call into times. */
static inline void ticks_clock_times(struct ticks_clock *clock, uint64_t *enter, uint64_t *leave)
{
	if (!ticks_are_cycles)
		return;
	if (*leave >= clock->until) {
		ticks_clock_read(clock, enter, leave);
		return;
	}
	*enter = ticks_clock_at(clock, *enter);
	*leave = clock->told_ns = ticks_clock_at(clock, *leave);
}

/* A rate, from two points: the longer the time between them, the more exact.  Zero bytes: 1 ns a tick. */
struct ticks_rate {
	double ns_per_tick;
};
struct ticks_rate ticks_rate(const struct ticks_point *from, const struct ticks_point *to);

/* Frequency of the time-stamp counter by its rate, to the nearest kHz; 0 if ticks are not those of it. */
uint64_t ticks_hz(struct ticks_rate rate);

/* Convert a duration. */
uint64_t ticks_to_ns(struct ticks_rate rate, uint64_t ticks);
uint64_t ticks_of_ns(struct ticks_rate rate, uint64_t ns);

#endif
