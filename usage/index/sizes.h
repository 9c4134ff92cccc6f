/*
 * Calls of a job by the size of their messages, as the figure message-sizes asks for them.
 *
 * Reductions are MPI_Allreduce, MPI_Reduce and their nonblocking forms.  Functions with and without
 * _c are one.
 */
#ifndef USAGE_INDEX_SIZES_H
#define USAGE_INDEX_SIZES_H

#include "usage/log/job_log.h"

/* In the order of the columns of the table job_sizes, after `job`. */
enum message_size {
	SIZES_REDUCTION_CALLS, /* of the average rank */
	SIZES_REDUCTION_BYTES,
	SIZES_REDUCTION_ALL, /* calls of all ranks that did not fail */
	SIZES_REDUCTION_256, /* of these: at most 256 bytes */
	SIZES_REDUCTION_16K, /* at most 16 KiB */
	SIZES_ALLREDUCE_CALLS,
	SIZES_ALLREDUCE_BYTES,
	SIZES_ALLREDUCE_ALL,
	SIZES_ALLREDUCE_512K, /* at least 512 KiB */
	SIZES_BCAST_CALLS,
	SIZES_BCAST_BYTES,
	SIZES_BCAST_ALL,
	SIZES_BCAST_16M, /* at least 16 MiB */
	SIZES_END
};

/* Count the calls of a job.  Returns whether there are any. */
bool message_sizes(const struct job_log *log, uint64_t sizes[static SIZES_END]);

#endif
