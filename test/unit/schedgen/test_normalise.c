/* Sizes of collectives from the totals that traces have. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "schedgen/collectives/normalise.h"

enum { BLOCK = 840 };	/* divisible by all numbers of ranks that are tried */

/* The totals that the conventions give for blocks of b bytes (doc/trace-format.md). */
static void set_totals(struct mpi_event *event, uint64_t ranks, uint64_t rank, uint64_t b)
{
	bool is_root = rank == event->root;
	uint64_t parts = ranks - event->in_place;

	switch (event->collective) {
	case COLL_BCAST:
		event->bytes_sent = is_root ? ranks * b : 0;
		event->bytes_received = b;
		break;
	case COLL_SCATTER:
	case COLL_SCATTERV:
		event->bytes_sent = is_root ? parts * b : 0;
		event->bytes_received = is_root && event->in_place ? 0 : b;
		break;
	case COLL_GATHER:
	case COLL_GATHERV:
	case COLL_REDUCE:
		event->bytes_sent = is_root && event->in_place ? 0 : b;
		event->bytes_received = is_root ? parts * b : 0;
		break;
	case COLL_SCAN:
		event->bytes_sent = (parts - rank) * b;
		event->bytes_received = (rank + 1 - event->in_place) * b;
		break;
	case COLL_EXSCAN:
		event->bytes_sent = (ranks - rank - 1) * b;
		event->bytes_received = rank * b;
		break;
	default:
		event->bytes_sent = event->bytes_received = parts * b;
	}
}

static const enum mpi_collective equal_blocks[] = {
	COLL_BCAST, COLL_SCATTER, COLL_GATHER, COLL_REDUCE, COLL_ALLGATHER, COLL_ALLTOALL,
	COLL_ALLREDUCE, COLL_REDUCE_SCATTER_BLOCK, COLL_SCAN, COLL_EXSCAN
};

static bool is_rooted(enum mpi_collective kind)
{
	return kind == COLL_BCAST || kind == COLL_SCATTER || kind == COLL_GATHER ||
	       kind == COLL_REDUCE;
}

static void block_is_found_for_every_rank_root_and_in_place(void **state)
{
	const size_t kinds = sizeof equal_blocks / sizeof *equal_blocks;

	(void)state;
	for (size_t i = 0; i < kinds; i++) {
		for (uint32_t ranks = 2; ranks <= 8; ranks++) {
			for (uint32_t all = 0; all < ranks * ranks * 2; all++) {
				struct mpi_event event = {
					.collective = equal_blocks[i],
					.root = all / 2 % ranks, .in_place = all % 2
				};
				struct collective found = {
					.size = ranks, .rank = all / 2 / ranks
				};
				struct error err;
				bool guessed = false;

				if (event.collective == COLL_BCAST)
					event.in_place = false;
				set_totals(&event, ranks, found.rank, BLOCK);
				assert_int_equal(normalise(&found, &event, &guessed, &err), 0);
				assert_int_equal(found.kind, event.collective);
				assert_int_equal(found.block_bytes, BLOCK);
				assert_false(guessed);
				if (is_rooted(event.collective))
					assert_int_equal(found.root, event.root);
			}
		}
	}
}

static void in_place_is_seen_in_totals_without_the_mark(void **state)
{
	struct mpi_event event = {
		.collective = COLL_ALLREDUCE, .bytes_sent = 3 * 8, .bytes_received = 3 * 8
	};
	struct collective found = {.size = 4};
	struct error err;
	bool guessed = false;

	(void)state;
	event.bytes_sent = 3 * 10;
	assert_int_equal(normalise(&found, &event, &guessed, &err), 0);
	assert_int_equal(found.block_bytes, 10);
}

static void one_rank_alone_is_no_division_by_zero(void **state)
{
	(void)state;
	for (int kind = COLL_BARRIER; kind <= COLL_REDUCE_SCATTER_BLOCK; kind++) {
		for (int in_place = 0; in_place < 2; in_place++) {
			struct mpi_event event = {
				.collective = (enum mpi_collective)kind, .in_place = in_place
			};
			struct collective found = {.size = 1};
			struct error err;
			bool guessed = false;

			assert_int_equal(normalise(&found, &event, &guessed, &err), 0);
		}
	}
}

static void vectors_are_passed_on(void **state)
{
	const uint64_t sent[] = {1, 2}, received[] = {3, 4};
	struct mpi_event event = {.send_bytes = sent, .receive_bytes = received};
	struct collective found = {.size = 2};
	struct error err;
	bool guessed = false;

	(void)state;
	event.collective = COLL_ALLTOALLV;
	assert_int_equal(normalise(&found, &event, &guessed, &err), 0);
	assert_ptr_equal(found.send_bytes, sent);
	assert_ptr_equal(found.receive_bytes, received);
	event.collective = COLL_ALLGATHERV;
	assert_int_equal(normalise(&found, &event, &guessed, &err), 0);
	assert_ptr_equal(found.receive_bytes, received);
	event.collective = COLL_REDUCE_SCATTER;
	assert_int_equal(normalise(&found, &event, &guessed, &err), 0);
	assert_ptr_equal(found.send_bytes, sent);
	event.collective = COLL_GATHERV;
	assert_int_equal(normalise(&found, &event, &guessed, &err), 0);
	assert_ptr_equal(found.receive_bytes, received);
	event.collective = COLL_SCATTERV;
	assert_int_equal(normalise(&found, &event, &guessed, &err), 0);
	assert_ptr_equal(found.send_bytes, sent);
	assert_false(guessed);
	found.rank = 1;
	event.bytes_received = 7;
	assert_int_equal(normalise(&found, &event, &guessed, &err), 0);
	assert_null(found.send_bytes);
	assert_int_equal(found.block_bytes, 7);
}

