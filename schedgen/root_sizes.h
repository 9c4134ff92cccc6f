/*
 * The sizes of gatherv and scatterv, which a trace has on the root, for the ranks in
 * between: read before the conversion if an algorithm wants them on all ranks.
 */
#ifndef SCHEDGEN_ROOT_SIZES_H
#define SCHEDGEN_ROOT_SIZES_H

#include "common/array.h"
#include "common/number_map.h"
#include "trace/trace_reader.h"

struct root_sizes {
	struct number_map places;	/* communicator and whether it blocks, number: place in bytes */
	struct number_map numbers;	/* rank, non-blocking collectives that it started before: number */
	ARRAY(uint64_t) bytes;
};

/* Read the sizes of all calls of gatherv and scatterv of all ranks. */
int root_sizes_read(struct root_sizes *sizes, struct trace_reader *reader, struct error *err);
void root_sizes_release(struct root_sizes *sizes);

/*
 * The block of each rank in call `number`, counted from 0 over the blocking calls of
 * gatherv and scatterv in a communicator; NULL if the trace does not tell.
 */
const uint64_t *root_sizes_find(const struct root_sizes *sizes, uint32_t comm, uint32_t number);

/* Likewise, of a non-blocking one, before which the rank has started so many collectives. */
const uint64_t *root_sizes_find_started(const struct root_sizes *sizes, uint32_t comm,
					uint32_t rank, uint32_t started);

#endif
