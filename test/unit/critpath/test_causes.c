/*
 * Causes of waits of small programs, whose answers follow from the definition by hand.  A call "work" of no length ends
 * a computation of that name.
 */
#include "critpath/causes/wait_causes.h"
#include "test/unit/lib/make/make_play.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/units.h"
#include "test/unit/lib/make/feed.h"
#include "test/unit/lib/must.h"

static const struct wait_causes_options by_cause = {.no_end = true};

/* --------------------------------------------------------------------- expectations */

/* Write a number of attoseconds as ns, with the digits that it needs. */
static int put_as(char *text, size_t size, __int128 as)
{
	const uint64_t ns = (uint64_t)(as / AS_PER_NS), rest = (uint64_t)(as % AS_PER_NS);

	return rest ? snprintf(text, size, "%" PRIu64 ".%09" PRIu64, ns, rest)
		    : snprintf(text, size, "%" PRIu64, ns);
}

static size_t put_row(char *text, size_t size, const struct wait_causes *causes,
		      const struct cause_row *row, const struct measured_names *names)
{
	const uint32_t function = cell_function(row->key.second);
	size_t at = 0;

	(void)causes;
	if (cause_row_is_other(row))
		at = (size_t)snprintf(text, size, "other");
	else if (function == NO_FUNCTION)
		at = (size_t)snprintf(text, size, "%u %s", row->key.first,
				      cell_kind(row->key.second) == CELL_CALL ? "start" : "end");
	else
		at = (size_t)snprintf(text, size, "%u %s%s", row->key.first,
				      cell_kind(row->key.second) == CELL_CALL ? "in " : "",
				      measured_function(names, function));
	at += (size_t)snprintf(text + at, size - at, " ");
	at += (size_t)put_as(text + at, size - at, row->direct_as);
	at += (size_t)snprintf(text + at, size - at, "+");
	at += (size_t)put_as(text + at, size - at, row->cost_as - row->direct_as);
	if (row->weighted_ns && row->time_ns)
		at += (size_t)snprintf(text + at, size - at, " K%g",
				       (double)row->weighted_ns / (double)row->time_ns);
	return at;
}

/* Expect the rows that cost something, and if `slopes` also the others: "0 delay 50+100 K3, ...". */
static void expect_with(struct play *play, const struct wait_causes_options *options, bool slopes,
			const char *expected)
{
	char text[4096] = "";
	struct wait_causes causes;
	struct error err;
	size_t at = 0;
	__int128 sum_as = 0;

	MUST(wait_causes_find(&causes, &play->made.waits, &play->made.walk, options, dist_alone(),
			      &err));
	for (size_t i = 0; i < causes.rows.list.count; i++) {
		const struct cause_row *row = &causes.rows.list.items[i];

		sum_as += row->cost_as;
		if (!row->cost_as && !slopes)
			continue;
		at += (size_t)snprintf(text + at, sizeof text - at, "%s", at ? ", " : "");
		at += put_row(text + at, sizeof text - at, &causes, row, &play->made.run.names);
	}
	assert_true(sum_as == (__int128)(causes.calls.ns + causes.ends.ns) * AS_PER_NS);
	assert_string_equal(text, expected);
	wait_causes_release(&causes);
}

static void expect(struct play *play, const char *expected)
{
	expect_with(play, &by_cause, false, expected);
	made_release(&play->made);
}

/* -------------------------------------------------------------------- known answers */

static void a_delay_in_a_pipeline_causes_all_waiting(void **state)
{
	struct play play;

	(void)state;
	play_begin(&play, 4);
	play_compute(&play, 0, "delay", 50);
	for (uint32_t r = 0; r < 4; r++)
		play_compute(&play, r, "work", 10);
	for (uint32_t r = 0; r + 1 < 4; r++)
		play_message(&play, r, r + 1);
	play_end(&play);
	assert_int_equal(play.made.walk.length_ns, 60);
	expect_with(&play, &by_cause, true,
		    "0 delay 50+100 K3, 0 work 0+0 K3, 1 work 0+0 K-1, 2 work 0+0 K-1, "
		    "3 work 0+0 K-1");
	made_release(&play.made);
}

static void work_behind_receives_adds_to_the_waits_of_later_ranks(void **state)
{
	struct play play;

	(void)state;
	play_begin(&play, 4);
	play_compute(&play, 0, "delay", 50);
	play_compute(&play, 0, "work", 10);
	for (uint32_t r = 0; r + 1 < 4; r++) {
		play_message(&play, r, r + 1);
		play_compute(&play, r + 1, "work", 10);
	}
	play_end(&play);
	assert_int_equal(play.made.walk.length_ns, 90);
	expect(&play, "0 delay 50+100 K3, 0 work 10+20 K3, 1 work 10+10 K2, 2 work 10+0 K1");
}

static void turns_of_imbalance_cost_as_much_of_each_rank(void **state)
{
	struct play play;

	(void)state;
	play_begin(&play, 2);
	for (uint32_t i = 0; i < 10; i++) {
		play_compute(&play, i % 2, "work", 10);
		play_compute(&play, 1 - i % 2, "work", 6);
		play_barrier(&play);
	}
	play_end(&play);
	assert_int_equal(play.made.walk.length_ns, 100);
	expect(&play, "0 work 20+0 K0.25, 1 work 20+0 K0.25");
}

