/* Sums of critpath/tables/imbalance.h over processes that share a run. */
#ifndef CRITPATH_IMBALANCE_SHARE_H
#define CRITPATH_IMBALANCE_SHARE_H

#include "critpath/tables/imbalance.h"

/*
 * Add up the numbers of instances, groups and instances of own ranks, and give those of ranks to process
 * 0.  The groups are those of all numbers, in order.  Collective.
 */
int imbalance_share(struct imbalance *imbalance, struct dist *dist, struct error *err);

#endif
