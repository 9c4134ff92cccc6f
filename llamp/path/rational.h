/* Exact fractions of attoseconds. */
#ifndef LLAMP_RATIONAL_H
#define LLAMP_RATIONAL_H

#include <stdint.h>

typedef __int128 int128;

/* numerator / denominator; the denominator is positive. */
struct rational {
	int128 numerator, denominator;
};

/* p towards infinity, as the point of a question. */
#define RATIONAL_INFINITY ((struct rational){1, 0})

double rational_value(struct rational r);		/* nearest double */
double rational_in_ns(struct rational as);		/* the same of 1e-9 of it */
struct rational rational_from(int64_t value);

/* numerator / denominator in lowest terms; the denominator must be positive. */
struct rational rational_reduced(int128 numerator, int128 denominator);

#endif
