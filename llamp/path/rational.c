#include "llamp/path/rational.h"

#include "common/units.h"
#include "llamp/graph/common_divisor.h"

static long double value_of(struct rational r)
{
	return (long double)(r.numerator / r.denominator) +
	       (long double)(r.numerator % r.denominator) / (long double)r.denominator;
}

double rational_value(struct rational r)
{
	return (double)value_of(r);
}

double rational_in_ns(struct rational as)
{
	return (double)(value_of(as) / AS_PER_NS);
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
