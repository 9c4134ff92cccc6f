/* Model: a program and the network that it runs on, the input of all analyses. */
#ifndef LLAMP_MODEL_H
#define LLAMP_MODEL_H

#include "goal/goal.h"
#include "llamp/graph/cost_graph.h"
#include "llamp/graph/execution_graph.h"
#include "llamp/network/loggps.h"

struct model {
	const char *path;	/* not owned */
	struct loggps loggps;
	struct goal goal;
	struct execution_graph execution;	/* points to goal and loggps */
	struct cost_graph graph;
};

/*
 * Read the graph `path` ("-" for stdin), and build its execution graph and cost graph with the
 * parameters *loggps, which are copied.  `path` must outlive the model, and the model must not be
 * moved.  On failure there is nothing to release.
 */
int model_open(struct model *model, const char *path, const struct loggps *loggps,
	       struct error *err);
void model_release(struct model *model);

#endif
