/* Waits by pattern, and by what they are added up. */
#include "critpath/tables/wait_groups.h"
#include "test/unit/lib/make/make_run.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>

#include "test/unit/lib/make/feed.h"
#include "test/unit/lib/must.h"

#define COLL(k)                                                                       \
	{                                                                             \
		.kind = EVENT_COLLECTIVE, .collective = k, .comm = 0, .root = NO_ROOT \
	}

/* Found waits of a run. */
struct found {
	struct wait_items items;
	struct wait_groups groups;
};

static void find(struct found *found, const struct made_run *made, enum wait_grouping by,
		 enum wait_pattern pattern)
{
	struct error err;

	MUST(wait_items_find(&found->items, &made->waits, &err));
	MUST(wait_groups_find(&found->groups, &made->waits, &found->items, by, pattern,
			      dist_alone(), &err));
}

static void release(struct found *found)
{
	wait_groups_release(&found->groups);
	wait_items_release(&found->items);
}

/*
 * Three ranks.  Rank 1 waits 40 for a send of rank 0 and rank 0 waits 30 in a synchronous send for
 * rank 2.  Ranks 0 and 1 wait for rank 2 in a barrier, 50 and 60, rank 2 waits 10 for rank 1 in an
 * allreduce, ranks 0 and 2 wait 100 and 90 for the root 1 of a broadcast.
 */
static void make(struct made_run *made)
{
	made_begin(made, 3);
	made_call(made, 0, "MPI_Send", 50, 60, SEND(0, 1, 5, 8));
	made_call(made, 1, "MPI_Recv", 10, 65, RECV(0, 0, 5, 8));
	made_call(made, 0, "MPI_Ssend", 70, 110, SEND(0, 2, 9, 8));
	made_call(made, 2, "MPI_Recv", 100, 110, RECV(0, 0, 9, 8));
	made_call(made, 0, "MPI_Barrier", 150, 210, COLL(COLL_BARRIER));
	made_call(made, 1, "MPI_Barrier", 140, 210, COLL(COLL_BARRIER));
	made_call(made, 2, "MPI_Barrier", 200, 210, COLL(COLL_BARRIER));
	made_call(made, 0, "MPI_Allreduce", 230, 240, COLL(COLL_ALLREDUCE));
	made_call(made, 1, "MPI_Allreduce", 230, 240, COLL(COLL_ALLREDUCE));
	made_call(made, 2, "MPI_Allreduce", 220, 240, COLL(COLL_ALLREDUCE));
	made_call(made, 0, "MPI_Bcast", 300, 410, ROOTED(COLL_BCAST, 0, 1));
	made_call(made, 1, "MPI_Bcast", 400, 405, ROOTED(COLL_BCAST, 0, 1));
	made_call(made, 2, "MPI_Bcast", 310, 410, ROOTED(COLL_BCAST, 0, 1));
	made_end(made);
}

static void expect_pattern(const struct found *found, enum wait_pattern pattern, uint64_t waits,
			   uint64_t ns, uint64_t most_ns)
{
	const struct wait_sum *sum = &found->groups.patterns[pattern];

	assert_int_equal(sum->waits, waits);
	assert_int_equal(sum->ns, ns);
	assert_int_equal(sum->most_ns, most_ns);
}

static void each_wait_has_the_pattern_of_its_cause(void **state)
{
	struct made_run made;
	struct found found;

	(void)state;
	make(&made);
	find(&found, &made, WAITS_BY_CALL, PATTERN_ANY);
	expect_pattern(&found, PATTERN_LATE_SENDER, 1, 40, 40);
	expect_pattern(&found, PATTERN_LATE_RECEIVER, 1, 30, 30);
	expect_pattern(&found, PATTERN_BARRIER, 2, 110, 60);
	expect_pattern(&found, PATTERN_COLLECTIVE, 1, 10, 10);
	expect_pattern(&found, PATTERN_LATE_BROADCAST, 2, 190, 100);
	expect_pattern(&found, PATTERN_WRONG_ORDER_SAME, 0, 0, 0);
	expect_pattern(&found, PATTERN_WRONG_ORDER_DIFFERENT, 0, 0, 0);
	assert_int_equal(found.groups.all.waits, 7);
	assert_int_equal(found.groups.all.ns, 380);
	assert_int_equal(found.groups.groups.count, 0);
	release(&found);
	made_release(&made);
}

