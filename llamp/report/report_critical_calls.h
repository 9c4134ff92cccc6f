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

/* The call of a segment.  Only the last one is left out by `lacks_optional`, without call sites. */
#define CALL_FIELDS                                                                             \
	{"function", NULL, .kind = VALUE_NAME},                                                 \
	{"place", NULL, .kind = VALUE_NAME},                                                    \
	{"call", NULL, .kind = VALUE_COUNT},                                                    \
	{"call_time_ns", NULL, .kind = VALUE_ATTOSECONDS},                                      \
	{"site", NULL, VALUE_NAME, .flags = FIELD_OPTIONAL}

enum { CALL_FIELD_COUNT = 5 };

/* Put the values of CALL_FIELDS, those that are known.  `calls` may be NULL. */
void report_put_call(struct report_row *row, const struct critical_calls *calls, size_t segment);

/* Write the member "functions" of the whole object: their times on the path. */
void report_json_functions(struct json *json, const struct critical_calls *calls);

/* Print the tables of functions and of calls, by time and with at most `most` rows each. */
int report_text_calls(FILE *stream, const struct critical_calls *calls, int128 runtime_as,
		      size_t most, struct error *err);

#endif
