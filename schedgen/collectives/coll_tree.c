/* Trees between one rank, the root, and all others. */
#include "schedgen/collectives/coll_algorithms.h"

/* Number of places from the root to this rank. */
static uint32_t coll_tree_place(const struct coll_run *run)
{
	return (uint32_t)(((uint64_t)run->rank + run->size - run->root) % run->size);
}

/* Distance to the parent, or for the root the least power of two >= P. */
static uint32_t reach(const struct coll_run *run)
{
	const uint32_t v = coll_tree_place(run);
	uint32_t power = 1;

	if (v)
		return v & -v;
	while (power < run->size)
		power <<= 1;
	return power;
}

static uint32_t coll_tree_least(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

/* Slots between the rank `distance` after this one, with the given reach, and its parent. */
static struct coll_slots passed(const struct coll_run *run, enum coll_share share,
				uint32_t distance, uint32_t its_reach)
{
	if (share == COLL_VECTOR)
		return coll_all(run, run->tree_area);
	return coll_range(run->tree_area, coll_after(run, distance),
			  coll_tree_least(its_reach, run->size - coll_tree_place(run) - distance));
}

int coll_binomial_up(struct coll_run *run, enum coll_share share, enum coll_mode mode)
{
	const uint32_t v = coll_tree_place(run), end = reach(run);
	uint32_t mask;

	for (mask = 1; mask < end; mask <<= 1) {
		if (mask >= run->size - v)
			break;
		TRY(coll_recv(run, coll_after(run, mask), passed(run, share, mask, mask), mode));
		TRY(coll_round_end(run));
	}
	if (v == 0)
		return 0;
	TRY(coll_send(run, coll_before(run, end), passed(run, share, 0, end)));
	return coll_round_end(run);
}

int coll_binomial_down(struct coll_run *run, enum coll_share share)
{
	const uint32_t v = coll_tree_place(run), end = reach(run);
	uint32_t mask;

	if (v) {
		TRY(coll_recv(run, coll_before(run, end), passed(run, share, 0, end), COLL_STORE));
		TRY(coll_round_end(run));
	}
	for (mask = end >> 1; mask; mask >>= 1) {
		if (mask >= run->size - v)
			continue;
		TRY(coll_send(run, coll_after(run, mask), passed(run, share, mask, mask)));
		TRY(coll_round_end(run));
	}
	return 0;
}

static struct coll_slots share_of(const struct coll_run *run, enum coll_share share, uint32_t rank)
{
	return share == COLL_VECTOR ? coll_all(run, run->tree_area) :
				      coll_slot(run->tree_area, rank);
}

/* Is the share of the rank a message?  The root has none. */
static bool travels(const struct coll_run *run, enum coll_share share, uint32_t rank)
{
	return rank != run->root &&
	       (share == COLL_VECTOR || coll_has_message(run, share_of(run, share, rank)));
}

int coll_linear_up(struct coll_run *run, enum coll_share share, enum coll_mode mode)
{
	uint32_t i;

	if (travels(run, share, run->rank))
		TRY(coll_send(run, run->root, share_of(run, share, run->rank)));
	for (i = 0; run->rank == run->root && i < run->size; i++) {
		if (travels(run, share, i))
			TRY(coll_recv(run, i, share_of(run, share, i), mode));
	}
	return coll_round_end(run);
}

int coll_linear_down(struct coll_run *run, enum coll_share share)
{
	uint32_t i;

	if (travels(run, share, run->rank))
		TRY(coll_recv(run, run->root, share_of(run, share, run->rank), COLL_STORE));
	for (i = 0; run->rank == run->root && i < run->size; i++) {
		if (travels(run, share, i))
			TRY(coll_send(run, i, share_of(run, share, i)));
	}
	return coll_round_end(run);
}
