/* What a run prints if it writes no file. */
#ifndef MEASURE_OVERLAP_PRINT_H
#define MEASURE_OVERLAP_PRINT_H

#include "measure/cells/cells_file.h"

#include <stdio.h>

/*
 * Print the text of llamp-measure report for the cells in a stream that can be read, or, of a single cell that
 * was ordered, its quantities.
 */
int overlap_print(FILE *out, FILE *cells, bool single, struct error *err);

#endif
