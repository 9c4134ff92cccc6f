/*
 * T of a program with any set of changes: the graph is converted, balanced and analysed as the commands do that a reader
 * can run himself.
 */
#ifndef LLAMP_EVALUATION_H
#define LLAMP_EVALUATION_H

#include "llamp/advise/change.h"
#include "llamp/advise/graph_maker.h"
#include "llamp/analysis/model.h"

/* What is evaluated. */
struct evaluation {
	struct graph_maker *maker;
	const struct loggps *loggps; /* of the network; not owned */
	char *base;		     /* graph without a change; owned by the caller */
	_Atomic uint64_t runs;	     /* number of evaluations */
};

/*
 * Make the graph of the program with `count` changes, and set the parameters that they need.  *made is to be
 * removed (graph_maker_remove); NULL: the graph is `base`.
 */
int evaluation_graph(struct evaluation *evaluation, const struct change *const *changes,
		     size_t count, char **made, struct loggps *loggps, struct error *err);

/* T, and what it consists of. */
struct evaluated {
	double runtime_ns;
	double lambda[LOGGPS_COUNT]; /* latencies, bytes ... on the critical path */
};

/*
 * Evaluate the program with `count` changes.  A change that does not work with this program is an error whose text
 * says so.  Threads may call this.
 */
int evaluate_changes(struct evaluation *evaluation, const struct change *const *changes,
		     size_t count, struct evaluated *found, struct error *err);

#endif
