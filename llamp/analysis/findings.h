/*
 * All that is told of one program on one network: by `llamp path` its critical path and what is near
 * it, by a report also its curve, and what its ranks send and do.
 */
#ifndef LLAMP_FINDINGS_H
#define LLAMP_FINDINGS_H

#include "llamp/analysis/analysis.h"
#include "llamp/analysis/communication.h"
#include "llamp/analysis/critical_calls.h"
#include "llamp/analysis/critical_communicators.h"
#include "llamp/analysis/critical_next.h"
#include "llamp/analysis/curve.h"
#include "llamp/analysis/overlap.h"
#include "llamp/analysis/rank_totals.h"
#include "llamp/analysis/slack.h"

#include <stdbool.h>

/*
 * Operations of the largest graph whose slack and next paths are found: they take several passes, and
 * a report should take little longer than an analysis.
 */
enum { FINDINGS_MOST_BESIDE = 1000000 };

/* Time of the path on one rank. */
struct path_rank {
	uint32_t rank;
	int128 as[CATEGORY_COUNT], all_as;
};

/* Messages of the path from one rank to another. */
struct rank_switch {
	uint32_t from, to;
	uint64_t messages;
	uint64_t lambda;    /* latencies */
	uint64_t lambda_G;  /* bytes */
	int128 transfer_as; /* latency and bandwidth */
};

struct findings {
	const struct model *model;	/* not owned */

	/* The critical path, and what is near it. */
	struct critical_path path;
	int128 category_as[CATEGORY_COUNT];
	ARRAY(struct path_rank) path_ranks;	 /* with time on the path, longest first */
	ARRAY(struct rank_switch) rank_switches; /* by latencies, then by time, most first */
	bool has_calls;			/* the graph has a side file that can be used: */
	struct critical_calls calls;
	struct critical_communicators communicators;
	struct error calls_error;	/* why it has none; STATUS_OK if there is no file */
	bool has_slack;			/* it was requested: */
	int128 *slack_as;		/* [operation]; NULL in reports */
	struct slack slack;		/* of calls if has_calls, else of operations */
	struct critical_nexts nexts;	/* of L; none if not requested */
	struct overlap overlap;		/* no receives if not requested */

	/* Only of reports. */
	const char *label;		/* short name of the program; not owned */
	const char *network;		/* file of its parameters, or NULL; not owned */
	struct analysis analysis;
	struct curve curve;
	struct communication communication;
	struct rank_totals ranks;
};

/* What to find besides the path; each takes passes over the graph. */
struct path_request {
	bool slack, next, overlap;
};

/*
 * Find the path and what is requested.  A damaged side file is no reason to fail.  The model must
 * outlive the findings.
 */
int findings_find_path(struct findings *findings, const struct model *model,
		       const struct path_request *request, struct error *err);

/* What to find for a report. */
struct findings_request {
	const char *network;		/* file of the parameters, or NULL */
	struct analysis_request analysis;
};

/* Find all but the curve: slack and next paths if the graph is not too large. */
int findings_find(struct findings *findings, const struct model *model, const char *label,
		  const struct findings_request *request, struct error *err);

/* Find the curve, in a range that may depend on other programs.  Empties *measured. */
int findings_find_curve(struct findings *findings, int64_t from_as, int64_t to_as,
			struct observations *measured, struct error *err);

void findings_release(struct findings *findings);

#endif
