/*
 * All that a report tells of one program on one network: its curve, what its critical path is made
 * of, what its ranks send and do.
 */
#ifndef LLAMP_FINDINGS_H
#define LLAMP_FINDINGS_H

#include "llamp/analysis/analysis.h"
#include "llamp/analysis/communication.h"
#include "llamp/analysis/composition.h"
#include "llamp/analysis/critical_calls.h"
#include "llamp/analysis/curve.h"
#include "llamp/analysis/rank_totals.h"

#include <stdbool.h>

struct findings {
	const struct model *model;	/* not owned */
	struct analysis analysis;	/* by the path engine, whose numbers are exact */
	struct curve curve;
	struct critical_path path;
	struct composition composition;
	bool has_calls;			/* the graph has a side file that fits: */
	struct critical_calls calls;
	struct communication communication;
	struct rank_totals ranks;
};

/* What to find. */
struct findings_request {
	uint32_t varied;
	const double *percents;		/* of the tolerances */
	size_t percent_count;
};

/*
 * Find all but the curve.  A side file that does not fit the graph is no error: has_calls is
 * false, and *why has the reason, else the status STATUS_OK.
 */
int findings_find(struct findings *findings, const struct model *model,
		  const struct findings_request *request, struct error *why, struct error *err);

/* Find the curve, in a range that may depend on other programs.  Empties *measured. */
int findings_find_curve(struct findings *findings, int64_t from_as, int64_t to_as,
			struct measured *measured, struct error *err);

void findings_release(struct findings *findings);

#endif
