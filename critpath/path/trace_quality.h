/* What the trace of a run lacks, and whether its clocks can be trusted. */
#ifndef CRITPATH_TRACE_QUALITY_H
#define CRITPATH_TRACE_QUALITY_H

#include "trace/measured/measured_run.h"

/* Share of the messages that may end before they begin, by clocks, without an error. */
enum { MOST_VIOLATIONS_PERCENT = 1 };

/* Numbers of what is missing in the trace of a run. */
struct trace_quality {
	uint64_t unmatched;	      /* sends and receives without the other half */
	uint64_t incomplete_requests; /* whose begin or end is not known */
	uint64_t unfinished_calls;    /* entered but never left */
	uint64_t lacking;	      /* collectives without some of their participants */
	uint64_t gaps;		      /* times in which recording was off */
	uint64_t miscounted; /* ranks and threads that should have another number of events */
	uint64_t violations; /* messages that end before they begin, by clocks */
	bool ended_early;    /* some ranks ended before MPI_Finalize or were not traced */
};

/* Count over the ranks of this process; sums of the run are those of all ranks. */
struct trace_quality trace_quality_of(const struct measured_run *run);

/* Whether a call stands for a time in which recording was off. */
bool trace_quality_is_gap(const struct measured_run *run, uint32_t function);

/* Fail with STATUS_DATA and a list of what is missing if anything is. */
int trace_quality_refuse(const struct trace_quality *quality, struct error *err);

/* Whether too many messages end before they begin. */
bool trace_quality_contradicts(const struct measured_run *run);
/* Fail with STATUS_DATA and advice if too many messages end before they begin. */
int trace_quality_check_clocks(const struct measured_run *run, struct error *err);

#endif