static void unequal_blocks_that_are_not_recorded_are_shared_evenly(void **state)
{
	static const enum mpi_collective kinds[] = {
		COLL_GATHERV, COLL_SCATTERV, COLL_ALLGATHERV, COLL_ALLTOALLV, COLL_ALLTOALLW,
		COLL_REDUCE_SCATTER
	};

	(void)state;
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		struct mpi_event event = {
			.collective = kinds[i], .bytes_sent = 4 * 100, .bytes_received = 4 * 100
		};
		struct collective found = {.size = 4};
		struct error err;
		bool guessed = false;

		assert_int_equal(normalise(&found, &event, &guessed, &err), 0);
		assert_true(guessed);
		assert_int_equal(found.block_bytes, 100);
		assert_null(found.send_bytes);
		assert_null(found.receive_bytes);
	}
}

static void root_must_be_a_rank(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof equal_blocks / sizeof *equal_blocks; i++) {
		struct mpi_event event = {.collective = equal_blocks[i], .root = 4};
		struct collective found = {.size = 4};
		struct error err;
		bool guessed = false;

		assert_int_equal(normalise(&found, &event, &guessed, &err),
				 is_rooted(equal_blocks[i]) ? -1 : 0);
	}
}

/* Counts of the ranks of two groups of 2 and 3, without vectors, as Score-P writes them. */
static void between_groups_the_remote_one_counts(void **state)
{
	static const struct {
		enum mpi_collective kind;
		uint32_t root;
		uint64_t sent, received, block, remote;
		bool guessed;
	} cases[] = {
		{COLL_BCAST, ROOT_SELF, 30, 0, 10, 0, false},
		{COLL_BCAST, 2, 0, 10, 10, 0, false},
		{COLL_BCAST, ROOT_THIS_GROUP, 0, 0, 0, 0, false},
		{COLL_REDUCE, ROOT_SELF, 0, 30, 10, 0, false},
		{COLL_REDUCE, 0, 10, 0, 10, 0, false},
		{COLL_GATHERV, ROOT_SELF, 0, 31, 10, 0, true},
		{COLL_GATHERV, 0, 7, 0, 7, 0, false},
		{COLL_SCATTERV, ROOT_SELF, 2, 0, 1, 0, true},
		{COLL_SCATTERV, 0, 0, 7, 7, 0, false},
		{COLL_ALLGATHER, NO_ROOT, 30, 12, 10, 4, false},
		{COLL_ALLTOALL, NO_ROOT, 30, 12, 10, 4, false},
		{COLL_ALLGATHERV, NO_ROOT, 30, 13, 10, 4, true},
		{COLL_ALLTOALLV, NO_ROOT, 31, 0, 10, 1, true},
		{COLL_ALLREDUCE, NO_ROOT, 30, 30, 10, 10, false},
		{COLL_REDUCE_SCATTER, NO_ROOT, 60, 6, 60, 2, true},
		{COLL_REDUCE_SCATTER_BLOCK, NO_ROOT, 90, 90, 60, 30, false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct collective call = {.size = 2, .remote_size = 3};
		const struct mpi_event event = {
			.collective = cases[i].kind, .root = cases[i].root,
			.bytes_sent = cases[i].sent, .bytes_received = cases[i].received
		};
		bool guessed = false;
		struct error err;

		assert_int_equal(normalise(&call, &event, &guessed, &err), 0);
		assert_int_equal(call.block_bytes, cases[i].block);
		assert_int_equal(call.remote_bytes, cases[i].remote);
		assert_int_equal(guessed, cases[i].guessed);
	}
}

static void roots_that_the_remote_group_has_not_are_refused(void **state)
{
	struct collective call = {.size = 4, .remote_size = 3};
	const struct mpi_event event = {.collective = COLL_BCAST, .root = 3};
	bool guessed = false;
	struct error err;

	(void)state;
	assert_int_equal(normalise(&call, &event, &guessed, &err), -1);
	assert_int_equal(err.status, STATUS_DATA);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(block_is_found_for_every_rank_root_and_in_place),
		cmocka_unit_test(in_place_is_seen_in_totals_without_the_mark),
		cmocka_unit_test(one_rank_alone_is_no_division_by_zero),
		cmocka_unit_test(vectors_are_passed_on),
		cmocka_unit_test(unequal_blocks_that_are_not_recorded_are_shared_evenly),
		cmocka_unit_test(root_must_be_a_rank),
		cmocka_unit_test(between_groups_the_remote_one_counts),
		cmocka_unit_test(roots_that_the_remote_group_has_not_are_refused),
	};

	return cmocka_run_group_tests_name("normalise", tests, NULL, NULL);
}
