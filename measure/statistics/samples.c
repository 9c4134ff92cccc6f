#include "measure/statistics/samples.h"

#include <math.h>

static int by_value(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Interpolate between the two samples around the share. */
static double quantile(const double *sorted, size_t count, double share)
{
	const double place = share * (double)(count - 1);
	const size_t below = (size_t)place;
	const size_t above = below + 1 < count ? below + 1 : below;

	return sorted[below] + (place - (double)below) * (sorted[above] - sorted[below]);
}

struct summary samples_summary(struct samples *samples)
{
	struct summary summary = {0, NAN, NAN, NAN, NAN};
	size_t count = 0;

	for (size_t i = 0; i < samples->count; i++)
		if (isfinite(samples->items[i]))
			samples->items[count++] = samples->items[i];
	samples->count = count;
	if (!count)
		return summary;
	qsort(samples->items, count, sizeof *samples->items, by_value);
	summary.count = count;
	summary.lower_decile = quantile(samples->items, count, 0.1);
	summary.lower_quartile = quantile(samples->items, count, 0.25);
	summary.median = quantile(samples->items, count, 0.5);
	summary.upper_quartile = quantile(samples->items, count, 0.75);
	return summary;
}

double summary_spread(const struct summary *summary)
{
	if (!(summary->median > 0))
		return INFINITY;
	return (summary->upper_quartile - summary->lower_quartile) / summary->median;
}
