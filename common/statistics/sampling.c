#include "common/statistics/sampling.h"

#include <math.h>

/* Quantile of 97.5 % of Student's distribution, by its expansion from 5 degrees of freedom on. */
static double student(size_t freedom)
{
	static const double first[] = {INFINITY, 12.706, 4.303, 3.182, 2.776};
	const double z = 1.959964, f = (double)freedom;

	if (freedom < sizeof first / sizeof *first)
		return first[freedom];
	return z + (pow(z, 3) + z) / (4 * f) +
	       (5 * pow(z, 5) + 16 * pow(z, 3) + 3 * z) / (96 * f * f);
}

/*
 * Variance of the mean of samples that resemble the ones before them, as a multiple of that of independent ones.
 * products: sum of the products of successive deviations; squares: of all deviations.  The
 * correlation of n samples is too small by (1 + 4 r) / n on average.
 */
static double find_inflation(double products, double squares, double n)
{
	const double seen = squares > 0 ? products / squares : 0;
	const double r = fmin(.9, seen + (1 + 4 * seen) / n);

	return r > 0 ? (1 + r) / (1 - r) : 1;
}

/* Variance of the means of blocks of successive samples about the mean of all, times the length of a block. */
static double block_variance(sampling_sample *sample, const void *data, size_t count, size_t length,
			     double mean)
{
	const size_t blocks = count / length;
	double squares = 0;

	for (size_t block = 0; block < blocks; block++) {
		double sum = 0;

		for (size_t i = 0; i < length; i++)
			sum += sample(data, block * length + i) - mean;
		squares += sum * sum / (double)length;
	}
	return squares / (double)(blocks - 1);
}

double sampling_deviation(sampling_sample *sample, const void *data, size_t count)
{
	const double n = (double)count;
	double sum = 0, squares = 0, products = 0, before = 0, variance;

	if (count < 2)
		return 0;
	for (size_t i = 0; i < count; i++)
		sum += sample(data, i);
	for (size_t i = 0; i < count; i++) {
		const double deviation = sample(data, i) - sum / n;

		squares += deviation * deviation;
		products += deviation * before;
		before = deviation;
	}
	variance = squares / (n - 1) * find_inflation(products, squares, n);
	for (size_t length = 2; length <= count / 4; length *= 2)
		variance = fmax(variance, block_variance(sample, data, count, length, sum / n));
	return student(count - 1) * sqrt(variance);
}
