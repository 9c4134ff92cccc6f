/* Tests: blocks of collectives become totals, and totals become the same blocks. */
#include "trace/call/collective_totals.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { MOST_RANKS = 7, BLOCK = 60 };	/* not a multiple of 7, which shows wrong divisors */

static const enum mpi_collective kinds[] = {
	COLL_BARRIER, COLL_BCAST, COLL_GATHER, COLL_GATHERV, COLL_SCATTER, COLL_SCATTERV,
	COLL_ALLGATHER, COLL_ALLGATHERV, COLL_ALLTOALL, COLL_ALLTOALLV, COLL_ALLTOALLW,
	COLL_ALLREDUCE, COLL_REDUCE, COLL_REDUCE_SCATTER, COLL_SCAN, COLL_EXSCAN,
	COLL_REDUCE_SCATTER_BLOCK
};

static bool is_one_of(enum mpi_collective kind, const enum mpi_collective *some, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (some[i] == kind)
			return true;
	return false;
}

#define ONE_OF(kind, ...)                                                      \
	is_one_of(kind, (const enum mpi_collective[]){__VA_ARGS__},            \
		  sizeof (const enum mpi_collective[]){__VA_ARGS__} / sizeof kind)

static bool is_rooted(enum mpi_collective kind)
{
	return ONE_OF(kind, COLL_BCAST, COLL_GATHER, COLL_GATHERV, COLL_SCATTER, COLL_SCATTERV,
		      COLL_REDUCE);
}

/* Unequal blocks, different for each rank and kind of vector. */
static const uint64_t sent_each[MOST_RANKS] = {3, 0, 5, 70, 11, 1, 8};
static const uint64_t received_each[MOST_RANKS] = {2, 90, 0, 4, 17, 6, 12};

static void set_vectors(struct collective_blocks *blocks)
{
	const enum mpi_collective kind = blocks->kind;
	const bool root = collective_is_root(blocks);

	if (ONE_OF(kind, COLL_REDUCE_SCATTER) || (kind == COLL_SCATTERV && root) ||
	    (ONE_OF(kind, COLL_ALLTOALLV, COLL_ALLTOALLW) && !blocks->in_place))
		blocks->send_blocks = sent_each;
	if (ONE_OF(kind, COLL_ALLGATHERV, COLL_ALLTOALLV, COLL_ALLTOALLW) ||
	    (kind == COLL_GATHERV && root))
		blocks->receive_blocks = received_each;
}

/* Check whether the rank's arguments and totals determine its block. */
static bool has_block(const struct collective_blocks *blocks)
{
	const enum mpi_collective kind = blocks->kind;
	const bool takes_part = collective_is_leaf(blocks) || collective_is_root(blocks);

	if (ONE_OF(kind, COLL_BARRIER, COLL_ALLTOALLV, COLL_ALLTOALLW, COLL_REDUCE_SCATTER))
		return false;
	/* A root that is not a leaf, or is in place, has only the vector. */
	if (ONE_OF(kind, COLL_GATHERV, COLL_SCATTERV) && collective_is_root(blocks))
		return collective_is_leaf(blocks) && !blocks->in_place;
	return !is_rooted(kind) || takes_part;
}

/* Check whether the call moves data.  Otherwise the totals do not show the block. */
static bool moves(const struct collective_blocks *blocks)
{
	const bool alone = !blocks->remote_size && blocks->size == 1;

	return !(alone && (blocks->in_place || blocks->kind == COLL_EXSCAN ||
			   ONE_OF(blocks->kind, COLL_ALLGATHER, COLL_ALLTOALL, COLL_ALLREDUCE,
				  COLL_REDUCE_SCATTER_BLOCK, COLL_ALLGATHERV)));
}

static void check_there_and_back(const struct collective_blocks *blocks)
{
	struct collective_blocks found = {
		.size = blocks->size, .rank = blocks->rank, .remote_size = blocks->remote_size
	};
	struct mpi_event event = {0};
	bool guessed = false;
	struct error err;

	assert_true(collective_totals(&event, blocks));
	assert_int_equal(collective_blocks(&found, &event, &guessed, &err), 0);
	assert_false(guessed);
	assert_int_equal(found.kind, blocks->kind);
	assert_int_equal(found.root, blocks->root);
	assert_int_equal(found.in_place, blocks->in_place);
	assert_ptr_equal(found.send_blocks, blocks->send_blocks);
	assert_ptr_equal(found.receive_blocks, blocks->receive_blocks);
	if (has_block(blocks) && moves(blocks))
		assert_int_equal(found.block, blocks->block);
	if (blocks->remote_size && ONE_OF(blocks->kind, COLL_ALLGATHER, COLL_ALLTOALL))
		assert_int_equal(found.remote_block, blocks->remote_block);
	/* The blocks found have the same totals. */
	if (moves(blocks)) {
		struct mpi_event again = {0};

		assert_true(collective_totals(&again, &found));
		assert_int_equal(again.bytes_sent, event.bytes_sent);
		assert_int_equal(again.bytes_received, event.bytes_received);
		assert_int_equal(again.send_count, event.send_count);
		assert_int_equal(again.receive_count, event.receive_count);
	}
}

