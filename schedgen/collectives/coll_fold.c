/*
 * Groups of a power of two within any number of ranks: R. Rabenseifner,
 * J. L. Träff, "More efficient reduction algorithms for non-power-of-two number
 * of processors in message-passing parallel systems", EuroPVM/MPI 2004, section
 * 2, and MPICH, which leaves the second of each pair at work.
 */
#include "schedgen/collectives/coll_algorithms.h"

struct coll_fold coll_fold(const struct coll_run *run, uint32_t origin, bool first_works)
{
	const uint32_t place =
		(uint32_t)(((uint64_t)run->rank + run->size - origin) % run->size);
	struct coll_fold fold = {.power = 1, .origin = origin, .first_works = first_works};

	while (fold.power <= run->size / 2)
		fold.power <<= 1;
	fold.rest = run->size - fold.power;
	fold.paired = place < 2 * fold.rest;
	fold.works = !fold.paired || (place % 2 == 0) == first_works;
	fold.index = fold.paired ? place / 2 : place - fold.rest;
	if (fold.paired)
		fold.partner = place % 2 ? coll_before(run, 1) : coll_after(run, 1);
	return fold;
}

uint32_t coll_fold_rank(const struct coll_run *run, const struct coll_fold *fold, uint32_t index)
{
	uint32_t place = index + fold->rest;

	if (index < fold->rest)
		place = 2 * index + (fold->first_works ? 0 : 1);
	return (uint32_t)(((uint64_t)fold->origin + place) % run->size);
}

int coll_fold_in(struct coll_run *run, const struct coll_fold *fold, struct coll_slots slots)
{
	if (!fold->paired)
		return 0;
	if (fold->works)
		TRY(coll_recv(run, fold->partner, slots, COLL_COMBINE));
	else
		TRY(coll_send(run, fold->partner, slots));
	return coll_round_end(run);
}

int coll_fold_in_halves(struct coll_run *run, const struct coll_fold *fold,
			struct coll_slots slots)
{
	/* With one piece, the rank that works combines nothing, and its partner all. */
	const struct coll_slots first = coll_range(0, slots.first, slots.count / 2);
	const struct coll_slots second = coll_range(0, slots.first + first.count,
						    slots.count - first.count);

	if (!fold->paired)
		return 0;
	TRY(coll_send(run, fold->partner, fold->works ? second : first));
	TRY(coll_recv(run, fold->partner, fold->works ? first : second, COLL_COMBINE));
	TRY(coll_round_end(run));
	if (fold->works)
		TRY(coll_recv(run, fold->partner, second, COLL_STORE));
	else
		TRY(coll_send(run, fold->partner, second));
	return coll_round_end(run);
}

int coll_fold_out(struct coll_run *run, const struct coll_fold *fold, struct coll_slots slots)
{
	if (!fold->paired)
		return 0;
	if (fold->works)
		TRY(coll_send(run, fold->partner, slots));
	else
		TRY(coll_recv(run, fold->partner, slots, COLL_STORE));
	return coll_round_end(run);
}

int coll_fold_doubling(struct coll_run *run, const struct coll_fold *fold, struct coll_slots slots)
{
	uint32_t mask, peer;

	if (!fold->works)
		return 0;
	for (mask = 1; mask < fold->power; mask <<= 1) {
		peer = coll_fold_rank(run, fold, fold->index ^ mask);
		TRY(coll_send(run, peer, slots));
		TRY(coll_recv(run, peer, slots, COLL_COMBINE));
		TRY(coll_round_end(run));
	}
	return 0;
}

int coll_fold_reduce_scatter(struct coll_run *run, const struct coll_fold *fold, uint32_t *piece)
{
	uint32_t mask, peer, half = fold->power / 2, given, kept = 0;

	*piece = 0;
	if (!fold->works)
		return 0;
	for (mask = 1; mask < fold->power; mask <<= 1, half /= 2) {
		peer = coll_fold_rank(run, fold, fold->index ^ mask);
		given = fold->index & mask ? kept : kept + half;
		kept = fold->index & mask ? kept + half : kept;
		TRY(coll_send(run, peer, coll_range(0, given, half)));
		TRY(coll_recv(run, peer, coll_range(0, kept, half), COLL_COMBINE));
		TRY(coll_round_end(run));
	}
	*piece = kept;
	return 0;
}
