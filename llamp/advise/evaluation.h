/*
 * T of a program with any set of changes: the graph is converted, balanced and analysed as the commands do that a reader
 * can run himself.
 */
#ifndef LLAMP_EVALUATION_H
#define LLAMP_EVALUATION_H

#include "llamp/advise/change.h"
#include "llamp/advise/graph_maker.h"
#include "llamp/analysis/model.h"

/* Two values for each variable with an interval. */
enum { EXTREMES_MOST = 1 << LOGGPS_COUNT };

/* T, and what it consists of. */
struct evaluated {
	double runtime_ns;
	double lambda[LOGGPS_COUNT]; /* latencies, bytes ... on the critical path */
	/*
	 * T where each variable with an interval (struct variable) is at one end of it.  A variable that a change sets keeps
	 * that value.  Of all sets, extreme i has the same ends.
	 */
	double extreme_ns[EXTREMES_MOST];
	uint32_t extremes; /* 0: there are no intervals */
};

/* What is evaluated. */
struct evaluation {
	struct graph_maker *maker;
	const struct loggps *loggps; /* of the network; not owned */
	char *base;		     /* graph without a change; owned by the caller */
	double estimate_ns; /* how far T may be from that of the run, of a repeated trace; else 0 */
	_Atomic uint64_t runs; /* number of evaluations */
	/* Finds T and the rest in another way than by graphs; NULL: by graphs. */
	int (*evaluate)(void *data, const struct change *const *changes, size_t count,
			struct evaluated *found, struct error *err);
	void *data;
};

/*
 * Make the graph of the program with `count` changes, and set the parameters that they need.  *made is to be
 * removed (graph_maker_remove); NULL: the graph is `base`.
 */
int evaluation_graph(struct evaluation *evaluation, const struct change *const *changes,
		     size_t count, char **made, struct loggps *loggps, struct error *err);

/*
 * Evaluate the program with `count` changes.  A change that does not work with this program is an error whose text
 * says so.  Threads may call this.
 */
int evaluate_changes(struct evaluation *evaluation, const struct change *const *changes,
		     size_t count, struct evaluated *found, struct error *err);

/* Do so where nobody asks for the extremes: found->extremes is 0. */
int evaluate_without_extremes(struct evaluation *evaluation, const struct change *const *changes,
			      size_t count, struct evaluated *found, struct error *err);

#endif
