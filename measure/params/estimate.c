#include "measure/params/estimate.h"

#include <math.h>
#include <string.h>

enum { FEWEST_SIZES = 3 };

double size_row_gap_ns(const struct size_table *table, const struct size_row *row)
{
	return (row->burst.lower_decile - row->trip.lower_decile) / (table->messages - 1);
}

static double beyond_first(const struct size_row *row)
{
	return row->bytes ? (double)(row->bytes - 1) : 0;
}

static double measured_overhead_ns(const struct size_row *row)
{
	return (row->send.lower_decile + row->receive.lower_decile) / 2;
}

static bool is_measured(const struct size_row *row)
{
	return row->trip.count && row->burst.count && row->send.count && row->receive.count;
}

/*
 * Lower what takes longer at one size than at a larger one.  No message does, but on a busy machine
 * all samples of a size may be bad.
 */
static void lower(struct summary *summary, const struct summary *larger)
{
	summary->lower_decile = fmin(summary->lower_decile, larger->lower_decile);
}

static void lower_to_larger_sizes(struct size_table *table)
{
	const struct size_row *larger = NULL;

	for (size_t i = table->count; i-- > 0;) {
		struct size_row *row = &table->rows[i];

		if (!is_measured(row))
			continue;
		if (larger) {
			lower(&row->trip, &larger->trip);
			lower(&row->burst, &larger->burst);
			lower(&row->send, &larger->send);
			lower(&row->receive, &larger->receive);
		}
		larger = row;
	}
}

static const struct size_row *smallest(const struct size_table *table)
{
	for (size_t i = 0; i < table->count; i++)
		if (is_measured(&table->rows[i]))
			return &table->rows[i];
	return NULL;
}

/* ------------------------------------------------------------------ the fits */

/* Points of the sizes with samples, up to `most` bytes. */
struct points {
	struct point items[MOST_SIZES];
	size_t count;
};

static void add_point(struct points *points, const struct size_row *row, double y, double scale)
{
	points->items[points->count++] = (struct point){beyond_first(row), y, scale};
}

static struct line fit_gap(const struct size_table *table, uint64_t most)
{
	struct points points = {.count = 0};

	for (size_t i = 0; i < table->count; i++) {
		const struct size_row *row = &table->rows[i];
		const double gap_ns = size_row_gap_ns(table, row);

		if (is_measured(row) && row->bytes <= most)
			add_point(&points, row, gap_ns, gap_ns);
	}
	return fit_line(points.items, points.count);
}

/* Errors of overheads count as a share of the trip, or of an overhead that a busy machine made longer. */
static double fit_overhead_per_byte(const struct size_table *table, uint64_t most, double o_ns)
{
	struct points points = {.count = 0};

	for (size_t i = 0; i < table->count; i++) {
		const struct size_row *row = &table->rows[i];

		if (is_measured(row) && row->bytes <= most)
			add_point(&points, row, measured_overhead_ns(row),
				  fmax(row->trip.lower_decile, measured_overhead_ns(row)));
	}
	return fit_slope(points.items, points.count, o_ns).slope;
}

/* Fit G, with all other parameters given. */
static void fit_bandwidth(const struct size_table *table, struct parameters *parameters)
{
	struct points points = {.count = 0};

	parameters->G_ns = 0;
	for (size_t i = 0; i < table->count; i++) {
		const struct size_row *row = &table->rows[i];
		const double one_way_ns = row->trip.lower_decile / 2;

		if (is_measured(row))
			add_point(&points, row,
				  one_way_ns - predict_one_way_ns(parameters, row->bytes),
				  one_way_ns);
	}
	parameters->G_ns = fit_slope(points.items, points.count, 0).slope;
}

/* The relative error of all trips as the root of its mean square. */
static double trip_residual(const struct size_table *table, const struct parameters *parameters)
{
	double squares = 0;
	size_t count = 0;

	for (size_t i = 0; i < table->count; i++) {
		const struct size_row *row = &table->rows[i];
		const double predicted_ns = 2 * predict_one_way_ns(parameters, row->bytes);

		if (!is_measured(row))
			continue;
		squares += pow(predicted_ns / row->trip.lower_decile - 1, 2);
		count++;
	}
	return sqrt(squares / (double)count);
}

static uint64_t find_change(const struct size_table *table)
{
	struct points points = {.count = 0};
	uint64_t bytes[MOST_SIZES];
	size_t last;

	for (size_t i = 0; i < table->count; i++) {
		if (!is_measured(&table->rows[i]))
			continue;
		bytes[points.count] = table->rows[i].bytes;
		add_point(&points, &table->rows[i], table->rows[i].trip.lower_decile,
			  table->rows[i].trip.lower_decile);
	}
	return fit_change(points.items, points.count, MOST_RESIDUAL / 2, &last) ? bytes[last] : 0;
}

