/*
 * Evolution of a run: the time of each iteration of the main loop on each rank, or means of several
 * where there are many.
 */
#ifndef EVENTFLOW_EVOLUTION_H
#define EVENTFLOW_EVOLUTION_H

#include "common/draw/svg.h"
#include "eventflow/graph/graph_times.h"
#include "trace/flow/flow_stat.h"
#include "trace/sequence/main_loop.h"

/* Iterations of neighbouring ranks in one cell. */
struct evolution_cell {
	uint64_t sum_ns;
	uint64_t count; /* 0: these ranks have no such iterations */
};

/* Zero bytes are empty.  Owned. */
struct evolution {
	uint32_t ranks;		  /* that have a main loop */
	uint32_t first_rank;	  /* the first of them */
	uint64_t most_iterations; /* of one of them; 0: there is no main loop */
	char *header;		  /* call with which iterations of the first of these ranks begin */
	struct flow_stat times;	  /* of all iterations */
	uint32_t rows, ranks_in_row;
	uint64_t columns, iterations_in_column;
	struct evolution_cell *cells; /* [row * columns + column]; row 0 has rank 0 */
};

/*
 * Find the iterations of the first thread of each rank, or of one (UINT32_MAX: of all), in at most
 * most_side rows and as many columns.  STATUS_DATA if the flow lacks the times of each call.
 */
int evolution_find(struct evolution *evolution, const struct flow *flow, uint32_t only_rank,
		   uint32_t most_side, struct error *err);
void evolution_release(struct evolution *evolution);

/* Draw it as a heat map: a rank higher up is a larger one. */
int evolution_draw(const struct evolution *evolution, const struct svg *svg, struct error *err);

#endif
