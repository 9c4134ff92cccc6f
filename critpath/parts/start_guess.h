/*
 * When computation is expected to start, from the intervals before it in a block: either soon after the
 * interval before it has ended, or when another rank started next after that, as both leave the same
 * collective.  Of the two what was nearer to the starts before is taken, for each function that the
 * interval is after.  Sender and receiver of a block guess the same.
 */
#ifndef CRITPATH_START_GUESS_H
#define CRITPATH_START_GUESS_H

#include "critpath/path/groups.h"

enum { GUESS_OWN, GUESS_OTHER, GUESSES };
enum { GUESS_FUNCTIONS = 64 }; /* others count as the same */

struct start_guess {
	const struct compute_interval *other, *other_end; /* next ones of the run before */
	const struct compute_interval *run;		  /* first one of this run */
	uint64_t guesses_ns[GUESSES];
	uint32_t misses[GUESS_FUNCTIONS]
		       [GUESSES]; /* bits of the differences, old ones count less */
};

/* Begin a run at an interval, whose start need not be known. */
void start_guess_begin(struct start_guess *guess, const struct compute_interval *first);

/* Guess the start of an interval of the run; all before it must be known. */
uint64_t start_guess(struct start_guess *guess, const struct compute_interval *interval);

/* Learn its start. */
void start_guess_learn(struct start_guess *guess, const struct compute_interval *interval);

#endif
