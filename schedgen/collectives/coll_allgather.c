/* MPI_Allgather(v).  Block i is rank i's. */
#include "schedgen/collectives/coll_algorithms.h"

/*
 * R. Thakur, R. Rabenseifner, W. Gropp, "Optimization of collective
 * communication operations in MPICH", Int. J. High Performance Computing
 * Applications 19 (2005), section 4.1.  MPICH's choice for short and medium
 * messages if P is a power of two; Bruck's algorithm if not, as there.
 */
int coll_allgather_recursive_doubling(struct coll_run *run)
{
	if (!coll_is_power_of_two(run->size))
		return coll_allgather_bruck(run);
	TRY(coll_blocks(run, 0, run->call->receive_bytes));
	return coll_doubling_allgather(run, 0);
}

/*
 * J. Bruck, C.-T. Ho, S. Kipnis, E. Upfal, D. Weathersby, "Efficient algorithms
 * for all-to-all communications in multiport message-passing systems", IEEE
 * Trans. Parallel and Distributed Systems 8 (1997), section 4.  After each round
 * a rank holds the blocks of the ranks from itself on.  The rotation at the end of implementations
 * moves data in memory only.
 */
int coll_allgather_bruck(struct coll_run *run)
{
	uint32_t held, count;

	TRY(coll_blocks(run, 0, run->call->receive_bytes));
	for (held = 1; held < run->size; held <<= 1) {
		count = held < run->size - held ? held : run->size - held;
		TRY(coll_send(run, coll_before(run, held), coll_range(0, run->rank, count)));
		TRY(coll_recv(run, coll_after(run, held),
			      coll_range(0, coll_after(run, held), count), COLL_STORE));
		TRY(coll_round_end(run));
	}
	return 0;
}

/* Source: as of coll_allgather_recursive_doubling.  MPICH's choice for long messages. */
int coll_allgather_ring(struct coll_run *run)
{
	TRY(coll_blocks(run, 0, run->call->receive_bytes));
	return coll_ring_allgather(run, run->rank);
}

/* Send or receive a segment, unless its block has ended before it. */
static int segment_to(struct coll_run *run, uint32_t to, uint32_t slot)
{
	return coll_bytes(run, coll_slot(0, slot)) ? coll_send(run, to, coll_slot(0, slot)) : 0;
}

static int segment_from(struct coll_run *run, uint32_t from, uint32_t slot)
{
	return coll_bytes(run, coll_slot(0, slot)) ?
		       coll_recv(run, from, coll_slot(0, slot), COLL_STORE) : 0;
}

/* MPICH: a ring for allgatherv, in which blocks travel in segments of 32 KiB. */
int coll_allgatherv_ring(struct coll_run *run)
{
	uint32_t i, j, given = run->rank, got, pieces;

	if (!run->call->parameters.segment_bytes)
		return coll_allgather_ring(run);
	TRY(coll_segmented_blocks(run, run->call->receive_bytes));
	pieces = run->areas[0].pieces;
	for (i = 1; i < run->size; i++, given = got) {
		got = given ? given - 1 : run->size - 1;
		for (j = 0; j < pieces; j++) {
			TRY(segment_to(run, coll_after(run, 1), given * pieces + j));
			TRY(segment_from(run, coll_before(run, 1), got * pieces + j));
			TRY(coll_round_end(run));
		}
	}
	return 0;
}

/* Open MPI (libnbc): all to all at once. */
int coll_allgather_linear(struct coll_run *run)
{
	uint32_t i, peer;

	TRY(coll_blocks(run, 0, run->call->receive_bytes));
	for (i = 1; i < run->size; i++) {
		peer = coll_after(run, i);
		TRY(coll_recv(run, peer, coll_slot(0, peer), COLL_STORE));
	}
	for (i = 1; i < run->size; i++)
		TRY(coll_send(run, coll_before(run, i), coll_slot(0, run->rank)));
	return coll_round_end(run);
}

/* Open MPI (basic, "linear"; allgatherv: tuned, "default"): to rank 0, and from there to all. */
int coll_allgather_gather_bcast(struct coll_run *run)
{
	run->root = 0;
	TRY(coll_blocks(run, 0, run->call->receive_bytes));
	TRY(coll_linear_up(run, COLL_SUBTREE, COLL_STORE));
	return coll_bcast_part(run, run->call->parameters.bcast);
}

/*
 * W. Loch, G. Koslovski, "Sparbit: a new logarithmic-cost and data locality-aware
 * MPI Allgather algorithm", SBAC-PAD 2021; Open MPI 5.  Distances halve, and each block is a
 * message.  `ignore` has the bits of the distances at which the last block is left out, because the
 * rank would receive it twice.
 */
int coll_allgather_sparbit(struct coll_run *run)
{
	uint32_t held = 1, distance = 1, odd, ignore;

	TRY(coll_blocks(run, 0, run->call->receive_bytes));
	if (run->size == 1)
		return 0;
	odd = (uint32_t)__builtin_ctz(run->size);
	ignore = (~(run->size >> odd) | 1) << odd;
	while (distance < run->size - distance)
		distance <<= 1;
	for (; distance; distance >>= 1) {
		const uint32_t left_out = (distance & ignore) == distance;

		for (uint64_t i = 0; i < held - left_out; i++) {
			const uint64_t back = 2 * i * distance;

			TRY(coll_recv(run, coll_before(run, distance),
				      coll_slot(0, coll_before(run, (uint32_t)(back + distance))),
				      COLL_STORE));
			TRY(coll_send(run, coll_after(run, distance),
				      coll_slot(0, coll_before(run, (uint32_t)back))));
		}
		TRY(coll_round_end(run));
		held = 2 * held - left_out;
	}
	return 0;
}

/*
 * Pair of blocks (2 q and 2 q + 1) that a rank receives in a round of the neighbour exchange.
 * Round 0 is its own pair.  Later rounds bring ever farther pairs from alternating sides, the lower
 * side first if `first_down`.
 */
static struct coll_slots pair_received(const struct coll_run *run, uint32_t round, bool first_down)
{
	const uint32_t pairs = run->size / 2, distance = (round + 1) / 2;
	const bool down = (round % 2 == 1) == first_down;
	const uint32_t pair = (run->rank / 2 + (down ? pairs - distance : distance)) % pairs;

	return coll_range(0, 2 * pair, 2);
}

/*
 * J. Chen, Y. Zhang, L. Zhang, W. Yuan, "Performance evaluation of allgather
 * algorithms on terascale Linux cluster with fast Ethernet", HPC Asia 2005.
 * For odd P a ring, as in Open MPI (tuned, "neighbor exchange").
 */
int coll_allgather_neighbor_exchange(struct coll_run *run)
{
	const bool even = run->rank % 2 == 0;
	uint32_t round, peer;

	if (run->size % 2)
		return coll_allgather_ring(run);
	TRY(coll_blocks(run, 0, run->call->receive_bytes));
	for (round = 0; round < run->size / 2; round++) {
		peer = (round % 2 == 0) == even ? coll_after(run, 1) : coll_before(run, 1);
		if (round == 0) {
			TRY(coll_send(run, peer, coll_slot(0, run->rank)));
			TRY(coll_recv(run, peer, coll_slot(0, peer), COLL_STORE));
		} else {
			TRY(coll_send(run, peer, pair_received(run, round - 1, even)));
			TRY(coll_recv(run, peer, pair_received(run, round, even), COLL_STORE));
		}
		TRY(coll_round_end(run));
	}
	return 0;
}
