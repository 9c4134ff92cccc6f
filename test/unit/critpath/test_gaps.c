/* Messages and collectives of runs in which some ranks lack records: recording was off, or tools leave some out. */
#include "test/unit/lib/make/make_run.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "test/unit/lib/make/feed.h"
#include "trace/call/mpi_functions.h"

enum { PARTICIPANTS = 3, STEPS = 12, STEP_NS = 100 };

static bool is_barrier(uint32_t step)
{
	return step % 3 == 1;
}

/*
 * A collective of all ranks in each step, for which the last rank is late.  A rank lacks those of the steps
 * whose bits are set in `off`, and the trace says that recording was off if `told`.
 */
static void make_steps(struct made_run *made, const uint32_t off[PARTICIPANTS], bool told)
{
	made_begin(made, PARTICIPANTS);
	for (uint32_t r = 0; r < PARTICIPANTS; r++) {
		for (uint32_t s = 0; s < STEPS; s++) {
			const uint64_t begin = STEP_NS * s + (r == PARTICIPANTS - 1 ? 60 : 10 + r);
			const uint64_t end = STEP_NS * s + 70 + r;

			if (!(off[r] >> s & 1))
				made_call(made, r, is_barrier(s) ? "MPI_Barrier" : "MPI_Alltoallw",
					  begin, end,
					  COLLECTIVE(is_barrier(s) ? COLL_BARRIER
								   : COLL_CREATE_HANDLE,
						     0));
			else if (told)
				made_plain(made, r, "(recording off)", begin - 5, end + 5);
		}
		made_plain(made, r, "MPI_Finalize", STEP_NS * STEPS, STEP_NS * STEPS + 10);
	}
	made_end(made);
}

/* Expect that each call waits for one of its step, or that it is not known whether. */
static void expect_steps(const struct made_run *made, uint32_t lacking)
{
	const struct measured_run *run = &made->run;

	for (uint32_t r = 0; r < PARTICIPANTS; r++)
		for (uint32_t c = 1; c + 1 < run->ranks[r].calls.count; c++) {
			const struct measured_call *call = &run->ranks[r].calls.items[c];
			const struct wait *wait = wait_at(&made->waits, r, c);

			if (call->function >= MPI_FUNCTION_COUNT)
				continue;
			if (wait->kind == WAIT_NONE)
				assert_true(r == PARTICIPANTS - 1 || wait->unknown);
			else
				assert_int_equal((wait->until_ns - MADE_BEGIN_NS) / STEP_NS,
						 (call->enter_ns - MADE_BEGIN_NS) / STEP_NS);
		}
	assert_int_equal(run->lacking, lacking);
}

static void collectives_that_one_rank_lacks_are_found_whatever_comes_before(void **state)
{
	(void)state;
	for (uint32_t rank = 0; rank < PARTICIPANTS; rank++)
		for (uint32_t off = 1; off < 1 << STEPS; off = off * 5 / 2 + 1) {
			uint32_t offs[PARTICIPANTS] = {0};
			struct made_run made;

			offs[rank] = off;
			make_steps(&made, offs, true);
			expect_steps(&made, (uint32_t)__builtin_popcount(off));
			made_release(&made);
		}
}

static void gaps_of_several_ranks_at_several_places_are_found(void **state)
{
	const uint32_t offs[][PARTICIPANTS] = {{1 << 2, 1 << 7, 0},
					       {1 << 2, 1 << 2, 0},
					       {3 << 2, 1 << 3, 0},
					       {1, 1 << 11, 0}};

	(void)state;
	for (size_t i = 0; i < sizeof offs / sizeof *offs; i++) {
		struct made_run made;

		make_steps(&made, offs[i], true);
		expect_steps(&made, (uint32_t)__builtin_popcount(offs[i][0] | offs[i][1]));
		made_release(&made);
	}
}

static void nothing_lacks_where_all_ranks_switch_recording_off(void **state)
{
	const uint32_t offs[][PARTICIPANTS] = {{6, 6, 6},
					       {1, 1, 1},
					       {0x924, 0x924, 0x924},
					       {0xc00, 0xc00, 0xc00}};

	(void)state;
	for (size_t i = 0; i < sizeof offs / sizeof *offs; i++) {
		struct made_run made;

		make_steps(&made, offs[i], true);
		expect_steps(&made, 0);
		made_release(&made);
	}
}

static void a_record_that_a_rank_lacks_without_a_gap_is_found_by_kinds(void **state)
{
	struct made_run made;

	(void)state;
	make_steps(&made, (uint32_t[]){0, 1 << 4, 0}, false);
	expect_steps(&made, 1);
	made_release(&made);
}

