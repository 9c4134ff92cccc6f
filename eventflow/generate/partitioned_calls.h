/* Partitioned messages: which calls start a send and make its partitions ready. */
#ifndef EVENTFLOW_PARTITIONED_CALLS_H
#define EVENTFLOW_PARTITIONED_CALLS_H

#include "eventflow/generate/rank_calls.h"

/*
 * Note what the calls that have made a send ready tell of earlier ones: a pass over all calls of a
 * rank (trace_receive), after those that find its persistent requests.  STATUS_LIMIT if
 * no choice of partitions is known to do.
 */
int note_partitions(void *data, const struct mpi_call *call, struct error *err);

/* Check that each call that makes partitions ready is of a known message. */
int check_partitions(const struct rank_calls *calls, struct error *err);

/* Append the action of MPI_Pready and its like, or of MPI_Parrived. */
int partitioned_action(struct rank_calls *calls, const struct mpi_call *call, struct action *text,
		       struct error *err);

#endif
