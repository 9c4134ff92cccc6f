/* Exact fractions of attoseconds. */
#ifndef LLAMP_RATIONAL_H
#define LLAMP_RATIONAL_H

#include <stdint.h>

typedef __int128 int128;

/* numerator / denominator, with a positive denominator */
struct rational {
	int128 numerator, denominator;
};

/* p towards infinity, as a point to evaluate. */
#define RATIONAL_INFINITY ((struct rational){1, 0})

double rational_value(struct rational r);		/* nearest double */
double rational_in_ns(struct rational as);		/* nearest double of 1e-9 of it */
struct rational rational_from(int64_t value);

/* numerator / denominator in lowest terms.  The denominator must be positive. */
struct rational rational_reduced(int128 numerator, int128 denominator);

#endif
