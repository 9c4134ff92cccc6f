/* Polls of small programs, whose times are given to the nanosecond: which calls are one wait. */
#include "critpath/tables/imbalance.h"
#include "test/unit/lib/make/make_run.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>

#include "test/unit/lib/make/feed.h"
#include "test/unit/lib/must.h"

static void expect_call(const struct made_run *made, uint32_t rank, uint32_t call,
			const char *function, uint64_t enter_ns, uint64_t leave_ns)
{
	const struct measured_call *found = &made->run.ranks[rank].calls.items[call];

	assert_in_range(call, 0, made->run.ranks[rank].calls.count - 1);
	assert_string_equal(measured_function(&made->run.names, found->function), function);
	assert_int_equal(found->enter_ns - MADE_BEGIN_NS, enter_ns);
	assert_int_equal(found->leave_ns - MADE_BEGIN_NS, leave_ns);
}

static void polls_and_the_call_that_completes_are_one_wait(void **state)
{
	struct made_run made;

	(void)state;
	made_begin(&made, 2);
	made_call(&made, 0, "MPI_Irecv", 5, 6, POST(1));
	made_call(&made, 0, "MPI_Irecv", 6, 7, POST(2));
	made_call(&made, 0, "MPI_Test", 10, 11, TESTED(1));
	made_call(&made, 0, "MPI_Test", 20, 21, TESTED(2));
	made_plain(&made, 0, "MPI_Wtime", 22, 23);
	made_call(&made, 0, "MPI_Test", 30, 31, TESTED(1));
	made_plain(&made, 0, "MPI_Iprobe", 40, 41);
	made_call(&made, 0, "MPI_Testany", 50, 55, IRECV(0, 1, 0, 8, 2));
	made_call(&made, 0, "MPI_Test", 60, 61, TESTED(1));
	made_call(&made, 0, "MPI_Wait", 62, 95, IRECV(0, 1, 1, 8, 1));
	made_call(&made, 1, "MPI_Send", 45, 46, SEND(0, 0, 0, 8));
	made_call(&made, 1, "MPI_Send", 90, 91, SEND(0, 0, 1, 8));
	made_end(&made);
	assert_int_equal(made.run.ranks[0].calls.count, 6);
	expect_call(&made, 0, 3, "MPI_Testany", 10, 55);
	made_expect_wait(&made, 0, 3, 35, 1, 1);
	expect_call(&made, 0, 4, "MPI_Test", 60, 61);
	made_expect_wait(&made, 0, 5, 28, 1, 2);
	made_release(&made);
}

static void a_probe_that_finds_a_message_ends_its_polls(void **state)
{
	struct made_run made;

	(void)state;
	made_begin(&made, 2);
	for (uint64_t t = 10; t <= 50; t += 10)
		made_plain(&made, 0, "MPI_Iprobe", t, t + 1);
	made_call(&made, 0, "MPI_Recv", 53, 55, RECV(0, 1, 0, 8));
	made_call(&made, 1, "MPI_Send", 45, 46, SEND(0, 0, 0, 8));
	made_end(&made);
	expect_call(&made, 0, 1, "MPI_Iprobe", 10, 51);
	made_expect_wait(&made, 0, 1, 35, 1, 1);
	made_expect_no_wait(&made, 0, 2);
	made_release(&made);
}

/* Thread 1 of rank 0 polls between the polls of thread 0. */
static void threads_poll_for_themselves(void **state)
{
	struct made_run made;

	(void)state;
	made_begin(&made, 2);
	made_call(&made, 0, "MPI_Irecv", 5, 6, POST(1));
	made_thread_call(&made, 0, 1, "MPI_Irecv", 7, 8, POST(2));
	for (uint64_t t = 10; t <= 40; t += 10) {
		made_call(&made, 0, "MPI_Test", t, t + 1, TESTED(1));
		made_thread_call(&made, 0, 1, "MPI_Test", t + 3, t + 4, TESTED(2));
	}
	made_thread_call(&made, 0, 1, "MPI_Isend", 45, 46, ISEND(0, 1, 3, 8, 3));
	made_call(&made, 0, "MPI_Test", 50, 51, IRECV(0, 1, 0, 8, 1));
	made_thread_call(&made, 0, 1, "MPI_Waitall", 53, 60, IRECV(0, 1, 1, 8, 2), ISENT(3));
	made_call(&made, 1, "MPI_Send", 49, 50, SEND(0, 0, 0, 8));
	made_call(&made, 1, "MPI_Send", 55, 56, SEND(0, 0, 1, 8));
	made_call(&made, 1, "MPI_Recv", 57, 58, RECV(0, 0, 3, 8));
	made_end(&made);
	assert_int_equal(made.run.ranks[0].calls.count, 7);
	expect_call(&made, 0, 3, "MPI_Test", 10, 51);
	expect_call(&made, 0, 4, "MPI_Test", 13, 44);
	expect_call(&made, 0, 5, "MPI_Isend", 45, 46);
	made_expect_wait(&made, 0, 3, 39, 1, 1);
	made_expect_no_wait(&made, 0, 4);
	made_expect_wait(&made, 0, 6, 2, 1, 2);
	assert_int_equal(made.run.ranks[0].sends.items[0].end, 6);
	made_release(&made);
}

