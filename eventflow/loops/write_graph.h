/* A graph with its loops, for other programs. */
#ifndef EVENTFLOW_WRITE_GRAPH_H
#define EVENTFLOW_WRITE_GRAPH_H

#include "eventflow/graph/shown_graph.h"
#include "trace/sequence/loops.h"

#include <stdio.h>

/*
 * Write DOT of Graphviz: loops are clusters; GraphML of yEd, Gephi, NetworkX: nodes and edges with
 * their numbers.
 */
void write_graph_dot(const struct shown_graph *graph, const struct flow_loops *loops, FILE *stream);
void write_graph_graphml(const struct shown_graph *graph, const struct flow_loops *loops,
			 FILE *stream);

#endif
