/*
 * Clock of a rank compared with the clock of rank 0.
 *
 * Two clocks are compared by round trips of messages.  Departure and arrival of a message, each by
 * the clock of its own side, bound the offset: from above on the way there, from below on the way
 * back.  The offset is the middle between the largest lower and the smallest upper bound, where the
 * shortest messages of both directions take the same time (F. Cristian, Probabilistic clock
 * synchronization, 1989).
 *
 * All times are in ns.  The offset of a clock is the time to add to it.
 */
#ifndef TRACE_TRACE_CLOCK_H
#define TRACE_TRACE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

/* Offset at one time of the clock, and its standard deviation. */
struct clock_point {
	uint64_t time_ns;
	int64_t offset_ns;
	double deviation_ns;
};

/* Bounds of the offset.  Zero bytes: no trip yet. */
struct clock_bounds {
	unsigned trips;
	uint64_t lowest_ns, highest_ns;		/* offsets, modulo 2^64 */
	uint64_t lowest_at_ns, highest_at_ns;	/* when they were found */
};

/*
 * Add a round trip: sent at sent_ns, answered at answered_ns by the other clock, received at
 * received_ns.  True if the bounds have become narrower.
 */
bool clock_bounds_add(struct clock_bounds *bounds, uint64_t sent_ns, uint64_t answered_ns,
		      uint64_t received_ns);

/* Check whether the offset may be 0.  If so, both are taken for one clock, as on one node. */
bool clock_bounds_same(const struct clock_bounds *bounds);

/*
 * The offset to rank 0 after at least one trip, where the other clock has the offset `other`;
 * *other if both are one clock.
 */
struct clock_point clock_bounds_point(const struct clock_bounds *bounds,
				      const struct clock_point *other);

/*
 * A clock that runs at a constant rate between two points, before and after.  Zero bytes: offset 0.
 */
struct trace_clock {
	struct clock_point points[2];
};

/*
 * The clock through one or two points, the earlier one first.  If two points are so close that
 * their difference is an error of measurement, the one with the smaller deviation is used.
 */
struct trace_clock trace_clock_through(const struct clock_point *points, unsigned count);

/* Convert a time to the clock of rank 0, with the rounding of OTF2. */
uint64_t trace_clock_apply(const struct trace_clock *clock, uint64_t time_ns);

#endif
