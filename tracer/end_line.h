/* The last words of a successful run: one line that names its trace. */
#ifndef TRACER_END_LINE_H
#define TRACER_END_LINE_H

#include "trace/assemble/global_ids.h"
#include "trace/assemble/rank_flow.h"
#include "trace/assemble/recover.h"

/*
 * Print the line on rank 0, on stderr, unless LLAMP_TRACE_QUIET is 1 or no archive is made.  All ranks
 * take part: the archive is complete.  `own` is the summary of this rank, `all` are the definitions
 * on rank 0, `graphs` is their file.  If no rank has recorded a call, the line says so in any case.
 */
void end_line_together(const struct rank_summary *own, const struct global_ids *all,
		       const struct run_flow_file *graphs);

/* Check whether no rank has recorded a call.  All ranks take part. */
bool end_line_is_empty(const struct rank_summary *own);

/* Print the line of an archive that this process has made of the journals of all ranks. */
void end_line_alone(const struct recovered *recovered);

#endif
