/* The search for the minimum wait by subgraphs, without MPI. */
#ifndef TEST_MINIMUM_WAIT_SUBGRAPHS_H
#define TEST_MINIMUM_WAIT_SUBGRAPHS_H

#include "critpath/graph/program_graph.h"

/*
 * Divide the vertices of a graph among `count` subgraphs (at most 8), at random, search by all of them, follow
 * the path that they find, and check its waits.  Returns the minimum wait.  Fails the test on errors.
 */
uint64_t minimum_wait_by_subgraphs(const struct program_graph *graph, uint32_t count,
				   uint64_t delta_ns, uint64_t *numbers);

#endif
