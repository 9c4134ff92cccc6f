/*
 * Lists of numbers as columns of an index: a number of 7 bits per byte for each, least significant first.  Zeros at
 * the end are left out.
 *
 * The column `quantiles` has the least time, and how much each of the others is above the one before.  The column
 * `bins` has a mask of the bins that have calls, then their calls; the last of these is left out if it is the rest of
 * the cell's calls.
 *
 * In SQL there are quantiles(quantiles) and bins(bins, calls), which return a JSON array.
 */
#ifndef USAGE_INDEX_PACKED_H
#define USAGE_INDEX_PACKED_H

#include "usage/index/database.h"

enum { PACKED_NUMBER = 10, PACKED_BINS = 90, PACKED_QUANTILES = 170 }; /* most bytes */

/* Pack USAGE_TIME_BINS bins of a cell, or JOB_QUANTILES times.  Returns the number of bytes. */
int packed_bins(const uint64_t *bins, uint64_t calls, uint8_t *bytes);
int packed_quantiles(const uint64_t *quantiles, uint8_t *bytes);

/* Unpack them.  Returns 0, or -1 if the bytes are damaged. */
int unpack_bins(uint64_t *bins, uint64_t calls, const void *bytes, int count);
int unpack_quantiles(uint64_t *quantiles, const void *bytes, int count);

/* Make the functions in SQL. */
int packed_functions(struct usage_db *db, struct error *err);

#endif
