#include "llamp/path_line.h"

#include <math.h>

static int64_t parameter_value(const struct loggps *loggps, enum parameter parameter)
{
	switch (parameter) {
	case PARAMETER_L:
		return loggps->L;
	case PARAMETER_G:
		return loggps->G;
	default:
		return loggps->o;
	}
}

static int too_long(double percent, struct error *err)
{
	return error_set(err, STATUS_LIMIT,
			 "times are too long for the exact tolerance at %g %%", percent);
}

/* (1 + percent/100) as a fraction; percentages are taken to 1e-9. */
static int growth(double percent, struct rational *factor, struct error *err)
{
	const int128 unit = 100000000000;	/* 100 % */

	if (!(percent >= 0 && percent <= 1e9))
		return error_set(err, STATUS_USAGE,
				 "a tolerance must be from 0 to 1e9 percent, not %g", percent);
	*factor = rational_reduced(unit + llround(percent * 1e9), unit);
	return 0;
}

/* The point at which `line` reaches `runtime` times `factor`. */
static int reaches(struct line line, int128 runtime, struct rational factor, struct rational *at)
{
	int128 bound, constant, denominator;

	if (__builtin_mul_overflow(runtime, factor.numerator, &bound) ||
	    __builtin_mul_overflow(line.constant, factor.denominator, &constant) ||
	    __builtin_sub_overflow(bound, constant, &bound) ||
	    __builtin_mul_overflow(line.slope, factor.denominator, &denominator))
		return -1;
	*at = rational_reduced(bound, denominator);
	return 0;
}

int path_tolerance(const struct cost_graph *graph, const struct loggps *loggps,
		   enum parameter parameter, double percent, struct tolerance *tolerance,
		   struct error *err)
{
	const int64_t value = parameter_value(loggps, parameter);
	struct line line;
	struct rational factor, at;
	int128 runtime;

	*tolerance = (struct tolerance){.percent = percent};
	TRY(growth(percent, &factor, err));
	TRY(path_evaluate(graph, loggps, parameter, rational_from(value), SIDE_RIGHT, &line, NULL,
			  err));
	runtime = line.constant + line.slope * value;
	TRY(path_steepest(graph, loggps, parameter, &line, err));
	if (line.slope == 0) {
		tolerance->unbounded = 1;
		return 0;
	}
	/*
	 * Newton: where the line reaches the bound T lies on it or above.  If
	 * above, T reaches the bound farther left, on a flatter line, which still
	 * rises since T(p0) is not above the bound.
	 */
	for (;;) {
		struct line flatter;

		if (reaches(line, runtime, factor, &at) < 0)
			return too_long(percent, err);
		TRY(path_evaluate(graph, loggps, parameter, at, SIDE_LEFT, &flatter, NULL, err));
		if (lines_equal_at(flatter, line, at))
			break;
		line = flatter;
	}
	tolerance->value_as = rational_value(at);
	return 0;
}
