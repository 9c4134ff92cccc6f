/*
 * Sizes that algorithms want on all ranks while MPI, and so the trace, tells each rank
 * its own part: read before the ranks are converted if an algorithm wants them.
 */
#ifndef SCHEDGEN_ALL_SIZES_H
#define SCHEDGEN_ALL_SIZES_H

#include "common/array.h"
#include "common/number_map.h"
#include "trace/trace_reader.h"

/* Which calls are numbered together, and what is known of them. */
enum all_sizes_class {
	SIZES_OF_BLOCKS,	/* gatherv, scatterv: the block of each rank, told by the root */
	SIZE_OF_LARGEST,	/* alltoallv, alltoallw: the largest block of all ranks */
	SIZES_NONE,		/* of other collectives: nothing */
};
enum { ALL_SIZES_CLASSES = SIZES_NONE };

struct all_sizes {
	/* By class, communicator, persistent collective, whether it blocks, number: in bytes. */
	struct number_map places;
	/* By rank and how many non-blocking collectives it has started before: number. */
	struct number_map numbers;
	ARRAY(uint64_t) bytes;
};

enum all_sizes_class all_sizes_class(enum mpi_collective kind);

/* Read the sizes of all calls of all ranks. */
int all_sizes_read(struct all_sizes *sizes, struct trace_reader *reader, struct error *err);
void all_sizes_release(struct all_sizes *sizes);

/*
 * Sizes of call `number`, counted from 0 over the blocking calls of its class in a
 * communicator: one for each of its ranks, or one; NULL if the trace does not have them.
 */
const uint64_t *all_sizes_find(const struct all_sizes *sizes, enum all_sizes_class class,
			       uint32_t comm, uint32_t number);

/* Likewise, of the persistent collective with this number (struct mpi_event). */
const uint64_t *all_sizes_find_persistent(const struct all_sizes *sizes,
					  enum all_sizes_class class, uint32_t comm,
					  uint32_t persistent);

/* Likewise, of a non-blocking one, before which the rank has started so many collectives. */
const uint64_t *all_sizes_find_started(const struct all_sizes *sizes, enum all_sizes_class class,
				       uint32_t comm, uint32_t rank, uint32_t started);

#endif
