/*
 * Collectives without a root on inter-communicators.  The contributions of each group end in the
 * remote group.  Area 0 has the contribution of a rank, area 1 its result: of allgather and
 * alltoall the blocks of the remote group, of reduce_scatter the pieces of its own group.
 * allreduce and barrier use area 0 for both.
 *
 * MPICH's groups take turns: "first" is the group of the first of two turns.
 */
#include "schedgen/collectives/coll_algorithms.h"

static bool is_leader(const struct coll_run *run)
{
	return run->rank == 0;
}

/* Send to, or receive from, rank 0 of the remote group, on rank 0. */
static int leader_sends(struct coll_run *run, struct coll_slots slots)
{
	if (!is_leader(run))
		return 0;
	TRY(coll_send_remote(run, 0, slots));
	return coll_round_end(run);
}

static int leader_receives(struct coll_run *run, struct coll_slots slots)
{
	if (!is_leader(run))
		return 0;
	TRY(coll_recv_remote(run, 0, slots, COLL_STORE));
	return coll_round_end(run);
}

/* MPICH ("bcast"): notify the remote group when all ranks of a group have entered. */
int coll_inter_barrier(struct coll_run *run)
{
	run->root = 0;
	TRY(coll_barrier_dissemination(run));
	for (int turn = 0; turn < 2; turn++) {
		if (run->call->first_group == (turn == 0)) {
			TRY(leader_sends(run, coll_all(run, 0)));
		} else {
			TRY(leader_receives(run, coll_all(run, 0)));
			TRY(coll_binomial_down(run, COLL_VECTOR));
		}
	}
	return 0;
}

static int reduce_exchange_bcast(struct coll_run *run)
{
	run->root = 0;
	coll_vector(run, 1);
	TRY(coll_binomial_up(run, COLL_VECTOR, COLL_COMBINE));
	if (is_leader(run)) {
		TRY(coll_send_remote(run, 0, coll_all(run, 0)));
		TRY(coll_recv_remote(run, 0, coll_all(run, 0), COLL_STORE));
		TRY(coll_round_end(run));
	}
	return coll_binomial_down(run, COLL_VECTOR);
}

/* MPICH ("reduce_exchange_bcast") and Open MPI (inter). */
int coll_inter_allreduce(struct coll_run *run)
{
	return run->call->block_bytes ? reduce_exchange_bcast(run) : 0;
}

/* Open MPI (basic): as an allreduce. */
int coll_inter_barrier_exchange(struct coll_run *run)
{
	return reduce_exchange_bcast(run);
}

/* --------------------------------------------------------------------- allgather */

/* Area 0: blocks of the own group; area 1: of the remote group. */
static int allgather_blocks(struct coll_run *run)
{
	const struct collective *call = run->call;

	run->root = 0;
	TRY(coll_block_list(run, 0, call->size, NULL, call->block_bytes));
	return coll_block_list(run, 1, call->remote_size, call->receive_bytes, call->remote_bytes);
}

static int bcast_area_1(struct coll_run *run)
{
	run->tree_area = 1;
	return coll_binomial_down(run, COLL_VECTOR);
}

/* MPICH ("local_gather_remote_bcast"). */
int coll_inter_allgather(struct coll_run *run)
{
	TRY(allgather_blocks(run));
	if (run->call->block_bytes)
		TRY(coll_binomial_up(run, COLL_SUBTREE, COLL_STORE));
	for (int turn = 0; turn < 2; turn++) {
		if (run->call->first_group == (turn == 0)) {
			if (run->call->block_bytes)
				TRY(leader_sends(run, coll_all(run, 0)));
		} else if (run->call->remote_bytes) {
			TRY(leader_receives(run, coll_all(run, 1)));
			TRY(bcast_area_1(run));
		}
	}
	return 0;
}

/* Open MPI (inter). */
int coll_inter_allgather_exchange(struct coll_run *run)
{
	const uint64_t out = run->call->block_bytes, in = run->call->remote_bytes;

	TRY(allgather_blocks(run));
	if (out)
		TRY(coll_binomial_up(run, COLL_SUBTREE, COLL_STORE));
	if (is_leader(run) && out)
		TRY(coll_send_remote(run, 0, coll_all(run, 0)));
	if (is_leader(run) && in)
		TRY(coll_recv_remote(run, 0, coll_all(run, 1), COLL_STORE));
	TRY(coll_round_end(run));
	return in ? bcast_area_1(run) : 0;
}

