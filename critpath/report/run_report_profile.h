/* Output of critpath profile. */
#ifndef CRITPATH_RUN_REPORT_PROFILE_H
#define CRITPATH_RUN_REPORT_PROFILE_H

#include "critpath/tables/profile.h"
#include "critpath/report/run_report.h"

/* Rows of CSV. */
enum profile_table {
	PROFILE_FUNCTIONS,
	PROFILE_RANKS,
	PROFILE_BY_SIZE,
	PROFILE_PAIRS,
	PROFILE_SITES, /* only if calls have sites */
};

void run_report_profile(struct report *report, enum profile_table table,
			const struct findings *findings, const struct profile *profile);

#endif
