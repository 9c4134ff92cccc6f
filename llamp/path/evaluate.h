/* T and its slope at points: a longest path each, several in one pass. */
#ifndef LLAMP_EVALUATE_H
#define LLAMP_EVALUATE_H

#include "llamp/path/lexicographic_key.h"

/*
 * Answer `count` questions: lines[i] is the line at points[i].  Where keys have 64 bits
 * sixteen points are evaluated in one pass; passes are shared among threads.
 */
int path_evaluate_all(const struct cost_graph *graph, const struct path_point *points,
		      size_t count, struct line *lines, struct error *err);

/*
 * Answer one.  If `tight` is not NULL it gets, for every vertex, which of the edges
 * into it decides its value, counted from 0.
 */
int path_evaluate(const struct cost_graph *graph, const struct direction *direction,
		  struct rational at, enum side side, struct line *line, uint32_t *tight,
		  struct error *err);

#endif
