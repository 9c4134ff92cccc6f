/* Sends that the gap g keeps apart. */
#ifndef LLAMP_GAPS_H
#define LLAMP_GAPS_H

#include "llamp/graph/execution_graph.h"

/*
 * Find the pairs of successive sends of a rank that no path within the rank connects, and
 * direct them.  If the graph stays acyclic, all pairs are directed as in the file.  Otherwise
 * each pair is directed to the send of greater depth, and as in the file if the depths are
 * equal.  The depth of a send is the largest number of edges on a path to it without gaps, so
 * such edges cannot make a cycle.  Linear if the order of the sends in the file agrees with
 * their dependencies, as in generated graphs.
 */
int gaps_find(struct execution_graph *execution, struct error *err);

/*
 * Find the same pairs, and direct them as in the file, which may make a cycle.  Needs no matching.
 */
int gaps_find_in_file_order(struct execution_graph *execution, struct error *err);

#endif
