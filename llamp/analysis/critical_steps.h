/*
 * Edges of the execution graph that make up its critical path.
 *
 * The cost graph has only the events at which paths join.  The edges between them follow from
 * the times of all events (llamp/graph/times.h).
 */
#ifndef LLAMP_CRITICAL_STEPS_H
#define LLAMP_CRITICAL_STEPS_H

#include "common/array.h"
#include "llamp/analysis/model.h"
#include "llamp/graph/execution_graph.h"

/* Edge of the execution graph. */
struct critical_step {
	struct event from, to;
	bool to_end;		/* leads to the end of the program, `to` is not set */
	uint32_t op;		/* operation that causes the cost */
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
void critical_steps_release(struct critical_steps *steps);

#endif
