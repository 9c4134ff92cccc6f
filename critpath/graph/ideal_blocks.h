/*
 * Blocks of a run between collectives that all ranks go through at once in the ideal run
 * (critpath/graph/ideal_run.h): each can be found on its own, as all ranks start it together.  The
 * ideal run is their sum.
 *
 * A collective ends a block if all ranks take part in it, none has a further thread, all meet these
 * collectives in the same order, and the calls in it wait for nothing else.  An edge from a block to
 * a later one makes nothing wait.
 */
#ifndef CRITPATH_IDEAL_BLOCKS_H
#define CRITPATH_IDEAL_BLOCKS_H

#include "critpath/graph/ideal_graph.h"

/*
 * Give the calls of the graph their blocks as parts.  Collective.  Sets *count, the number of all
 * blocks of the run.  Memory: 24 bytes for each collective over all ranks.
 */
int ideal_blocks_find(uint64_t *count, struct ideal_graph *graph, struct dist *dist,
		      struct error *err);

#endif
