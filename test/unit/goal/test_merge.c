/* Messages of a pair that are awaited together become one: bytes, times and all other messages stay. */
#include "goal/change/merge.h"
#include "goal/counts.h"
#include "goal/traversal/check.h"
#include "test/unit/lib/must.h"
#include "test/unit/lib/scratch_folder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "test/unit/lib/make/random_graph.h"

enum { RANKS = 3, ROUNDS = 6, MOST = 4 };

/* In each round every rank posts receives, computes and sends, and waits for all, or for the first receive before the others. */
struct program {
	uint32_t messages[ROUNDS][RANKS][RANKS]; /* [round][from][to] */
	bool waits_twice[ROUNDS][RANKS];
	uint64_t ns[ROUNDS][RANKS][RANKS]
		   [MOST]; /* before each send, and [rank][rank][0] at the end of a round */
	uint64_t bytes;	   /* of all */
	uint32_t saved;	   /* messages that are no more sent */
	uint32_t rounds;
};

static char path[300], merged[300];

static void make_program(struct program *program, uint64_t *numbers)
{
	*program = (struct program){.rounds = 1 + (uint32_t)random_below(numbers, ROUNDS)};
	for (uint32_t i = 0; i < program->rounds; i++)
		for (uint32_t from = 0; from < RANKS; from++) {
			program->waits_twice[i][from] = random_below(numbers, 2);
			for (uint32_t to = 0; to < RANKS; to++) {
				program->messages[i][from][to] =
					from == to ? 0 : (uint32_t)random_below(numbers, MOST + 1);
				for (uint32_t m = 0; m < MOST; m++)
					program->ns[i][from][to][m] = random_below(numbers, 1000);
			}
		}
	for (uint32_t i = 0; i < program->rounds; i++)
		for (uint32_t to = 0; to < RANKS; to++) {
			/* The first receive of the round is alone if it is awaited first. */
			bool alone = program->waits_twice[i][to];

			for (uint32_t from = 0; from < RANKS; from++) {
				const uint32_t count = program->messages[i][from][to];
				const uint32_t together = count - (count && alone);

				alone = alone && !count;
				program->saved += together ? together - 1 : 0;
			}
		}
}

/* A rank that is built: operations that the next one waits for. */
struct building {
	struct goal_builder *builder;
	struct program *program;
	uint32_t tail[RANKS * MOST * 2 + 2], tail_count;
	uint64_t call;
	uint32_t rank;
};

static uint32_t chain(struct building *building, uint32_t op)
{
	struct error err;

	for (uint32_t i = 0; i < building->tail_count; i++)
		MUST(goal_builder_requires(building->builder, op, building->tail[i], &err));
	return op;
}

static void end_call(struct building *building, const char *function, bool before)
{
	struct goal_call call = {.function = function,
				 .number = ++building->call,
				 .before = before};
	struct error err;

	MUST(goal_builder_call(building->builder, &call, &err));
}

static void compute(struct building *building, uint64_t ns)
{
	struct error err;
	uint32_t op;

	MUST(goal_builder_calc(building->builder, ns, &op, &err));
	building->tail[0] = chain(building, op);
	building->tail_count = 1;
	end_call(building, "MPI_Barrier", true);
}

static uint64_t bytes_of(uint32_t round, uint32_t from, uint32_t to, uint32_t message)
{
	return 1 + round * 1000 + from * 100 + to * 10 + message;
}

static void build_round(struct building *building, uint32_t round)
{
	struct program *program = building->program;
	const uint32_t rank = building->rank;
	uint32_t received[RANKS * MOST], count = 0, op;
	struct error err;

	for (uint32_t from = 0; from < RANKS; from++)
		for (uint32_t m = 0; m < program->messages[round][from][rank]; m++) {
			MUST(goal_builder_recv(building->builder, bytes_of(round, from, rank, m),
					       from, m % 2, &op, &err));
			received[count++] = chain(building, op);
			end_call(building, "MPI_Irecv", false);
		}
	for (uint32_t m = 0; m < MOST; m++)
		for (uint32_t to = 0; to < RANKS; to++) {
			if (m >= program->messages[round][rank][to])
				continue;
			compute(building, program->ns[round][rank][to][m]);
			MUST(goal_builder_send(building->builder, bytes_of(round, rank, to, m), to,
					       m % 2, &op, &err));
			program->bytes += bytes_of(round, rank, to, m);
			building->tail[0] = chain(building, op);
			end_call(building, "MPI_Send", false);
		}
	if (count && program->waits_twice[round][rank]) {
		building->tail[building->tail_count++] = received[0];
		compute(building, 1);
	}
	for (uint32_t i = 0; i < count; i++)
		building->tail[building->tail_count++] = received[i];
	compute(building, program->ns[round][rank][rank][0]);
}