/* -------------------------------------------------------------- the estimate */

static void find_spread(const struct size_table *table, struct estimate *estimate)
{
	for (size_t i = 0; i < table->count; i++) {
		const struct size_row *row = &table->rows[i];
		const double spread = summary_spread(&row->trip);

		if (!is_measured(row))
			continue;
		estimate->measured++;
		estimate->well_measured += row->trip.count >= FEWEST_SAMPLES;
		estimate->wide += spread > MOST_SPREAD;
		if (spread > estimate->worst_spread) {
			estimate->worst_spread = spread;
			estimate->worst_spread_bytes = row->bytes;
		}
	}
}

/* The largest size whose sends are eager, or all sizes if fewer than FEWEST_SIZES are. */
static uint64_t eager_sizes(const struct size_table *table, uint64_t S)
{
	size_t eager = 0;

	for (size_t i = 0; i < table->count; i++)
		eager += is_measured(&table->rows[i]) && table->rows[i].bytes <= S;
	return eager < FEWEST_SIZES ? UINT64_MAX : S;
}

/* What is left of a message's time for L. */
static double rest_for_latency_ns(const struct size_row *row)
{
	return row->trip.lower_decile / 2 - 2 * measured_overhead_ns(row);
}

static void widen(struct range *range, double value)
{
	range->least = fmin(range->least, value);
	range->most = fmax(range->most, value);
}

/* Compare the repeats at the size that the latency comes from. */
static void compare_repeats(const struct repeats *repeats, uint64_t bytes,
			    struct estimate *estimate)
{
	estimate->latency_ns = estimate->one_way_ns = (struct range){INFINITY, -INFINITY};
	for (size_t i = 0; i < repeats->count; i++) {
		struct size_table table = repeats->tables[i];
		const struct size_row *row = smallest(&table);

		if (!row || row->bytes != bytes)
			continue;
		lower_to_larger_sizes(&table);
		widen(&estimate->latency_ns, rest_for_latency_ns(row));
		widen(&estimate->one_way_ns, row->trip.lower_decile / 2);
		estimate->repeats++;
	}
}

static bool is_latency_told(const struct size_row *row, const struct estimate *estimate)
{
	const struct range *found = &estimate->latency_ns;

	return rest_for_latency_ns(row) > 0 &&
	       !(found->most - found->least >
		 fmax(found->least, MOST_SPREAD * estimate->one_way_ns.least));
}

/* Overhead and latency from the smallest size. */
static void estimate_latency(const struct size_row *first, const struct repeats *repeats,
			     struct estimate *estimate)
{
	struct parameters *parameters = &estimate->without_O;

	estimate->send_overhead_ns = first->send.lower_decile;
	estimate->receive_overhead_ns = first->receive.lower_decile;
	compare_repeats(repeats, first->bytes, estimate);
	estimate->tells_latency = is_latency_told(first, estimate);
	/* At most so much that a message of this size takes L + 2 o, as measured, with L >= 0. */
	parameters->o_ns = fmin(fmax(0, measured_overhead_ns(first)), first->trip.lower_decile / 4);
	parameters->L_ns = first->trip.lower_decile / 2 - 2 * parameters->o_ns;
}

int estimate_parameters(const struct size_table *table, const struct repeats *repeats,
			struct threshold S, struct estimate *estimate, struct error *err)
{
	const uint64_t most = eager_sizes(table, S.eager);
	struct parameters *parameters = &estimate->parameters, *plain = &estimate->without_O;
	struct size_table lowered = *table;

	memset(estimate, 0, sizeof *estimate);
	find_spread(table, estimate);
	if (estimate->measured < FEWEST_SIZES)
		return error_set(err, STATUS_LIMIT,
				 "only %zu message sizes could be measured in the time given:"
				 " measure longer (--time-limit), or on a machine with less to do",
				 estimate->measured);
	lower_to_larger_sizes(&lowered);
	estimate_latency(smallest(&lowered), repeats, estimate);
	estimate->gap = fit_gap(&lowered, most);
	estimate->threshold = S;
	plain->g_ns = estimate->gap.intercept;
	plain->S = S.eager;
	*parameters = *plain;
	fit_bandwidth(&lowered, plain);
	/* Like o, at most so much that messages take as long as measured. */
	parameters->O_ns = fmin(fit_overhead_per_byte(&lowered, most, plain->o_ns), plain->G_ns / 2);
	fit_bandwidth(&lowered, parameters);
	estimate->residual = trip_residual(table, parameters);
	estimate->change_bytes = find_change(&lowered);
	return 0;
}