static void the_root_of_a_reduction_and_a_scan_may_be_early(void **state)
{
	struct made_run made;
	struct found found;

	(void)state;
	made_begin(&made, 3);
	for (uint32_t r = 0; r < 3; r++) {
		made_call(&made, r, "MPI_Reduce", 10 + 20 * r, r ? 12 + 20 * r : 55,
			  ROOTED(COLL_REDUCE, 0, 0));
		made_call(&made, r, "MPI_Scan", 140 + (r == 0 ? 60 : 0), 205, COLL(COLL_SCAN));
	}
	made_end(&made);
	find(&found, &made, WAITS_BY_CALL, PATTERN_ANY);
	expect_pattern(&found, PATTERN_EARLY_REDUCE, 1, 40, 40);
	expect_pattern(&found, PATTERN_EARLY_SCAN, 2, 120, 60);
	expect_pattern(&found, PATTERN_COLLECTIVE, 0, 0, 0);
	assert_int_equal(found.groups.all.ns, 160);
	release(&found);
	made_release(&made);
}

static void a_barrier_that_a_later_call_completes_is_a_barrier(void **state)
{
	struct made_run made;
	struct found found;

	(void)state;
	made_begin(&made, 2);
	for (uint32_t r = 0; r < 2; r++) {
		made_call(&made, r, "MPI_Ibarrier", 10 + 40 * r, 12 + 40 * r, ICOLL(7));
		made_call(&made, r, "MPI_Wait", 20 + 40 * r, 70, ICOLL_DONE(COLL_BARRIER, 0, 7));
	}
	made_end(&made);
	find(&found, &made, WAITS_BY_CALL, PATTERN_ANY);
	expect_pattern(&found, PATTERN_BARRIER, 1, 30, 30);
	assert_int_equal(found.groups.all.ns, 30);
	release(&found);
	made_release(&made);
}

static void messages_received_later_but_sent_before_are_in_the_wrong_order(void **state)
{
	struct made_run made;
	struct found found;

	(void)state;
	made_begin(&made, 3);
	made_call(&made, 0, "MPI_Send", 50, 55, SEND(0, 2, 1, 8));
	made_call(&made, 1, "MPI_Send", 30, 35, SEND(0, 2, 1, 8));
	made_call(&made, 1, "MPI_Send", 80, 85, SEND(0, 2, 2, 8));
	made_call(&made, 2, "MPI_Recv", 10, 60, RECV(0, 0, 1, 8));
	made_call(&made, 2, "MPI_Recv", 60, 62, RECV(0, 1, 1, 8));
	made_call(&made, 2, "MPI_Recv", 70, 90, RECV(0, 1, 2, 8));
	made_end(&made);
	find(&found, &made, WAITS_BY_CALL, PATTERN_WRONG_ORDER_DIFFERENT);
	/* Of the 40 up to the send at 50, the message sent at 30 was there for 20. */
	expect_pattern(&found, PATTERN_LATE_SENDER, 2, 50, 40);
	expect_pattern(&found, PATTERN_WRONG_ORDER_DIFFERENT, 1, 20, 20);
	expect_pattern(&found, PATTERN_WRONG_ORDER_SAME, 0, 0, 0);
	assert_int_equal(found.groups.all.ns, 20);
	wait_items_keep(&found.items, PATTERN_WRONG_ORDER_DIFFERENT);
	assert_int_equal(found.items.list.count, 1);
	assert_int_equal(found.items.list.items[0].ns, 40);
	assert_int_equal(found.items.list.items[0].wrong_order_ns, 20);
	release(&found);
	made_release(&made);
}