static void the_wait_of_a_barrier_that_one_rank_lacks_is_unknown(void **state)
{
	struct made_run made;

	(void)state;
	make_steps(&made, (uint32_t[]){0, 0, 1 << 4}, true);
	/* Rank 1 is the last of those that are known. */
	made_expect_wait(&made, 0, 5, 1, 1, 5);
	assert_int_equal(wait_at(&made.waits, 0, 5)->unknown, 1);
	assert_int_equal(wait_at(&made.waits, 1, 5)->unknown, 1);
	made_expect_wait(&made, 0, 6, 50, 2, 6);
	assert_int_equal(wait_at(&made.waits, 0, 6)->unknown, 0);
	made_release(&made);
}

/* Broadcasts without a time that tells which is which, one of which rank 1 lacks between two gaps. */
static void collectives_that_may_be_several_stay_unknown(void **state)
{
	struct made_run made;

	(void)state;
	made_begin(&made, 2);
	for (uint64_t t = 10; t < 60; t += 10)
		made_call(&made, 0, "MPI_Bcast", t, t + 1, ROOTED(COLL_BCAST, 0, 0));
	made_plain(&made, 1, "(recording off)", 100, 110);
	made_call(&made, 1, "MPI_Bcast", 120, 121, ROOTED(COLL_BCAST, 0, 0));
	made_plain(&made, 1, "(recording off)", 130, 140);
	made_plain(&made, 0, "MPI_Finalize", 200, 210);
	made_plain(&made, 1, "MPI_Finalize", 200, 210);
	made_end(&made);
	made_expect_no_wait(&made, 1, 2);
	assert_int_equal(wait_at(&made.waits, 1, 2)->unknown, 1);
	assert_int_equal(made.run.lacking, 6);
	made_release(&made);
}

static void messages_behind_one_that_a_rank_lacks_match(void **state)
{
	enum { MESSAGES = 8 };

	(void)state;
	for (uint32_t lost = 0; lost < MESSAGES; lost++)
		for (uint32_t loser = 0; loser < 2; loser++) {
			struct made_run made;

			made_begin(&made, 2);
			for (uint32_t i = 0; i < MESSAGES; i++) {
				const uint64_t t = 100 * (i + 1);

				if (i == lost && loser == 0)
					made_plain(&made, 0, "(recording off)", t + 40, t + 65);
				else
					made_call(&made, 0, "MPI_Send", t + 50, t + 55,
						  SEND(0, 1, 7, 8));
				if (i == lost && loser == 1)
					made_plain(&made, 1, "(recording off)", t - 5, t + 65);
				else
					made_call(&made, 1, "MPI_Recv", t, t + 60,
						  RECV(0, 0, 7, 8));
			}
			made_plain(&made, 0, "MPI_Finalize", 1000, 1010);
			made_plain(&made, 1, "MPI_Finalize", 1000, 1010);
			made_end(&made);
			for (uint32_t i = 0; i < MESSAGES; i++)
				if (i != lost)
					made_expect_wait(&made, 1, i + 1, 50, 0, i + 1);
			assert_int_equal(made.run.unmatched_sends + made.run.unmatched_recvs, 1);
			assert_int_equal(made.run.violations.count, 0);
			made_release(&made);
		}
}

static void a_receive_whose_end_the_trace_lacks_takes_a_message(void **state)
{
	struct made_run made;

	(void)state;
	made_begin(&made, 2);
	made_call(&made, 1, "MPI_Irecv", 10, 11, POST(1));
	made_call(&made, 1, "MPI_Irecv", 12, 13, POST(2));
	made_call(&made, 1, "MPI_Wait", 80, 130, IRECV(0, 0, 7, 8, 2));
	made_call(&made, 0, "MPI_Send", 50, 55, SEND(0, 1, 7, 8));
	made_call(&made, 0, "MPI_Send", 120, 125, SEND(0, 1, 7, 8));
	made_plain(&made, 0, "MPI_Finalize", 1000, 1010);
	made_plain(&made, 1, "MPI_Finalize", 1000, 1010);
	made_end(&made);
	made_expect_wait(&made, 1, 3, 40, 0, 2);
	made_release(&made);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(collectives_that_one_rank_lacks_are_found_whatever_comes_before),
		cmocka_unit_test(gaps_of_several_ranks_at_several_places_are_found),
		cmocka_unit_test(nothing_lacks_where_all_ranks_switch_recording_off),
		cmocka_unit_test(a_record_that_a_rank_lacks_without_a_gap_is_found_by_kinds),
		cmocka_unit_test(the_wait_of_a_barrier_that_one_rank_lacks_is_unknown),
		cmocka_unit_test(collectives_that_may_be_several_stay_unknown),
		cmocka_unit_test(messages_behind_one_that_a_rank_lacks_match),
		cmocka_unit_test(a_receive_whose_end_the_trace_lacks_takes_a_message),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
