/*
 * Collectives with a root on inter-communicators: MPI_Bcast, MPI_Reduce,
 * MPI_Gather(v), MPI_Scatter(v).  Data moves between the root and the ranks of the remote group,
 * the leaves.  Other ranks of the root's group do nothing.  Area 0 has sent data, and received
 * data of bcast, reduce and scatter.  gather receives in area 1, by rank.
 */
#include "schedgen/collectives/coll_algorithms.h"

static bool is_root(const struct coll_run *run)
{
	return run->call->root_place == COLL_ROOT_SELF;
}

static bool is_leaf(const struct coll_run *run)
{
	return run->call->root_place == COLL_ROOT_REMOTE;
}

/* Has the rank nothing to do?  There is no data, or the root is another rank of its group. */
static bool is_idle(const struct coll_run *run)
{
	return !run->call->block_bytes || run->call->root_place == COLL_ROOT_BESIDE;
}

/* Leaf: rank 0 receives these slots from the root, and becomes the root of a tree. */
static int receive_first(struct coll_run *run, struct coll_slots slots)
{
	const uint32_t root = run->root;

	run->root = 0;
	if (run->rank)
		return 0;
	TRY(coll_recv_remote(run, root, slots, COLL_STORE));
	return coll_round_end(run);
}

/* Leaf: rank 0 sends these slots to the root. */
static int send_last(struct coll_run *run, struct coll_slots slots)
{
	if (run->rank)
		return 0;
	TRY(coll_send_remote(run, run->call->root, slots));
	return coll_round_end(run);
}

/* ------------------------------------------------------------------ from the root */

/* MPICH ("remote_send_local_bcast") and Open MPI (inter). */
int coll_inter_bcast(struct coll_run *run)
{
	if (is_idle(run))
		return 0;
	coll_vector(run, 1);
	if (is_root(run)) {
		TRY(coll_send_remote(run, 0, coll_all(run, 0)));
		return coll_round_end(run);
	}
	TRY(receive_first(run, coll_all(run, 0)));
	return coll_binomial_down(run, COLL_VECTOR);
}

/* The root sends all of area 0, or the slot of each, to all leaves. */
static int send_to_all(struct coll_run *run, enum coll_share share)
{
	for (uint32_t i = 0; i < run->call->remote_size; i++) {
		const struct coll_slots slots = share == COLL_VECTOR ? coll_all(run, 0) :
								       coll_slot(0, i);

		if (coll_has_message(run, slots))
			TRY(coll_send_remote(run, i, slots));
	}
	return coll_round_end(run);
}

static int receive_own(struct coll_run *run, struct coll_slots slots)
{
	if (coll_has_message(run, slots))
		TRY(coll_recv_remote(run, run->root, slots, COLL_STORE));
	return coll_round_end(run);
}

/* Open MPI (libnbc). */
int coll_inter_bcast_linear(struct coll_run *run)
{
	if (is_idle(run))
		return 0;
	coll_vector(run, 1);
	return is_root(run) ? send_to_all(run, COLL_VECTOR) : receive_own(run, coll_all(run, 0));
}

static int scatter_blocks(struct coll_run *run)
{
	const struct collective *call = run->call;

	return is_root(run) ? coll_block_list(run, 0, call->remote_size, call->send_bytes,
					      call->block_bytes) :
			      coll_blocks(run, 0, NULL);
}

/* MPICH ("remote_send_local_scatter") for short messages, Open MPI (inter). */
int coll_inter_scatter(struct coll_run *run)
{
	if (is_idle(run))
		return 0;
	TRY(scatter_blocks(run));
	if (is_root(run)) {
		TRY(coll_send_remote(run, 0, coll_all(run, 0)));
		return coll_round_end(run);
	}
	TRY(receive_first(run, coll_all(run, 0)));
	return coll_binomial_down(run, COLL_SUBTREE);
}

/* MPICH ("linear") for scatterv and long messages.  Only the root of scatterv knows all sizes. */
int coll_inter_scatter_linear(struct coll_run *run)
{
	if (run->call->kind == COLL_INTER_SCATTER ? is_idle(run) : !is_root(run) && !is_leaf(run))
		return 0;
	TRY(scatter_blocks(run));
	return is_root(run) ? send_to_all(run, COLL_SUBTREE) :
			      receive_own(run, coll_slot(0, run->rank));
}

/* -------------------------------------------------------------------- to the root */

/* MPICH ("local_reduce_remote_send") and Open MPI (inter). */
int coll_inter_reduce(struct coll_run *run)
{
	if (is_idle(run))
		return 0;
	coll_vector(run, 1);
	if (is_root(run)) {
		TRY(coll_recv_remote(run, 0, coll_all(run, 0), COLL_STORE));
		return coll_round_end(run);
	}
	run->root = 0;
	TRY(coll_binomial_up(run, COLL_VECTOR, COLL_COMBINE));
	return send_last(run, coll_all(run, 0));
}

static int send_own(struct coll_run *run, struct coll_slots slots)
{
	if (coll_has_message(run, slots))
		TRY(coll_send_remote(run, run->root, slots));
	return coll_round_end(run);
}

/* Open MPI (libnbc). */
int coll_inter_reduce_linear(struct coll_run *run)
{
	if (is_idle(run))
		return 0;
	coll_vector(run, 1);
	if (is_leaf(run))
		return send_own(run, coll_all(run, 0));
	for (uint32_t i = 0; i < run->call->remote_size; i++)
		TRY(coll_recv_remote(run, i, coll_all(run, 0), i ? COLL_COMBINE : COLL_STORE));
	return coll_round_end(run);
}

static int gather_blocks(struct coll_run *run)
{
	const struct collective *call = run->call;

	return is_root(run) ? coll_block_list(run, 1, call->remote_size, call->receive_bytes,
					      call->block_bytes) :
			      coll_blocks(run, 0, NULL);
}

/* MPICH ("local_gather_remote_send") for short messages, Open MPI (inter). */
int coll_inter_gather(struct coll_run *run)
{
	if (is_idle(run))
		return 0;
	TRY(gather_blocks(run));
	if (is_root(run)) {
		TRY(coll_recv_remote(run, 0, coll_all(run, 1), COLL_STORE));
		return coll_round_end(run);
	}
	run->root = 0;
	TRY(coll_binomial_up(run, COLL_SUBTREE, COLL_STORE));
	return send_last(run, coll_all(run, 0));
}

/* MPICH ("linear") for gatherv and long messages.  Only the root of gatherv knows all sizes. */
int coll_inter_gather_linear(struct coll_run *run)
{
	if (run->call->kind == COLL_INTER_GATHER ? is_idle(run) : !is_root(run) && !is_leaf(run))
		return 0;
	TRY(gather_blocks(run));
	if (is_leaf(run))
		return send_own(run, coll_slot(0, run->rank));
	for (uint32_t i = 0; i < run->call->remote_size; i++) {
		if (coll_has_message(run, coll_slot(1, i)))
			TRY(coll_recv_remote(run, i, coll_slot(1, i), COLL_STORE));
	}
	return coll_round_end(run);
}
