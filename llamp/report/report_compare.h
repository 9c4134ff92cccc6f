/* Report of llamp compare: programs side by side, and how they differ from the first. */
#ifndef LLAMP_REPORT_COMPARE_H
#define LLAMP_REPORT_COMPARE_H

#include "llamp/analysis/compare.h"
#include "llamp/report/report.h"

/* Programs on one network or several. */
struct comparison {
	struct compared *items;	/* the others are compared with the first; owned by the caller */
	size_t count;
	size_t network_count;
	const char *vary;	/* name of the varied variable */
};

/*
 * Write a comparison of at least one program, whose facts are aligned.  STATUS_LIMIT if the networks
 * have more variables than CSV has columns for.
 */
int report_compare(struct report *report, const struct comparison *comparison, struct error *err);

#endif
