/*
 * Report of one program, or of several side by side, as one HTML file (common/draw/html.h): the
 * answer, the curves, the critical path, communication, ranks and parameters.
 *
 * Tables show seven significant digits, as the texts of the commands do, and sentences four.
 */
#ifndef LLAMP_PAGE_REPORT_HTML_H
#define LLAMP_PAGE_REPORT_HTML_H

#include "llamp/analysis/findings.h"

#include <stdio.h>

/* Write the report.  All findings have the same varied variable, tolerances and range. */
int report_html(FILE *stream, const struct findings *runs, size_t count, struct error *err);

#endif
