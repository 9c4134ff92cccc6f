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
 * 100 cases, if the deviations of `count` successive samples are like the others.  The sum of m more numbers is
 * then within D m sqrt(1 / count + 1 / m) of m times the mean of the samples, D being what is returned.
 *
 * The numbers are taken for an autoregressive process of first order: each has r of the deviation of the one before, and
 * something new.  If r is known, the error of the sum over its deviation d(r) has Student's
 * distribution with count - 1 degrees of freedom, where
 *
 *	d(r)^2 = Q / (count - 1) * count / P
 *	Q	(1 - r^2) e(1)^2 + the sum of (e(i) - r e(i - 1))^2, the samples' e(i) being about their best mean
 *	P	2 (1 - r) + (count - 2) (1 - r)^2, and the mean is
 *		((1 - r) (x(1) + x(count)) + (1 - r)^2 (x(2) + ... + x(count - 1))) / P
 *
 * A few samples do not tell r.  So D is where the mean of these distributions over r = 0, 0.05 ... 0.95 reaches 0.95, each r
 * with the weight that the samples give it (Zellner and Tiao 1964), sqrt((1 - r^2) / P) Q^(-(count - 1) / 2), times
 * 1 - r: numbers that resemble each other much are rarer than others.
 *
 * Returns 0 of fewer than 2 samples, or equal ones, which tell nothing.
 */
double sampling_deviation(sampling_sample *sample, const void *data, size_t count);

/* Probability that a variable of Student's distribution is within some number of deviations (Abramowitz and Stegun, 26.7.3 and 4). */
double sampling_student(double deviations, size_t freedom);

#endif
