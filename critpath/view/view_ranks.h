/* Chart of the page: what each rank spent its time with. */
#ifndef CRITPATH_VIEW_RANKS_H
#define CRITPATH_VIEW_RANKS_H

#include "common/draw/html.h"
#include "critpath/report/run_report.h"

/*
 * Write a section with a bar for each rank, of its first thread: time outside of MPI, in MPI calls, and waiting in them.
 * If there are more ranks than bars, a bar is the mean of neighbouring ranks.
 */
int view_ranks_write(struct html *html, const struct findings *findings, struct error *err);

#endif
