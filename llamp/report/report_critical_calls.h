/* Calls of a critical path in the reports of llamp path, as parts of report_path. */
#ifndef LLAMP_REPORT_CRITICAL_CALLS_H
#define LLAMP_REPORT_CRITICAL_CALLS_H

#include "llamp/analysis/critical_calls.h"
#include "llamp/report/report.h"

/* Whether time is in a call or before it: "in" or "before". */
const char *report_place(bool before);

enum { REPORT_CALL_BYTES = 512 };

/* Name a function, as in "before MPI_Send".  Returns `text`. */
const char *report_function_text(const char *function, bool before,
				 char text[static REPORT_CALL_BYTES]);

/* Call to be named. */
struct report_call {
	const char *function;
	const char *site;	/* name of its call site, or NULL */
	uint32_t rank;
	bool before, timed;
	uint64_t number;
	int64_t time_ns;
};

/* Name a call, as in "MPI_Send, call 3 of rank 0, at 2.5 us, halo.c:57".  Returns `text`. */
const char *report_call_text(const struct report_call *call, char text[static REPORT_CALL_BYTES]);

/* Write the members of a segment's object that identify its call: function, call ... */
void report_json_call(struct json *json, const struct critical_calls *calls, size_t segment);

/* Write the member "functions" of the whole object: their times on the path. */
void report_json_functions(struct json *json, const struct critical_calls *calls);

/*
 * Names of the last columns of CSV, and the fields of a segment, which are empty if `calls` is
 * NULL.  Both begin with a comma.
 */
const char *report_csv_call_columns(const struct critical_calls *calls);
void report_csv_call(FILE *stream, const struct critical_calls *calls, size_t segment);

/* Print the tables of functions and of calls, by time and with at most `most` rows each. */
int report_text_calls(FILE *stream, const struct critical_calls *calls, int128 runtime_as,
		      size_t most, struct error *err);

#endif
