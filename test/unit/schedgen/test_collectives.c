/* Collectives as point-to-point operations: the interface. */
#include "goal/match.h"
#include "test/unit/lib/oracle/coll_calls.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static void every_kind_has_a_name_and_a_default(void **state)
{
	int kind;

	(void)state;
	for (kind = COLL_BARRIER; kind <= COLL_REDUCE_SCATTER_BLOCK; kind++) {
		assert_non_null(coll_name((enum mpi_collective)kind));
		assert_non_null(coll_find((enum mpi_collective)kind, NULL));
	}
	assert_null(coll_name(COLL_CREATE_HANDLE));
	assert_null(coll_name(COLL_DESTROY_HANDLE));
	assert_null(coll_find(COLL_CREATE_HANDLE, NULL));
	assert_string_equal(coll_name(COLL_ALLREDUCE), "allreduce");
	assert_string_equal(coll_name(COLL_REDUCE_SCATTER_BLOCK), "reduce_scatter_block");
}

static void algorithms_are_found_by_kind_and_name(void **state)
{
	const struct coll_algorithm *algorithm;

	(void)state;
	for (algorithm = coll_algorithms; algorithm->name; algorithm++) {
		assert_ptr_equal(coll_find(algorithm->kind, algorithm->name), algorithm);
		assert_non_null(algorithm->help);
	}
	assert_null(coll_find(COLL_BARRIER, "ring"));
	assert_null(coll_find(COLL_ALLREDUCE, ""));
	assert_string_equal(coll_find(COLL_BARRIER, NULL)->name, "dissemination");
	assert_string_equal(coll_find(COLL_ALLREDUCE, NULL)->name, "recursive-doubling");
	assert_string_equal(coll_find(COLL_BCAST, NULL)->name, "binomial");
}

static void refused(const struct coll_algorithm *algorithm, const struct collective *call,
		    enum status status, const char *text)
{
	struct goal_builder builder = {0};
	struct frontier frontier = {0};
	struct error err;

	assert_int_equal(coll_generate(algorithm, call, &builder, &frontier, &err), -1);
	assert_int_equal(err.status, status);
	if (!strstr(err.text, text))
		fail_msg("\"%s\" does not say \"%s\"", err.text, text);
	goal_builder_release(&builder);
	frontier_release(&frontier);
}

static void calls_that_contradict_themselves_are_refused(void **state)
{
	const struct coll_algorithm *bcast = coll_find(COLL_BCAST, NULL);
	const struct coll_algorithm *alltoall = coll_find(COLL_ALLTOALL, NULL);
	const struct coll_algorithm *alltoallv = coll_find(COLL_ALLTOALLV, NULL);
	const struct coll_algorithm *allreduce = coll_find(COLL_ALLREDUCE, NULL);
	const uint64_t huge[2] = {UINT64_MAX, 1};

	(void)state;
	refused(bcast, &(struct collective){.kind = COLL_BCAST, .size = 4, .rank = 4},
		STATUS_DATA, "rank 4 of 4");
	refused(bcast, &(struct collective){.kind = COLL_BCAST, .size = 0}, STATUS_DATA,
		"rank 0 of 0");
	refused(bcast, &(struct collective){.kind = COLL_BCAST, .size = 4, .root = NO_ROOT},
		STATUS_DATA, "root 4294967295 among 4");
	refused(bcast, &(struct collective){.kind = COLL_REDUCE, .size = 4}, STATUS_DATA,
		"binomial is no algorithm for reduce");
	refused(bcast, &(struct collective){.kind = COLL_BCAST, .size = UINT32_MAX}, STATUS_LIMIT,
		"2^31");
	refused(alltoall,
		&(struct collective){.kind = COLL_ALLTOALL, .size = 4,
				     .block_bytes = UINT64_C(1) << 62},
		STATUS_LIMIT, "2^64 bytes");
	refused(alltoallv,
		&(struct collective){.kind = COLL_ALLTOALLV, .size = 2, .send_bytes = huge,
				     .receive_bytes = huge},
		STATUS_LIMIT, "2^64 bytes");
	refused(allreduce,
		&(struct collective){.kind = COLL_ALLREDUCE, .size = 2,
				     .block_bytes = UINT64_C(1) << 62, .reduce_ns_per_byte = 4},
		STATUS_LIMIT, "2^63 ns");
}

static void operations_wait_for_the_frontier_only(void **state)
{
	const struct coll_algorithm *algorithm;
	struct goal_builder builder = {0};
	struct frontier frontier = {0};
	struct collective call;
	struct error err;
	size_t i, first;
	uint32_t op;

	(void)state;
	for (algorithm = coll_algorithms; algorithm->name; algorithm++) {
		goal_builder_clear(&builder);
		frontier.entries.count = 0;
		for (i = 0; i < 10; i++) {
			assert_int_equal(goal_builder_calc(&builder, i, &op, &err), 0);
			/* The frontier is every other operation, one of them only started. */
			if (i % 2)
				assert_int_equal(frontier_add(&frontier, op, i == 3, &err), 0);
		}
		calls_set(algorithm->kind, 8, 5, 8);
		call = calls[5];
		assert_int_equal(coll_generate(algorithm, &call, &builder, &frontier, &err), 0);
		/*
		 * The five are joined once.  Everything else depends on the collective's own
		 * operations.
		 */
		assert_int_equal(builder.ops.items[10].kind, GOAL_CALC);
		for (i = first = 0; i < builder.dependencies.count; i++) {
			const struct goal_dependency *dependency = &builder.dependencies.items[i];

			if (dependency->before >= 10)
				continue;
			assert_int_equal(dependency->after, 10);
			assert_int_equal(dependency->before % 2, 1);
			assert_int_equal(dependency->irequires, dependency->before == 3);
			first++;
		}
		assert_int_equal(first, 5);
		for (i = 0; i < frontier.entries.count; i++) {
			assert_true(frontier.entries.items[i].op > 10);
			assert_false(frontier.entries.items[i].irequires);
		}
	}
	goal_builder_release(&builder);
	frontier_release(&frontier);
}

