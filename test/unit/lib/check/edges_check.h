/* Check the edges of the program graph of a random program. */
#ifndef TEST_EDGES_CHECK_H
#define TEST_EDGES_CHECK_H

#include "critpath/graph/program_graph.h"
#include "test/unit/lib/oracle/calls_graph.h"

/*
 * Check that the graph, with collectives as `expected` has them, has the edges of `expected`, with the same
 * waits, and no others.  Ways through hubs
 * count as edges between the calls at their ends.  Of the edges into a call that are there only if it waits,
 * the graph has none from calls that began before it did, and may lack those from calls that began no later
 * than another one with an edge into it.  The program has no gap, and its clocks are right.  Fails the test
 * if not.
 */
void edges_check(const struct program_graph *graph, const struct graph *expected, uint64_t seed);

#endif