/* MPICH ("remote_gather_local_bcast"): nobody knows the sizes of its own group. */
int coll_inter_allgatherv(struct coll_run *run)
{
	TRY(allgather_blocks(run));
	for (int turn = 0; turn < 2; turn++) {
		if (run->call->first_group == (turn == 1))
			TRY(coll_send_remote(run, 0, coll_slot(0, run->rank)));
		for (uint32_t i = 0; run->call->first_group == (turn == 0) && is_leader(run) &&
				     i < run->call->remote_size; i++)
			TRY(coll_recv_remote(run, i, coll_slot(1, i), COLL_STORE));
		TRY(coll_round_end(run));
	}
	return bcast_area_1(run);
}

/* ---------------------------------------------------------------------- alltoall */

static int alltoall_blocks(struct coll_run *run)
{
	const struct collective *call = run->call;

	TRY(coll_block_list(run, 0, call->remote_size, call->send_bytes, call->block_bytes));
	return coll_block_list(run, 1, call->remote_size, call->receive_bytes, call->remote_bytes);
}

/* Open MPI (basic): messages that are known to be empty are left out. */
int coll_inter_alltoall_linear(struct coll_run *run)
{
	const struct collective *call = run->call;

	TRY(alltoall_blocks(run));
	for (uint32_t i = 0; i < call->remote_size; i++)
		if (call->receive_bytes ? call->receive_bytes[i] : call->remote_bytes)
			TRY(coll_recv_remote(run, i, coll_slot(1, i), COLL_STORE));
	for (uint32_t i = 0; i < call->remote_size; i++)
		if (call->send_bytes ? call->send_bytes[i] : call->block_bytes)
			TRY(coll_send_remote(run, i, coll_slot(0, i)));
	return coll_round_end(run);
}

/* MPICH ("pairwise_exchange"): partners that the smaller group does not have are left out. */
int coll_inter_alltoall_pairwise(struct coll_run *run)
{
	const struct collective *call = run->call;
	const uint32_t most = call->size > call->remote_size ? call->size : call->remote_size;
	const bool all = call->kind != COLL_INTER_ALLTOALL;

	TRY(alltoall_blocks(run));
	for (uint32_t i = 0; i < most; i++) {
		const uint32_t to = (uint32_t)(((uint64_t)run->rank + i) % most);
		const uint32_t from = (uint32_t)(((uint64_t)run->rank + most - i) % most);

		if (to < call->remote_size && (all || call->block_bytes))
			TRY(coll_send_remote(run, to, coll_slot(0, to)));
		if (from < call->remote_size && (all || call->remote_bytes))
			TRY(coll_recv_remote(run, from, coll_slot(1, from), COLL_STORE));
		TRY(coll_round_end(run));
	}
	return 0;
}

/* ---------------------------------------------------------------- reduce_scatter */

/* Area 1: pieces of the own group; area 0: the vector in pieces of the remote group. */
static int reduce_scatter_pieces(struct coll_run *run)
{
	const struct collective *call = run->call;

	run->root = 0;
	coll_vector(run, call->remote_size);
	if (call->receive_bytes)
		return coll_block_list(run, 1, call->size, call->receive_bytes, 0);
	coll_vector_area(run, 1, call->size);
	return 0;
}

/* MPICH ("remote_reduce_local_scatter"): scatter is binomial, scatterv linear. */
int coll_inter_reduce_scatter(struct coll_run *run)
{
	if (!run->call->block_bytes)
		return 0;
	TRY(reduce_scatter_pieces(run));
	for (int turn = 0; turn < 2; turn++) {
		if (run->call->first_group == (turn == 0)) {
			TRY(leader_receives(run, coll_all(run, 1)));
		} else {
			TRY(coll_binomial_up(run, COLL_VECTOR, COLL_COMBINE));
			TRY(leader_sends(run, coll_all(run, 0)));
		}
	}
	run->tree_area = 1;
	return run->call->kind == COLL_INTER_REDUCE_SCATTER ? coll_linear_down(run, COLL_SUBTREE) :
							      coll_binomial_down(run, COLL_SUBTREE);
}
