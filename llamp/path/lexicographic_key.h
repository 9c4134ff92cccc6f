/*
 * Lexicographic keys: length and slope of a path in one number.
 *
 * Paths are compared by two integers: first by their length at p, then by their slope.  Both are
 * parts of one
 *
 *	key = length / length unit * 2^bits +- slope / slope unit
 *
 * which is linear in the coefficients of the costs, so that a pass over the graph adds and
 * compares single numbers.  At p = n/d all lengths are multiplied by d, so that they are
 * integers.  `bits` is such that no path's slope reaches 2^bits.  The key has 64 bits if no path's
 * key can reach 2^62, else 128.  Both follow from the longest paths by each coefficient alone
 * (struct cost_bound).  Nothing is rounded, and nothing overflows.
 */
#ifndef LLAMP_LEXICOGRAPHIC_KEY_H
#define LLAMP_LEXICOGRAPHIC_KEY_H

#include "llamp/graph/cost_graph.h"
#include "llamp/network/direction.h"
#include "llamp/path/line.h"

/* Line to choose at a breakpoint: the one that T follows below it or above it. */
enum side { SIDE_LEFT, SIDE_RIGHT };

/*
 * Point of a direction, for the line that T follows on one side of p = `at`.  p must not be
 * negative.  At RATIONAL_INFINITY it is the line for p towards infinity.
 */
struct path_point {
	const struct direction *direction;	/* not owned */
	struct rational at;
	enum side side;
};

/* Weights of one ns and of one unit of each variable's coefficient. */
struct weights {
	int128 ns, of[VARIABLES_MOST];
};

struct lexicographic_key {
	struct weights key;
	uint64_t unit[VARIABLES_MOST];	/* divides all coefficients of the variable */
	uint32_t variable_count;
	int bits;			/* width of the second part */
	bool narrow;			/* 64 bits are enough */
	bool negative;			/* the second part is subtracted */
	bool steepest;			/* at infinity: slope first, then length at 0 */
	int128 slope_unit, length_unit;
	struct rational at;
};

/* Choose the key for a point.  STATUS_LIMIT if 128 bits might not be enough. */
int key_init(struct lexicographic_key *key, const struct cost_graph *graph,
	     const struct path_point *point, struct error *err);

/* Part of a key that terms add.  It has 64 bits for narrow keys. */
static inline int128 key_of_terms(const struct lexicographic_key *key,
				  const struct cost_term *terms, uint32_t count)
{
	int128 sum = 0;

	for (uint32_t i = 0; i < count; i++) {
		const uint64_t unit = key->unit[terms[i].variable];

		sum += key->key.of[terms[i].variable] *
		       (unit == 1 ? terms[i].coefficient : terms[i].coefficient / unit);
	}
	return sum;
}

/* Part of a key that an expression of the graph adds. */
static inline int128 key_of_expression(const struct lexicographic_key *key,
				       const struct cost_graph *graph, uint32_t expression)
{
	uint32_t count;
	const struct cost_term *terms = cost_terms(&graph->expressions, expression, &count);

	return key_of_terms(key, terms, count);
}

/*
 * Length in as of a path with this key, times the denominator of the point.  Not for a key that is
 * negative or at infinity.
 */
static inline int128 key_length(const struct lexicographic_key *key, int128 path)
{
	return (path >> key->bits) * key->length_unit;
}

/* Line of the path with the key `longest`. */
struct line key_line(const struct lexicographic_key *key, int128 longest);

/*
 * Divisor, in as, of the lengths of all paths at its multiples.  At these points keys are as small
 * as possible.
 */
int128 key_grain(const struct cost_graph *graph, const struct direction *direction);

/* Divisor, at least 1, of the slopes of all paths in a direction. */
int128 key_slope_unit(const struct cost_graph *graph, const struct direction *direction);

#endif
