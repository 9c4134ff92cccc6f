/* The report of files of the overlap benchmark as a page, and its planes as a picture. */
#ifndef MEASURE_PLANES_PAGE_H
#define MEASURE_PLANES_PAGE_H

#include "measure/planes/planes.h"
#include "measure/report/overlap_report.h"

/*
 * Write the page: verdicts as the report's tables, planes, T_comm by size with the rendezvous threshold,
 * and what the settings of files change.
 */
int planes_page(FILE *stream, const struct overlap_files *files, const struct progress_gains *gains,
		const struct planes *planes, enum heatmap_palette palette, struct error *err);

#endif