/* Rank 0 sends with tags 2, 3 and 4, rank 1 in between; rank 2 receives 4 first, then what rank 0 sent, then rank 1's. */
static void the_message_that_was_sent_first_tells_which_order_is_wrong(void **state)
{
	struct made_run made;
	struct found found;

	(void)state;
	made_begin(&made, 3);
	made_call(&made, 0, "MPI_Send", 20, 22, SEND(0, 2, 2, 8));
	made_call(&made, 1, "MPI_Send", 30, 32, SEND(0, 2, 9, 8));
	made_call(&made, 0, "MPI_Send", 50, 52, SEND(0, 2, 4, 8));
	made_call(&made, 2, "MPI_Recv", 10, 60, RECV(0, 0, 4, 8));
	made_call(&made, 2, "MPI_Recv", 61, 62, RECV(0, 0, 2, 8));
	made_call(&made, 2, "MPI_Recv", 63, 64, RECV(0, 1, 9, 8));
	made_end(&made);
	find(&found, &made, WAITS_BY_CALL, PATTERN_ANY);
	expect_pattern(&found, PATTERN_LATE_SENDER, 1, 40, 40);
	expect_pattern(&found, PATTERN_WRONG_ORDER_SAME, 1, 30, 30);
	expect_pattern(&found, PATTERN_WRONG_ORDER_DIFFERENT, 0, 0, 0);
	wait_items_keep(&found.items, PATTERN_WRONG_ORDER_DIFFERENT);
	assert_int_equal(found.items.list.count, 0);
	release(&found);
	made_release(&made);
}

static void expect_group(const struct found *found, size_t place, uint32_t number, uint64_t waits,
			 uint64_t ns, uint32_t cause, uint64_t cause_ns)
{
	const struct wait_group *group = &found->groups.groups.items[place];

	assert_in_range(place, 0, found->groups.groups.count - 1);
	assert_int_equal(group->number, number);
	assert_int_equal(group->sum.waits, waits);
	assert_int_equal(group->sum.ns, ns);
	assert_int_equal(group->cause, cause);
	assert_int_equal(group->cause_ns, cause_ns);
}

static void ranks_have_their_waits_and_who_caused_most(void **state)
{
	struct made_run made;
	struct found found;

	(void)state;
	make(&made);
	find(&found, &made, WAITS_BY_RANK, PATTERN_ANY);
	assert_int_equal(found.groups.groups.count, 3);
	/* Rank 0: 30 and 50 for rank 2, 100 for rank 1. */
	expect_group(&found, 0, 0, 3, 180, 1, 100);
	expect_group(&found, 1, 1, 2, 100, 2, 60);
	expect_group(&found, 2, 2, 2, 100, 1, 90);
	release(&found);
	made_release(&made);
}

static void functions_and_communicators_have_the_waits_of_their_calls(void **state)
{
	struct made_run made;
	struct found found;

	(void)state;
	make(&made);
	find(&found, &made, WAITS_BY_FUNCTION, PATTERN_BARRIER);
	assert_int_equal(found.groups.groups.count, 1);
	assert_string_equal(measured_function(&made.run.names, found.groups.groups.items[0].number),
			    "MPI_Barrier");
	assert_int_equal(found.groups.groups.items[0].sum.ns, 110);
	release(&found);
	find(&found, &made, WAITS_BY_COMM, PATTERN_ANY);
	assert_int_equal(found.groups.groups.count, 1);
	assert_int_equal(found.groups.groups.items[0].number, 0);
	assert_int_equal(found.groups.groups.items[0].sum.ns, 380);
	release(&found);
	made_release(&made);
}

static void channels_lead_from_sender_to_receiver_whoever_waits(void **state)
{
	const struct wait_group *group;
	struct made_run made;
	struct found found;

	(void)state;
	make(&made);
	find(&found, &made, WAITS_BY_CHANNEL, PATTERN_ANY);
	assert_int_equal(found.groups.groups.count, 2);
	group = &found.groups.groups.items[0];
	assert_int_equal(group->sender, 0);
	assert_int_equal(group->receiver, 1);
	assert_int_equal(group->tag, 5);
	assert_int_equal(group->sum.ns, 40);
	group = &found.groups.groups.items[1];
	assert_int_equal(group->sender, 0);
	assert_int_equal(group->receiver, 2);
	assert_int_equal(group->tag, 9);
	assert_int_equal(group->cause, 2);
	assert_int_equal(found.groups.outside.waits, 5);
	assert_int_equal(found.groups.outside.ns, 310);
	release(&found);
	made_release(&made);
}

