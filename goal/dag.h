/*
 * Topological order of directed graphs in compressed form.
 *
 * Vertices are 0 ... vertex_count - 1; the successors of v are
 * successor[first[v]] ... successor[first[v + 1] - 1].
 */
#ifndef GOAL_DAG_H
#define GOAL_DAG_H

#include "common/error.h"

#include <stdint.h>

struct dag {
	uint32_t vertex_count;
	const uint64_t *first;		/* vertex_count + 1 */
	const uint32_t *successor;
};

/*
 * Write the vertices to order[] so that every edge leads forward; vertices that
 * are ready at the same time come out first-in first-out.  Linear.  Returns 0;
 * 1 if there is a cycle, with *cycle an allocated list of the vertices of one
 * cycle in the direction of the edges and *cycle_count their number (the caller
 * frees it); -1 on error.
 */
int dag_order(const struct dag *dag, uint32_t *order, uint32_t **cycle, uint32_t *cycle_count,
	      struct error *err);

#endif