static void a_late_sender_behind_a_collective_is_led_to_its_cause(void **state)
{
	struct play play;
	uint32_t comm;

	(void)state;
	play_begin(&play, 3);
	comm = made_comm(&play.made, 2, (uint32_t[]){1, 2});
	play_compute(&play, 2, "delay", 30);
	for (uint32_t r = 0; r < 3; r++)
		play_compute(&play, r, "work", 10);
	play_collective(&play, comm, "MPI_Allreduce", COLL_ALLREDUCE, 5);
	play_message(&play, 1, 0);
	play_end(&play);
	expect(&play, "2 delay 30+30 K2, 1 in MPI_Allreduce 5+0 K1");
}

static void what_a_wait_absorbs_costs_nothing(void **state)
{
	struct play play;

	(void)state;
	play_begin(&play, 3);
	play_compute(&play, 0, "delay", 50);
	play_compute(&play, 1, "x", 30);
	play_compute(&play, 2, "y", 10);
	play_message(&play, 0, 1);
	play_message(&play, 1, 2);
	play_end(&play);
	expect(&play, "0 delay 20+40 K2");
}

static void an_excess_is_shared_by_all_that_is_longer(void **state)
{
	struct play play;

	(void)state;
	play_begin(&play, 2);
	play_compute(&play, 0, "foo", 5);
	play_compute(&play, 0, "baz", 5);
	play_compute(&play, 1, "bar", 4);
	play_barrier(&play);
	play_end(&play);
	expect(&play, "0 foo 3+0 K1, 0 baz 3+0 K1");
}

static void the_same_work_of_a_longer_one_cancels(void **state)
{
	struct play play;

	(void)state;
	play_begin(&play, 3);
	play_compute(&play, 0, "delay", 50);
	play_message(&play, 0, 1);
	play_compute(&play, 1, "foo", 10);
	play_compute(&play, 2, "foo", 55);
	play_message(&play, 1, 2);
	play_end(&play);
	expect(&play, "0 delay 50+5 K2");
}

static void a_synchronous_send_waits_because_of_its_receiver(void **state)
{
	struct play play;

	(void)state;
	play_begin(&play, 2);
	play_compute(&play, 0, "work", 10);
	play_compute(&play, 1, "work", 25);
	play_synchronous(&play, 0, 1);
	play_end(&play);
	expect(&play, "1 work 15+0 K1");
}

static void the_root_of_a_reduction_waits_because_of_the_last_member(void **state)
{
	struct play play;

	(void)state;
	play_begin(&play, 3);
	play_compute(&play, 0, "work", 2);
	play_compute(&play, 1, "work", 5);
	play_compute(&play, 2, "work", 9);
	made_call(&play.made, 0, "MPI_Reduce", 2, 9, ROOTED(COLL_REDUCE, 0, 0));
	made_call(&play.made, 1, "MPI_Reduce", 5, 5, ROOTED(COLL_REDUCE, 0, 0));
	made_call(&play.made, 2, "MPI_Reduce", 9, 9, ROOTED(COLL_REDUCE, 0, 0));
	play.at_ns[0] = 9;
	play_end(&play);
	expect(&play, "2 work 7+0 K1");
}

static void a_delay_that_nobody_waits_for_costs_nothing(void **state)
{
	struct play play;

	(void)state;
	play_begin(&play, 2);
	play_compute(&play, 0, "delay", 50);
	play_compute(&play, 1, "work", 80);
	play_message(&play, 0, 1);
	play_end(&play);
	expect(&play, "");
}

/* ----------------------------------------------------------------------------- rest */

static void the_end_of_a_rank_waits_for_that_of_the_run(void **state)
{
	static const struct wait_causes_options with_end = {0};
	struct play play;

	(void)state;
	play_begin(&play, 2);
	play_compute(&play, 0, "work", 10);
	play_compute(&play, 1, "work", 25);
	play_end(&play);
	expect_with(&play, &with_end, false, "1 work 15+0 K1");
	expect(&play, "");
}

static void what_does_not_match_does_not_cancel(void **state)
{
	static const struct wait_causes_options none = {.no_end = true, .match = MATCH_NONE};
	struct play play;

	(void)state;
	play_begin(&play, 2);
	play_compute(&play, 0, "work", 10);
	play_compute(&play, 0, "delay", 20);
	play_compute(&play, 1, "work", 10);
	play_barrier(&play);
	play_end(&play);
	expect_with(&play, &none, false, "0 delay 13.333333334+0 K1, 0 work 6.666666666+0 K1");
	expect(&play, "0 delay 20+0 K1");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_delay_in_a_pipeline_causes_all_waiting),
		cmocka_unit_test(work_behind_receives_adds_to_the_waits_of_later_ranks),
		cmocka_unit_test(turns_of_imbalance_cost_as_much_of_each_rank),
		cmocka_unit_test(a_late_sender_behind_a_collective_is_led_to_its_cause),
		cmocka_unit_test(what_a_wait_absorbs_costs_nothing),
		cmocka_unit_test(an_excess_is_shared_by_all_that_is_longer),
		cmocka_unit_test(the_same_work_of_a_longer_one_cancels),
		cmocka_unit_test(a_synchronous_send_waits_because_of_its_receiver),
		cmocka_unit_test(the_root_of_a_reduction_waits_because_of_the_last_member),
		cmocka_unit_test(a_delay_that_nobody_waits_for_costs_nothing),
		cmocka_unit_test(the_end_of_a_rank_waits_for_that_of_the_run),
		cmocka_unit_test(what_does_not_match_does_not_cancel),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
