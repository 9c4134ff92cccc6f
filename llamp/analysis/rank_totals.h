/* What each rank does in the modelled run: when it ends, and how long it computes. */
#ifndef LLAMP_RANK_TOTALS_H
#define LLAMP_RANK_TOTALS_H

#include "common/array.h"
#include "llamp/analysis/model.h"

struct rank_total {
	double end_ns;		/* of the rank's last operation to end; 0 without operations */
	double compute_ns;	/* sum of the costs of its calcs, on all its CPUs */
	uint64_t operations, sends, recvs;
};

struct rank_totals {
	ARRAY(struct rank_total) ranks;	/* [rank] */
};

/*
 * Find the totals at the model's parameters: in linear time, but with resources in that of the
 * simulation (llamp/simulate/simulation.h).
 */
int rank_totals_find(struct rank_totals *totals, const struct model *model, struct error *err);
void rank_totals_release(struct rank_totals *totals);

#endif
