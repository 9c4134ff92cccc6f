/* Report of llamp path: the critical path, and what is near it. */
#ifndef LLAMP_REPORT_PATH_H
#define LLAMP_REPORT_PATH_H

#include "llamp/analysis/findings.h"
#include "llamp/report/report.h"

/* Rows of CSV. */
enum path_table {
	PATH_SEGMENTS,	/* of the path */
	PATH_SLACK,	/* of all calls, or operations */
	PATH_LAMBDA,	/* latencies by function, rank pair and communicator */
	PATH_NEXT,	/* what joins at the next critical latencies */
	PATH_OVERLAP,	/* calls of deferred receives */
};

/* Parser for option tables: reads segments, slack, lambda, next or overlap into an enum path_table. */
int option_path_table(const char *text, void *target, struct error *err);

/* Write what was found.  `table` is for CSV.  STATUS_LIMIT for CSV of next that is not known. */
int report_path(struct report *report, enum path_table table, const struct findings *findings,
		struct error *err);

/* --------------------------------------------------------- parts of the report */

enum { PATH_MOST_LINES = 10 };	/* of each table of a text */

/* Times by category, kind of operation, variable and rank, for texts and pages. */
void report_path_times(struct report *report, const struct findings *findings);

/* Rank pairs and communicators, also for pages; in CSV also functions (report_path_lambda.c). */
void report_lambda(struct report *report, const struct findings *findings);

/* Slack: a summary, also for pages, and the rows of CSV (report_path_slack.c). */
void report_slack(struct report *report, const struct findings *findings);
int report_slack_rows(struct report *report, const struct findings *findings, struct error *err);

/* Next critical latencies, also for pages (report_path_next.c). */
void report_next(struct report *report, const struct findings *findings);

/* What overlap of messages with computation would bring, also for pages (report_path_overlap.c). */
void report_overlap(struct report *report, const struct findings *findings);

#endif
