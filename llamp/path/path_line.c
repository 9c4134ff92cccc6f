#include "llamp/path/path_line.h"

#include "llamp/graph/common_divisor.h"

double rational_value(struct rational r)
{
	int128 whole = r.numerator / r.denominator;
	int128 rest = r.numerator % r.denominator;

	return (double)((long double)whole + (long double)rest / (long double)r.denominator);
}

struct rational rational_from(int64_t value)
{
	return (struct rational){value, 1};
}

struct rational rational_reduced(int128 numerator, int128 denominator)
{
	const int128 unit = common_divisor(numerator < 0 ? -numerator : numerator, denominator);

	return (struct rational){numerator / unit, denominator / unit};
}

struct rational lines_meet(struct line flatter, struct line steeper)
{
	return rational_reduced(flatter.constant - steeper.constant,
				steeper.slope - flatter.slope);
}
