/*
 * Evaluation of the model without an engine, for small graphs.
 *
 * Apply the equations of doc/model.md for the start s(v) and the end e(v) of every operation, in
 * any order, each as soon as its right side is known.  Values are maxima of lines in the varied
 * parameter, so that the result is T as a function.  Only the graph's file format is shared with
 * the code under test.
 */
#ifndef TEST_BRUTE_FORCE_H
#define TEST_BRUTE_FORCE_H

#include "common/array.h"
#include "goal/goal.h"
#include "llamp/network/loggps.h"

#include <stdbool.h>

typedef __int128 wide;

/* constant + slope * parameter, in as */
struct brute_line {
	wide constant, slope;
};

/* Maximum of lines: the lines that are largest somewhere, by ascending slope. */
struct envelope {
	ARRAY(struct brute_line) lines;
};

/* Fraction; the denominator is positive. */
struct fraction {
	wide numerator, denominator;
};

/*
 * Compute T as a function of the parameter.  False if operations wait for each other.
 * Release the envelope in both cases.  Aborts when out of memory.
 */
bool brute_force(struct envelope *runtime, const struct goal *goal, const struct loggps *loggps,
		 uint32_t parameter);

/* Delay of one operation. */
struct brute_delay {
	uint32_t op;		/* its number */
	enum brute_place {
		BRUTE_START,	/* s(v) is later, and with it all that v does */
		BRUTE_MATCH,	/* of a receive: the match is later, so both ends are */
		BRUTE_END,	/* of a send by rendezvous: only its own end is later */
	} place;
	wide as;
};

/* The same with a delay; NULL: none. */
bool brute_force_delayed(struct envelope *runtime, const struct goal *goal,
			 const struct loggps *loggps, uint32_t parameter,
			 const struct brute_delay *delay);

void envelope_release(struct envelope *envelope);

/* Find the index of the largest line at a point, or next to it on the left or right. */
size_t envelope_left(const struct envelope *envelope, struct fraction at);
size_t envelope_right(const struct envelope *envelope, struct fraction at);

/* Compute breakpoint i, where lines i and i + 1 intersect. */
struct fraction envelope_breakpoint(const struct envelope *envelope, size_t i);

/* -1, 0 or 1 */
int fraction_compare(struct fraction a, struct fraction b);

/*
 * Find the largest parameter at which T is at most runtime (1 + thousandths/100000).  False if no
 * parameter has such a T.
 */
bool envelope_tolerance(const struct envelope *envelope, wide runtime, uint32_t thousandths,
			struct fraction *at);

#endif
