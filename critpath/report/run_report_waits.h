/* Output of critpath waits. */
#ifndef CRITPATH_RUN_REPORT_WAITS_H
#define CRITPATH_RUN_REPORT_WAITS_H

#include "critpath/report/run_report.h"
#include "dist/dist_rows.h"
#include "critpath/tables/wait_groups.h"

struct wait_findings {
	const struct wait_items *items; /* for text: at least the ten longest */
	struct dist_rows *rows;	/* for JSON and CSV by call: struct wait_item */
	const struct wait_groups *groups;
	enum wait_grouping by;
	enum wait_pattern pattern;
};

void run_report_waits(struct report *report, const struct findings *findings,
		      const struct wait_findings *waits);

#endif
