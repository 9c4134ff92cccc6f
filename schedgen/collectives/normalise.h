/* Convert the recorded event of a collective to the input of its algorithm. */
#ifndef SCHEDGEN_NORMALISE_H
#define SCHEDGEN_NORMALISE_H

#include "schedgen/collectives/collective.h"

/*
 * Set kind, root and sizes of `collective` from an event (trace/call/collective_totals.h).  The
 * caller has set size, rank and remote_size.  *guessed becomes true if blocks of unequal size are
 * taken for equal because the trace lacks their sizes.  STATUS_DATA if the root is not a rank.
 */
int normalise(struct collective *collective, const struct mpi_event *event, bool *guessed,
	      struct error *err);

#endif
