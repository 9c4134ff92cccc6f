/* From a GOAL graph to the execution graph, and to the cost graph. */
#ifndef LLAMP_BUILD_H
#define LLAMP_BUILD_H

#include "llamp/graph/cost_graph.h"
#include "llamp/graph/execution_graph.h"

/*
 * Match the messages and, with g > 0, find and direct the gaps; linear.  A cycle is
 * STATUS_DATA: the error names the operations on it, as a possible deadlock of the program
 * where it goes through a rendezvous send that waits for its receiver.  *goal and *loggps
 * must outlive the result.  On failure there is nothing to release.
 */
int execution_graph_build(struct execution_graph *execution, const struct goal *goal,
			  const struct loggps *loggps, struct error *err);

/*
 * Build the execution graph and the cost graph of it, for S, the protocol and whether g is
 * positive; linear.  A cycle is STATUS_DATA, as above; too many operations or vertices are
 * STATUS_LIMIT.  *goal and *loggps must outlive the execution graph; the cost graph uses
 * nothing of them.  On failure there is nothing to release.
 */
int graphs_build(struct execution_graph *execution, struct cost_graph *graph,
		 const struct goal *goal, const struct loggps *loggps, struct error *err);

/* The same, of which only the cost graph is kept. */
int cost_graph_build(struct cost_graph *graph, const struct goal *goal,
		     const struct loggps *loggps, struct error *err);

#endif
