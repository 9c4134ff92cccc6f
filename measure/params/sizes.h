/*
 * Parameters by message size, for networks whose round trips follow no single L and G.
 *
 * Between two measured sizes, round trips follow a line.  A row has the G of this line, and the
 * overhead at its smaller size.  Its L is the rest:
 *
 *	PRTT(1, 0, s) / 2 = L + 2 o + (s - 1) G; 3 L for s > S
 *
 * Where the line begins below 2 o, L is 0 and o is less.  The row with S between its sizes begins
 * above S, with the G of the next row.
 */
#ifndef MEASURE_SIZES_H
#define MEASURE_SIZES_H

#include "measure/params/estimate.h"

enum { MOST_SIZE_ROWS = 12 }; /* as many as llamp reads */

struct size_parameters {
	uint64_t to; /* largest size; UINT64_MAX in the last row */
	double o_ns, L_ns, G_ns;
};

struct size_parameters_table {
	struct size_parameters rows[MOST_SIZE_ROWS];
	size_t count; /* 0 if fewer than two sizes were measured */
};

void sizes_fit(const struct size_table *table, uint64_t S, struct size_parameters_table *fitted);

#endif
