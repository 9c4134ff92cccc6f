/* The report of files of the overlap benchmark, as text, JSON, CSV (all cells) or JSON schema. */
#ifndef MEASURE_OVERLAP_REPORT_H
#define MEASURE_OVERLAP_REPORT_H

#include "common/report/report.h"
#include "measure/report/progress_gain.h"

struct progress_gains {
	struct progress_gain *items;
	size_t count, capacity;
};

/* Compare all pairs of files that can be compared (progress_gain.h); of two files, with any settings.  On success end with progress_gains_release. */
int progress_gains_find(struct progress_gains *gains, const struct overlap_files *files,
			struct error *err);
void progress_gains_release(struct progress_gains *gains);

/* Write the report; `report` has stream and format. */
int overlap_report(struct report *report, const struct overlap_files *files,
		   const struct progress_gains *gains, struct error *err);

/* Write parts of it: the table "overview", and the comparison `number` of `gains`, a struct progress_gains. */
int overlap_report_overview(struct report *report, const struct overlap_files *files,
			    struct error *err);
void overlap_report_gain(struct report *report, const void *gains, size_t number);

#endif
