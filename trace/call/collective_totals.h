/*
 * Bytes that a collective moves: from the blocks of its arguments to the totals of an event,
 * and back.
 *
 * Totals are sums over the peers of this rank, as Score-P counts them (doc/trace-format.md).  With
 * b bytes a block, P ranks, this rank r, and p = P, but P - 1 where this rank gives MPI_IN_PLACE:
 *
 *				sent			received
 *	barrier			0			0
 *	bcast			root: P b		b
 *	scatter			root: p b		b, in place 0
 *	gather, reduce		b, in place 0		root: p b
 *	allgather, alltoall,
 *	allreduce, r_s_block	p b			p b
 *	scan			(p - r) b		(r + 1) b, in place r b
 *	exscan			(P - r - 1) b		r b
 *	reduce_scatter		sum of the pieces	p times the own piece
 *	allgatherv		p times the own block	sum of the blocks
 *	other v-forms		the sums with unequal blocks
 *
 * In place the own block is left out of sums.  On an inter-communicator P is the size of the remote
 * group, and the root sends nothing to itself.
 */
#ifndef TRACE_COLLECTIVE_TOTALS_H
#define TRACE_COLLECTIVE_TOTALS_H

#include "common/error.h"
#include "trace/call/mpi_call.h"

/* Collective call, not of neighbours, as the arguments of one rank state it. */
struct collective_blocks {
	uint32_t size, rank;	/* of this rank's group */
	uint32_t remote_size;	/* of an inter-communicator, else 0 */
	enum mpi_collective kind;
	uint32_t root;		/* as in struct mpi_event */
	bool in_place;
	/*
	 * Bytes of one block to each peer or, on a rank that only receives, from each peer.  For
	 * reductions the whole vector, but for reduce_scatter_block the piece.
	 */
	uint64_t block;
	uint64_t remote_block;	/* between groups, without a root: received from each */
	/*
	 * Bytes of unequal blocks, an entry for each peer: alltoallv and alltoallw both, in place
	 * receive_blocks alone; allgatherv receive_blocks; scatterv send_blocks and gatherv
	 * receive_blocks, on the root alone; reduce_scatter send_blocks, an entry for each rank of
	 * the own group.  NULL if they are not known: then all have `block`.
	 */
	const uint64_t *send_blocks, *receive_blocks;
};

/* Check whether this rank is the root of a rooted collective. */
bool collective_is_root(const struct collective_blocks *blocks);

/* Check whether this rank exchanges data with the root, which may be itself. */
bool collective_is_leaf(const struct collective_blocks *blocks);

/*
 * Set collective, root, in_place, totals and vectors of the event.  The vectors are shared with
 * `blocks`, not copied.  False if a total is 2^64 bytes or more.
 */
bool collective_totals(struct mpi_event *event, const struct collective_blocks *blocks);

/*
 * Bytes that this rank passes as its own data, as tools count them that ask for count and type only: the
 * block, also of a leaf that only receives it, and one block of many equal ones; the sum of unequal blocks
 * that it sends; in place the part of the receive buffer that is its own; 0 of a barrier, and of a rank of an
 * inter-communicator that has no part or only receives.
 */
uint64_t collective_own_bytes(const struct collective_blocks *blocks);

/*
 * The sum of both totals of a collective on an intra-communicator, if all blocks are equal, for a caller that has
 * to be fast.  False if collective_totals has to find it.
 */
static inline bool collective_moved(const struct collective_blocks *blocks, uint64_t *moved)
{
	/* Then no product has 64 bits. */
	if (blocks->remote_size || blocks->block >> 31)
		return false;
	switch (blocks->kind) {
	case COLL_BARRIER:
		*moved = 0;
		return true;
	case COLL_BCAST:
		*moved = blocks->block * (blocks->rank == blocks->root ? blocks->size + UINT64_C(1) : 1);
		return true;
	case COLL_ALLGATHER:
	case COLL_ALLTOALL:
	case COLL_ALLREDUCE:
	case COLL_REDUCE_SCATTER_BLOCK:
		*moved = 2 * (uint64_t)(blocks->size - blocks->in_place) * blocks->block;
		return true;
	default:
		return false;
	}
}

/*
 * The inverse: set all of `blocks` but size, rank and remote_size, which the caller has set.
 * *guessed becomes true if unequal blocks are taken for equal because the event lacks their sizes.
 * A guessed block has at least one byte, because an empty one is no message.  Totals of traces that
 * do not mark MPI_IN_PLACE are understood if only P - 1 divides them.  STATUS_DATA if the root is
 * not a rank.
 */
int collective_blocks(struct collective_blocks *blocks, const struct mpi_event *event,
		      bool *guessed, struct error *err);

#endif
