/*
 * lambda_L of a whole run, from a graph that repeats some of its iterations (schedgen --repeat).
 *
 * Which messages are critical in an iteration depends on which ranks were late in it.  The recorded iterations are samples
 * of that.  Their repetitions are no others, and a little different: times are scaled, so that each
 * rank computes as long as in the run.  Let
 *
 *	l(j)	be the latencies that the path has in the recorded iteration j
 *	n(j)	the number of iterations that repeat it, m their sum
 *	a	lambda_L of the graph without what the path has in repetitions
 *	d	what the samples l(j) say of the deviation of others (common/statistics/sampling.h)
 *
 *	N	the number of recorded iterations
 *
 * If the other iterations are like the recorded ones, lambda_L of the run is within
 *
 *	a + sum of n(j) l(j)  +-  (d sqrt(sum of n(j)^2 + m) + m min(1, 3 / N))
 *
 * where N recorded iterations that are repeated equally often make the root m sqrt(1 / N + 1 / m).  The
 * last term is for iterations that differ from all recorded ones by a latency: what N samples do not have may be in 3 / N of the
 * others (the rule of three, Hanley and Lippman-Hand 1983).  The range always holds lambda_L of the graph.
 *
 * A run whose iterations are others later, or differ rarely by many latencies, may be outside: a check in each tenth iteration
 * counts only if it was recorded.  What is before and after the loop is taken as exact.
 */
#ifndef LLAMP_REPEATED_H
#define LLAMP_REPEATED_H

#include "llamp/analysis/critical_calls.h"

struct repeated {
	uint32_t recorded;    /* recorded iterations; 0: the graph repeats none */
	uint64_t repetitions; /* iterations that repeat them, as rank 0 has them */
	double low, high;     /* lambda_L of the run; HUGE_VAL: one iteration alone tells nothing */
};

/* Find it from the calls of the critical path.  STATUS_DATA if the side file is damaged. */
int repeated_find(struct repeated *repeated, const struct critical_path *path,
		  const struct critical_calls *calls, struct error *err);

#endif
