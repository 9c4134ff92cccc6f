#include "trace/call/collective_totals.h"

#include "common/units.h"

#include <stddef.h>

static uint32_t peers_of(const struct collective_blocks *blocks)
{
	return blocks->remote_size ? blocks->remote_size : blocks->size;
}

bool collective_is_root(const struct collective_blocks *blocks)
{
	return blocks->root == (blocks->remote_size ? ROOT_SELF : blocks->rank);
}

bool collective_is_leaf(const struct collective_blocks *blocks)
{
	return !blocks->remote_size ||
	       (blocks->root != ROOT_SELF && blocks->root != ROOT_THIS_GROUP);
}

/* ------------------------------------------------------------- blocks to totals */

/* State of computing totals: one of 2^64 bytes or more is UINT64_MAX, and `overflow` true. */
struct sums {
	const struct collective_blocks *blocks;
	uint32_t others;	/* peers, in place without this rank */
	bool overflow;
};

static uint64_t times(struct sums *sums, uint64_t bytes, uint32_t count)
{
	uint64_t product;

	if (!__builtin_mul_overflow(bytes, count, &product))
		return product;
	sums->overflow = true;
	return UINT64_MAX;
}

/* Add `count` entries, in place without the own one.  Without a vector all blocks are equal. */
static uint64_t sum(struct sums *sums, const uint64_t *vector, uint32_t count)
{
	uint64_t total = 0;

	if (!vector)
		return times(sums, sums->blocks->block, sums->others);
	for (uint32_t i = 0; i < count; i++) {
		if (sums->blocks->in_place && i == sums->blocks->rank)
			continue;
		if (__builtin_add_overflow(total, vector[i], &total)) {
			sums->overflow = true;
			return UINT64_MAX;
		}
	}
	return total;
}

static void set_send_vector(struct mpi_event *event, const uint64_t *vector, uint32_t count)
{
	event->send_bytes = vector;
	event->send_count = vector ? count : 0;
}

static void set_receive_vector(struct mpi_event *event, const uint64_t *vector, uint32_t count)
{
	event->receive_bytes = vector;
	event->receive_count = vector ? count : 0;
}

/* Set totals of bcast and scatter(v): the root sends to all. */
static void from_root(struct mpi_event *event, struct sums *sums, uint32_t peers)
{
	const struct collective_blocks *blocks = sums->blocks;

	if (collective_is_root(blocks)) {
		event->bytes_sent = sum(sums, blocks->send_blocks, peers);
		set_send_vector(event, blocks->send_blocks, peers);
	}
	if (collective_is_leaf(blocks) && !blocks->in_place)
		event->bytes_received = blocks->block;
}

/* Set totals of gather(v) and reduce: the root receives from all. */
static void to_root(struct mpi_event *event, struct sums *sums, uint32_t peers)
{
	const struct collective_blocks *blocks = sums->blocks;

	if (collective_is_root(blocks)) {
		event->bytes_received = sum(sums, blocks->receive_blocks, peers);
		set_receive_vector(event, blocks->receive_blocks, peers);
	}
	if (collective_is_leaf(blocks) && !blocks->in_place)
		event->bytes_sent = blocks->block;
}

static void unequal_to_all(struct mpi_event *event, struct sums *sums, uint32_t peers)
{
	const struct collective_blocks *blocks = sums->blocks;

	set_receive_vector(event, blocks->receive_blocks, peers);
	event->bytes_received = sum(sums, blocks->receive_blocks, peers);
	if (blocks->kind == COLL_ALLGATHERV) {
		event->bytes_sent = times(sums, blocks->block, sums->others);
	} else if (blocks->in_place) {
		event->bytes_sent = event->bytes_received;
	} else {
		set_send_vector(event, blocks->send_blocks, peers);
		event->bytes_sent = sum(sums, blocks->send_blocks, peers);
	}
}

static void reduce_scatter(struct mpi_event *event, struct sums *sums)
{
	const struct collective_blocks *blocks = sums->blocks;
	const uint64_t *pieces = blocks->send_blocks;

	event->bytes_sent = sum(sums, pieces, blocks->size);
	event->bytes_received = times(sums, pieces ? pieces[blocks->rank] : blocks->block,
				      sums->others);
	if (blocks->remote_size)
		set_receive_vector(event, pieces, blocks->size);
	else
		set_send_vector(event, pieces, blocks->size);
}

