/* Collectives of neighbours from the events of a trace. */
#ifndef SCHEDGEN_NEIGHBOURS_H
#define SCHEDGEN_NEIGHBOURS_H

#include "schedgen/collectives/collective.h"
#include "trace/call/neighbours.h"

/*
 * Set neighbours and sizes of a collective of neighbours from its event.  The caller has set kind,
 * size and rank.  `lists` holds the neighbours, the vectors belong to the event.  STATUS_DATA if
 * the event contradicts itself.
 */
int neighbours_read(struct neighbour_lists *lists, struct collective *collective,
		    const struct mpi_event *event, struct error *err);

#endif
