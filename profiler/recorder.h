/*
 * Tables of the threads of this process: a thread writes its own without locks.
 *
 * When a thread ends, the next new one continues with its recorder (pmpi/threads.h), so the sums of dead threads stay.
 */
#ifndef PROFILER_RECORDER_H
#define PROFILER_RECORDER_H

#include "common/machine/ticks.h"
#include "pmpi/sink.h"
#include "trace/call/mpi_functions.h"
#include "usage/log/node_file.h"

/* Cell of the last call of a function, and what the cell was found by. */
struct last_cell {
	uint64_t size;	/* bytes, or number of requests */
	uint64_t where; /* communicator and place; 0: there was no call */
	struct usage_cell *cell;
};

struct recorder {
	struct usage_table *table;  /* times are ticks */
	struct node_thread *thread; /* that has the table in the node file, or NULL */
	struct last_cell last[MPI_FUNCTION_COUNT];
	struct recorder *next; /* of all of this process */
};

/* Set the rate by which times are put into bins.  To be called before the first call is counted. */
void recorders_set_rate(struct ticks_rate rate);

/* Join the file of this node, in which recorders that are made later have their tables; NULL: none. */
void recorders_use(struct node_file *node);

/* Make a recorder.  NULL with the error set. */
struct recorder *recorder_make(struct error *err);

/* Where the current call of its thread is kept (struct sink). */
uint32_t *recorder_inside(void *recorder);

/* Count a call (struct sink). */
void recorder_count(void *recorder, unsigned function, const struct mpi_sums *sums);

/* Add the tables of all recorders to a usable one, in ns.  Returns the number of recorders. */
uint32_t recorders_merge(struct usage_table *into, struct ticks_rate rate);

#endif
