/*
 * Flows of ranks that many processes have, as one file.
 *
 *	flow_build_ranks(&flow, source, options, first, count, err);	each process its ranks, in their order
 *	flow_dist_write(dist, flow, world, path, err);
 *
 * Processes merge by twos: in round k each process whose number has bit k gives its flow to that
 * without the bit.  Only tables travel: strings, signatures, graphs, and the sizes of values and
 * times.  Those go from their process to the file, through process 0, which needs no memory for
 * them.
 */
#ifndef EVENTFLOW_FLOW_DIST_H
#define EVENTFLOW_FLOW_DIST_H

#include "dist/dist.h"
#include "trace/flow/flow.h"

/*
 * Collective.  Merge the flows of all processes, whose ranks follow each other: that of process 0
 * becomes the whole run, of processes `world`.  A process may have no ranks.  The flows can only be
 * released or written then.  Values and times of other processes' ranks have no bytes.
 */
int flow_dist_merge(struct dist *dist, struct flow **flow, const struct trace_world *world,
		    struct error *err);

/*
 * Collective.  Merge the flows, and write them to `path` as a file, the same as that of one
 * process.  `path` matters on process 0.  Release the flow also after an error.
 */
int flow_dist_write(struct dist *dist, struct flow **flow, const struct trace_world *world,
		    const char *path, struct error *err);

#endif
