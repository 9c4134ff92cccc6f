/* MPI_Reduce_scatter(_block).  Piece i ends on rank i. */
#include "schedgen/collectives/coll_algorithms.h"

int coll_ring_reduce_scatter(struct coll_run *run, uint32_t first, uint32_t segment)
{
	const uint32_t size = run->size, pieces = run->areas[0].slot_count / size;
	uint32_t i, given = first, got;

	for (i = 1; i < size; i++) {
		got = given ? given - 1 : size - 1;
		TRY(coll_send(run, coll_after(run, 1), coll_slot(0, given * pieces + segment)));
		TRY(coll_recv(run, coll_before(run, 1), coll_slot(0, got * pieces + segment),
			      COLL_COMBINE));
		TRY(coll_round_end(run));
		given = got;
	}
	return 0;
}

/* Pieces of `count` ranks of the group from `index` on, and of their partners. */
static struct coll_slots pieces(const struct coll_fold *fold, uint32_t index, uint32_t count)
{
	const uint32_t first = index < fold->rest ? 2 * index : index + fold->rest;
	const uint32_t after = index + count;
	const uint32_t end = after < fold->rest ? 2 * after : after + fold->rest;

	return coll_range(0, first, end - first);
}

/*
 * Keep one half of the pieces from *kept on, and give one half to the rank that differs in this
 * bit.
 */
static int exchange_halves(struct coll_run *run, const struct coll_fold *fold, uint8_t area,
			   uint32_t bit, uint32_t half, uint32_t *kept)
{
	const uint32_t peer = coll_fold_rank(run, fold, fold->index ^ bit);
	struct coll_slots lower = pieces(fold, *kept, half);
	struct coll_slots upper = pieces(fold, *kept + half, half);
	const bool keeps_upper = fold->index & bit;

	lower.area = upper.area = area;
	if (keeps_upper)
		*kept += half;
	TRY(coll_send(run, peer, keeps_upper ? lower : upper));
	TRY(coll_recv(run, peer, keeps_upper ? upper : lower, COLL_COMBINE));
	return coll_round_end(run);
}

/*
 * R. Thakur, R. Rabenseifner, W. Gropp, "Optimization of collective
 * communication operations in MPICH", Int. J. High Performance Computing
 * Applications 19 (2005), section 4.4; MPICH's choice for short messages, for
 * sizes that are no power of two as there.
 */
int coll_reduce_scatter_recursive_halving(struct coll_run *run)
{
	const struct coll_fold fold = coll_fold(run, 0, false);
	uint32_t half, kept = 0;

	TRY(coll_blocks(run, 0, run->call->send_bytes));
	TRY(coll_fold_in(run, &fold, coll_all(run, 0)));
	for (half = fold.power / 2; fold.works && half; half /= 2)
		TRY(exchange_halves(run, &fold, 0, half, half, &kept));
	return coll_fold_out(run, &fold, coll_slot(0, fold.works ? fold.partner : run->rank));
}

/* Pairwise exchange; MPICH's choice for long messages. */
int coll_reduce_scatter_pairwise(struct coll_run *run)
{
	uint32_t i, to;

	TRY(coll_blocks(run, 0, run->call->send_bytes));
	for (i = 1; i < run->size; i++) {
		to = coll_after(run, i);
		TRY(coll_send(run, to, coll_slot(0, to)));
		TRY(coll_recv(run, coll_before(run, i), coll_slot(0, run->rank), COLL_COMBINE));
		TRY(coll_round_end(run));
	}
	return 0;
}

/* Open MPI (tuned, "ring"). */
int coll_reduce_scatter_ring(struct coll_run *run)
{
	TRY(coll_blocks(run, 0, run->call->send_bytes));
	return coll_ring_reduce_scatter(run, coll_before(run, 1), 0);
}

/* Open MPI (tuned, "non-overlapping"; libnbc): reduce to rank 0, then scatter. */
int coll_reduce_scatter_reduce_scatterv(struct coll_run *run)
{
	run->root = 0;
	TRY(coll_blocks(run, 0, run->call->send_bytes));
	TRY(coll_reduce_part(run, run->call->parameters.reduce));
	return coll_scatter_part(run, run->call->parameters.scatter);
}

/* Reverse the lowest `bits` bits of the number. */
static uint32_t mirrored(uint32_t number, uint32_t power)
{
	uint32_t result = 0;

	for (; power > 1; power /= 2, number /= 2)
		result = 2 * result + number % 2;
	return result;
}

