/*
 * How much latency the jobs of a centre tolerate together, and which of them to trace next.
 *
 * Estimates of usage/model/exposure.h for each job, weighted by core-hours: from logs, or from rows of an index.
 *
 *	share(Delta L) = core-hours of the jobs whose tolerance is at most Delta L, over all core-hours
 *
 * so it answers "which share of the machine loses 1 % if the latency rises by 1 us".
 */
#ifndef USAGE_MODEL_FLEET_H
#define USAGE_MODEL_FLEET_H

#include "common/error.h"

#include <stddef.h>
#include <stdint.h>

struct fleet_job {
	uint64_t runtime_ns; /* USAGE_UNKNOWN: the job is left out */
	double exposure;     /* greatest Lambda of its ranks */
	double core_hours;
};

/* A step of the curve: the share of core-hours whose tolerance is at most delta_ns. */
struct fleet_point {
	double delta_ns, share;
};

/*
 * Find the curve for a loss of `percent` %: a point for each tolerance that occurs, ascending.  Jobs that wait for
 * no latency are at the end, at INFINITY.  `points` has room for `count`.  Returns the number of points.
 */
size_t fleet_curve(const struct fleet_job *jobs, size_t count, double percent,
		   struct fleet_point *points);

/* Share of core-hours whose tolerance is at most delta_ns. */
double fleet_share(const struct fleet_point *points, size_t count, double delta_ns);

/*
 * Choose the jobs to trace next: those with the largest core_hours x exposure / runtime, which is what a
 * rise of the latency costs.  The largest is first.  Returns how many, at most `most`; none without exposure.
 */
size_t fleet_choose(const struct fleet_job *jobs, size_t count, size_t most, size_t *chosen);

/*
 * Write the line that traces a job: "mpiexec -n 64 llamp-trace -o solver.trace /home/user/solver".  What a
 * shell would take apart is quoted.  Cut to `size`.
 */
void fleet_trace_line(const char *program, uint32_t ranks, char *line, size_t size);

/*
 * Median of lambda_L / Lambda of jobs that were also traced (`llamp analyze` prints lambda_L): by this factor
 * exposures of other jobs are to be multiplied.  1 without jobs; those without exposure do not count.
 */
double fleet_calibration(const double *lambda, const double *exposure, size_t count);

#endif
