/* State of the tracer in this process, and ending its trace. */
#ifndef TRACER_TRACER_H
#define TRACER_TRACER_H

#include "common/error.h"
#include "trace/assemble/journal_calls.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tracer {
	char directory[4096];		/* of the trace */
	size_t buffer_bytes;		/* of a journal */
	bool call_sites;		/* are recorded */
	uint32_t journals;		/* number of this rank's journals, one for each recorder */
	bool recorded;			/* this rank has created a journal */
	int ranks;			/* number of traced ranks */
	unsigned reports;		/* to print: bits of enum trace_report */
	bool unnamed;			/* journals have no names: no archive is to be made */
	bool archive;			/* is made */
	bool empty;			/* no rank has recorded a call */
	bool quiet;			/* do not name the trace at the end */
	double budget_share;		/* of the run, for reports; negative: budget_ns */
	uint64_t budget_ns;
};

extern struct tracer tracer;

/* Name of the directory for messages: below the directory in which the program was started, if it is. */
const char *tracer_name(void);

/* Where the journals of this rank are. */
struct rank_journals tracer_journals(void);

/*
 * Take the directory for an archive that was not to be made: rank 0, then the others, which check that
 * they share it.
 */
int tracer_take_directory(struct error *err);

/*
 * Make an archive of the complete journals, and reports if they are asked for.  True if the archive
 * is complete, or none is made.  All ranks take part, also failed ones.
 */
bool tracer_finish(void);

/*
 * Make the archive if ranks cannot communicate at the end: the last traced rank does it for all.
 * The journals of this rank must be closed.
 */
int tracer_finish_alone(struct error *err);

#endif
