/*
 * What the threads of a rank do in OpenMP, one rank of a measured run after the other.
 *
 * It is read when it is asked for, as few questions need it.  Regions within calls of MPI are left out.
 */
#ifndef TRACE_MEASURED_OPENMP_H
#define TRACE_MEASURED_OPENMP_H

#include "trace/measured/measured_run.h"

enum openmp_span_kind {
	OPENMP_SPAN_PARALLEL, /* a parallel region, the outermost of those that are nested */
	OPENMP_SPAN_WAIT,     /* at a barrier or for tasks, the outermost, without tasks in it */
	OPENMP_SPAN_CRITICAL, /* until a critical section was free */
	OPENMP_SPAN_KINDS,
};

/* A thread from time to time. */
struct openmp_span {
	uint32_t thread;
	enum openmp_span_kind kind;
	struct time_span span; /* on the clock of the run */
};

/* What is open in a thread while the rank is read. */
struct openmp_open {
	uint32_t depth[OPENMP_SPAN_KINDS];
	uint64_t since_ns[OPENMP_SPAN_KINDS];
	ARRAY(uint32_t) waits; /* [open task]: depth of the waits that it interrupts */
};

struct measured_openmp {
	ARRAY(struct openmp_span) spans; /* by thread, then by begin */

	/* Private. */
	struct trace_reader *reader;
	ARRAY(struct openmp_open) open; /* [thread] */
	int result;
	struct error *err;
};

/* Read a rank in the place of another one.  Runs without OpenMP have no spans.  `openmp` is of zero bytes at first. */
int measured_openmp_read(struct measured_openmp *openmp, const struct measured_run *run,
			 uint32_t rank, struct error *err);
/* Release before the run. */
void measured_openmp_release(struct measured_openmp *openmp);

#endif
