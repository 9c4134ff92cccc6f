/* Model: a program and the network that it runs on, the input of all analyses. */
#ifndef LLAMP_MODEL_H
#define LLAMP_MODEL_H

#include "common/source/source_lines.h"
#include "goal/calls.h"
#include "goal/goal.h"
#include "llamp/graph/cost_graph.h"
#include "llamp/graph/execution_graph.h"
#include "llamp/network/loggps.h"
#include "llamp/network/network.h"
#include "llamp/simulate/event_time.h"

/* What the questions to a model are about. */
enum model_parts {
	MODEL_COSTS,  /* the cost graph */
	MODEL_EVENTS, /* the execution graph and events of vertices, too: single operations */
};

struct model {
	const char *path;     /* not owned */
	struct loggps loggps; /* its network may be the one below */
	struct goal goal;
	/* Points to goal and loggps.  Nothing without MODEL_EVENTS, unless resources are limited. */
	struct execution_graph execution;
	struct cost_graph graph;
	/*
	 * With resources: the simulation that wrote the cost graph, along loggps.asked if it is set.
	 * unit_as is 0 if there was none.
	 */
	struct sim_result simulation;
	/*
	 * Side file of the graph (goal/calls.h), or NULL: it has none, or one that cannot be used.
	 * Then calls_error tells why; its status is STATUS_OK if there is none.
	 */
	const struct goal_calls *calls;
	struct error calls_error;
	struct source_lines *lines; /* names of call sites; NULL: calls have no sites */

	/* Private. */
	struct goal_calls side_file;
	struct network network; /* with the nodes of the side file */
};

/*
 * Read the graph `path` ("-" for stdin) and its side file, and build what `parts` says
 * with the parameters *loggps, which are copied.  The nodes of the side file are the hosts of
 * the ranks where network_use_nodes says so.  `path` must outlive the model, and the model
 * must not be moved.  On failure there is nothing to release.
 */
int model_open(struct model *model, const char *path, const struct loggps *loggps,
	       enum model_parts parts, struct error *err);
void model_release(struct model *model);

/*
 * Length of the traced run that the graph is of, or 0 if it is not known (struct
 * goal_calls_origin).
 */
uint64_t model_traced_ns(const struct model *model);

/* T divided by that length, or NAN if it is not known. */
double model_to_traced(const struct model *model, double runtime_ns);

#endif
