/* Output of the commands of critpath as text, JSON (schemas in doc/) and CSV. */
#ifndef CRITPATH_RUN_REPORT_H
#define CRITPATH_RUN_REPORT_H

#include "common/report/report.h"
#include "critpath/path/blocks.h"
#include "critpath/path/totals.h"
#include "common/source/call_site.h"
#include "critpath/tables/path_sites.h"

enum { RUN_MOST_ROWS = 10 }; /* of most tables in text */

/* What a command has found in a trace; parts that it has not looked for are NULL. */
struct findings {
	const char *path;		/* of the trace */
	const struct measured_run *run;
	const struct waits *waits;
	const struct walk *walk;
	const struct totals *totals;
	const struct blocks *blocks;	/* NULL: segments are not joined to blocks */
	size_t sync_blocks; /* between synchronization points, searched on their own; 0: not so searched */
	const struct path_sites *sites;	/* of the calls on the path */
};

void run_report_path(struct report *report, const struct findings *findings);

/* --------------------------------------------------- parts of all reports */

/* Begin a report: the trace, its size, and what does not fit together. */
void run_report_begin(struct report *report, const char *schema, const struct findings *findings);

/* Write the threshold and the number of blocks, if segments are joined to blocks. */
void run_report_blocks(struct report *report, const struct findings *findings);

/* Format a time, also for narrow columns, and a share of another time.  All return `text`. */
enum { RUN_TEXT_BYTES = 64 };
const char *run_report_time(uint64_t ns, char text[static RUN_TEXT_BYTES]);
const char *run_report_short_time(uint64_t ns, char text[static RUN_TEXT_BYTES]);
const char *run_report_share(uint64_t part, uint64_t whole, char text[static RUN_TEXT_BYTES]);

/* Put the number of a call, from 1 as in llamp path, or none for NO_CALL. */
void put_call(struct report_row *row, uint32_t call);

/* Name of a call site for narrow columns: without folders, "(not known)" for NO_SITE. */
const char *run_site_short(const struct measured_run *run, uint32_t site);

/*
 * Describe a call, "MPI_Recv, call 298 of rank 0", with ", halo.c:57" if its call site is known.
 * Calls count from 1 as in llamp path.
 */
enum { RUN_CALL_BYTES = 320 };
const char *run_report_call(const struct measured_run *run, uint32_t rank, uint32_t call,
			    uint32_t function, uint32_t site, char text[static RUN_CALL_BYTES]);

#endif
