/* What each rank does in the modelled run: when it ends, and how long it computes. */
#ifndef LLAMP_RANK_TOTALS_H
#define LLAMP_RANK_TOTALS_H

#include "common/array.h"
#include "llamp/analysis/model.h"

#include <stdbool.h>

struct rank_total {
	double end_ns;		/* of the rank's last operation to end; 0 without operations */
	double compute_ns;	/* sum of the costs of its calcs, on all its CPUs */
	uint64_t operations, sends, recvs;
};

struct rank_totals {
	bool has_end;			/* end_ns is set */
	ARRAY(struct rank_total) ranks;	/* [rank] */
};

/*
 * Find the totals at the model's parameters, in linear time.  Ends come from the longest paths of
 * llamp/graph/times.h, which know no resources: with resources has_end is false.
 */
int rank_totals_find(struct rank_totals *totals, const struct model *model, struct error *err);
void rank_totals_release(struct rank_totals *totals);

#endif
