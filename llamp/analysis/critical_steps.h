/*
 * The edges of the execution graph that make up its critical path.
 *
 * The cost graph only knows events at which paths join.  The edges between them follow from
 * the times of all events (llamp/graph/times.h).
 */
#ifndef LLAMP_CRITICAL_STEPS_H
#define LLAMP_CRITICAL_STEPS_H

#include "common/array.h"
#include "llamp/analysis/model.h"
#include "llamp/graph/execution_graph.h"

/* An edge of the execution. */
struct critical_step {
	struct event from, to;
	bool to_end;		/* it leads to the end of the program: `to` is not set */
	uint32_t op;		/* the operation whose cost it is */
	struct cost cost;
};

struct critical_steps {
	ARRAY(struct critical_step) list;	/* in order of time */
};

/*
 * The path that decides T; of several, one with the right slope lambda_L.  Empty if
 * there is no operation.  On failure there is nothing to release.
 */
int critical_steps_find(struct critical_steps *steps, const struct model *model,
			struct error *err);
void critical_steps_release(struct critical_steps *steps);

#endif
