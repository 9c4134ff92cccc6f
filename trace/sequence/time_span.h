/* A time from a begin to an end, in ns on any clock. */
#ifndef TRACE_TIME_SPAN_H
#define TRACE_TIME_SPAN_H

#include <stdint.h>

struct time_span {
	uint64_t begin_ns, end_ns;
};

/* The time that both have in common, or {0}. */
static inline struct time_span time_span_common(struct time_span a, struct time_span b)
{
	const struct time_span both = {
		.begin_ns = a.begin_ns > b.begin_ns ? a.begin_ns : b.begin_ns,
		.end_ns = a.end_ns < b.end_ns ? a.end_ns : b.end_ns,
	};

	return both.end_ns > both.begin_ns ? both : (struct time_span){0};
}

static inline uint64_t time_span_common_ns(struct time_span a, struct time_span b)
{
	const struct time_span both = time_span_common(a, b);

	return both.end_ns - both.begin_ns;
}

#endif
