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
 * Write the vertices to order[] so that every edge leads forward. Vertices that are ready at
 * the same time keep the order in which they became ready. Linear time. Returns 0, -1 on
 * error, or 1 if there is a cycle: then *cycle is a list of the *cycle_count vertices of one
 * cycle in the direction of its edges, which the caller frees.
 */
int dag_order(const struct dag *dag, uint32_t *order, uint32_t **cycle, uint32_t *cycle_count,
	      struct error *err);

#endif