/* The polls of rank 0, each 20 ms after the one before, and of 1000 ns: 24 of them found nothing. */
enum { POLLS = 24, PERIOD = 20001000 };

static void make_busy(struct made_run *made, bool joined)
{
	const struct mpi_event test = TESTED(1);

	made_begin(made, 2);
	made_call(made, 0, "MPI_Irecv", 0, 0, POST(1));
	if (joined)
		made_take(made, 0,
			  &(struct mpi_call){.function = "MPI_Test",
					     .enter_ns = 20000000,
					     .leave_ns = POLLS * PERIOD,
					     .events = &test,
					     .event_count = 1,
					     .polls = POLLS,
					     .poll_gaps_ns = (POLLS - 1) * 20000000ul,
					     .least_poll_gap_ns = 20000000});
	else
		for (uint64_t i = 1; i <= POLLS; i++)
			made_call(made, 0, "MPI_Test", i * PERIOD - 1000, i * PERIOD, test);
	made_call(made, 0, "MPI_Test", (POLLS + 1) * PERIOD - 1000, (POLLS + 1) * PERIOD,
		  IRECV(0, 1, 0, 8, 1));
	made_call(made, 1, "MPI_Send", 440000000, 440002000, SEND(0, 0, 0, 8));
	for (uint32_t r = 0; r < 2; r++)
		made_plain(made, r, "MPI_Finalize", (POLLS + 1) * PERIOD, (POLLS + 1) * PERIOD);
	made_end(made);
}

static void computation_between_polls_is_computation(void **state)
{
	(void)state;
	for (int joined = 0; joined < 2; joined++) {
		struct imbalance imbalance;
		struct made_run made;
		struct error err;

		make_busy(&made, joined);
		MUST(imbalance_find(&imbalance, &made.waits, dist_alone(), &err));
		assert_int_equal(imbalance.ranks[0].computation_ns, 500000000);
		assert_int_equal(imbalance.ranks[0].calls.before_ns, 0);
		assert_int_equal(imbalance.ranks[0].calls.execution_ns, 25000);
		/* Rank 1 has sent, and computes until rank 0 has ended. */
		assert_int_equal(imbalance.ranks[1].computation_ns, 500025000 - 2000);
		imbalance_release(&imbalance);
		made_release(&made);
	}
}

static void a_program_that_computes_and_then_polls_in_a_row_waits_from_there_on(void **state)
{
	struct made_run made;

	(void)state;
	made_begin(&made, 2);
	made_call(&made, 0, "MPI_Irecv", 0, 0, POST(1));
	made_call(&made, 0, "MPI_Test", 10000, 10010, TESTED(1));
	made_call(&made, 0, "MPI_Test", 20000, 20010, TESTED(1));
	made_call(&made, 0, "MPI_Test", 20020, 20030, TESTED(1));
	made_call(&made, 0, "MPI_Test", 30000, 30010, TESTED(1));
	made_call(&made, 0, "MPI_Test", 30020, 30030, IRECV(0, 1, 0, 8, 1));
	made_call(&made, 1, "MPI_Send", 25000, 25001, SEND(0, 0, 0, 8));
	made_end(&made);
	assert_int_equal(made.run.ranks[0].calls.count, 4);
	expect_call(&made, 0, 2, "MPI_Test", 10000, 10010);
	expect_call(&made, 0, 3, "MPI_Test", 20000, 30030);
	made_expect_wait(&made, 0, 3, 5000, 1, 1);
	made_release(&made);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(polls_and_the_call_that_completes_are_one_wait),
		cmocka_unit_test(a_probe_that_finds_a_message_ends_its_polls),
		cmocka_unit_test(threads_poll_for_themselves),
		cmocka_unit_test(computation_between_polls_is_computation),
		cmocka_unit_test(
			a_program_that_computes_and_then_polls_in_a_row_waits_from_there_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
