#include "common/statistics/sampling.h"

#include <math.h>

#define COVERED 0.95

/* Correlations of successive numbers that are considered: 0, 0.05 ... 0.95. */
enum { CORRELATIONS = 20 };

static double correlation(int number)
{
	return number / (double)CORRELATIONS;
}

/* ------------------------------------------------------------ Student's distribution */

double sampling_student(double deviations, size_t freedom)
{
	const double angle = atan(deviations / sqrt((double)freedom));
	const double cosine = cos(angle);
	const size_t first = freedom % 2 ? 3 : 2;
	double term = freedom % 2 ? cosine : 1, sum = freedom > 1 ? term : 0;

	for (size_t i = first; i + 2 <= freedom; i += 2) {
		term *= cosine * cosine * (double)(i - 1) / (double)i;
		sum += term;
	}
	return freedom % 2 ? 2 / M_PI * (angle + sin(angle) * sum) : sin(angle) * sum;
}

/* ---------------------------------------------------------- what samples say of each */

/* What successive samples say if each number has some share r of the deviation of the one before. */
struct process {
	double deviation; /* of a number, for sums */
	double weight;	  /* logarithm */
};

/* Samples, and the sums that the mean of all follows from. */
struct samples {
	sampling_sample *sample;
	const void *data;
	size_t count;
	double sum, ends; /* of all, and of the first and the last one */
};

/* Sum of the squares of what is new in each sample, about a mean. */
static double sum_squares(const struct samples *samples, double mean, double r)
{
	double before = samples->sample(samples->data, 0) - mean;
	double squares = (1 - r * r) * before * before;

	for (size_t i = 1; i < samples->count; i++) {
		const double deviation = samples->sample(samples->data, i) - mean;

		squares += (deviation - r * before) * (deviation - r * before);
		before = deviation;
	}
	return squares;
}

static struct process find_process(const struct samples *samples, double r)
{
	const double n = (double)samples->count, inner = (1 - r) * (1 - r);
	/* Precision of the mean, in terms of that of what is new in a sample. */
	const double precision = 2 * (1 - r) + (n - 2) * inner;
	const double mean = ((1 - r) * samples->ends + inner * (samples->sum - samples->ends)) /
			    precision;
	const double squares = sum_squares(samples, mean, r);

	return (struct process){
		.deviation = sqrt(squares / (n - 1) * n / precision),
		.weight = log(1 - r) + (log((1 - r * r) / precision) - (n - 1) * log(squares)) / 2,
	};
}

/* ------------------------------------------------------------------------- the width */

/* How probable it is that the error of a sum is below some number of deviations, over all correlations. */
static double find_probability(const struct process *processes, double width, size_t freedom)
{
	double covered = 0, all = 0, largest = -INFINITY;

	for (int i = 0; i < CORRELATIONS; i++)
		largest = fmax(largest, processes[i].weight);
	for (int i = 0; i < CORRELATIONS; i++) {
		const double weight = exp(processes[i].weight - largest);

		covered += weight * sampling_student(width / processes[i].deviation, freedom);
		all += weight;
	}
	return covered / all;
}

double sampling_deviation(sampling_sample *sample, const void *data, size_t count)
{
	struct samples samples = {.sample = sample, .data = data, .count = count};
	struct process processes[CORRELATIONS];
	double low = 0, high, least, most;

	if (count < 2)
		return 0;
	samples.ends = sample(data, 0) + sample(data, count - 1);
	least = most = sample(data, 0);
	for (size_t i = 0; i < count; i++) {
		const double number = sample(data, i);

		samples.sum += number;
		least = fmin(least, number);
		most = fmax(most, number);
	}
	if (least == most)
		return 0;
	for (int i = 0; i < CORRELATIONS; i++)
		processes[i] = find_process(&samples, correlation(i));
	for (high = most - least; find_probability(processes, high, count - 1) < COVERED;)
		high *= 2;
	for (int i = 0; i < 40; i++) {
		const double middle = (low + high) / 2;

		*(find_probability(processes, middle, count - 1) < COVERED ? &low : &high) = middle;
	}
	return high;
}
