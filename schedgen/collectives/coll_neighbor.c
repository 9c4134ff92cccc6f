/*
 * MPI_Neighbor_allgather(v), MPI_Neighbor_alltoall(v,w).  Area 0 holds the blocks
 * to send by destination (allgather(v): one block for all of them), area 1 the received blocks by
 * source.
 */
#include "schedgen/collectives/coll_algorithms.h"

static bool is_gather(const struct coll_run *run)
{
	return run->call->kind == COLL_NEIGHBOR_ALLGATHER ||
	       run->call->kind == COLL_NEIGHBOR_ALLGATHERV;
}

static struct coll_slots block_to(const struct coll_run *run, uint32_t i)
{
	return coll_slot(0, is_gather(run) ? 0 : i);
}

/* Find the next place of the rank itself in a list, from `i` on; or the end. */
static uint32_t next_self(const struct coll_run *run, const uint32_t *ranks, uint32_t count,
			  uint32_t i)
{
	while (i < count && ranks[i] != run->rank)
		i++;
	return i;
}

/* Copy along edges from the rank to itself: the n-th destination matches the n-th source. */
static int copy_own(struct coll_run *run)
{
	const struct collective *call = run->call;
	uint32_t to = 0, from = 0;

	for (;; to++, from++) {
		to = next_self(run, call->destinations, call->destination_count, to);
		from = next_self(run, call->sources, call->source_count, from);
		if (to == call->destination_count || from == call->source_count)
			break;
		TRY(coll_copy(run, coll_slot(1, from), block_to(run, to), COLL_STORE));
	}
	if (to != call->destination_count || from != call->source_count)
		return error_set(run->err, STATUS_DATA,
				 "%s: rank %u is not as often its own destination as its own"
				 " source",
				 coll_name(call->kind), (unsigned)run->rank);
	return 0;
}

/* All at once: MPICH ("linear") and Open MPI (basic). */
int coll_neighbor_direct(struct coll_run *run)
{
	const struct collective *call = run->call;

	if (is_gather(run))
		TRY(coll_block_list(run, 0, 1, NULL, call->block_bytes));
	else
		TRY(coll_block_list(run, 0, call->destination_count, call->send_bytes, 0));
	TRY(coll_block_list(run, 1, call->source_count, call->receive_bytes, 0));
	for (uint32_t i = 0; i < call->source_count; i++) {
		if (call->sources[i] != run->rank)
			TRY(coll_recv(run, call->sources[i], coll_slot(1, i), COLL_STORE));
	}
	for (uint32_t i = 0; i < call->destination_count; i++) {
		if (call->destinations[i] != run->rank)
			TRY(coll_send(run, call->destinations[i], block_to(run, i)));
	}
	TRY(copy_own(run));
	return coll_round_end(run);
}
