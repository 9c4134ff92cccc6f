/* The sends that the gap g keeps apart. */
#ifndef LLAMP_GAPS_H
#define LLAMP_GAPS_H

#include "llamp/graph/execution_graph.h"

/*
 * Find the pairs of successive sends of a rank that no path within the rank
 * connects, and direct them: in the order of the file if that leaves the execution
 * acyclic, else from the send with the shorter longest chain of edges before it to
 * the other one (in file order where they are equal), so that every edge leads to
 * a longer chain or to a later send.  Linear where sends are in an order that
 * their dependencies allow, as in generated graphs.
 */
int gaps_find(struct execution_graph *execution, struct error *err);

#endif
