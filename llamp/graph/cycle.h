/* The report of a cycle: which operations wait for each other. */
#ifndef LLAMP_CYCLE_H
#define LLAMP_CYCLE_H

#include "llamp/graph/topological_order.h"

/*
 * Name the operations on a cycle after a visit that is not complete: STATUS_DATA, as a
 * possible deadlock of the program where the cycle goes through a rendezvous send that waits
 * for its receiver.  Returns -1.
 */
int cycle_error(const struct topological_order *order, struct error *err);

/* The same for a graph that is known to have a cycle. */
int cycle_error_of_graph(const struct execution_graph *execution, struct error *err);

#endif
