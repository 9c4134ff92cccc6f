/* MPI_Allgather(v).  Block i is rank i's. */
#include "schedgen/coll_algorithms.h"

int coll_ring_allgather(struct coll_run *run, uint32_t own)
{
	const uint32_t size = run->size;
	uint32_t i, given = own, got;

	for (i = 1; i < size; i++) {
		got = given ? given - 1 : size - 1;
		TRY(coll_send(run, coll_after(run, 1), coll_slot(0, given)));
		TRY(coll_recv(run, coll_before(run, 1), coll_slot(0, got), COLL_STORE));
		TRY(coll_round_end(run));
		given = got;
	}
	return 0;
}

int coll_doubling_allgather(struct coll_run *run)
{
	uint32_t mask, peer, first;

	for (mask = 1; mask < run->size; mask <<= 1) {
		peer = run->rank ^ mask;
		first = run->rank & ~(mask - 1);
		TRY(coll_send(run, peer, coll_range(0, first, mask)));
		TRY(coll_recv(run, peer, coll_range(0, first ^ mask, mask), COLL_STORE));
		TRY(coll_round_end(run));
	}
	return 0;
}

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
	return coll_doubling_allgather(run);
}

/*
 * J. Bruck, C.-T. Ho, S. Kipnis, E. Upfal, D. Weathersby, "Efficient algorithms
 * for all-to-all communications in multiport message-passing systems", IEEE
 * Trans. Parallel and Distributed Systems 8 (1997), section 4.  After each round
 * a rank holds the blocks of the ranks from itself on; the rotation that
 * implementations need at the end is a matter of memory only.
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

/* As coll_allgather_recursive_doubling says; MPICH's choice for long messages. */
int coll_allgather_ring(struct coll_run *run)
{
	TRY(coll_blocks(run, 0, run->call->receive_bytes));
	return coll_ring_allgather(run, run->rank);
}

/*
 * The pair of blocks (2 q and 2 q + 1) that a rank receives in a round of the
 * neighbour exchange, its own pair in round 0: those of ever farther pairs, from
 * either side in turn, `first_down` telling from which side first.
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
 * Open MPI (tuned, "neighbor exchange"); for odd P a ring, as there.
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