/*
 * J. L. Träff, "An improved algorithm for (non-commutative) reduce-scatter with an
 * application", EuroPVM/MPI 2005; Open MPI (tuned, "butterfly").  Vector halving
 * and distance doubling leave the pieces in mirrored order.  Each rank of the group then sends its
 * pieces to their owners.
 */
int coll_reduce_scatter_butterfly(struct coll_run *run)
{
	const struct coll_fold fold = coll_fold(run, 0, false);
	uint32_t mask, half = fold.power / 2, kept = 0, peer, owner;
	struct coll_slots held;

	TRY(coll_blocks(run, 0, run->call->send_bytes));
	TRY(coll_fold_in(run, &fold, coll_all(run, 0)));
	for (mask = 1; fold.works && mask < fold.power; mask *= 2, half /= 2)
		TRY(exchange_halves(run, &fold, 0, mask, half, &kept));
	owner = mirrored(fold.index, fold.power);
	peer = coll_fold_rank(run, &fold, owner);
	held = pieces(&fold, owner, 1);
	if (!fold.works) {
		peer = coll_fold_rank(run, &fold, owner);
		TRY(coll_recv(run, peer, coll_slot(0, run->rank), COLL_STORE));
		return coll_round_end(run);
	}
	if (held.count == 2) {
		TRY(coll_send(run, held.first, coll_slot(0, held.first)));
		TRY(coll_round_end(run));
	}
	if (owner == fold.index)
		return 0;
	TRY(coll_send(run, peer, coll_slot(0, held.first + held.count - 1)));
	TRY(coll_recv(run, peer, coll_slot(0, run->rank), COLL_STORE));
	return coll_round_end(run);
}

/*
 * Butterfly for pieces of equal size.  Among a power of two ranks they are put in mirrored order
 * first, as in Open MPI, and are not handed over.
 */
int coll_reduce_scatter_block_butterfly(struct coll_run *run)
{
	const struct coll_fold all = coll_fold(run, 0, false);
	uint32_t bit, half, kept = 0;

	if (!coll_is_power_of_two(run->size))
		return coll_reduce_scatter_butterfly(run);
	TRY(coll_blocks(run, 0, NULL));
	coll_area_like(run, 1, 0);
	for (uint32_t i = 0; i < run->size; i++)
		TRY(coll_copy(run, coll_slot(1, mirrored(i, run->size)), coll_slot(0, i),
			      COLL_STORE));
	TRY(coll_round_end(run));
	for (bit = 1, half = run->size / 2; half; bit *= 2, half /= 2)
		TRY(exchange_halves(run, &all, 1, bit, half, &kept));
	TRY(coll_copy(run, coll_slot(0, run->rank), coll_slot(1, kept), COLL_STORE));
	return coll_round_end(run);
}

enum { RESULT, RECEIVED };	/* areas */

/* All pieces except the pieces of an aligned group of ranks. */
static struct coll_slots outside(const struct coll_run *run, uint32_t group, uint32_t width)
{
	const uint32_t rest = run->size - group, inside = rest < width ? rest : width;

	return coll_range(RECEIVED, (group + inside) % run->size, run->size - inside);
}

/*
 * MPICH and Open MPI (tuned) under the same name, for operations that do not commute:
 * aligned groups of 1, 2, 4, ... ranks exchange combined pieces, except the pieces that only
 * the own group needs.
 */
int coll_reduce_scatter_recursive_doubling(struct coll_run *run)
{
	uint32_t width, peer, other;
	struct coll_slots slots;
	bool received;

	TRY(coll_blocks(run, RESULT, run->call->send_bytes));
	coll_area_like(run, RECEIVED, RESULT);
	for (width = 1; width < run->size; width *= 2) {
		peer = run->rank ^ width;
		other = peer & ~(width - 1);
		if (other >= run->size)
			continue;
		slots = outside(run, other, width);
		received = peer < run->size;
		if (received) {
			struct coll_slots given = outside(run, run->rank & ~(width - 1), width);

			given.area = RESULT;
			TRY(coll_send(run, peer, given));
			TRY(coll_recv(run, peer, slots, COLL_STORE));
			TRY(coll_round_end(run));
		}
		if (run->size - other < width)
			TRY(coll_spread(run, 0, width, slots, &received));
		if (received) {
			struct coll_slots result = slots;

			result.area = RESULT;
			TRY(coll_copy(run, result, slots, COLL_COMBINE));
		}
		TRY(coll_round_end(run));
	}
	return 0;
}
