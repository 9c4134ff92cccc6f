/*
 * The run on an ideal network: how long it, or a part of it, would take if MPI calls took no time,
 * but for what they wait for.
 *
 * It is the longest path of the program graph (critpath/graph/program_graph.h) in which computation
 * is as long as it was, and all else takes no time.  So each call waits for all that its operation
 * needs, not only for what came last in the measured run.
 *
 * In a part (trace/measured/measured_parts.h) all ranks begin at once, and a call waits only for
 * calls of the same part: its longest path is within it.
 *
 * Processes take turns: each goes on with its ranks as far as it knows what they wait for, then all
 * send each other what others wait for (dist/dist_deliver.h).  Parts, and blocks of the run between
 * collectives of all ranks (critpath/graph/ideal_blocks.h), go on at the same time, so turns are as
 * many as the longest chain of messages between processes within one of them has links.  If a rank
 * has several threads, or collectives do not block, the run is one block.
 */
#ifndef CRITPATH_IDEAL_RUN_H
#define CRITPATH_IDEAL_RUN_H

#include "critpath/path/waits.h"
#include "trace/measured/measured_parts.h"

/*
 * Find the length of each part, ideal_ns[0 ... parts->most - 1].  It is at most the time from the
 * first rank that begins the part to the last that ends it, and at least the computation of any rank
 * in it between the start and its last call.  Collective; parts->most is that of all processes.
 * Memory: critpath/graph/ideal_graph.h, and 72 to 144 bytes for each edge between processes that moves in one turn.
 * STATUS_DATA if calls wait for each other, as clocks contradict each other.
 */
int ideal_parts_find(uint64_t *ideal_ns, const struct measured_parts *parts,
		     const struct waits *waits, struct dist *dist, struct error *err);

/* The same of the whole run. */
int ideal_run_find(uint64_t *ideal_ns, const struct waits *waits, struct dist *dist,
		   struct error *err);

#endif
