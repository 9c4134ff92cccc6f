#include "schedgen/collectives/normalise.h"

#include "trace/call/collective_totals.h"

/* On an inter-communicator reductions have the whole vector of the group instead of a piece. */
static uint64_t block_bytes(const struct collective_blocks *blocks, const struct mpi_event *event)
{
	if (blocks->remote_size && blocks->kind == COLL_REDUCE_SCATTER)
		return event->bytes_sent;
	if (blocks->remote_size && blocks->kind == COLL_REDUCE_SCATTER_BLOCK)
		return blocks->block * blocks->size;
	return blocks->block;
}

static void set_vectors(struct collective *collective, const struct collective_blocks *blocks)
{
	bool pieces_of_group = blocks->remote_size && blocks->kind == COLL_REDUCE_SCATTER;
	bool same = blocks->in_place && (blocks->kind == COLL_ALLTOALLV ||
					 blocks->kind == COLL_ALLTOALLW);

	collective->send_bytes = pieces_of_group ? NULL : same ? blocks->receive_blocks :
								 blocks->send_blocks;
	collective->receive_bytes = pieces_of_group ? blocks->send_blocks : blocks->receive_blocks;
}

int normalise(struct collective *collective, const struct mpi_event *event, bool *guessed,
	      struct error *err)
{
	struct collective_blocks blocks = {
		.size = collective->size, .rank = collective->rank,
		.remote_size = collective->remote_size
	};

	TRY(collective_blocks(&blocks, event, guessed, err));
	collective->kind = blocks.kind;
	collective->root = blocks.root;
	collective->root_place = !blocks.remote_size || collective_is_leaf(&blocks) ?
					 COLL_ROOT_REMOTE :
				 collective_is_root(&blocks) ? COLL_ROOT_SELF : COLL_ROOT_BESIDE;
	collective->block_bytes = block_bytes(&blocks, event);
	collective->remote_bytes = blocks.remote_block;
	set_vectors(collective, &blocks);
	return 0;
}
