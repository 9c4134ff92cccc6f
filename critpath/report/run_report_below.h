/* Output of critpath below. */
#ifndef CRITPATH_RUN_REPORT_BELOW_H
#define CRITPATH_RUN_REPORT_BELOW_H

#include "critpath/report/run_report.h"
#include "critpath/tables/below_totals.h"

void run_report_below(struct report *report, const struct findings *findings,
		      const struct below_totals *totals);

/* Say in a sentence in which calls polls have found something; `text` is returned. */
enum { BELOW_TEXT_BYTES = 512 };
const char *run_report_finders(const struct measured_run *run, const struct below_totals *totals,
			       char text[static BELOW_TEXT_BYTES]);

#endif
