/* Calls of a job by the size of their messages. */
#include "usage/index/sizes.h"

#include "trace/call/mpi_functions.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { KIB = 1024, MIB = 1024 * 1024 };

static struct job_cell cell_of(uint16_t function, uint64_t bytes, uint64_t calls, bool failed)
{
	return (struct job_cell){.cell = {.key = {.function = function,
						  .size_class = usage_size_class(bytes),
						  .failed = failed},
					  .calls = calls}};
}

/* Count what a log has whose average rank, rank 1, made these calls. */
static bool sizes_of(uint64_t *sizes, struct job_calls *calls, size_t call_count,
		     struct job_cell *cells, size_t cell_count)
{
	struct job_calls other = {.function = CALL_Bcast, .calls = 1000, .bytes = 1000};
	struct job_rank ranks[] = {
		{.rank = 0, .roles = JOB_FIRST | JOB_MOST, .calls = {.items = &other, .count = 1}},
		{.rank = 1,
		 .roles = JOB_AVERAGE | JOB_LEAST,
		 .calls = {.items = calls, .count = call_count}},
	};
	const struct job_log log = {
		.rank_list = {.items = ranks, .count = 2},
		.cells = {.items = cells, .count = cell_count},
	};

	return message_sizes(&log, sizes);
}

static void calls_are_those_of_the_average_rank(void **state)
{
	struct job_calls calls[] = {
		{.function = CALL_Bcast, .calls = 1, .bytes = 10},
		{.function = CALL_Bcast_c, .calls = 2, .bytes = 20},
		{.function = CALL_Reduce, .calls = 4, .bytes = 40},
		{.function = CALL_Allreduce, .calls = 8, .bytes = 80},
		{.function = CALL_Iallreduce_c, .calls = 16, .bytes = 160},
		{.function = CALL_Ibcast, .calls = 1000, .bytes = 1000},
		{.function = CALL_Allreduce_init, .calls = 1000, .bytes = 1000},
	};
	const uint64_t wanted[SIZES_END] = {
		[SIZES_REDUCTION_CALLS] = 28, [SIZES_REDUCTION_BYTES] = 280,
		[SIZES_ALLREDUCE_CALLS] = 8,  [SIZES_ALLREDUCE_BYTES] = 80,
		[SIZES_BCAST_CALLS] = 3,      [SIZES_BCAST_BYTES] = 30,
	};
	uint64_t sizes[SIZES_END];

	(void)state;
	assert_true(sizes_of(sizes, calls, sizeof calls / sizeof *calls, NULL, 0));
	assert_memory_equal(sizes, wanted, sizeof wanted);
}

static void sizes_are_at_most_or_at_least_those_of_the_paper(void **state)
{
	struct job_cell cells[] = {
		cell_of(CALL_Allreduce, 256, 1, false),
		cell_of(CALL_Ireduce, 257, 2, false),
		cell_of(CALL_Reduce_c, 16 * KIB, 4, false),
		cell_of(CALL_Iallreduce, 16 * KIB + 1, 8, false),
		cell_of(CALL_Allreduce, 512 * KIB - 1, 16, false),
		cell_of(CALL_Allreduce_c, 512 * KIB, 32, false),
		cell_of(CALL_Iallreduce, 512 * KIB, 64, false),
		cell_of(CALL_Bcast, 16 * MIB - 1, 1, false),
		cell_of(CALL_Bcast, 16 * MIB, 2, false),
		cell_of(CALL_Bcast, 16 * MIB, 1000, true),
		cell_of(CALL_Allreduce, 8, 1000, true),
	};
	const uint64_t wanted[SIZES_END] = {
		[SIZES_REDUCTION_ALL] = 127, [SIZES_REDUCTION_256] = 1,
		[SIZES_REDUCTION_16K] = 7,   [SIZES_ALLREDUCE_ALL] = 49,
		[SIZES_ALLREDUCE_512K] = 32, [SIZES_BCAST_ALL] = 3,
		[SIZES_BCAST_16M] = 2,
	};
	uint64_t sizes[SIZES_END];

	(void)state;
	assert_true(sizes_of(sizes, NULL, 0, cells, sizeof cells / sizeof *cells));
	assert_memory_equal(sizes, wanted, sizeof wanted);
}

static void jobs_without_such_calls_have_none(void **state)
{
	struct job_calls calls = {.function = CALL_Barrier, .calls = 5};
	struct job_cell cell = cell_of(CALL_Barrier, 0, 5, false);
	uint64_t sizes[SIZES_END];

	(void)state;
	assert_false(sizes_of(sizes, &calls, 1, &cell, 1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calls_are_those_of_the_average_rank),
		cmocka_unit_test(sizes_are_at_most_or_at_least_those_of_the_paper),
		cmocka_unit_test(jobs_without_such_calls_have_none),
	};

	return cmocka_run_group_tests_name("usage/index/sizes.h", tests, NULL, NULL);
}