bool collective_totals(struct mpi_event *event, const struct collective_blocks *blocks)
{
	const uint32_t peers = peers_of(blocks), before = blocks->rank;
	const uint32_t after = blocks->size - blocks->rank - 1, self = !blocks->in_place;
	struct sums sums = {.blocks = blocks, .others = peers - blocks->in_place};

	event->collective = blocks->kind;
	event->root = blocks->root;
	event->in_place = blocks->in_place;
	event->bytes_sent = event->bytes_received = 0;
	set_send_vector(event, NULL, 0);
	set_receive_vector(event, NULL, 0);
	switch (blocks->kind) {
	case COLL_BCAST:
	case COLL_SCATTER:
	case COLL_SCATTERV:
		from_root(event, &sums, peers);
		break;
	case COLL_GATHER:
	case COLL_GATHERV:
	case COLL_REDUCE:
		to_root(event, &sums, peers);
		break;
	case COLL_ALLGATHER:
	case COLL_ALLTOALL:
		event->bytes_sent = times(&sums, blocks->block, sums.others);
		event->bytes_received =
			times(&sums, blocks->remote_size ? blocks->remote_block : blocks->block,
			      sums.others);
		break;
	case COLL_ALLREDUCE:
	case COLL_REDUCE_SCATTER_BLOCK:
		event->bytes_sent = times(&sums, blocks->block, sums.others);
		event->bytes_received = event->bytes_sent;
		break;
	case COLL_ALLGATHERV:
	case COLL_ALLTOALLV:
	case COLL_ALLTOALLW:
		unequal_to_all(event, &sums, peers);
		break;
	case COLL_REDUCE_SCATTER:
		reduce_scatter(event, &sums);
		break;
	case COLL_SCAN:
		event->bytes_sent = times(&sums, blocks->block, after + self);
		event->bytes_received = times(&sums, blocks->block, before + self);
		break;
	case COLL_EXSCAN:
		event->bytes_sent = times(&sums, blocks->block, after);
		event->bytes_received = times(&sums, blocks->block, before);
		break;
	default:	/* a barrier has no sizes */
		break;
	}
	return !sums.overflow;
}

static uint64_t sum_of(const uint64_t *vector, uint32_t count)
{
	uint64_t total = 0;

	for (uint32_t i = 0; i < count; i++)
		total += vector[i];
	return total;
}

uint64_t collective_own_bytes(const struct collective_blocks *blocks)
{
	const bool root = collective_is_root(blocks), leaf = collective_is_leaf(blocks);
	const uint32_t peers = peers_of(blocks);

	switch (blocks->kind) {
	case COLL_BARRIER:
		return 0;
	case COLL_GATHERV:
		if (root && blocks->in_place && blocks->receive_blocks)
			return blocks->receive_blocks[blocks->rank];
		return leaf ? blocks->block : 0;
	case COLL_GATHER:
	case COLL_REDUCE:
		return leaf ? blocks->block : 0;
	case COLL_SCATTERV:
		if (root && blocks->send_blocks)
			return sum_of(blocks->send_blocks, peers);
		return root || leaf ? blocks->block : 0;
	case COLL_BCAST:
	case COLL_SCATTER:
		return root || leaf ? blocks->block : 0;
	case COLL_ALLTOALLV:
	case COLL_ALLTOALLW:
		if (blocks->in_place && blocks->receive_blocks)
			return sum_of(blocks->receive_blocks, peers);
		return blocks->send_blocks ? sum_of(blocks->send_blocks, peers)
					   : peers * blocks->block;
	case COLL_REDUCE_SCATTER:
		return blocks->send_blocks ? sum_of(blocks->send_blocks, blocks->size)
					   : blocks->size * blocks->block;
	default:
		return blocks->block;
	}
}

/* ------------------------------------------------------------- totals to blocks */

static uint64_t collective_totals_share(uint64_t total, uint32_t parts)
{
	return parts ? total / parts : 0;
}

/* Divide a total by P ranks, or by P - 1 if the call is in place or appears to be. */
static uint64_t equal_block(const struct collective_blocks *blocks, uint64_t total)
{
	const uint32_t peers = peers_of(blocks);

	if (blocks->remote_size)
		return collective_totals_share(total, peers);
	if (peers == 1)
		return 0;
	if (blocks->in_place || (total % peers && total % (peers - 1) == 0))
		return collective_totals_share(total, peers - 1);
	return collective_totals_share(total, peers);
}

static uint64_t guess(const struct collective_blocks *blocks, uint64_t total, bool *guessed)
{
	const uint32_t others = peers_of(blocks) -
				(blocks->in_place && !blocks->remote_size);
	uint64_t bytes = collective_totals_share(total, others);

	*guessed = true;
	return bytes ? bytes : 1;
}

static int check_root(const struct collective_blocks *blocks, struct error *err)
{
	const uint32_t peers = peers_of(blocks);

	if (!collective_is_leaf(blocks) || blocks->root < peers)
		return 0;
	return error_set(err, STATUS_DATA, "root %u is not among the %u rank%s of the %s",
			 blocks->root, peers, plural(peers),
			 blocks->remote_size ? "remote group" : "communicator");
}

/* Set the block: `all` bytes between root and peers count on the root, `own` on a leaf. */
static void rooted_block(struct collective_blocks *blocks, uint64_t all, uint64_t own)
{
	if (blocks->remote_size)
		blocks->block = collective_is_root(blocks)
					? collective_totals_share(all, blocks->remote_size)
					: own;
	else
		blocks->block = collective_is_root(blocks) && !own
					? collective_totals_share(all, blocks->size - 1)
					: own;
}

