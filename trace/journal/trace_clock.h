/*
 * How the clock of a rank goes, compared with the clock of rank 0.
 *
 * A clock is compared with another by messages that go there and back.  The
 * time of departure and of arrival, each by its own clock, bound the offset:
 * from below on the way back, from above on the way there.  What all trips
 * leave between the largest lower and the smallest upper bound is, in the
 * middle, the offset, for it makes the shortest messages of both directions
 * take the same time (F. Cristian, Probabilistic clock synchronization, 1989).
 *
 * All times are in ns.  The offset of a clock is what must be added to it.
 */
#ifndef TRACE_TRACE_CLOCK_H
#define TRACE_TRACE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

/* The offset at one time of the clock, and its standard deviation. */
struct clock_point {
	uint64_t time_ns;
	int64_t offset_ns;
	double deviation_ns;
};

/* Zero bytes for no trip. */
struct clock_bounds {
	unsigned trips;
	uint64_t lowest_ns, highest_ns;		/* offsets, modulo 2^64 */
	uint64_t lowest_at_ns, highest_at_ns;	/* when they were found */
};

/*
 * A message left at sent_ns, was answered at answered_ns by the other clock,
 * and the answer came at received_ns.  Whether the bounds have become narrower.
 */
bool clock_bounds_add(struct clock_bounds *bounds, uint64_t sent_ns, uint64_t answered_ns,
		      uint64_t received_ns);

/*
 * Whether the difference may be 0.  Then the clocks are taken for one and the
 * same, as those of all processes on one computer are.
 */
bool clock_bounds_same(const struct clock_bounds *bounds);

/*
 * The offset after at least one trip, if `other` is that of the other clock:
 * *other if they are the same.
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
 * Through one or two points, the earlier one first.  If two are so close that
 * their difference shows the error and no drift, the better one counts.
 */
struct trace_clock trace_clock_through(const struct clock_point *points, unsigned count);

/* A time by the clock of rank 0: as OTF2 computes it. */
uint64_t trace_clock_apply(const struct trace_clock *clock, uint64_t time_ns);

#endif
