/*
 * The values of a variable for which the requests of a program are served in the same order as
 * at the given parameters (doc/model.md, "Resources").
 */
#ifndef LLAMP_ORDER_RANGE_H
#define LLAMP_ORDER_RANGE_H

#include "llamp/analysis/model.h"
#include "llamp/graph/moment.h"

/*
 * In as.  An end is exact if another request is served first beyond it; otherwise the order
 * holds at least up to there.  high_as is INT64_MAX if the order holds for all larger values.
 */
struct order_range {
	int64_t low_as, high_as;
	bool low_exact, high_exact;
};

/*
 * Find the range around the model's value of a variable; the model has resources.  Ends are
 * exact unless more passes are needed to find them than a large graph allows.
 */
int order_range_find(struct order_range *range, const struct model *model, uint32_t varied,
		     struct error *err);

/* Run the pass with another value of a variable; *service becomes its result. */
int order_pass(struct service *service, const struct model *model, uint32_t varied,
	       int64_t value_as, struct error *err);

#endif
