#include "measure/params/sizes.h"

#include <math.h>
#include <stdbool.h>

/* Measured sizes between which rows are, at most one more than rows. */
struct knots {
	const struct size_row *of[MOST_SIZES];
	size_t count;
};

static bool is_measured(const struct size_row *row)
{
	return isfinite(row->trip.lower_decile);
}

/* Take the measured sizes; if they are too many, every second one, and always the last. */
static struct knots find_knots(const struct size_table *table)
{
	struct knots all = {.count = 0}, some = {.count = 0};

	for (size_t i = 0; i < table->count; i++)
		if (is_measured(&table->rows[i]))
			all.of[all.count++] = &table->rows[i];
	if (all.count <= MOST_SIZE_ROWS + 1)
		return all;
	for (size_t i = (all.count - 1) % 2; i < all.count; i += 2)
		some.of[some.count++] = all.of[i];
	return some;
}

/* The overhead of a message, INFINITY where it was not measured. */
static double overhead_ns(const struct size_row *row)
{
	const double mean_ns = (row->send.lower_decile + row->receive.lower_decile) / 2;

	return isfinite(mean_ns) ? mean_ns : INFINITY;
}

/* Time per byte between a measured size and the next one, or 0 if the larger one is faster. */
static double slope_ns(const struct knots *knots, size_t i)
{
	const struct size_row *low = knots->of[i - 1], *high = knots->of[i];

	return fmax(0, (high->trip.lower_decile - low->trip.lower_decile) / 2 /
			       (double)(high->bytes - low->bytes));
}

/* Whether the protocol changes between a measured size and the next one. */
static bool is_jump(const struct knots *knots, size_t i, uint64_t S)
{
	return knots->of[i - 1]->bytes <= S && S < knots->of[i]->bytes;
}

/* Fit the row up to measured size i.  The jump at S is no slope: take that of the next row. */
static struct size_parameters fit_row(const struct knots *knots, size_t i, uint64_t S)
{
	const bool jump = is_jump(knots, i, S);
	const struct size_row *high = knots->of[i], *low = jump ? high : knots->of[i - 1];
	const double one_way_ns = high->trip.lower_decile / 2, bytes = (double)(high->bytes - 1);
	struct size_parameters row = {.to = high->bytes};
	double without_bytes_ns;

	row.G_ns = slope_ns(knots, jump && i + 1 < knots->count ? i + 1 : i);
	row.G_ns = fmin(row.G_ns, one_way_ns / bytes);
	without_bytes_ns = fmax(0, one_way_ns - bytes * row.G_ns);
	row.o_ns = fmin(overhead_ns(low), without_bytes_ns / 2);
	row.L_ns = (without_bytes_ns - 2 * row.o_ns) / (high->bytes > S ? 3 : 1);
	return row;
}

void sizes_fit(const struct size_table *table, uint64_t S, struct size_parameters_table *fitted)
{
	const struct knots knots = find_knots(table);

	fitted->count = 0;
	for (size_t i = 1; i < knots.count; i++) {
		/* The row before a jump reaches up to it. */
		if (i > 1 && is_jump(&knots, i, S))
			fitted->rows[fitted->count - 1].to = S;
		fitted->rows[fitted->count++] = fit_row(&knots, i, S);
	}
	if (fitted->count)
		fitted->rows[fitted->count - 1].to = UINT64_MAX;
}
