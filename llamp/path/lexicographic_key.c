#include "llamp/path/lexicographic_key.h"

#include "common/units.h"
#include "llamp/graph/common_divisor.h"

#include <math.h>

/* Divisor of the coefficients of a variable that moves; 1 for any other variable. */
static uint64_t unit_of(const struct cost_graph *graph, const struct direction *direction,
			uint32_t variable)
{
	return direction->weight[variable] && graph->coefficient_unit[variable]
		       ? graph->coefficient_unit[variable]
		       : 1;
}

int128 key_slope_unit(const struct cost_graph *graph, const struct direction *direction)
{
	int128 unit = 0;

	for (uint32_t v = 0; v < direction->count; v++)
		unit = common_divisor((int128)direction->weight[v] * unit_of(graph, direction, v),
				      unit);
	return unit ? unit : 1;
}

int128 key_grain(const struct cost_graph *graph, const struct direction *direction)
{
	int128 grain = graph->most.ns > 0 ? AS_PER_NS : 0;

	for (uint32_t v = 0; v < direction->count; v++)
		grain = common_divisor((int128)graph->coefficient_unit[v] * direction->origin_as[v],
				       grain);
	return grain ? grain : 1;
}

/* Divide all weights by their greatest common divisor.  Returns the divisor. */
static int128 divide_weights(struct weights *weights, uint32_t variable_count)
{
	int128 unit = weights->ns;

	for (uint32_t v = 0; v < variable_count; v++)
		unit = common_divisor(weights->of[v], unit);
	if (unit == 0)
		return 1;
	weights->ns /= unit;
	for (uint32_t v = 0; v < variable_count; v++)
		weights->of[v] /= unit;
	return unit;
}

static int key_too_long(double length_as, struct error *err)
{
	return error_set(err, STATUS_LIMIT,
			 "times are too long for exact arithmetic: a path may take %.3g ns",
			 length_as / 1e9);
}

/*
 * Set the weights of lengths times the denominator, and *longest to an upper bound of them.  The
 * bound must be below 2^125, which leaves a factor of 4 for differences of lengths.  Variables
 * that no path has get no weight.
 */
static int weigh_lengths(struct lexicographic_key *key, const struct cost_bound *most,
			 const struct direction *direction, struct weights *length,
			 double *longest, struct error *err)
{
	const struct rational at = key->at;

	*longest = most->ns * (double)at.denominator * (double)AS_PER_NS;
	for (uint32_t v = 0; v < direction->count; v++) {
		const double value = (double)at.denominator * (double)direction->origin_as[v] +
				     (double)at.numerator * (double)direction->weight[v];

		*longest += most->of[v] * value;
	}
	if (!(*longest < 0x1p125))
		return key_too_long(*longest / (double)at.denominator, err);
	*length = (struct weights){.ns = most->ns > 0 ? at.denominator * AS_PER_NS : 0};
	for (uint32_t v = 0; v < direction->count; v++)
		if (most->of[v] > 0)
			length->of[v] = (at.denominator * direction->origin_as[v] +
					 at.numerator * direction->weight[v]) *
					key->unit[v];
	key->length_unit = divide_weights(length, direction->count);
	*longest /= (double)key->length_unit;
	return 0;
}

/* Set the weights of slopes, in the slope unit.  Returns an upper bound of slopes. */
static double weigh_slopes(const struct lexicographic_key *key, const struct cost_bound *most,
			   const struct direction *direction, struct weights *slope)
{
	double steepest = 0;

	*slope = (struct weights){0};
	for (uint32_t v = 0; v < direction->count; v++) {
		if (!(most->of[v] > 0) || !direction->weight[v])
			continue;
		slope->of[v] = direction->weight[v] * (int128)key->unit[v] / key->slope_unit;
		steepest += most->of[v] * (double)direction->weight[v] / (double)key->slope_unit;
	}
	return steepest;
}

/* Set the weights of the key: first * 2^bits +- second. */
static void key_combine(struct lexicographic_key *key, const struct weights *first,
			double first_most, const struct weights *second)
{
	const int sign = key->negative ? -1 : 1;
	struct weights *sum = &key->key;

	key->narrow = ldexp(first_most + 1, key->bits) < 0x1p62;
	sum->ns = (first->ns << key->bits) + sign * second->ns;
	for (uint32_t v = 0; v < key->variable_count; v++)
		sum->of[v] = (first->of[v] << key->bits) + sign * second->of[v];
}

int key_init(struct lexicographic_key *key, const struct cost_graph *graph,
	     const struct path_point *point, struct error *err)
{
	const struct direction *direction = point->direction;
	struct weights length, slope;
	double longest, steepest;

	*key = (struct lexicographic_key){
		.variable_count = direction->count,
		.slope_unit = key_slope_unit(graph, direction),
		.steepest = point->at.denominator == 0,
		.at = point->at.denominator ? point->at : rational_from(0),
	};
	for (uint32_t v = 0; v < direction->count; v++)
		key->unit[v] = unit_of(graph, direction, v);
	key->negative = !key->steepest && point->side == SIDE_LEFT;
	TRY(weigh_lengths(key, &graph->most, direction, &length, &longest, err));
	steepest = weigh_slopes(key, &graph->most, direction, &slope);
	frexp((key->steepest ? longest : steepest) + 1, &key->bits);
	if (!(ldexp((key->steepest ? steepest : longest) + 1, key->bits) < 0x1p125))
		return key_too_long(longest * (double)key->length_unit /
					    (double)key->at.denominator,
				    err);
	if (key->steepest)
		key_combine(key, &slope, steepest, &length);
	else
		key_combine(key, &length, longest, &slope);
	return 0;
}

struct line key_line(const struct lexicographic_key *key, int128 longest)
{
	const int128 mask = ((int128)1 << key->bits) - 1;
	const int128 second = key->negative ? -(-longest & mask) : longest & mask;
	const int128 first = (longest - second) >> key->bits;
	struct line line;

	if (key->steepest)
		return (struct line){.constant = second * key->length_unit,
				     .slope = first * key->slope_unit};
	line.slope = (key->negative ? -second : second) * key->slope_unit;
	/* The division is exact: the length is denominator * constant + numerator * slope. */
	line.constant = (first * key->length_unit - line.slope * key->at.numerator) /
			key->at.denominator;
	return line;
}
