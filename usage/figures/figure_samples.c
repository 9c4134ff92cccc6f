/* Distributions of samples: curves of the cumulative distribution, medians and quartiles. */
#include "usage/figures/figure_result.h"

#include <math.h>
#include <string.h>

/* A job in a series or under a label. */
struct sample {
	double value, divisor, weight;
	uint32_t series;
};

/* A curve, or a label whose quartiles are asked for. */
struct series {
	const char *name, *domain;
	double core_hours;
	uint64_t jobs;
	sqlite3_int64 last_job; /* whose sample is `last` */
	size_t last;
};

struct samples {
	ARRAY(struct sample) all;
	ARRAY(struct series) series;
	struct string_map numbers; /* of series, by name */
};

static void samples_release(struct samples *samples)
{
	array_release(&samples->all);
	array_release(&samples->series);
	string_map_release(&samples->numbers);
}

/* --------------------------------------------------------------------- reading */

static int add_series(struct samples *samples, struct figure_result *result, const char *name,
		      const char *domain, struct error *err)
{
	struct series series = {.last = SIZE_MAX};

	series.name = figure_text(result, name, err);
	if (!series.name)
		return -1;
	if (domain) {
		series.domain = figure_text(result, domain, err);
		if (!series.domain)
			return -1;
	}
	TRY(string_map_add(&samples->numbers, series.name, (uint32_t)strlen(series.name),
			   (uint32_t)samples->series.count, err));
	return array_push(&samples->series, series, err);
}

/* Number of the series that a row is of, in *number. */
static int find_series(struct samples *samples, struct figure_result *result, sqlite3_stmt *row,
		       int domain, uint32_t *number, struct error *err)
{
	const char *text = (const char *)sqlite3_column_text(row, 0);
	const char *const name = text ? text : "(unknown)";

	*number = string_map_get(&samples->numbers, name, (uint32_t)strlen(name));
	if (*number != STRING_MAP_EMPTY)
		return 0;
	*number = (uint32_t)samples->series.count;
	return add_series(samples, result, name,
			  domain ? (const char *)sqlite3_column_text(row, domain) : NULL, err);
}

static bool is_null(sqlite3_stmt *row, int column)
{
	return sqlite3_column_type(row, column) == SQLITE_NULL;
}

static int add_ratio(struct samples *samples, struct figure_result *result, sqlite3_stmt *row,
		     struct error *err)
{
	struct sample sample = {.value = sqlite3_column_double(row, 1),
				.divisor = sqlite3_column_double(row, 2),
				.weight = sqlite3_column_double(row, 3)};
	const sqlite3_int64 job = sqlite3_column_int64(row, 4);
	struct series *series;

	if (is_null(row, 1) || is_null(row, 2) || sample.divisor == 0)
		return 0;
	TRY(find_series(samples, result, row, 0, &sample.series, err));
	series = &samples->series.items[sample.series];
	if (series->last != SIZE_MAX && series->last_job == job) {
		samples->all.items[series->last].value += sample.value;
		samples->all.items[series->last].divisor += sample.divisor;
		return 0;
	}
	series->last = samples->all.count;
	series->last_job = job;
	series->jobs++;
	return array_push(&samples->all, sample, err);
}

static int add_value(struct samples *samples, struct figure_result *result, sqlite3_stmt *row,
		     struct error *err)
{
	struct sample sample = {.value = sqlite3_column_double(row, 2),
				.divisor = 1,
				.weight = sqlite3_column_double(row, 3)};
	struct series *series;

	if (is_null(row, 2))
		return 0;
	TRY(find_series(samples, result, row, 1, &sample.series, err));
	series = &samples->series.items[sample.series];
	series->jobs++;
	series->core_hours += sqlite3_column_double(row, 4);
	return array_push(&samples->all, sample, err);
}

typedef int add_sample(struct samples *samples, struct figure_result *result, sqlite3_stmt *row,
		       struct error *err);

