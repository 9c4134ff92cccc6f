/* Tables of the report of the overlap benchmark, each of one file. */
#ifndef MEASURE_OVERLAP_TABLES_H
#define MEASURE_OVERLAP_TABLES_H

#include "common/report/report.h"
#include "measure/report/overlap_files.h"

/* Write what a cell or a class is: "receiver, 4 messages", without sizes. */
enum { LIKE_TEXT_BYTES = 256 };
const char *like_text(const struct cell_spec *spec, char text[static LIKE_TEXT_BYTES]);

/* Tables "classes", "negative", "stolen", "model" (if there is one) and "cells". */
void overlap_table_classes(struct report *report, const struct overlap_findings *of);
void overlap_table_negative(struct report *report, const struct overlap_findings *of);
void overlap_table_stolen(struct report *report, const struct overlap_findings *of);
void overlap_table_model(struct report *report, const struct overlap_findings *of);
void overlap_table_cells(struct report *report, const struct overlap_findings *of);

#endif
