/* Error messages for cycles: they name the operations that wait for each other. */
#ifndef LLAMP_CYCLE_H
#define LLAMP_CYCLE_H

#include "llamp/graph/topological_order.h"

/*
 * Name the operations on a cycle, after a visit that is not complete.  The error is
 * STATUS_DATA.  It speaks of a possible deadlock of the program if a rendezvous send on the
 * cycle waits for its receiver.  Returns -1.
 */
int cycle_error(const struct topological_order *order, struct error *err);

/* Visit a graph that is known to have a cycle, then do as cycle_error.  Returns -1. */
int cycle_error_of_graph(const struct execution_graph *execution, struct error *err);

#endif
