/* All that `llamp path` tells of a program: its critical path and what is near it. */
#ifndef LLAMP_PATH_FINDINGS_H
#define LLAMP_PATH_FINDINGS_H

#include "llamp/analysis/composition.h"
#include "llamp/analysis/critical_calls.h"
#include "llamp/analysis/critical_communicators.h"
#include "llamp/analysis/critical_next.h"
#include "llamp/analysis/slack.h"

struct path_findings {
	const struct model *model;	/* not owned */
	struct critical_path path;
	struct composition composition;
	bool has_calls;			/* the graph has a side file that fits: */
	struct critical_calls calls;
	struct critical_communicators communicators;
	int128 *slack_as;		/* [operation]; NULL if not requested, as is `slack` */
	struct slack slack;
	struct critical_nexts nexts;	/* none if not requested */
};

/* What to find besides the path; each takes passes over the graph. */
struct path_request {
	bool slack, next;
};

/*
 * Find the path and what is requested.  A damaged side file is no error: has_calls is false, and
 * *why has the reason, else the status STATUS_OK.
 */
int path_findings_find(struct path_findings *findings, const struct model *model,
		       const struct path_request *request, struct error *why, struct error *err);
void path_findings_release(struct path_findings *findings);

#endif
