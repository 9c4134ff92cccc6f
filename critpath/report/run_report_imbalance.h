/* Output of critpath imbalance. */
#ifndef CRITPATH_RUN_REPORT_IMBALANCE_H
#define CRITPATH_RUN_REPORT_IMBALANCE_H

#include "critpath/tables/imbalance.h"
#include "critpath/report/run_report.h"
#include "dist/dist_rows.h"

/* Rows of CSV. */
enum imbalance_table {
	IMBALANCE_RANKS,
	IMBALANCE_COMMS,
	IMBALANCE_FUNCTIONS,
	IMBALANCE_INSTANCES,
	IMBALANCE_CALLS,
	IMBALANCE_TABLES,
};

/* `findings` has walk and totals; rows: critpath/report/imbalance_rows.h. */
void run_report_imbalance(struct report *report, enum imbalance_table table,
			  const struct findings *findings, const struct imbalance *imbalance,
			  struct dist_rows *rows);

#endif
