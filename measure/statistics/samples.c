#include "measure/statistics/samples.h"

#include <math.h>

static int by_value(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double samples_quantile(const struct samples *sorted, double share)
{
	const double place = share * (double)(sorted->count - 1);
	const size_t below = (size_t)place;
	const size_t above = below + 1 < sorted->count ? below + 1 : below;

	return sorted->items[below] +
	       (place - (double)below) * (sorted->items[above] - sorted->items[below]);
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
	summary.lower_decile = samples_quantile(samples, 0.1);
	summary.lower_quartile = samples_quantile(samples, 0.25);
	summary.median = samples_quantile(samples, 0.5);
	summary.upper_quartile = samples_quantile(samples, 0.75);
	return summary;
}

double summary_spread(const struct summary *summary)
{
	if (!(summary->median > 0))
		return INFINITY;
	return (summary->upper_quartile - summary->lower_quartile) / summary->median;
}
