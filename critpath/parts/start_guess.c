#include "critpath/parts/start_guess.h"

#include "critpath/parts/varint.h"

void start_guess_begin(struct start_guess *guess, const struct compute_interval *first)
{
	guess->other = guess->run;
	guess->other_end = guess->run ? first : NULL;
	guess->run = first;
}

static uint32_t *misses_after(struct start_guess *guess, const struct compute_interval *before)
{
	return guess->misses[before->function % GUESS_FUNCTIONS];
}

uint64_t start_guess(struct start_guess *guess, const struct compute_interval *interval)
{
	const struct compute_interval *before = interval - 1;
	const uint32_t *misses;

	if (interval == guess->run)
		return guess->other ? guess->other->start_ns : 0;
	while (guess->other < guess->other_end && guess->other->start_ns < before->end_ns)
		guess->other++;
	guess->guesses_ns[GUESS_OWN] = before->end_ns;
	guess->guesses_ns[GUESS_OTHER] = guess->other < guess->other_end ? guess->other->start_ns
									 : before->end_ns;
	misses = misses_after(guess, before);
	return guess->guesses_ns[misses[GUESS_OTHER] < misses[GUESS_OWN] ? GUESS_OTHER : GUESS_OWN];
}

void start_guess_learn(struct start_guess *guess, const struct compute_interval *interval)
{
	uint32_t *misses;

	if (interval == guess->run)
		return;
	misses = misses_after(guess, interval - 1);
	for (int k = 0; k < GUESSES; k++) {
		const uint64_t guessed_ns = guess->guesses_ns[k];
		const uint64_t miss_ns = interval->start_ns > guessed_ns
						 ? interval->start_ns - guessed_ns
						 : guessed_ns - interval->start_ns;

		misses[k] = misses[k] - misses[k] / 8 + 16 * bits_of(miss_ns);
	}
}
