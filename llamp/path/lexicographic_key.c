#include "llamp/path/lexicographic_key.h"

#include "common/units.h"
#include "llamp/graph/common_divisor.h"

#include <math.h>

int64_t key_value(const struct loggps *loggps, int term)
{
	switch (term) {
	case TERM_L:
		return loggps->L;
	case TERM_G:
		return loggps->G;
	case TERM_O:
		return loggps->o;
	default:
		return loggps->g;
	}
}

int128 key_grain(const struct cost_graph *graph, const struct loggps *loggps,
		 enum parameter parameter)
{
	int128 grain = graph->most.ns > 0 ? AS_PER_NS : 0;

	for (int term = 0; term < TERM_COUNT; term++)
		if (term != (int)parameter)
			grain = common_divisor((int128)graph->coefficient_unit[term] *
					       key_value(loggps, term), grain);
	return grain ? grain : 1;
}

/* Divide by what all weights have in common; returns it. */
static int128 divide(struct weights *weights)
{
	int128 unit = weights->ns;

	for (int term = 0; term < TERM_COUNT; term++)
		unit = common_divisor(weights->of[term], unit);
	if (unit == 0)
		return 1;
	weights->ns /= unit;
	for (int term = 0; term < TERM_COUNT; term++)
		weights->of[term] /= unit;
	return unit;
}

static int too_long(double length_as, struct error *err)
{
	return error_set(err, STATUS_LIMIT,
			 "times are too long for exact arithmetic: a path may take %.3g ns",
			 length_as / 1e9);
}

/*
 * Lengths times the denominator, and an upper bound for them, which is checked: the
 * margin of 4 covers that two lengths are subtracted later.  Terms that no path has
 * get no weight.
 */
static int measure_lengths(struct lexicographic_key *key, const struct cost_bound *most,
			   const struct loggps *loggps, struct weights *length, double *longest,
			   struct error *err)
{
	const struct rational at = key->at;

	*longest = most->ns * (double)at.denominator * (double)AS_PER_NS;
	for (int term = 0; term < TERM_COUNT; term++)
		*longest += term == key->varied
				    ? most->of[term] * (double)at.numerator
				    : most->of[term] * (double)at.denominator *
					      (double)key_value(loggps, term);
	if (!(*longest < 0x1p125))
		return too_long(*longest / (double)at.denominator, err);
	*length = (struct weights){.ns = most->ns > 0 ? at.denominator * AS_PER_NS : 0};
	for (int term = 0; term < TERM_COUNT; term++) {
		if (most->of[term] == 0)
			continue;
		length->of[term] = term == key->varied
					   ? at.numerator * key->slope_unit
					   : at.denominator * key_value(loggps, term);
	}
	key->length_unit = divide(length);
	*longest /= (double)key->length_unit;
	return 0;
}

/* key = first * 2^bits +- second */
static void combine(struct lexicographic_key *key, const struct weights *first, double first_most,
		    const struct weights *second)
{
	const int sign = key->negative ? -1 : 1;
	struct weights *sum = &key->key;

	key->narrow = ldexp(first_most + 1, key->bits) < 0x1p62;
	sum->ns = (first->ns << key->bits) + sign * second->ns;
	for (int term = 0; term < TERM_COUNT; term++)
		sum->of[term] = (first->of[term] << key->bits) + sign * second->of[term];
}

int key_init(struct lexicographic_key *key, const struct cost_graph *graph,
	     const struct loggps *loggps, const struct path_point *point, struct error *err)
{
	const int varied = (int)point->parameter;
	struct weights length, slope = {0};
	double longest, steepest;

	*key = (struct lexicographic_key){
		.varied = varied,
		.slope_unit = graph->coefficient_unit[varied] ? graph->coefficient_unit[varied] : 1,
		.steepest = point->at.denominator == 0,
		.at = point->at.denominator ? point->at : rational_from(0),
	};
	key->negative = !key->steepest && point->side == SIDE_LEFT;
	TRY(measure_lengths(key, &graph->most, loggps, &length, &longest, err));
	steepest = graph->most.of[varied] / (double)key->slope_unit;
	slope.of[varied] = steepest > 0;
	frexp((key->steepest ? longest : steepest) + 1, &key->bits);
	if (!(ldexp((key->steepest ? steepest : longest) + 1, key->bits) < 0x1p125))
		return too_long(longest * (double)key->length_unit / (double)key->at.denominator,
				err);
	if (key->steepest)
		combine(key, &slope, steepest, &length);
	else
		combine(key, &length, longest, &slope);
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
				     .slope = first * (int128)key->slope_unit};
	line.slope = (key->negative ? -second : second) * (int128)key->slope_unit;
	/* Exact: the length is denominator * constant + numerator * slope. */
	line.constant = (first * key->length_unit - line.slope * key->at.numerator) /
			key->at.denominator;
	return line;
}
