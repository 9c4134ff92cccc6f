/*
 * The run on an ideal network: how long it would take if MPI calls took no time, but for what they wait for.
 *
 * It is the longest path of the program graph (critpath/graph/program_graph.h) in which computation is as long as it
 * was, and all else takes no time.  So each call waits for all that its operation needs, not only for what came last
 * in the measured run.
 */
#ifndef CRITPATH_IDEAL_RUN_H
#define CRITPATH_IDEAL_RUN_H

#include "critpath/path/waits.h"

/*
 * Find its length.  It is at most that of the run, and at least the computation of any rank.  Memory: that of the graph, and
 * 12 bytes for each vertex.  STATUS_DATA if calls wait for each other, as clocks contradict each other.
 */
int ideal_run_find(uint64_t *ideal_ns, const struct waits *waits, struct error *err);

#endif
