/* The search for the least wait by parts, without MPI. */
#ifndef TEST_LEAST_WAIT_PARTS_H
#define TEST_LEAST_WAIT_PARTS_H

#include "critpath/path/program_graph.h"

/*
 * Divide the vertices of a graph among `parts` (at most 8), at random, search by all of them, follow
 * the path that they find, and check its waits.  Returns the least wait.  Fails the test on errors.
 */
uint64_t least_wait_by_parts(const struct program_graph *graph, uint32_t parts, uint64_t delta_ns,
			     uint64_t *numbers);

#endif
