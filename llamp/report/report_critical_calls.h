/* The calls of a critical path in the reports of llamp path; part of report_path. */
#ifndef LLAMP_REPORT_CRITICAL_CALLS_H
#define LLAMP_REPORT_CRITICAL_CALLS_H

#include "llamp/analysis/critical_calls.h"
#include "llamp/report/report.h"

/* Write the members of a segment's object that name its call: function, call ... */
void report_json_call(struct json *json, const struct critical_calls *calls, size_t segment);

/* Write a member of the whole object: the functions, with their times on the path. */
void report_json_functions(struct json *json, const struct critical_calls *calls);

/* The last columns of a CSV line, beginning with a comma; empty fields if `calls` is NULL. */
extern const char report_csv_call_columns[];
void report_csv_call(FILE *stream, const struct critical_calls *calls, size_t segment);

/* Print the tables of functions and of the calls with most time, at most `most` rows each. */
int report_text_calls(FILE *stream, const struct critical_calls *calls, int128 runtime_as,
		      size_t most, struct error *err);

#endif
