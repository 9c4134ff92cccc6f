/* The lists of neighbours of a collective of neighbours, as its event has them. */
#ifndef TRACE_NEIGHBOURS_H
#define TRACE_NEIGHBOURS_H

#include "common/array.h"

#include <stdint.h>

/* Zero bytes are valid. */
struct neighbour_lists {
	ARRAY(uint32_t) ranks;	/* of the communicator: sources, then destinations */
	uint32_t source_count;
};

/*
 * Read "SOURCES;DESTINATIONS" (struct mpi_event).  `size` is that of the communicator.  A text
 * that is something else, or names other ranks, is STATUS_DATA.
 */
int neighbour_lists_read(struct neighbour_lists *lists, const char *text, uint32_t size,
			 struct error *err);

void neighbour_lists_release(struct neighbour_lists *lists);

#endif
