/* Evaluation of T and its slope at points, each by a longest path. */
#ifndef LLAMP_EVALUATE_H
#define LLAMP_EVALUATE_H

#include "llamp/path/lexicographic_key.h"

/*
 * Find the lines of T at `count` points: lines[i] at points[i].  One pass evaluates sixteen points
 * whose keys have 64 bits.  Threads share the passes.
 */
int path_evaluate_all(const struct cost_graph *graph, const struct path_point *points,
		      size_t count, struct line *lines, struct error *err);

/*
 * Find the line of T at one point.  If `tight` is not NULL, tight[v] becomes the number of the
 * edge that decides the value of vertex v, among its in-edges and counted from 0.
 */
int path_evaluate(const struct cost_graph *graph, const struct direction *direction,
		  struct rational at, enum side side, struct line *line, uint32_t *tight,
		  struct error *err);

#endif
