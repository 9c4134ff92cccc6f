/* Calls of a critical path in the reports of llamp path, as parts of report_path. */
#ifndef LLAMP_REPORT_CRITICAL_CALLS_H
#define LLAMP_REPORT_CRITICAL_CALLS_H

#include "llamp/analysis/findings.h"
#include "llamp/report/report.h"

/* Whether time is in a call or before it: "in" or "before"; ends with NULL. */
extern const char *const report_places[];

enum { REPORT_CALL_BYTES = 512 };

/* Name a function, as in "before MPI_Send".  Returns `text`. */
const char *report_function_text(const char *function, bool before,
				 char text[static REPORT_CALL_BYTES]);

/* Call to be named. */
struct report_call {
	const char *function;	/* NULL: not known */
	const char *site;	/* name of its call site, or NULL */
	uint32_t rank;
	bool before, timed;
	uint64_t number;
	int64_t time_ns;
};

struct report_call report_call_of(const struct critical_call *call, bool timed);

/* Name a call, as in "MPI_Send, call 3 of rank 0, at 2.5 us, halo.c:57".  Returns `text`. */
const char *report_call_text(const struct report_call *call, char text[static REPORT_CALL_BYTES]);

/* What is known of a call, whose values report_put_call puts. */
#define CALL_FUNCTION                                                                           \
	{"function", NULL, VALUE_NAME, .flags = FIELD_OPTIONAL,                                 \
	 .meaning = "MPI function that made the operation. Only if it is known"}
#define CALL_PLACE                                                                              \
	{"place", NULL, VALUE_NAME, .flags = FIELD_OPTIONAL, .values = report_places,           \
	 .meaning = "Time in the call, or of computation before it"}
#define CALL_NUMBER                                                                             \
	{"call", NULL, VALUE_COUNT, .flags = FIELD_OPTIONAL | FIELD_POSITIVE,                   \
	 .meaning = "Number of the call among those of the rank in the trace"}
#define CALL_TIME                                                                               \
	{"call_time_ns", NULL, VALUE_ATTOSECONDS, .flags = FIELD_OPTIONAL | FIELD_SIGNED,       \
	 .meaning = "Time at which it was entered, in ns since the trace began. Not for patterns"}
#define CALL_FIELDS CALL_FUNCTION, CALL_PLACE, CALL_NUMBER, CALL_TIME

void report_put_call(struct report_row *row, const struct report_call *call);

/* Write the times of functions and of call sites on the path, also for pages. */
void report_functions(struct report *report, const struct findings *findings);

/* Write the calls with most time, in text. */
void report_longest_calls(struct report *report, const struct findings *findings);

#endif
