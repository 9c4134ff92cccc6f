/* Output of `critpath efficiency`. */
#ifndef CRITPATH_RUN_REPORT_EFFICIENCY_H
#define CRITPATH_RUN_REPORT_EFFICIENCY_H

#include "critpath/report/run_report.h"
#include "critpath/tables/efficiency.h"

void run_report_efficiency(struct report *report, const struct findings *findings,
			   const struct efficiency *efficiency);

#endif
