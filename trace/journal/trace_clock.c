#include "trace/journal/trace_clock.h"

#include <math.h>

/* Largest drift of a clock: twice the largest change of its rate by NTP. */
#define MOST_DRIFT 1e-3

/* Difference of times modulo 2^64.  Its absolute value must be below 2^63. */
static int64_t difference(uint64_t a, uint64_t b)
{
	return (int64_t)(a - b);
}

bool clock_bounds_add(struct clock_bounds *bounds, uint64_t sent_ns, uint64_t answered_ns,
		      uint64_t received_ns)
{
	uint64_t low = answered_ns - received_ns, high = answered_ns - sent_ns;
	bool higher = !bounds->trips || difference(low, bounds->lowest_ns) > 0;
	bool lower = !bounds->trips || difference(high, bounds->highest_ns) < 0;

	bounds->trips++;
	if (higher) {
		bounds->lowest_ns = low;
		bounds->lowest_at_ns = received_ns;
	}
	if (lower) {
		bounds->highest_ns = high;
		bounds->highest_at_ns = sent_ns;
	}
	return higher || lower;
}

bool clock_bounds_same(const struct clock_bounds *bounds)
{
	int64_t low = (int64_t)bounds->lowest_ns, high = (int64_t)bounds->highest_ns;

	/* Drift during the trips may have exchanged the bounds. */
	return (low <= 0 && high >= 0) || (low >= 0 && high <= 0);
}

struct clock_point clock_bounds_point(const struct clock_bounds *bounds,
				      const struct clock_point *other)
{
	int64_t low = (int64_t)bounds->lowest_ns;
	int64_t width = difference(bounds->highest_ns, bounds->lowest_ns);
	/* Standard deviation of the uniform distribution between the bounds. */
	double deviation = (double)width / sqrt(12);
	struct clock_point point;

	if (clock_bounds_same(bounds))
		return *other;
	point.time_ns = bounds->lowest_at_ns +
			(uint64_t)(difference(bounds->highest_at_ns, bounds->lowest_at_ns) / 2);
	point.offset_ns = (int64_t)((uint64_t)(low + width / 2) + (uint64_t)other->offset_ns);
	point.deviation_ns = sqrt(deviation * deviation +
				  other->deviation_ns * other->deviation_ns);
	return point;
}

static double offset_difference(const struct clock_point *first, const struct clock_point *last)
{
	return (double)difference((uint64_t)last->offset_ns, (uint64_t)first->offset_ns);
}

struct trace_clock trace_clock_through(const struct clock_point *points, unsigned count)
{
	struct clock_point first = points[0], last = points[count - 1];

	if (last.time_ns <= first.time_ns ||
	    fabs(offset_difference(&first, &last)) >
		    MOST_DRIFT * (double)(last.time_ns - first.time_ns)) {
		if (last.deviation_ns < first.deviation_ns)
			first = last;
		last = first;
		last.time_ns++;
	}
	return (struct trace_clock){{first, last}};
}

uint64_t trace_clock_apply(const struct trace_clock *clock, uint64_t time_ns)
{
	const struct clock_point *first = &clock->points[0], *last = &clock->points[1];
	double drift = 0;

	if (last->time_ns > first->time_ns)
		drift = offset_difference(first, last) / (double)(last->time_ns - first->time_ns);
	return time_ns + (uint64_t)first->offset_ns +
	       (uint64_t)(int64_t)rint(drift * (double)difference(time_ns, first->time_ns));
}
