#include "dist/dist_ask.h"

#include <string.h>

/* Questions of a process in one round. */
enum { ROUND = 1 << 14 };

struct round {
	struct dist *dist;
	const struct dist_questions *questions;
	size_t first, count; /* questions of this process */
	uint32_t *asked;     /* [number in the round]: process */
	uint64_t *sizes;     /* [process]: bytes */
	uint64_t *places;    /* [process]: bytes before those that come next */
	unsigned char *packed;
};

static void release(struct round *round)
{
	free(round->asked);
	free(round->sizes);
	free(round->places);
	free(round->packed);
}

static int ask_make_room(struct round *round, struct error *err)
{
	const size_t bytes = round->questions->question_bytes;

	/* The question that is asked for its process alone comes last. */
	TRY(allocate(&round->packed, ROUND + 1, bytes, err));
	TRY(allocate(&round->asked, ROUND, sizeof *round->asked, err));
	TRY(allocate(&round->sizes, round->dist->size, sizeof *round->sizes, err));
	return allocate(&round->places, round->dist->size, sizeof *round->places, err);
}

static void find_places(struct round *round)
{
	uint64_t sum = 0;

	for (uint32_t p = 0; p < round->dist->size; p++) {
		round->places[p] = sum;
		sum += round->sizes[p];
	}
}

/* Put the questions of the round in order of the processes. */
static void ask_pack(struct round *round)
{
	const struct dist_questions *questions = round->questions;
	const size_t bytes = questions->question_bytes;

	memset(round->sizes, 0, round->dist->size * sizeof *round->sizes);
	for (size_t i = 0; i < round->count; i++) {
		round->asked[i] = questions->ask(questions->own, round->first + i,
						 round->packed + ROUND * bytes);
		round->sizes[round->asked[i]] += bytes;
	}
	find_places(round);
	for (size_t i = 0; i < round->count; i++) {
		uint64_t *place = &round->places[round->asked[i]];

		questions->ask(questions->own, round->first + i, round->packed + *place);
		*place += bytes;
	}
}

/* Answer what has arrived, and send the answers back. */
static int answer(struct round *round, const struct dist_arrived *arrived,
		  struct dist_arrived *answers, struct error *err)
{
	const struct dist_questions *questions = round->questions;
	const uint32_t processes = round->dist->size;
	const size_t count = arrived->ends[processes - 1] / questions->question_bytes;
	unsigned char *own;
	int result = allocate(&own, count * questions->answer_bytes, 1, err);

	if (result == 0)
		result = questions->answer(questions->data, arrived->bytes, count, own, err);
	result = dist_agree(round->dist, result, err);
	for (uint32_t p = 0; p < processes; p++)
		round->sizes[p] = (arrived->ends[p] - (p ? arrived->ends[p - 1] : 0)) /
				  questions->question_bytes * questions->answer_bytes;
	if (result == 0)
		result = dist_alltoallv(round->dist, own, round->sizes, answers, err);
	free(own);
	return result;
}

/* Take the answers, which come in the order of the packed questions. */
static void ask_unpack(struct round *round, const struct dist_arrived *answers)
{
	const struct dist_questions *questions = round->questions;

	for (uint32_t p = 0; p < round->dist->size; p++)
		round->places[p] = p ? answers->ends[p - 1] : 0;
	for (size_t i = 0; i < round->count; i++) {
		uint64_t *place = &round->places[round->asked[i]];

		if (questions->take)
			questions->take(questions->own, round->first + i, answers->bytes + *place);
		*place += questions->answer_bytes;
	}
}

static int run_round(struct round *round, struct error *err)
{
	struct dist_arrived arrived = {0}, answers = {0};
	int result;

	ask_pack(round);
	result = dist_alltoallv(round->dist, round->packed, round->sizes, &arrived, err);
	if (result == 0)
		result = answer(round, &arrived, &answers, err);
	if (result == 0)
		ask_unpack(round, &answers);
	dist_arrived_release(&arrived);
	dist_arrived_release(&answers);
	return result;
}

static int run_rounds(struct round *round, size_t count, struct error *err)
{
	uint64_t most = count;

	TRY(dist_allreduce(round->dist, &most, 1, DIST_MAX, err));
	for (size_t first = 0; first < most; first += ROUND) {
		const size_t left = first < count ? count - first : 0;

		round->first = first;
		round->count = left < ROUND ? left : ROUND;
		TRY(run_round(round, err));
	}
	return 0;
}

int dist_ask(struct dist *dist, const struct dist_questions *questions, size_t count,
	     struct error *err)
{
	struct round round = {.dist = dist, .questions = questions};
	int result = dist_agree(dist, ask_make_room(&round, err), err);

	if (result == 0)
		result = run_rounds(&round, count, err);
	release(&round);
	return result;
}
