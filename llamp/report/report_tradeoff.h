/* Output of `llamp tradeoff`. */
#ifndef LLAMP_REPORT_TRADEOFF_H
#define LLAMP_REPORT_TRADEOFF_H

#include "llamp/analysis/tradeoff.h"
#include "llamp/report/report.h"

/* Tradeoffs of two variables, one for each tolerance. */
struct tradeoffs {
	const struct model *model;
	uint32_t variables[2];
	const struct tradeoff *items;
	size_t count;
};

void report_tradeoffs(struct report *report, const struct tradeoffs *tradeoffs);

#endif