/* What is found fast is what is found by the totals. */
static void check_moved(const struct collective_blocks *blocks)
{
	struct mpi_event event = {0};
	uint64_t moved = 0;
	const bool known = collective_moved(blocks, &moved);

	assert_int_equal(known, !blocks->remote_size &&
					ONE_OF(blocks->kind, COLL_BARRIER, COLL_BCAST, COLL_ALLGATHER,
					       COLL_ALLTOALL, COLL_ALLREDUCE, COLL_REDUCE_SCATTER_BLOCK));
	if (!known)
		return;
	assert_true(collective_totals(&event, blocks));
	assert_int_equal(moved, event.bytes_sent + event.bytes_received);
	assert_int_equal(collective_own_bytes(blocks), blocks->kind == COLL_BARRIER ? 0 : blocks->block);
}

static void check_kind(struct collective_blocks blocks, uint32_t root)
{
	const bool leaf = collective_is_leaf(&blocks);

	blocks.root = is_rooted(blocks.kind) ? root : NO_ROOT;
	for (int in_place = 0; in_place < 2; in_place++) {
		/* Bcast and barrier have no MPI_IN_PLACE, other rooted ones only on the root. */
		if (in_place && (ONE_OF(blocks.kind, COLL_BARRIER, COLL_BCAST) ||
				 blocks.remote_size ||
				 (is_rooted(blocks.kind) && !collective_is_root(&blocks))))
			continue;
		blocks.in_place = in_place;
		blocks.send_blocks = blocks.receive_blocks = NULL;
		blocks.block = BLOCK;
		blocks.remote_block = leaf && blocks.remote_size ? BLOCK / 4 : 0;
		set_vectors(&blocks);
		if (blocks.kind == COLL_ALLGATHERV && !blocks.remote_size)
			blocks.block = received_each[blocks.rank];
		check_there_and_back(&blocks);
		check_moved(&blocks);
	}
}

static void totals_become_the_blocks_they_were_made_of(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		for (uint32_t size = 1; size <= MOST_RANKS; size++)
			for (uint32_t rank = 0; rank < size; rank++)
				for (uint32_t root = 0; root < size; root++)
					check_kind((struct collective_blocks){
						.size = size, .rank = rank, .kind = kinds[i]},
						root);
}

static void totals_between_groups_become_their_blocks(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		for (uint32_t size = 1; size <= 4; size++) {
			for (uint32_t remote = 1; remote <= 4; remote++) {
				struct collective_blocks blocks = {
					.size = size, .rank = size / 2, .remote_size = remote,
					.kind = kinds[i]
				};

				if (ONE_OF(kinds[i], COLL_SCAN, COLL_EXSCAN))
					continue;
				for (uint32_t root = 0; root < remote; root++)
					check_kind(blocks, root);
				check_kind(blocks, ROOT_SELF);
				check_kind(blocks, ROOT_THIS_GROUP);
			}
		}
	}
}

/* Computed by hand from the table in doc/trace-format.md: 4 ranks, rank 1, root 1, 10 bytes. */
static void totals_are_those_of_the_table(void **state)
{
	static const struct {
		enum mpi_collective kind;
		uint64_t sent, received, sent_in_place, received_in_place;
	} rows[] = {
		{COLL_BARRIER, 0, 0, 0, 0},
		{COLL_SCATTER, 40, 10, 30, 0},
		{COLL_GATHER, 10, 40, 0, 30},
		{COLL_REDUCE, 10, 40, 0, 30},
		{COLL_ALLGATHER, 40, 40, 30, 30},
		{COLL_ALLTOALL, 40, 40, 30, 30},
		{COLL_ALLREDUCE, 40, 40, 30, 30},
		{COLL_REDUCE_SCATTER_BLOCK, 40, 40, 30, 30},
		{COLL_SCAN, 30, 20, 20, 10},
		{COLL_EXSCAN, 20, 10, 20, 10},
		{COLL_SCATTERV, 78, 10, 78, 0},
		{COLL_GATHERV, 10, 96, 0, 6},
		{COLL_ALLGATHERV, 40, 96, 30, 6},
		{COLL_ALLTOALLV, 78, 96, 6, 6},
		{COLL_REDUCE_SCATTER, 78, 0, 78, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct collective_blocks blocks = {
			.size = 4, .rank = 1, .kind = rows[i].kind, .root = 1, .block = 10
		};
		struct mpi_event event = {0};

		set_vectors(&blocks);
		assert_true(collective_totals(&event, &blocks));
		assert_int_equal(event.bytes_sent, rows[i].sent);
		assert_int_equal(event.bytes_received, rows[i].received);
		blocks.in_place = true;
		blocks.send_blocks = NULL;
		set_vectors(&blocks);
		assert_true(collective_totals(&event, &blocks));
		assert_int_equal(event.bytes_sent, rows[i].sent_in_place);
		assert_int_equal(event.bytes_received, rows[i].received_in_place);
	}
}

static void totals_beyond_64_bits_are_noticed(void **state)
{
	const uint64_t large[] = {UINT64_MAX, 1};
	struct collective_blocks blocks = {
		.size = 2, .kind = COLL_ALLREDUCE, .root = NO_ROOT, .block = UINT64_MAX / 2
	};
	struct mpi_event event = {0};

	(void)state;
	assert_true(collective_totals(&event, &blocks));
	blocks.block += 2;
	assert_false(collective_totals(&event, &blocks));
	blocks.kind = COLL_ALLTOALLV;
	blocks.send_blocks = blocks.receive_blocks = large;
	assert_false(collective_totals(&event, &blocks));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(totals_become_the_blocks_they_were_made_of),
		cmocka_unit_test(totals_between_groups_become_their_blocks),
		cmocka_unit_test(totals_are_those_of_the_table),
		cmocka_unit_test(totals_beyond_64_bits_are_noticed),
	};

	return cmocka_run_group_tests_name("collective_totals", tests, NULL, NULL);
}
