/* Output of `llamp tradeoff`. */
#ifndef LLAMP_REPORT_TRADEOFF_H
#define LLAMP_REPORT_TRADEOFF_H

#include "common/draw/svg.h"
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

/* Draw y over x for each tolerance, and the network's values. */
int picture_tradeoffs(const struct svg *svg, const struct tradeoffs *tradeoffs, struct error *err);

#endif
