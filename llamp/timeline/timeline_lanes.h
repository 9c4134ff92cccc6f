/* Lanes of a rank, in which slices nest.  Part of llamp/timeline/timeline.c. */
#ifndef LLAMP_TIMELINE_LANES_H
#define LLAMP_TIMELINE_LANES_H

#include "common/min_heap.h"
#include "llamp/timeline/timeline.h"

enum { TIMELINE_MOST_CPUS = 256 };

/* The main lane of a cpu, and its further lanes, which hold one slice at a time. */
struct cpu_lanes {
	bool used;
	uint32_t main;
	bool call_open;
	uint64_t call_end_ns, busy_until_ns;	/* of the main lane */
	struct min_heap free;			/* lanes, by number */
	struct min_heap busy;			/* lanes, by the end of their slice */
};

struct timeline_lanes {
	const struct timeline_visitor *visitor;
	void *context;
	uint32_t rank, count, cpu_count;
	struct cpu_lanes cpus[TIMELINE_MOST_CPUS];
};

/* Begin a rank; end it, with all calls that are open.  End with lanes_release. */
int lanes_begin(struct timeline_lanes *lanes, uint32_t rank, const bool *uses_cpu,
		struct error *err);
int lanes_end(struct timeline_lanes *lanes, struct error *err);
void lanes_release(struct timeline_lanes *lanes);

/*
 * Begin a call, or add an operation, in the order of the starts.  The lane of the slice is set.
 * `overhead` is the one within the operation, or NULL.
 */
int lanes_call(struct timeline_lanes *lanes, uint8_t cpu, struct timeline_slice *slice,
	       struct error *err);
int lanes_operation(struct timeline_lanes *lanes, uint8_t cpu, struct timeline_slice *slice,
		    struct timeline_slice *overhead, struct error *err);

#endif
