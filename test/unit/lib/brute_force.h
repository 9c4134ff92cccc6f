/*
 * The model evaluated without an engine: the equations for the start s(v) and
 * the end e(v) of every operation are applied as they stand in doc/model.md, in
 * any order, each as soon as what it needs is known.  Values are not numbers but
 * all lines in the varied parameter that some path can make the longest, so that
 * T comes out as the function it is.  Nothing but the graph's file format is
 * shared with the code under test.  For small graphs.
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

/* A maximum of lines: those that are the largest anywhere, by ascending slope. */
struct envelope {
	ARRAY(struct brute_line) lines;
};

/* A fraction; the denominator is positive. */
struct fraction {
	wide numerator, denominator;
};

/*
 * T as a function of the parameter; false if operations wait for each other.
 * Release the envelope in both cases.  Aborts when out of memory.
 */
bool brute_force(struct envelope *runtime, const struct goal *goal, const struct loggps *loggps,
		 uint32_t parameter);

void envelope_release(struct envelope *envelope);

/* The index of the line that is the largest on this side of (or at) a point. */
size_t envelope_left(const struct envelope *envelope, struct fraction at);
size_t envelope_right(const struct envelope *envelope, struct fraction at);

/* Where line i and the next one meet: all breakpoints, for i from 0 in ascending order. */
struct fraction envelope_breakpoint(const struct envelope *envelope, size_t i);

/* -1, 0 or 1 */
int fraction_compare(struct fraction a, struct fraction b);

/*
 * The largest parameter at which T is at most runtime (1 + thousandths/100000);
 * false if there is none.
 */
bool envelope_tolerance(const struct envelope *envelope, wide runtime, uint32_t thousandths,
			struct fraction *at);

#endif
