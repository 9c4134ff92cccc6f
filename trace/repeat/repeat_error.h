/*
 * How far the runtime of a run with repeated times may be from that of the run itself
 * (doc/trace-to-goal.md, "Repeated iterations").
 *
 * The sum of the computation of each rank is exact.  What is not known is which computation of one
 * rank coincides with which of another.  Bound and estimate follow from the statistics that the
 * flow keeps of each edge.
 */
#ifndef TRACE_REPEAT_ERROR_H
#define TRACE_REPEAT_ERROR_H

#include "common/array.h"
#include "trace/flow/flow_stat.h"

#include <stdbool.h>

/* Computation at a node or edge outside the windows. */
struct repeat_spread {
	const struct flow_stat *rest, *inside; /* the run without its windows, and the windows */
	const struct flow_stat *common;	       /* those visits in windows that are not rare */
	uint64_t visits;		       /* delivered outside windows */
	double delivered_squares;	       /* sum of squares of what was delivered, ns^2 */
};

/* Times by which what happens once may exceed the mean: those of rare long visits, and of all others. */
struct repeat_excess {
	double rare_ns, common_ns;
};

/* What is known of a rank.  Owned array. */
struct repeat_figures {
	uint64_t iterations; /* of the main loops */
	uint64_t recorded;   /* of them, in windows */
	uint64_t unlike;     /* outside windows, with other calls than all recorded ones */
	uint64_t threads;
	uint64_t computation_ns;     /* of the run */
	struct repeat_excess bound;  /* between the run and what was delivered */
	struct repeat_excess unseen; /* of the run over the windows */
	ARRAY(double)
	recorded_ns; /* computation of the first thread in each recorded iteration, as delivered */
};

void repeat_figures_release(struct repeat_figures *figures);

/* Add the spread of a node or an edge. */
void repeat_figures_add(struct repeat_figures *figures, const struct repeat_spread *spread);

/* The error of T, ns: what is likely, and what no order of the computation exceeds. */
struct repeat_error {
	double estimate_ns, bound_ns;
};

/* Find it from the figures of all ranks. */
struct repeat_error repeat_error_find(const struct repeat_figures *figures, uint32_t ranks);

#endif
