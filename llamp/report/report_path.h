/* Report of llamp path: the critical path, and what is near it. */
#ifndef LLAMP_REPORT_PATH_H
#define LLAMP_REPORT_PATH_H

#include "common/table.h"
#include "llamp/analysis/findings.h"
#include "llamp/report/report.h"

/* Rows of CSV. */
enum path_table {
	PATH_SEGMENTS,	/* of the path */
	PATH_SLACK,	/* of all calls, or operations */
	PATH_LAMBDA,	/* latencies by function, rank pair and communicator */
	PATH_NEXT,	/* what joins at the next critical latencies */
};

/* Parser for option tables: reads segments, slack, lambda or next into an enum path_table. */
int option_path_table(const char *text, void *target, struct error *err);

/*
 * Write what was found.  `table` is for CSV.  STATUS_LIMIT for CSV of slack or next that is not
 * known.
 */
int report_path(struct report *report, enum path_table table, const struct findings *findings,
		struct error *err);

/* --------------------------------------------------------- parts of the report */

enum { PATH_MOST_LINES = 10 };	/* of each table of a text */

/* Write "and N more" after a table that has left out lines. */
void report_more(FILE *stream, size_t count, const char *where);

/* Rank pairs and communicators (report_path_lambda.c). */
void report_lambda(struct report *report, const struct findings *findings);
void report_csv_lambda(FILE *stream, const struct findings *findings);

/* Slack (report_path_slack.c). */
void report_text_slack(FILE *stream, const struct findings *findings);
void report_json_slack(struct json *json, const struct findings *findings);
int report_csv_slack(FILE *stream, const struct findings *findings, struct error *err);

/* Next critical latencies (report_path_next.c). */
void report_text_next(FILE *stream, const struct findings *findings);
void report_json_next(struct json *json, const struct findings *findings);
int report_csv_next(FILE *stream, const struct findings *findings, struct error *err);

/* ------------------------------------------ cells of tables, for other reports */

/* Slack, calls, their share: critical ones, those below each limit, all. */
enum { REPORT_SLACK_COUNTS = SLACK_LIMITS + 2 };
void report_slack_count(const struct slack *slack, size_t number, char cells[][TABLE_CELL_BYTES]);

/* Slack, its share of T, calls, the first of them. */
void report_slack_level(const struct slack *slack, const struct goal *goal, size_t number,
			char cells[][TABLE_CELL_BYTES]);

/* Critical latency, lambda_L above it, change of the path.  `timed` is that of the calls. */
void report_next(const struct critical_next *next, bool timed, char cells[][TABLE_CELL_BYTES]);

#endif