static void peers_are_world_ranks(void **state)
{
	const uint32_t world[] = {40, 30, 20, 10};
	struct goal_builder builder = {0};
	struct frontier frontier = {0};
	struct error err;

	(void)state;
	assert_int_equal(coll_generate(coll_find(COLL_BARRIER, NULL),
				       &(struct collective){.kind = COLL_BARRIER, .size = 4,
							    .rank = 3, .world = world, .tag = 9},
				       &builder, &frontier, &err), 0);
	assert_int_equal(builder.ops.count, 4);
	assert_int_equal(builder.ops.items[0].peer, 40);
	assert_int_equal(builder.ops.items[1].peer, 20);
	assert_int_equal(builder.ops.items[2].peer, 30);
	assert_int_equal(builder.ops.items[3].peer, 30);
	assert_int_equal(builder.ops.items[3].tag, 9);
	assert_int_equal(builder.ops.items[3].size, 0);
	goal_builder_release(&builder);
	frontier_release(&frontier);
}

/* The costs of all calcs of one rank. */
static uint64_t reduction_ns(enum mpi_collective kind, const char *name, uint32_t rank)
{
	struct goal_builder builder = {0};
	struct frontier frontier = {0};
	struct collective call = {.kind = kind, .size = 4, .rank = rank, .block_bytes = 1001,
				  .reduce_ns_per_byte = 0.5};
	uint64_t ns = 0;
	struct error err;

	assert_int_equal(coll_generate(coll_find(kind, name), &call, &builder, &frontier, &err), 0);
	for (size_t i = 0; i < builder.ops.count; i++)
		ns += builder.ops.items[i].kind == GOAL_CALC ? builder.ops.items[i].size : 0;
	goal_builder_release(&builder);
	frontier_release(&frontier);
	return ns;
}

static void combining_costs_time_for_each_byte(void **state)
{
	(void)state;
	/* 500.5 ns a vector, rounded up, in two rounds. */
	assert_int_equal(reduction_ns(COLL_ALLREDUCE, "recursive-doubling", 2), 2 * 501);
	/* Half the vector (501 bytes), then a quarter (251 bytes). */
	assert_int_equal(reduction_ns(COLL_ALLREDUCE, "rabenseifner", 0), 251 + 126);
	assert_int_equal(reduction_ns(COLL_REDUCE, "linear", 0), 3 * 501);
	assert_int_equal(reduction_ns(COLL_REDUCE, "linear", 1), 0);
	/* Into the partial result in both rounds, into the result in rounds from lower ranks. */
	assert_int_equal(reduction_ns(COLL_SCAN, "recursive-doubling", 0), 2 * 501);
	assert_int_equal(reduction_ns(COLL_SCAN, "recursive-doubling", 3), 2 * 1001);
	assert_int_equal(reduction_ns(COLL_BCAST, "binomial", 1), 0);
	assert_int_equal(reduction_ns(COLL_ALLGATHER, "ring", 1), 0);
}

/* Through a file and back, as the commands do it. */
static void all_algorithms_make_graphs_without_leftovers(void **state)
{
	const struct coll_algorithm *algorithm;
	char path[] = "/tmp/test-collectives-XXXXXX";
	struct goal_builder builder = {0};
	struct goal_matching matching;
	struct goal_writer writer;
	struct goal graph;
	struct error err;
	uint32_t rank;
	int file = mkstemp(path);

	(void)state;
	assert_true(file >= 0);
	close(file);
	assert_int_equal(goal_writer_open(&writer, path, GOAL_BINARY, 13, &err), 0);
	for (rank = 0; rank < 13; rank++) {
		struct frontier frontier = {0};

		goal_builder_clear(&builder);
		for (algorithm = coll_algorithms; algorithm->name; algorithm++) {
			struct collective call = {
				.kind = algorithm->kind, .size = 13, .rank = rank, .root = 12,
				.block_bytes = 100, .reduce_ns_per_byte = 1,
				.tag = (uint32_t)(algorithm - coll_algorithms)};

			call_set_ring(&call);
			if (coll_is_inter(call.kind))
				call_set_groups(&call, 5, 0);
			if (coll_generate(algorithm, &call, &builder, &frontier, &err) < 0)
				fail_msg("%s", err.text);
		}
		frontier_release(&frontier);
		assert_int_equal(goal_writer_rank(&writer, &builder, &err), 0);
	}
	goal_builder_release(&builder);
	assert_int_equal(goal_writer_close(&writer, &err), 0);
	assert_int_equal(goal_open(&graph, path, &err), 0);
	unlink(path);
	if (goal_match(&matching, &graph, &err) < 0)
		fail_msg("%s", err.text);
	assert_true(matching.message_count > 13 * 12);
	goal_matching_release(&matching);
	goal_release(&graph);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_kind_has_a_name_and_a_default),
		cmocka_unit_test(algorithms_are_found_by_kind_and_name),
		cmocka_unit_test(calls_that_contradict_themselves_are_refused),
		cmocka_unit_test(operations_wait_for_the_frontier_only),
		cmocka_unit_test(peers_are_world_ranks),
		cmocka_unit_test(combining_costs_time_for_each_byte),
		cmocka_unit_test(all_algorithms_make_graphs_without_leftovers),
	};

	return cmocka_run_group_tests_name("collectives", tests, NULL, NULL);
}
