/* Lists of neighbours from the events of a trace. */
#ifndef SCHEDGEN_NEIGHBOURS_H
#define SCHEDGEN_NEIGHBOURS_H

#include "common/array.h"
#include "schedgen/collectives/collective.h"

/* Zero bytes are valid. */
struct neighbours {
	ARRAY(uint32_t) ranks;	/* sources, then destinations */
};

/*
 * Set neighbours and sizes of a collective of neighbours from its event.  The caller has set kind,
 * size and rank.  The lists belong to `neighbours`, the vectors to the event.  STATUS_DATA if the
 * event contradicts itself.
 */
int neighbours_read(struct neighbours *neighbours, struct collective *collective,
		    const struct mpi_event *event, struct error *err);

void neighbours_release(struct neighbours *neighbours);

#endif
