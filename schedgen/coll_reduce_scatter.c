/* MPI_Reduce_scatter(_block).  Piece i ends on rank i. */
#include "schedgen/coll_algorithms.h"

int coll_ring_reduce_scatter(struct coll_run *run, uint32_t first)
{
	const uint32_t size = run->size;
	uint32_t i, given = first, got;

	for (i = 1; i < size; i++) {
		got = given ? given - 1 : size - 1;
		TRY(coll_send(run, coll_after(run, 1), coll_slot(0, given)));
		TRY(coll_recv(run, coll_before(run, 1), coll_slot(0, got), COLL_COMBINE));
		TRY(coll_round_end(run));
		given = got;
	}
	return 0;
}

/* The pieces of `count` of the group from `index` on: those of whom they stand for. */
static struct coll_slots pieces(const struct coll_fold *fold, uint32_t index, uint32_t count)
{
	const uint32_t first = index < fold->rest ? 2 * index : index + fold->rest;
	const uint32_t after = index + count;
	const uint32_t end = after < fold->rest ? 2 * after : after + fold->rest;

	return coll_range(0, first, end - first);
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
	uint32_t half, peer, given, kept = 0;

	TRY(coll_blocks(run, 0, run->call->send_bytes));
	TRY(coll_fold_in(run, &fold, coll_all(run, 0)));
	for (half = fold.power / 2; fold.works && half; half /= 2) {
		peer = coll_fold_rank(run, &fold, fold.index ^ half);
		given = fold.index & half ? kept : kept + half;
		kept = fold.index & half ? kept + half : kept;
		TRY(coll_send(run, peer, pieces(&fold, given, half)));
		TRY(coll_recv(run, peer, pieces(&fold, kept, half), COLL_COMBINE));
		TRY(coll_round_end(run));
	}
	return coll_fold_out(run, &fold, coll_slot(0, fold.works ? fold.partner : run->rank));
}

/* Likewise; MPICH's choice for long messages. */
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
	return coll_ring_reduce_scatter(run, coll_before(run, 1));
}
