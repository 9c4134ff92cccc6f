/* The calls by which a rank goes through collectives that join all ranks. */
#ifndef CRITPATH_PASSAGES_H
#define CRITPATH_PASSAGES_H

#include "critpath/graph/dist_graph.h"

struct passage {
	uint32_t call;
	dist_vertex hub;
};

struct passages {
	ARRAY(struct passage) list;
};

/* List those of an own rank (program_joins_all), in the order of its calls, in place of what was listed. */
int passages_list(struct passages *passages, const struct dist_graph *graph, uint32_t rank,
		  struct error *err);
void passages_release(struct passages *passages);

#endif
