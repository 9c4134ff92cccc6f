/* Output of critpath imbalance --by iteration. */
#ifndef CRITPATH_RUN_REPORT_ITERATIONS_H
#define CRITPATH_RUN_REPORT_ITERATIONS_H

#include "critpath/report/run_report.h"
#include "critpath/tables/imbalance_iterations.h"

void run_report_iterations(struct report *report, const struct findings *findings,
			   const struct imbalance_iterations *iterations);

#endif
