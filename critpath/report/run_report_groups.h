/* Output of critpath path --method groups. */
#ifndef CRITPATH_RUN_REPORT_GROUPS_H
#define CRITPATH_RUN_REPORT_GROUPS_H

#include "critpath/groups/groups.h"
#include "critpath/report/run_report.h"

void run_report_groups(struct report *report, const struct findings *findings,
		       const struct groups *groups);

#endif
