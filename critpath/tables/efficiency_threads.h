/*
 * Efficiencies of programs that use OpenMP within their ranks, as the POP project divides them, and the time that
 * threads lose.
 *
 * A visit is a parallel region of the first thread of a rank, the outermost of those that are nested.  Its team is the
 * threads with a parallel region at that time.  A thread is busy in a visit while it is in its own parallel region, but
 * not at a barrier, waiting for tasks or a critical section, or in MPI.  k is the number of threads of a rank with
 * parallel regions, C the time outside of MPI of the first one, S the part of C outside of visits:
 *	useful			S + sum of busy
 *	hybrid			sum of useful / (T * sum of k)
 *	OpenMP			hybrid / (mean C / T)
 *	OpenMP serialisation	1 - lost / sum of k C; lost: k - 1 threads for S, k - team threads for each visit
 *	OpenMP load balance	sum of useful / sum of (S + team * most busy of a thread in the visit)
 *	OpenMP scheduling	the rest: OpenMP / (serialisation * load balance)
 */
#ifndef CRITPATH_EFFICIENCY_THREADS_H
#define CRITPATH_EFFICIENCY_THREADS_H

#include "critpath/path/totals.h"

struct efficiency_threads {
	uint64_t threads; /* sum of k; 0: no rank has parallel regions */
	uint64_t visits;
	uint64_t useful_ns;
	uint64_t thread_compute_ns; /* sum of k C */
	uint64_t lost_ns;	    /* to serialisation */
	uint64_t balanced_ns;	    /* S + team * most busy */
	/* Patterns. */
	uint64_t idle_ns;     /* of k - 1 threads outside of visits, also during MPI */
	uint64_t limited_ns;  /* of k - team threads in visits */
	uint64_t critical_ns; /* of all threads, until critical sections were free */
};

/* Add up over all ranks, also of other processes.  Collective. */
int efficiency_threads_find(struct efficiency_threads *threads, const struct measured_run *run,
			    const struct totals *totals, struct dist *dist, struct error *err);

#endif
