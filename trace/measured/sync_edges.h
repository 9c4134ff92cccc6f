/*
 * Messages of a measured run that MPI sends by itself, within other calls:
 *	MPI_Neighbor_...	from each rank to its destinations
 *	MPI_Win_post		to the ranks of its group, whose MPI_Win_start and MPI_Win_complete
 *				may wait for it
 *	MPI_Win_complete	to the ranks of its group, whose MPI_Win_wait waits for it
 *
 * They are in the sends and receives of a struct measured_rank, and match as messages do.  Their
 * tags are above those of programs.
 */
#ifndef TRACE_SYNC_EDGES_H
#define TRACE_SYNC_EDGES_H

#include "trace/measured/measured_rank.h"

/* Tags: bits for the kind of signal, and the number of a window or persistent collective. */
#define MESSAGE_TAGS 0x7fffffffu /* all tags of programs */
#define SIGNAL_NEIGHBOURS 0x80000000u
#define SIGNAL_START 0xa0000000u /* a post, received by MPI_Win_start */
#define SIGNAL_POST 0xc0000000u	 /* a post, received by MPI_Win_complete */
#define SIGNAL_COMPLETE 0xe0000000u
#define SIGNAL_KINDS 0xe0000000u

static inline bool is_signal(uint32_t tag)
{
	return tag > MESSAGE_TAGS;
}

/* Whether a call that receives may end before the signal is sent: MPI_Win_start may wait or not. */
static inline bool may_overtake(uint32_t tag)
{
	return (tag & SIGNAL_KINDS) == SIGNAL_START;
}

/* Add the signals of a collective of neighbours, which is `part`. */
int sync_edges_add_neighbours(struct measured_reading *reading, const struct mpi_event *event,
			      const struct participation *part, struct error *err);

/* Add the signals of call `at` that begins or ends an epoch: of an EVENT_RMA_GROUP_SYNC. */
int sync_edges_add_epoch(struct measured_reading *reading, const struct mpi_event *event,
			 uint32_t at, struct error *err);

#endif
