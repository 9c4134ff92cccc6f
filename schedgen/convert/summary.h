/* Summary of a converted archive, in a few lines for people. */
#ifndef SCHEDGEN_SUMMARY_H
#define SCHEDGEN_SUMMARY_H

#include "trace/sequence/slice.h"
#include "schedgen/convert/totals.h"
#include "trace/trace_reader.h"

#include <stdio.h>

struct summary {
	struct trace_reader *reader;	/* owned; owns the names of functions */
	const char *output;		/* name of the file that was written */
	uint32_t rank_count;		/* of the graph */
	uint64_t length_ns;		/* of the run (trace/sequence/run_begin.h) */
	const struct slice_edge *from, *to;	/* not owned; NULL: the whole run */
	struct call_statistics calls;	/* owned */
	struct convert_totals totals;
	/* Owned; two for each of coll_algorithms: of non-blocking and of blocking calls. */
	struct coll_count *collectives;
	struct trace_left_out left_out;
	bool incomplete;		/* the trace: some ranks end early or are missing */
	bool defers;			/* messages are deferred (totals.deferred) */
	bool synthetic_times;		/* the trace: times of calls are means, or there are none */
	bool repeats;			/* the trace: iterations are repeated (repeat) */
	struct trace_repeat repeat;
	bool lacks_records;		/* the trace: calls of messages may lack their records */
	uint64_t cut_halves;		/* of messages, at the edges of a slice */
	uint64_t unreceived;		/* messages that were sent, but never received */
	uint64_t operations, messages, bytes;	/* of the graph */
	uint64_t own_messages;		/* of ranks to themselves */
};

/*
 * Print the summary.  Every line starts with "schedgen: ".  Long lines are wrapped if the width of
 * the stream is known.
 */
void summary_print(FILE *stream, const struct summary *summary);

/* Print the last line, for any graph: name and size of the output. */
void summary_print_output(FILE *stream, const char *output, uint64_t operations,
			  uint64_t messages, uint64_t bytes);

/*
 * Print a table of the collectives: collective, whether it blocks, algorithm, calls, messages,
 * bytes.
 */
void summary_print_collectives(FILE *stream, const struct summary *summary);

void summary_release(struct summary *summary);

#endif
