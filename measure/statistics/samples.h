/*
 * Samples of one quantity, and their order statistics.
 *
 * Order statistics, because times have outliers of milliseconds, which a mean does not survive.
 */
#ifndef MEASURE_SAMPLES_H
#define MEASURE_SAMPLES_H

#include "common/array.h"

/* Zero bytes are an empty set; end with array_release. */
struct samples {
	double *items;
	size_t count, capacity;
};

/* Zero samples have the count 0, and all else is NAN. */
struct summary {
	size_t count;
	double lower_decile, lower_quartile, median, upper_quartile;
};

/* Summarise, without samples that are not finite.  Sorts the samples. */
struct summary samples_summary(struct samples *samples);

/*
 * Find the value below which a share of the samples lies, 0 to 1, of finite samples in ascending order, as
 * samples_summary leaves them.  Between two samples it is interpolated.  There is at least one.
 */
double samples_quantile(const struct samples *sorted, double share);

/* The distance of the quartiles as a share of the median; INFINITY unless the median is positive. */
double summary_spread(const struct summary *summary);

#endif
