/* Steps of critpath/share/share_run.h. */
#ifndef CRITPATH_SHARE_PARTS_H
#define CRITPATH_SHARE_PARTS_H

#include "critpath/path/walk.h"
#include "dist/dist.h"
#include "critpath/share/share_map.h"
#include "trace/measured_match.h"

/* All are collective. */

/* Give functions that are not in the table the same numbers on all processes, those of one process. */
int share_names(struct measured_run *run, struct dist *dist, struct error *err);

/* Match the messages of own ranks with those of other processes. */
int share_messages(struct measured_matching *matching, const struct share_map *map,
		   struct dist *dist, struct error *err);

/* Complete the instances of collectives, and count them. */
int share_collectives(struct measured_matching *matching, struct dist *dist, struct error *err);

/*
 * Match again where the trace may lack something (trace/measured_align.h).  All items of a stream or channel
 * with cuts are aligned by one process.
 */
int share_alignment(struct measured_matching *matching, const struct share_map *map,
		    struct dist *dist, struct error *err);

/*
 * Give what each process has of its own ranks, in a list of all ranks with `bytes` for each, to process
 * 0.
 */
int share_ranks(const struct measured_run *run, void *ranks, size_t bytes, struct dist *dist,
		struct error *err);

/* Give the segments of all processes to process 0, in order of time, and add them up. */
int share_walk_gather(struct walk *walk, struct dist *dist, struct error *err);

#endif
