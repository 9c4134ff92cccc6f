/*
 * One cost graph from what the parts of a traversal have written.  Private to
 * llamp/traversal/traversal.h.
 */
#ifndef LLAMP_TRAVERSAL_JOIN_H
#define LLAMP_TRAVERSAL_JOIN_H

#include "llamp/traversal/traversal_part.h"

/* Numbers of sources of a run are a multiple of this, and so is the first one. */
enum { RUN_STEP = 64 };

/* What a part wrote in a round: vertices, whose sources have successive numbers, and their edges. */
struct traversal_run {
	uint32_t part;
	uint32_t first_number;
	uint32_t vertex_first, vertex_count; /* of those of the part */
	uint64_t edge_first, edge_count;
};

struct traversal_runs {
	ARRAY(struct traversal_run) list; /* in ascending order of numbers */
};

/*
 * Write the vertices of all parts in the order of their numbers, with their edges.  *writer is not
 * initialised; on failure there is nothing to release.  The parts keep only what is not needed
 * for it: their memory is given back on the way.  `threads` share the work.
 */
int traversal_join(struct cost_writer *writer, struct traversal_part *parts, uint32_t part_count,
		   const struct traversal_runs *runs, unsigned threads, struct error *err);

#endif
