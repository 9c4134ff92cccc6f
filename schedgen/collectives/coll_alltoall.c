/*
 * MPI_Alltoall(v,w).  Area 0 holds the blocks to send by destination, area 1 the received blocks by
 * source.
 */
#include "schedgen/collectives/coll_algorithms.h"

static int alltoall_begin(struct coll_run *run)
{
	TRY(coll_blocks(run, 0, run->call->send_bytes));
	TRY(coll_blocks(run, 1, run->call->receive_bytes));
	return coll_copy(run, coll_slot(1, run->rank), coll_slot(0, run->rank), COLL_STORE);
}

/*
 * All at once, each rank beginning with its neighbours: MPICH ("scattered", in
 * batches of 32) and Open MPI (basic, "linear").  alltoallv/w leaves out empty blocks,
 * as MPICH does.
 */
int coll_alltoall_linear(struct coll_run *run)
{
	const uint32_t batch = run->call->parameters.batch ? run->call->parameters.batch :
							     run->size;
	uint32_t i, peer, first, end = 0;

	TRY(alltoall_begin(run));
	for (first = 0; first < run->size; first = end) {
		end = batch < run->size - first ? first + batch : run->size;
		for (i = first; i < end; i++) {
			peer = coll_after(run, i);
			if (i && coll_bytes(run, coll_slot(1, peer)))
				TRY(coll_recv(run, peer, coll_slot(1, peer), COLL_STORE));
		}
		for (i = first; i < end; i++) {
			peer = coll_before(run, i);
			if (i && coll_bytes(run, coll_slot(0, peer)))
				TRY(coll_send(run, peer, coll_slot(0, peer)));
		}
		TRY(coll_round_end(run));
	}
	return 0;
}

/*
 * R. Thakur, R. Rabenseifner, W. Gropp, "Optimization of collective
 * communication operations in MPICH", Int. J. High Performance Computing
 * Applications 19 (2005), section 4.3: partners by exclusive or if P is a power
 * of two, else at growing distances.  MPICH's choice for long messages.
 */
int coll_alltoall_pairwise(struct coll_run *run)
{
	const bool power_of_two = coll_is_power_of_two(run->size);
	uint32_t i, to, from;

	TRY(alltoall_begin(run));
	for (i = 1; i < run->size; i++) {
		to = power_of_two ? run->rank ^ i : coll_after(run, i);
		from = power_of_two ? run->rank ^ i : coll_before(run, i);
		TRY(coll_send(run, to, coll_slot(0, to)));
		TRY(coll_recv(run, from, coll_slot(1, from), COLL_STORE));
		TRY(coll_round_end(run));
	}
	return coll_round_end(run);
}

/*
 * J. Bruck, C.-T. Ho, S. Kipnis, E. Upfal, D. Weathersby, "Efficient algorithms
 * for all-to-all communications in multiport message-passing systems", IEEE
 * Trans. Parallel and Distributed Systems 8 (1997), section 3.  MPICH's choice
 * for short messages.  In area 2 blocks are by the distance they have to go.
 */
static int bruck(struct coll_run *run)
{
	uint32_t bit;

	TRY(coll_copy(run, coll_all(run, 2), coll_range(0, run->rank, run->size), COLL_STORE));
	TRY(coll_round_end(run));
	for (bit = 1; bit < run->size; bit <<= 1) {
		TRY(coll_send(run, coll_after(run, bit), coll_with_bit(run, 2, bit)));
		TRY(coll_recv(run, coll_before(run, bit), coll_with_bit(run, 2, bit), COLL_STORE));
		TRY(coll_round_end(run));
	}
	/* The block from rank s has moved rank - s places. */
	TRY(coll_copy(run, coll_all(run, 1), coll_backward(2, run->rank, run->size), COLL_STORE));
	return coll_round_end(run);
}

int coll_alltoall_bruck(struct coll_run *run)
{
	TRY(alltoall_begin(run));
	coll_area_like(run, 2, 0);
	return bruck(run);
}

/*
 * K. Fan, T. Gilray, V. Pascucci, X. Huang, K. Micinski, S. Kumar, "Optimizing the
 * Bruck algorithm for non-uniform all-to-all communication", HPDC 2022: padded
 * Bruck.  The ranks find their largest block, then all blocks travel at its size.
 * The maximum, of 8 bytes in area 3, goes by dissemination: it may count a rank twice.
 */
int coll_alltoallv_bruck(struct coll_run *run)
{
	enum { SIZE_BYTES = 8 };
	const struct coll_slots largest = coll_slot(3, 0);

	TRY(alltoall_begin(run));
	TRY(coll_block_list(run, 2, run->size, NULL, run->call->largest_bytes));
	TRY(coll_block_list(run, 3, 1, NULL, SIZE_BYTES));
	TRY(coll_copy(run, largest, coll_slot(0, run->rank), COLL_STORE));
	TRY(coll_round_end(run));
	for (uint32_t bit = 1; bit < run->size; bit <<= 1) {
		TRY(coll_send(run, coll_after(run, bit), largest));
		TRY(coll_recv(run, coll_before(run, bit), largest, COLL_COMBINE));
		TRY(coll_round_end(run));
	}
	return bruck(run);
}
