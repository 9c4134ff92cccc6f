/* The search for the minimum wait by parts, without MPI. */
#ifndef TEST_MINIMUM_WAIT_PARTS_H
#define TEST_MINIMUM_WAIT_PARTS_H

#include "critpath/graph/program_graph.h"

/*
 * Divide the vertices of a graph among `parts` (at most 8), at random, search by all of them, follow
 * the path that they find, and check its waits.  Returns the minimum wait.  Fails the test on errors.
 */
uint64_t minimum_wait_by_parts(const struct program_graph *graph, uint32_t parts, uint64_t delta_ns,
			       uint64_t *numbers);

#endif
