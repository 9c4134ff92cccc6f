/*
 * How far the sum of many numbers may be from what some of them, in a row, make expect.
 *
 * Numbers that follow each other may be alike, as other work on a machine disturbs several
 * iterations of a program in a row.
 */
#ifndef COMMON_SAMPLING_H
#define COMMON_SAMPLING_H

#include <stddef.h>

/* Sample of a number, from 0. */
typedef double sampling_sample(const void *data, size_t number);

/*
 * Half the width of the interval that has the deviation of a number from the mean of all in 95 of
 * 100 cases, if the deviations of `count` successive samples are like the others: t s sqrt(f), of
 *
 *	t	the quantile of 97.5 % of Student's distribution with count - 1 degrees of freedom
 *	s	the standard deviation of the samples
 *	f	for sums of numbers that resemble the one before them, (1 + r) / (1 - r) of an autoregressive process
 *		of first order; r is the correlation of successive samples, without what it is too small by
 *		on average (Kendall 1954), from 0 to 0.9.  Where the means of 2, 4 ... successive
 *		samples, four means at least, deviate by more than that, f is what they show
 *
 * The sum of m more numbers is then within t s sqrt(f) m sqrt(1 / count + 1 / m) of m times the mean
 * of the samples.  Returns 0 of fewer than 2 samples, which tell nothing.
 */
double sampling_deviation(sampling_sample *sample, const void *data, size_t count);

#endif
