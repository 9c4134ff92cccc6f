/*
 * Edges of the execution graph that make up its critical path.
 *
 * The cost graph has only the events at which paths join.  The edges between them follow from
 * the times of all events (llamp/graph/event_times.h).
 */
#ifndef LLAMP_CRITICAL_STEPS_H
#define LLAMP_CRITICAL_STEPS_H

#include "common/array.h"
#include "llamp/analysis/model.h"
#include "llamp/graph/execution_graph.h"
#include "llamp/path/rational.h"

#define NO_MESSAGE UINT32_MAX

/* An edge of the execution, with the operations that its cost is time of. */
struct critical_step {
	uint32_t op;		/* computation, overhead and gap */
	uint32_t transfer;	/* latency and bandwidth */
	uint32_t message;	/* receive of the message that it is part of, or NO_MESSAGE */
	struct cost cost;
};

struct critical_steps {
	ARRAY(struct critical_step) list;	/* in order of time */
};

/*
 * Find the path that decides T.  Of several such paths it is one with the slope lambda_L to the
 * right of L.  Without operations the path is empty.  On failure there is nothing to release.
 */
int critical_steps_find(struct critical_steps *steps, const struct model *model,
			struct error *err);

/*
 * Find the path for another latency L, also a fraction of attoseconds.  Not for a model with
 * resources.  If slack_as is not NULL, L must be a whole number, and (*slack_as)[v] becomes the
 * slack of operation v: T minus the longest path through v (llamp/graph/path_through.h).  Free it with
 * free.
 */
int critical_steps_find_at(struct critical_steps *steps, const struct model *model,
			   struct rational latency_as, int128 **slack_as, struct error *err);
void critical_steps_release(struct critical_steps *steps);

#endif
