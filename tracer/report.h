/*
 * Reports of the run in MPI_Finalize: the critical path, waits, their causes and imbalance, as `critpath` prints
 * them of the archive.
 *
 * Each rank reads its own journals.  A report never harms the program: if it fails on a rank, would
 * take more time than its budget or more memory than there is, all ranks give it up with one
 * message, and the archive is as it would be without it.  If none was to be made, there is one then.
 */
#ifndef TRACER_REPORT_H
#define TRACER_REPORT_H

#include "trace/assemble/global_ids.h"

#include <stdbool.h>

/* What the end of the trace has found out. */
struct report_source {
	const struct rank_summary *summary; /* of this rank */
	const struct trace_clock *clock;
	const uint32_t *comms, *windows; /* ids in the archive, by ids of this rank */
	const struct global_ids *all;	 /* on rank 0 */
};

enum { REPORT_LINE_BYTES = 6 * 4096 };

/*
 * Make and print the reports that are asked for.  All ranks take part, none of which has failed,
 * before they remove their journals.  On failure the caller has to say why on rank 0.
 */
int report_make(const struct report_source *source, struct error *err);

/* Say why there is no report, if one is asked for. */
void report_refuse(const char *why);

/*
 * Write a line that says why there is no report of a run that ends before its archive is made, and how to
 * get one of what was `recorded`.  False if none is asked for.  Called by one thread at a time.
 */
bool report_lost(char line[static REPORT_LINE_BYTES], const char *why, bool recorded);

#endif