static int rooted(struct collective_blocks *blocks, const struct mpi_event *event, bool *guessed,
		  struct error *err)
{
	bool from = blocks->kind == COLL_BCAST || blocks->kind == COLL_SCATTER ||
		    blocks->kind == COLL_SCATTERV;
	bool unequal = blocks->kind == COLL_GATHERV || blocks->kind == COLL_SCATTERV;
	uint64_t all = from ? event->bytes_sent : event->bytes_received;
	uint64_t own = from ? event->bytes_received : event->bytes_sent;

	TRY(check_root(blocks, err));
	if (!unequal || !collective_is_root(blocks)) {
		rooted_block(blocks, all, own);
		return 0;
	}
	blocks->send_blocks = from ? event->send_bytes : NULL;
	blocks->receive_blocks = from ? NULL : event->receive_bytes;
	if (blocks->send_blocks || blocks->receive_blocks)
		blocks->block = blocks->remote_size
					? collective_totals_share(all, blocks->remote_size)
					: own;
	else
		blocks->block = guess(blocks, all, guessed);
	return 0;
}

/* Set the block that the rank exchanges with each peer if all blocks are equal. */
static void equal_blocks(struct collective_blocks *blocks, const struct mpi_event *event)
{
	blocks->block = equal_block(blocks, event->bytes_sent);
	if (blocks->remote_size)
		blocks->remote_block = equal_block(blocks, event->bytes_received);
}

static void allgatherv_blocks(struct collective_blocks *blocks, const struct mpi_event *event,
			      bool *guessed)
{
	equal_blocks(blocks, event);
	blocks->receive_blocks = event->receive_bytes;
	if (!event->receive_bytes && blocks->remote_size)
		blocks->remote_block = guess(blocks, event->bytes_received, guessed);
	else if (!event->receive_bytes)
		blocks->block = guess(blocks, event->bytes_received, guessed);
}

static void alltoallv_blocks(struct collective_blocks *blocks, const struct mpi_event *event,
			     bool *guessed)
{
	bool known = event->receive_bytes && (event->send_bytes || blocks->in_place);

	blocks->send_blocks = !known || blocks->in_place ? NULL : event->send_bytes;
	blocks->receive_blocks = known ? event->receive_bytes : NULL;
	if (!known)
		blocks->block = guess(blocks, event->bytes_sent, guessed);
	if (!known && blocks->remote_size)
		blocks->remote_block = guess(blocks, event->bytes_received, guessed);
}

static void reduce_scatter_blocks(struct collective_blocks *blocks, const struct mpi_event *event,
				  bool *guessed)
{
	blocks->send_blocks = blocks->remote_size ? event->receive_bytes : event->send_bytes;
	if (blocks->remote_size) {
		blocks->block = collective_totals_share(event->bytes_received, blocks->remote_size);
		blocks->remote_block = blocks->block;
		*guessed |= !blocks->send_blocks;
	} else if (!blocks->send_blocks) {
		blocks->block = guess(blocks, event->bytes_sent, guessed);
	}
}

static void scan_block(struct collective_blocks *blocks, const struct mpi_event *event)
{
	uint32_t before = blocks->rank, after = blocks->size - blocks->rank - 1;
	uint32_t self = blocks->in_place || blocks->kind == COLL_EXSCAN ? 0 : 1;

	if (before + self)
		blocks->block = event->bytes_received / (before + self);
	else
		blocks->block = collective_totals_share(event->bytes_sent, after + self);
}

int collective_blocks(struct collective_blocks *blocks, const struct mpi_event *event,
		      bool *guessed, struct error *err)
{
	blocks->kind = event->collective;
	blocks->root = event->root;
	blocks->in_place = event->in_place;
	blocks->block = blocks->remote_block = 0;
	blocks->send_blocks = blocks->receive_blocks = NULL;
	switch (event->collective) {
	case COLL_BCAST:
	case COLL_SCATTER:
	case COLL_SCATTERV:
	case COLL_GATHER:
	case COLL_GATHERV:
	case COLL_REDUCE:
		return rooted(blocks, event, guessed, err);
	case COLL_ALLGATHER:
	case COLL_ALLTOALL:
	case COLL_ALLREDUCE:
	case COLL_REDUCE_SCATTER_BLOCK:
		equal_blocks(blocks, event);
		return 0;
	case COLL_ALLGATHERV:
		allgatherv_blocks(blocks, event, guessed);
		return 0;
	case COLL_ALLTOALLV:
	case COLL_ALLTOALLW:
		alltoallv_blocks(blocks, event, guessed);
		return 0;
	case COLL_REDUCE_SCATTER:
		reduce_scatter_blocks(blocks, event, guessed);
		return 0;
	case COLL_SCAN:
	case COLL_EXSCAN:
		scan_block(blocks, event);
		return 0;
	default:	/* a barrier has no sizes */
		return 0;
	}
}
