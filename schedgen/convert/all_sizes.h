/*
 * Sizes that algorithms need on all ranks although the trace, as MPI, has only a part on each
 * rank.  They are read before the ranks are converted if an algorithm needs them.
 */
#ifndef SCHEDGEN_ALL_SIZES_H
#define SCHEDGEN_ALL_SIZES_H

#include "common/array.h"
#include "common/number_map.h"
#include "trace/trace_reader.h"

/* Class of calls that are numbered together, by the sizes that are known. */
enum all_sizes_class {
	SIZES_OF_BLOCKS,	/* gatherv, scatterv: block of each rank, from the root */
	SIZE_OF_LARGEST,	/* alltoallv, alltoallw: largest block of all ranks */
	SIZES_NONE,		/* other collectives: no sizes */
};
enum { ALL_SIZES_CLASSES = SIZES_NONE };

struct all_sizes {
	/* By class, communicator, persistent collective, whether it blocks, number: in bytes. */
	struct number_map places;
	/* Number by rank and number of non-blocking collectives that it has started before. */
	struct number_map numbers;
	ARRAY(uint64_t) bytes;
};

enum all_sizes_class all_sizes_class(enum mpi_collective kind);

/* Read the sizes of all calls of all ranks. */
int all_sizes_read(struct all_sizes *sizes, struct trace_reader *reader, struct error *err);
void all_sizes_release(struct all_sizes *sizes);

/*
 * Find the sizes of call `number`, counted from 0 over the blocking calls of its class in a
 * communicator: one for each of its ranks, or one; NULL if the trace lacks them.
 */
const uint64_t *all_sizes_find(const struct all_sizes *sizes, enum all_sizes_class class,
			       uint32_t comm, uint32_t number);

/* Find the sizes of the persistent collective with this number (struct mpi_event). */
const uint64_t *all_sizes_find_persistent(const struct all_sizes *sizes,
					  enum all_sizes_class class, uint32_t comm,
					  uint32_t persistent);

/* Find the sizes of a non-blocking call, before which the rank has started `started` others. */
const uint64_t *all_sizes_find_started(const struct all_sizes *sizes, enum all_sizes_class class,
				       uint32_t comm, uint32_t rank, uint32_t started);

#endif