static void a_probe_waits_in_the_channel_of_the_message_that_it_finds(void **state)
{
	const struct wait_group *group;
	struct made_run made;
	struct found found;

	(void)state;
	made_begin(&made, 2);
	made_call(&made, 0, "MPI_Send", 50, 60, SEND(0, 1, 5, 8));
	made_plain(&made, 1, "MPI_Probe", 10, 65);
	made_call(&made, 1, "MPI_Recv", 70, 75, RECV(0, 0, 5, 8));
	made_end(&made);
	find(&found, &made, WAITS_BY_CHANNEL, PATTERN_ANY);
	assert_int_equal(found.groups.groups.count, 1);
	group = &found.groups.groups.items[0];
	assert_int_equal(group->sender, 0);
	assert_int_equal(group->receiver, 1);
	assert_int_equal(group->tag, 5);
	assert_int_equal(group->sum.ns, 40);
	release(&found);
	made_release(&made);
}

static void iterations_are_those_of_the_rank_that_waits(void **state)
{
	enum { ITERATIONS = 4 };
	struct made_run made;
	struct found found;

	(void)state;
	made_begin(&made, 2);
	for (uint64_t i = 0; i < ITERATIONS; i++) {
		const uint64_t t = 1000 * i;

		made_call(&made, 0, "MPI_Send", t + 100, t + 110, SEND(0, 1, 0, 8));
		made_call(&made, 0, "MPI_Recv", t + 200, t + 510, RECV(0, 1, 0, 8));
		made_call(&made, 1, "MPI_Recv", t + 90 - i, t + 120, RECV(0, 0, 0, 8));
		made_call(&made, 1, "MPI_Send", t + 500, t + 510, SEND(0, 0, 0, 8));
	}
	made_call(&made, 0, "MPI_Barrier", 4000, 4060, COLL(COLL_BARRIER));
	made_call(&made, 1, "MPI_Barrier", 4050, 4060, COLL(COLL_BARRIER));
	made_end(&made);
	find(&found, &made, WAITS_BY_ITERATION, PATTERN_ANY);
	assert_int_equal(found.groups.least_iterations, ITERATIONS);
	assert_int_equal(found.groups.most_iterations, ITERATIONS);
	assert_int_equal(found.groups.groups.count, ITERATIONS);
	/* Rank 0 waits 300 for rank 1, rank 1 waits 10 + i for rank 0. */
	for (uint32_t i = 0; i < ITERATIONS; i++)
		expect_group(&found, i, i, 2, 310 + i, 1, 300);
	assert_int_equal(found.groups.outside.waits, 1);
	assert_int_equal(found.groups.outside.ns, 50);
	release(&found);
	made_release(&made);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_wait_has_the_pattern_of_its_cause),
		cmocka_unit_test(the_root_of_a_reduction_and_a_scan_may_be_early),
		cmocka_unit_test(a_barrier_that_a_later_call_completes_is_a_barrier),
		cmocka_unit_test(messages_received_later_but_sent_before_are_in_the_wrong_order),
		cmocka_unit_test(the_message_that_was_sent_first_tells_which_order_is_wrong),
		cmocka_unit_test(ranks_have_their_waits_and_who_caused_most),
		cmocka_unit_test(functions_and_communicators_have_the_waits_of_their_calls),
		cmocka_unit_test(channels_lead_from_sender_to_receiver_whoever_waits),
		cmocka_unit_test(a_probe_waits_in_the_channel_of_the_message_that_it_finds),
		cmocka_unit_test(iterations_are_those_of_the_rank_that_waits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