static int compare_samples(const void *one, const void *other)
{
	const struct sample *const a = one, *const b = other;

	if (a->series != b->series)
		return a->series < b->series ? -1 : 1;
	return (a->value > b->value) - (a->value < b->value);
}

/* Read all samples, and sort them by series and value. */
static int read_samples(struct samples *samples, struct figure_result *result, struct usage_db *db,
			sqlite3_stmt *statement, add_sample *add, struct error *err)
{
	int status;

	while ((status = usage_db_step(db, statement, err)) > 0)
		TRY(add(samples, result, statement, err));
	for (size_t i = 0; i < samples->all.count; i++)
		samples->all.items[i].value /= samples->all.items[i].divisor;
	if (samples->all.count)
		qsort(samples->all.items, samples->all.count, sizeof *samples->all.items,
		      compare_samples);
	return status;
}

/* ------------------------------------------------------------------- quantiles */

static double weight_of(const struct sample *samples, size_t count)
{
	double sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += samples[i].weight;
	return sum;
}

static double quantile(const struct sample *samples, size_t count, double whole, double share)
{
	const double wanted = share * whole, rounding = 1e-12 * whole;
	double sum = 0;

	for (size_t i = 0; i < count; i++) {
		sum += samples[i].weight;
		if (sum < wanted - rounding)
			continue;
		/* The first sample of another weight than 0 whose CDF is above the share. */
		if (sum <= wanted + rounding)
			for (size_t next = i + 1; next < count; next++)
				if (samples[next].weight > 0)
					return (samples[i].value + samples[next].value) / 2;
		return samples[i].value;
	}
	return count ? samples[count - 1].value : NAN;
}

static int add_summary(struct figure_result *result, const struct series *series,
		       const struct sample *samples, size_t count, size_t first, struct error *err)
{
	const double whole = weight_of(samples, count);
	const struct figure_summary summary = {
		.label = series->name,
		.domain = series->domain,
		.jobs = (double)series->jobs,
		.core_hours = series->core_hours,
		.least = samples[0].value,
		.low = quantile(samples, count, whole, 0.25),
		.median = quantile(samples, count, whole, 0.5),
		.high = quantile(samples, count, whole, 0.75),
		.most = samples[count - 1].value,
		.first = first,
		.count = figure_rows(result) - first,
	};

	return array_push(&result->summaries, summary, err);
}

/* Samples of a series: *first is where they begin. */
static size_t samples_of(const struct samples *samples, uint32_t series, size_t *first)
{
	size_t low = 0, high = samples->all.count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (samples->all.items[middle].series < series)
			low = middle + 1;
		else
			high = middle;
	}
	*first = low;
	return (size_t)samples->series.items[series].jobs;
}

/* ---------------------------------------------------------------------- curves */

static int add_curve_point(struct figure_result *result, const struct series *series, double value,
			   double jobs, double below, double weight, double whole,
			   struct error *err)
{
	const struct figure_value values[] = {
		{.text = series->name},
		{.number = value},
		{.number = jobs},
		{.number = whole > 0 ? fmin((below + weight) / whole, 1) : NAN},
		{.number = whole > 0 ? fmax(1 - below / whole, 0) : NAN},
		{.number = (double)series->jobs},
	};

	TRY(array_reserve(&result->values, 6, err));
	memcpy(&result->values.items[result->values.count], values, sizeof values);
	result->values.count += 6;
	return 0;
}

static int add_curve(struct figure_result *result, const struct samples *samples, uint32_t number,
		     struct error *err)
{
	const struct series *const series = &samples->series.items[number];
	const size_t row = figure_rows(result);
	size_t first, count = samples_of(samples, number, &first);
	const struct sample *const of = &samples->all.items[first];
	const double whole = weight_of(of, count);
	double below = 0;