static void write_program(struct program *program)
{
	struct goal_builder builder = {.cpu = 0};
	struct goal_writer writer;
	struct error err;

	snprintf(path, sizeof path, "%s/a.bin", scratch);
	snprintf(merged, sizeof merged, "%s/b.bin", scratch);
	MUST(goal_writer_open(&writer, path, GOAL_BINARY, RANKS, &err));
	MUST(goal_writer_calls(&writer, &(struct goal_calls_origin){.run_ns = 5}, &err));
	for (uint32_t rank = 0; rank < RANKS; rank++) {
		struct building building = {.builder = &builder, .program = program, .rank = rank};

		goal_builder_clear(&builder);
		for (uint32_t i = 0; i < program->rounds; i++)
			build_round(&building, i);
		MUST(goal_writer_rank(&writer, &builder, &err));
	}
	MUST(goal_writer_close(&writer, &err));
	goal_builder_release(&builder);
}

/* Count a graph, which can end; its longest path of computation goes to *path_ns. */
static struct goal_counts count(const char *file, uint64_t *path_ns)
{
	struct goal_counts counts = {0};
	struct goal_calls calls;
	struct goal goal;
	struct error err;

	MUST(goal_open(&goal, file, &err));
	assert_int_equal(goal_calls_open(&calls, &goal, file, &err), 0);
	for (uint32_t rank = 0; rank < RANKS; rank++)
		MUST(goal_count(&counts, &goal.ranks[rank], &err));
	MUST(goal_find_computation(path_ns, &goal, &err));
	goal_calls_release(&calls);
	goal_release(&goal);
	return counts;
}

static bool merge(void)
{
	struct goal goal;
	struct goal_calls calls;
	struct goal_writer writer;
	struct error err;
	int result;

	MUST(goal_open(&goal, path, &err));
	assert_int_equal(goal_calls_open(&calls, &goal, path, &err), 0);
	MUST(goal_writer_open(&writer, merged, GOAL_BINARY, RANKS, &err));
	result = goal_merge(&goal, &calls, &writer, &err);
	if (result == 0) {
		MUST(goal_writer_close(&writer, &err));
	} else {
		assert_int_equal(err.status, STATUS_DATA);
		assert_non_null(strstr(err.text,
				       "no two messages of a pair of ranks are awaited together"));
		goal_writer_discard(&writer);
	}
	goal_calls_release(&calls);
	goal_release(&goal);
	return result == 0;
}

/* Where messages take no time, the last one of a pair decides when the wait ends, so that T is the same. */
static void messages_that_are_awaited_together_are_one_with_all_their_bytes(void **state)
{
	uint64_t numbers = 3;

	(void)state;
	for (int round = 0; round < 300; round++) {
		struct program program;
		struct goal_counts before, after;
		uint64_t before_ns, after_ns;

		make_program(&program, &numbers);
		write_program(&program);
		before = count(path, &before_ns);
		assert_int_equal(before.bytes, program.bytes);
		assert_true(merge() == (program.saved > 0));
		if (!program.saved)
			continue;
		after = count(merged, &after_ns);
		assert_int_equal(after.bytes, program.bytes);
		assert_int_equal(after.sends, before.sends - program.saved);
		assert_int_equal(after.recvs, before.recvs - program.saved);
		assert_int_equal(after.operations, before.operations);
		assert_int_equal(after.dependencies, before.dependencies);
		assert_int_equal(after_ns, before_ns);
	}
}

/* Rank 0 sends two messages, which rank 1 never waits for; the others do nothing. */
static void messages_that_nothing_waits_for_are_not_awaited_together(void **state)
{
	static const char *const functions[] = {"MPI_Send", "MPI_Irecv"};
	struct goal_builder builder = {.cpu = 0};
	struct goal_writer writer;
	struct error err;

	(void)state;
	MUST(goal_writer_open(&writer, path, GOAL_BINARY, RANKS, &err));
	MUST(goal_writer_calls(&writer, &(struct goal_calls_origin){.run_ns = 5}, &err));
	for (uint32_t rank = 0; rank < RANKS; rank++) {
		goal_builder_clear(&builder);
		for (uint32_t i = 0; i < 2 && rank < 2; i++) {
			const struct goal_call call = {.function = functions[rank],
						       .number = i + 1};

			if (rank == 0)
				MUST(goal_builder_send(&builder, 8, 1, 0, NULL, &err));
			else
				MUST(goal_builder_recv(&builder, 8, 0, 0, NULL, &err));
			MUST(goal_builder_call(&builder, &call, &err));
		}
		MUST(goal_writer_rank(&writer, &builder, &err));
	}
	MUST(goal_writer_close(&writer, &err));
	goal_builder_release(&builder);
	assert_false(merge());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(messages_that_are_awaited_together_are_one_with_all_their_bytes),
		cmocka_unit_test(messages_that_nothing_waits_for_are_not_awaited_together),
	};

	return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
