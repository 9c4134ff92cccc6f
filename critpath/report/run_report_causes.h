/* Output of `critpath causes`. */
#ifndef CRITPATH_RUN_REPORT_CAUSES_H
#define CRITPATH_RUN_REPORT_CAUSES_H

#include "critpath/causes/wait_causes.h"
#include "critpath/report/run_report.h"

/* Causes of waits, grouped as asked for. */
struct cause_findings {
	const struct wait_causes *causes;
	const struct wait_causes_options *options;
	size_t most; /* rows that are listed; 0: 10 in text, otherwise all */
};

void run_report_causes(struct report *report, const struct findings *findings,
		       const struct cause_findings *causes);

/* Write the table alone, as into a page. */
void run_report_cause_rows(struct report *report, const struct findings *findings,
			   const struct cause_findings *causes);

/*
 * Say what caused most of the waiting: "Rank 0's computation before MPI_Send (pipe.c:31) caused 150 of 150 ms
 * of waiting, 100 ms indirectly."  Returns `text`.
 */
enum { RUN_CULPRIT_BYTES = 1024 };
const char *run_report_culprit(const struct measured_run *run, const struct wait_causes *causes,
			       char text[static RUN_CULPRIT_BYTES]);

#endif
