/* Output of `critpath efficiency --by`. */
#ifndef CRITPATH_RUN_REPORT_EFFICIENCY_PARTS_H
#define CRITPATH_RUN_REPORT_EFFICIENCY_PARTS_H

#include "critpath/report/run_report.h"
#include "critpath/tables/efficiency_parts.h"

/* region: the name of that whose visits are the parts; NULL: they are iterations. */
void run_report_efficiency_parts(struct report *report, const struct findings *findings,
				 const struct efficiency_parts *parts, const char *region);

#endif
