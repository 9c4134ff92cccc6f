/* Keys of paths (llamp/path/path_engine.h): how costs are turned into them and back. */
#ifndef LLAMP_LEXICOGRAPHIC_KEY_H
#define LLAMP_LEXICOGRAPHIC_KEY_H

#include "llamp/path/path_engine.h"

/*
 * What one unit of every coefficient of a cost adds to a measure of a path; of the
 * varied parameter one slope unit.
 */
struct weights {
	int128 ns, of[TERM_COUNT];
};

struct lexicographic_key {
	struct weights key;
	int bits;		/* of the second part */
	bool narrow;		/* 64 bits are enough */
	bool negative;		/* the second part is subtracted */
	bool steepest;		/* slope first, then the constant */
	int varied;		/* term of the varied parameter */
	uint64_t slope_unit;	/* divides all its coefficients */
	int128 length_unit;
	struct rational at;
};

/*
 * What divides all lengths at points that it divides, in as: there, keys are as small as
 * they can be.
 */
int128 key_grain(const struct cost_graph *graph, const struct loggps *loggps,
		 enum parameter parameter);

/* Choose the key for a question; STATUS_LIMIT if 128 bits might not be enough. */
int key_init(struct lexicographic_key *key, const struct cost_graph *graph,
	     const struct loggps *loggps, const struct path_point *point, struct error *err);

/* The value of a term's parameter, in as. */
int64_t key_value(const struct loggps *loggps, int term);

/* What a expression adds; in 64 bits for narrow keys. */
static inline int128 key_expression(const struct lexicographic_key *key,
				    const struct cost_expression *expression)
{
	int128 sum = 0;

	for (int term = 0; term < TERM_COUNT; term++)
		sum += key->key.of[term] *
		       (expression->of[term] / (term == key->varied ? key->slope_unit : 1));
	return sum;
}

/* The line of the path with this key. */
struct line key_line(const struct lexicographic_key *key, int128 longest);

#endif