	for (size_t from = 0, to; from < count; from = to) {
		double weight = 0;

		for (to = from; to < count && of[to].value == of[from].value; to++)
			weight += of[to].weight;
		TRY(add_curve_point(result, series, of[from].value, (double)(to - from), below,
				    weight, to == count ? below + weight : whole, err));
		below += weight;
	}
	return add_summary(result, series, of, count, row, err);
}

/* Number of the next series: that with most jobs, or simply the next one. */
static uint32_t next_series(const struct samples *samples, bool by_count, bool *taken)
{
	const uint32_t count = (uint32_t)samples->series.count;
	uint32_t best = count;

	for (uint32_t i = 0; i < count; i++)
		if (!taken[i] &&
		    (best == count || (by_count && samples->series.items[i].jobs >
							   samples->series.items[best].jobs)))
			best = i;
	taken[best] = true;
	return best;
}

static int add_curves(struct figure_result *result, const struct samples *samples,
		      struct error *err)
{
	bool *taken;
	int status = 0;

	TRY(allocate(&taken, samples->series.count, sizeof *taken, err));
	for (uint32_t i = 0; i < samples->series.count && status == 0; i++)
		status = add_curve(result, samples,
				   next_series(samples, result->figure->flags & FIGURE_BY_COUNT,
					       taken),
				   err);
	free(taken);
	return status;
}

int figure_read_curves(struct figure_result *result, struct usage_db *db, sqlite3_stmt *statement,
		       struct error *err)
{
	struct samples samples = {.all = {0}};
	int status = read_samples(&samples, result, db, statement, add_ratio, err);

	if (status == 0)
		status = add_curves(result, &samples, err);
	samples_release(&samples);
	return status;
}

/* ------------------------------------------------------------------- quartiles */

static int by_median(const void *one, const void *other)
{
	const struct figure_summary *const a = one, *const b = other;

	if (a->median != b->median)
		return a->median > b->median ? -1 : 1;
	return strcmp(a->label, b->label);
}

static int by_core_hours(const void *one, const void *other)
{
	const struct figure_summary *const a = one, *const b = other;

	if (a->core_hours != b->core_hours)
		return a->core_hours > b->core_hours ? -1 : 1;
	return strcmp(a->label, b->label);
}

static int by_number(const void *one, const void *other)
{
	const struct figure_summary *const a = one, *const b = other;
	const double first = strtod(a->label, NULL), second = strtod(b->label, NULL);

	if (first != second)
		return first < second ? -1 : 1;
	return strcmp(a->label, b->label);
}

static int add_quartiles(struct figure_result *result, struct error *err)
{
	int (*const compare)(const void *,
			     const void *) = result->figure->flags & FIGURE_BY_CORE_HOURS
						     ? by_core_hours
					     : result->figure->flags & FIGURE_IN_ORDER ? by_number
										       : by_median;

	if (result->summaries.count)
		qsort(result->summaries.items, result->summaries.count,
		      sizeof *result->summaries.items, compare);
	for (size_t i = 0; i < result->summaries.count; i++) {
		const struct figure_summary *const of = &result->summaries.items[i];
		const struct figure_value values[] = {
			{.text = of->label},  {.number = NAN, .text = of->domain},
			{.number = of->jobs}, {.number = of->core_hours},
			{.number = of->low},  {.number = of->median},
			{.number = of->high},
		};

		for (size_t j = 0; j < sizeof values / sizeof *values; j++)
			TRY(array_push(&result->values, values[j], err));
	}
	return 0;
}

int figure_read_quartiles(struct figure_result *result, struct usage_db *db,
			  sqlite3_stmt *statement, struct error *err)
{
	struct samples samples = {.all = {0}};
	int status = read_samples(&samples, result, db, statement, add_value, err);

	for (uint32_t i = 0; i < samples.series.count && status == 0; i++) {
		size_t first, count = samples_of(&samples, i, &first);

		status = add_summary(result, &samples.series.items[i], &samples.all.items[first],
				     count, 0, err);
	}
	if (status == 0)
		status = add_quartiles(result, err);
	samples_release(&samples);
	return status;
}
