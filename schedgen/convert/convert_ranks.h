/*
 * Convert all ranks of an archive to a graph, on all processors.
 *
 *	convert_ranks_init(&ranks, reader, &options, err);
 *	convert_ranks_run(&ranks, &writer, convert_ranks_threads(&ranks), err);
 *	... ranks.sum, ranks.balance: sums over all ranks ...
 *	convert_ranks_release(&ranks);
 *
 * Several ranks are read and converted at once and written in their order.  The result is the
 * same, byte for byte, for any number of threads, because tags are numbered in the order of the
 * ranks.  Memory does not grow with the length of a rank (goal/builder.h).  An archive with windows
 * of memory is read twice (schedgen/convert/rma.h), and once more for a slice
 * (schedgen/convert/slice_channels.h) and for deferred messages (schedgen/convert/deferred.h).
 */
#ifndef SCHEDGEN_CONVERT_RANKS_H
#define SCHEDGEN_CONVERT_RANKS_H

#include "schedgen/convert/all_sizes.h"
#include "schedgen/convert/convert.h"
#include "schedgen/convert/message_balance.h"
#include "schedgen/convert/rma.h"
#include "trace/trace_reader.h"

#include <stdatomic.h>

struct convert_ranks {
	struct convert sum;		/* sums over all ranks; converts nothing */
	struct message_balance balance;
	struct trace_left_out left_out;
	uint64_t operations;
	uint32_t rank_count;		/* of the graph */
	uint64_t end_ns;		/* of the run: where the last rank enters MPI_Finalize */
	/* With slices: struct slice_dropped. */
	atomic_uint_fast64_t dropped_sends, dropped_others;

	/* Private. */
	struct all_sizes all_sizes;
	struct trace_reader *reader;
	struct goal_writer *writer;
	struct slice_channels channels;		/* of slices, known after the survey */
	struct goal_tags channel_tags;		/* tags of the channels */
	bool surveying;
	struct rma_plan rma_plan;
	struct deferred deferred;
	uint64_t events;		/* to be read */
	atomic_uint_fast64_t events_read;
};

/* Reader, world and rules must outlive *ranks. */
int convert_ranks_init(struct convert_ranks *ranks, struct trace_reader *reader,
		       const struct convert_options *options, struct error *err);
void convert_ranks_release(struct convert_ranks *ranks);

/*
 * Convert all ranks and write them, by at most `threads` threads.  With slices, survey all ranks
 * first, to know which messages the slices cut.  The error comes from the first rank that fails.
 */
int convert_ranks_run(struct convert_ranks *ranks, struct goal_writer *writer, unsigned threads,
		      struct error *err);

/* Number of threads for an archive of this size. */
unsigned convert_ranks_threads(const struct convert_ranks *ranks);

#endif
