/* Spreading what each rank has among all ranks, as a part of several collectives. */
#include "schedgen/collectives/coll_algorithms.h"

int coll_ring_allgather(struct coll_run *run, uint32_t own)
{
	const uint32_t size = run->size, pieces = run->areas[0].slot_count / size;
	uint32_t i, given = own, got;

	for (i = 1; i < size; i++) {
		got = given ? given - 1 : size - 1;
		TRY(coll_send(run, coll_after(run, 1), coll_range(0, given * pieces, pieces)));
		TRY(coll_recv(run, coll_before(run, 1), coll_range(0, got * pieces, pieces),
			      COLL_STORE));
		TRY(coll_round_end(run));
		given = got;
	}
	return 0;
}

int coll_spread(struct coll_run *run, uint32_t origin, uint32_t width, struct coll_slots slots,
		bool *received)
{
	const uint32_t v = coll_after(run, run->size - origin);
	const uint32_t partners = run->size - (v & ~(width - 1)) - width; /* < width */
	uint32_t mask, peer, first;
	bool gives, gets;

	for (mask = width / 2; mask; mask /= 2) {
		peer = v ^ mask;
		first = (v & ~(2 * mask - 1)) + partners;
		gives = peer > v && v < first && peer >= first;
		gets = peer < v && peer < first && v >= first;
		if (gives)
			TRY(coll_send(run, coll_after(run, mask), slots));
		if (gets)
			TRY(coll_recv(run, coll_before(run, mask), slots, COLL_STORE));
		if (gives || gets)
			TRY(coll_round_end(run));
		*received |= gets;
	}
	return 0;
}

/* The slots of an aligned group of places. */
static struct coll_slots slots_of(const struct coll_run *run, uint32_t origin, uint32_t place,
				  uint32_t width)
{
	const uint32_t rest = run->size - place;

	return coll_range(0, (uint32_t)(((uint64_t)origin + place) % run->size),
			  rest < width ? rest : width);
}

int coll_doubling_allgather(struct coll_run *run, uint32_t origin)
{
	const uint32_t v = coll_after(run, run->size - origin);
	uint32_t width, peer, own, other;
	struct coll_slots slots;
	bool received = false;

	for (width = 1; width < run->size; width *= 2) {
		own = v & ~(width - 1);
		other = own ^ width;
		if (other >= run->size)
			continue;
		slots = slots_of(run, origin, other, width);
		if ((v ^ width) < run->size) {
			peer = v & width ? coll_before(run, width) : coll_after(run, width);
			TRY(coll_send(run, peer, slots_of(run, origin, own, width)));
			TRY(coll_recv(run, peer, slots, COLL_STORE));
			TRY(coll_round_end(run));
		}
		if (run->size - other < width)
			TRY(coll_spread(run, origin, width, slots, &received));
	}
	return 0;
}
