/*
 * Events of the processor that count floating-point operations.  Linux has no name for them: they are raw
 * events, which differ by processor.
 *
 * A multiplication with addition counts as two operations, as does each element of a vector.
 */
#ifndef PROFILER_FLOATING_POINT_H
#define PROFILER_FLOATING_POINT_H

#include <stdint.h>

struct floating_point_event {
	uint64_t config;     /* of perf_event_open, PERF_TYPE_RAW */
	unsigned operations; /* of an event */
};

enum { FLOATING_POINT_MOST = 5 };

/* Find the events whose sum, by operations, is that of all.  Returns their number, 0 for an unknown processor. */
unsigned floating_point_events(struct floating_point_event events[static FLOATING_POINT_MOST]);

#endif
