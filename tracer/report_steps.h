/* Steps of a report, whose results are the same on all ranks, within one time. */
#ifndef TRACER_REPORT_STEPS_H
#define TRACER_REPORT_STEPS_H

#include "common/error.h"

#include <stdbool.h>
#include <stdint.h>

/* Say why there is no report, if one is asked for. */
void report_refuse(const char *why);

/* Whether no rank has failed.  Otherwise the first failed rank says why.  All ranks take part. */
bool report_agree(int result, const struct error *err);

/* Time that a report may take. */
struct report_budget {
	uint64_t begin_ns, ns;
};

/* Begin now.  All ranks take part and get the same time, that of the longest run. */
bool report_budget_begin(struct report_budget *budget);

/* Fail if the time is over, or would be in `more_ns` from now. */
int report_budget_check(const struct report_budget *budget, uint64_t more_ns, struct error *err);

#endif
