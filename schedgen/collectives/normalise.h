/* From what a trace records of a collective to what its algorithm needs. */
#ifndef SCHEDGEN_NORMALISE_H
#define SCHEDGEN_NORMALISE_H

#include "schedgen/collectives/collective.h"

/*
 * Set kind, root and sizes of `collective` from an event, where size and rank
 * are set already: the inverse of the totals in trace/call/mpi_call.h.  *guessed
 * becomes true if blocks of unequal size are taken for equal because the trace
 * does not have them.  STATUS_DATA for a root that is no rank.
 */
int normalise(struct collective *collective, const struct mpi_event *event, bool *guessed,
	      struct error *err);

/*
 * Likewise on an inter-communicator, where remote_size is set as well; what is not
 * set by it must be zero.
 */
int normalise_inter(struct collective *collective, const struct mpi_event *event, bool *guessed,
		    struct error *err);

#endif
