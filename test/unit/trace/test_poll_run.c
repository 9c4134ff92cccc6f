/* Where a thread computes between polls, and where it waits. */
#include "trace/call/poll_run.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define NOWHERE UINT32_MAX

/* Add test `number` of a request, or the call that completes it, after a gap. */
static void add(struct poll_run *run, uint32_t number, uint64_t request, uint64_t gap_ns)
{
	const struct mpi_event event = {.kind = EVENT_REQUEST_TEST, .request = request};
	const struct mpi_call call = {.function = "MPI_Test",
				      .leave_ns = 10,
				      .events = &event,
				      .event_count = 1};

	poll_run_add(run, &call, number, gap_ns);
}

/* Add so many tests as one call, of 10 ns each. */
static void add_joined(struct poll_run *run, uint32_t number, uint64_t request, uint64_t gap_ns,
		       uint64_t polls, uint64_t gaps_ns, uint64_t least_ns)
{
	const struct mpi_event event = {.kind = EVENT_REQUEST_TEST, .request = request};
	const struct mpi_call call = {.function = "MPI_Test",
				      .leave_ns = 10 * polls + gaps_ns,
				      .events = &event,
				      .event_count = 1,
				      .polls = polls,
				      .poll_gaps_ns = gaps_ns,
				      .least_poll_gap_ns = least_ns};

	poll_run_add(run, &call, number, gap_ns);
}

static void expect(struct poll_run *run, uint64_t computes_ns, uint32_t waits_from)
{
	uint32_t from;

	assert_int_equal(poll_run_end(run, &from), computes_ns);
	assert_int_equal(from, waits_from);
	assert_false(run->active);
}

static void a_loop_of_polls_waits_from_its_first_poll_on(void **state)
{
	struct poll_run run = {0};

	(void)state;
	expect(&run, 0, NOWHERE);
	add(&run, 7, 1, 999);
	expect(&run, 0, 7);
	add(&run, 7, 1, 0);
	add(&run, 8, 1, POLL_GAP_NS);
	add(&run, 9, 1, 90000);
	expect(&run, 0, 7);
}

static void a_program_that_works_between_polls_computes(void **state)
{
	struct poll_run run = {0};

	(void)state;
	add(&run, 3, 1, 0);
	add(&run, 4, 1, POLL_GAP_NS + 1);
	add(&run, 5, 1, 90000);
	expect(&run, POLL_GAP_NS + 1 + 90000, NOWHERE);
}

static void a_program_that_has_computed_waits_where_it_polls_in_a_row(void **state)
{
	struct poll_run run = {0};

	(void)state;
	add(&run, 3, 1, 0);
	add(&run, 4, 1, 20000);
	add(&run, 5, 1, 30000);
	add(&run, 6, 1, 100);
	add(&run, 7, 1, 40000);
	expect(&run, 50000, 5);
}

static void a_program_may_poll_for_several_things_in_turn(void **state)
{
	struct poll_run run = {0};

	(void)state;
	/* Two things, then computation: the short gap between them is no wait. */
	for (uint32_t i = 0; i < 10; i++) {
		add(&run, 2 * i, 1, 20000);
		add(&run, 2 * i + 1, 2, 100);
	}
	expect(&run, 9 * 20000 + 10 * 100, NOWHERE);
	/* So many things, again and again. */
	for (uint32_t things = 1; things < 40; things++) {
		for (uint32_t i = 0; i < 5 * things; i++)
			add(&run, i, i % things, 100);
		expect(&run, 0, 0);
		for (uint32_t i = 0; i < 5 * things; i++)
			add(&run, i, i % things, i % things ? 100 : 6000 * things);
		expect(&run, 4 * 6000 * things + 5 * 100 * (things - 1), NOWHERE);
	}
}

static void a_poll_that_is_not_repeated_waits_if_another_follows_soon(void **state)
{
	struct poll_run run = {0};

	(void)state;
	add(&run, 3, 1, 0);
	add(&run, 4, 2, 100);
	expect(&run, 0, 3);
	add(&run, 3, 1, 0);
	add(&run, 4, 2, 20000);
	expect(&run, 20000, NOWHERE);
}

static void polls_that_are_one_call_count_by_their_smallest_gap(void **state)
{
	struct poll_run run = {0};

	(void)state;
	add_joined(&run, 3, 1, 0, 10, 90000, 6000);
	expect(&run, 90000, NOWHERE);
	add_joined(&run, 3, 1, 0, 10, 90000, 100);
	add(&run, 4, 1, 30000);
	expect(&run, 0, 3);
	/* Computation, then a wait, which the tracer tells apart. */
	add_joined(&run, 3, 1, 0, 10, 90000, 6000);
	add_joined(&run, 4, 1, 50, 10, 70000, 100);
	add(&run, 5, 1, 60);
	expect(&run, 90050, 4);
	/* The call that completes comes right after computation. */
	add_joined(&run, 3, 1, 0, 10, 90000, 6000);
	add(&run, 4, 1, 50);
	expect(&run, 90050, NOWHERE);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_loop_of_polls_waits_from_its_first_poll_on),
		cmocka_unit_test(a_program_that_works_between_polls_computes),
		cmocka_unit_test(a_program_that_has_computed_waits_where_it_polls_in_a_row),
		cmocka_unit_test(a_program_may_poll_for_several_things_in_turn),
		cmocka_unit_test(a_poll_that_is_not_repeated_waits_if_another_follows_soon),
		cmocka_unit_test(polls_that_are_one_call_count_by_their_smallest_gap),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
