/* Time in calls, by rank and function: of a run or its slice, and of its critical path. */
#ifndef CRITPATH_TOTALS_H
#define CRITPATH_TOTALS_H

#include "critpath/path/walk.h"

/* Time of a rank, on its first thread: compute + MPI = end - begin. */
struct rank_total {
	uint64_t compute_ns, mpi_ns;
	uint64_t wait_ns;			/* of mpi_ns */
	uint64_t path_compute_ns, path_mpi_ns;	/* on the critical path */
};

/* Time of a function, of all ranks. */
struct function_total {
	uint32_t function;
	uint64_t calls, ns, wait_ns;
	uint64_t calls_on_path, path_ns;	/* on the critical path */
};

struct totals {
	struct rank_total *ranks;		/* [rank]; owned */
	ARRAY(struct function_total) functions;	/* by time on the path, then by time */
	struct rank_total sum;			/* of all ranks */
};

/*
 * Collective.  Add up.  Process 0 gets the sums of all ranks, the others are not complete.  End with
 * totals_release.
 */
int totals_find(struct totals *totals, const struct waits *waits, const struct walk *walk,
		struct dist *dist, struct error *err);
void totals_release(struct totals *totals);

/*
 * Time by which the path exceeds the mean of the ranks, the critical-path imbalance (Boehme et
 * al. 2012): what balancing alone could save.
 */
uint64_t totals_imbalance_ns(uint64_t path_ns, uint64_t sum_ns, uint32_t rank_count);

#endif
