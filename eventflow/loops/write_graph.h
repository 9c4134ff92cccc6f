/* A graph with its loops, for other programs and as a page. */
#ifndef EVENTFLOW_WRITE_GRAPH_H
#define EVENTFLOW_WRITE_GRAPH_H

#include "eventflow/graph/shown_graph.h"
#include "trace/sequence/loops.h"

#include <stdio.h>

/* Write DOT of Graphviz: loops are clusters; GraphML of yEd, Gephi, NetworkX: nodes and edges with their numbers. */
void write_graph_dot(const struct shown_graph *graph, const struct flow_loops *loops, FILE *stream);
void write_graph_graphml(const struct shown_graph *graph, const struct flow_loops *loops,
			 FILE *stream);

/*
 * Write a page: calls from top to bottom in the order of their first visit, loops as boxes in each other, edges that
 * go on at the right and back at the left, wider the more often they were taken.
 */
int write_graph_page(const struct shown_graph *graph, const struct flow_loops *loops,
		     const char *title, FILE *stream, struct error *err);

#endif
