/*
 * All ranks of an archive to a graph, by all processors.
 *
 *	conversion_init(&conversion, reader, &options, err);
 *	conversion_run(&conversion, &writer, conversion_threads(&conversion), err);
 *	... conversion.sum, conversion.balance: what has been seen ...
 *	conversion_release(&conversion);
 *
 * Several ranks are read and converted at once and written in their order.  The
 * result is the same, byte for byte, for any number of threads: the numbers of
 * tags are given in the order of the ranks.  Memory does not grow with the length of
 * a rank (goal/builder.h).  An archive with windows of memory is read twice (schedgen/convert/rma.h), and
 * once more for a part of the run (schedgen/convert/slice_channels.h).
 */
#ifndef SCHEDGEN_CONVERSION_H
#define SCHEDGEN_CONVERSION_H

#include "schedgen/convert/message_balance.h"
#include "schedgen/convert/convert.h"
#include "trace/trace_reader.h"

#include <stdatomic.h>

struct conversion {
	struct converter sum;		/* converts nothing: has seen what all have seen */
	struct balance balance;
	struct trace_left_out left_out;
	uint64_t operations;
	uint32_t rank_count;		/* of the graph */
	uint64_t length_ns;		/* of the trace, from its begin to its last call */
	atomic_uint_fast64_t dropped_sends, dropped_others;	/* with windows: struct cut_dropped */

	/* Private. */
	struct all_sizes all_sizes;
	struct trace_reader *reader;
	struct goal_writer *writer;
	struct cut cut;			/* of windows, known after the survey ... */
	struct tags cut_tags;		/* ... in which tags had these numbers */
	bool surveying;
	struct rma_plan rma_plan;
	uint64_t events;		/* that are to be read */
	atomic_uint_fast64_t events_read;
};

/* Reader, world and rules must outlive the conversion. */
int conversion_init(struct conversion *conversion, struct trace_reader *reader,
		    const struct convert_options *options, struct error *err);
void conversion_release(struct conversion *conversion);

/*
 * Convert all ranks and write them, by at most so many threads; with windows after a
 * survey of all ranks, to know which messages they cut.  The error is that
 * of the first rank that fails.
 */
int conversion_run(struct conversion *conversion, struct goal_writer *writer, unsigned threads,
		   struct error *err);

/* As many threads as are worth their while. */
unsigned conversion_threads(const struct conversion *conversion);

#endif
