/* Report of llamp compare: programs side by side, and how they differ from the first. */
#ifndef LLAMP_REPORT_COMPARE_H
#define LLAMP_REPORT_COMPARE_H

#include "llamp/analysis/compare.h"
#include "llamp/report/report.h"

/* Programs on the same network. */
struct comparison {
	struct compared *items;	/* the others are compared with the first; owned by the caller */
	size_t count;
	uint32_t varied;
};

/* Write a comparison of at least one program. */
void report_compare(FILE *stream, enum report_format format, const struct comparison *comparison);

#endif
