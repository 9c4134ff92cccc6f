/* Building the execution graph and the cost graph of a GOAL graph. */
#ifndef LLAMP_BUILD_H
#define LLAMP_BUILD_H

#include "llamp/graph/cost_graph.h"
#include "llamp/graph/execution_graph.h"
#include "llamp/simulate/event_time.h"

/*
 * Match the messages and, with g > 0, find and direct the gaps, in linear time.  A cycle is
 * STATUS_DATA.  The error names the operations on the cycle, and calls it a possible deadlock
 * of the program if a rendezvous send on it waits for its receiver.  *goal and *loggps must
 * outlive the result.  On failure there is nothing to release.
 */
int execution_graph_build(struct execution_graph *execution, const struct goal *goal,
			  const struct loggps *loggps, struct error *err);

/*
 * Build the execution graph and its cost graph, in linear time.  Of *loggps both depend only
 * on S, on the protocol and on whether g is positive.  A cycle is STATUS_DATA, as above.  Too
 * many operations or vertices are STATUS_LIMIT.  *goal and *loggps must outlive the execution
 * graph.  The cost graph does not use them.  On failure there is nothing to release.
 */
int graphs_build(struct execution_graph *execution, struct cost_graph *graph,
		 const struct goal *goal, const struct loggps *loggps, struct error *err);

/*
 * Build both for a model with resources.  *simulation becomes the result of the simulation that writes
 * the cost graph: along loggps->asked, or with the time of the end alone if nothing is asked.
 */
int graphs_simulate(struct execution_graph *execution, struct cost_graph *graph,
		    struct sim_result *simulation, const struct goal *goal,
		    const struct loggps *loggps, struct error *err);

/*
 * Build the cost graph alone.  Without resources there is no execution graph then: the program is
 * traversed (llamp/traversal/traversal.h), with g > 0 after the gaps have been found.
 */
int cost_graph_build(struct cost_graph *graph, const struct goal *goal, const struct loggps *loggps,
		     struct error *err);

#endif
