/*
 * Reports of a study, for commands and for the report that the tracer makes in MPI_Finalize.
 *
 * All functions are collective, and find what the study has not found yet.  All processes give the
 * format of the report.  Process 0 writes it to report->stream, which the others do not use.
 */
#ifndef CRITPATH_STUDY_REPORTS_H
#define CRITPATH_STUDY_REPORTS_H

#include "critpath/report/run_report_causes.h"
#include "critpath/report/run_report_imbalance.h"
#include "critpath/report/study.h"
#include "critpath/tables/wait_groups.h"

/* With study->found.blocks the path of the study is joined to blocks, too. */
int study_write_path(struct study *study, struct report *report, struct error *err);
int study_write_waits(struct study *study, struct report *report, enum wait_grouping by,
		      enum wait_pattern pattern, struct error *err);
/* most: rows that are listed, see struct cause_findings. */
int study_write_causes(struct study *study, struct report *report,
		       const struct wait_causes_options *options, size_t most, struct error *err);
/* `table` is the one of CSV. */
int study_write_imbalance(struct study *study, struct report *report, enum imbalance_table table,
			  struct error *err);

#endif
