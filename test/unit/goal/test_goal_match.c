/* Matching of messages and the check for circles. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>

#include "goal/traversal/check.h"
#include "goal/match.h"
#include "test/unit/lib/make/make_goal.h"

static void open_text(struct goal *goal, const char *text)
{
	struct error err;

	if (make_goal(goal, text, &err) < 0)
		fail_msg("%s", err.text);
}

static struct goal_op op_of(const struct goal *goal, uint32_t number, uint32_t *rank)
{
	*rank = goal_rank_of(goal, number);
	return goal_op(&goal->ranks[*rank], number - goal->ranks[*rank].first_op);
}

/* The plain definition: every send takes the first free receive that fits. */
static uint32_t *match_slowly(const struct goal *goal, uint32_t *message_count)
{
	uint32_t *partner = malloc(((size_t)goal->op_count + 1) * sizeof *partner);

	assert_non_null(partner);
	*message_count = 0;
	memset(partner, 0xff, goal->op_count * sizeof *partner);
	for (uint32_t i = 0; i < goal->op_count; i++) {
		uint32_t from, to;
		struct goal_op send = op_of(goal, i, &from);

		if (send.kind != GOAL_SEND)
			continue;
		for (uint32_t j = 0; j < goal->op_count; j++) {
			struct goal_op recv = op_of(goal, j, &to);

			if (recv.kind == GOAL_RECV && partner[j] == GOAL_UNMATCHED &&
			    send.peer == to && recv.peer == from && send.tag == recv.tag) {
				partner[i] = j;
				partner[j] = i;
				++*message_count;
				break;
			}
		}
	}
	return partner;
}

static void matching_agrees_with_its_definition(void **state)
{
	const struct random_shape shape = {.most_ranks = 5, .most_ops = 30, .matched = true};
	uint64_t numbers = 4;
	uint64_t messages = 0;

	(void)state;
	for (int round = 0; round < 500; round++) {
		struct goal goal;
		struct goal_matching matching;
		struct error err;
		uint32_t *expected, expected_count;

		make_random_goal(&goal, &numbers, &shape);
		if (goal_match(&matching, &goal, &err) < 0)
			fail_msg("%s", err.text);
		expected = match_slowly(&goal, &expected_count);
		assert_int_equal(matching.message_count, expected_count);
		for (uint32_t i = 0; i < goal.op_count; i++)
			assert_int_equal(matching.partner[i], expected[i]);
		messages += expected_count;
		free(expected);
		goal_matching_release(&matching);
		goal_release(&goal);
	}
	assert_true(messages > 5000);
}

/*
 * Partners are mutual, fit, and of all messages with one source, destination and
 * tag the receives come in the order of the sends: there is one such matching.
 */
static void assert_matched_in_order(const struct goal *goal, const struct goal_matching *matching)
{
	enum { MOST_RANKS = 16, MOST_TAGS = 3 };
	uint32_t last[MOST_RANKS][MOST_RANKS][MOST_TAGS] = {0};
	uint32_t messages = 0;

	for (uint32_t rank = 0; rank < goal->rank_count; rank++) {
		const struct goal_block *block = &goal->ranks[rank];

		for (uint32_t i = 0; i < block->op_count; i++) {
			struct goal_op send = goal_op(block, i), recv;
			uint32_t partner = matching->partner[block->first_op + i], to, *before;

			if (send.kind == GOAL_CALC)
				assert_int_equal(partner, GOAL_UNMATCHED);
			if (send.kind != GOAL_SEND)
				continue;
			recv = op_of(goal, partner, &to);
			assert_int_equal(matching->partner[partner], block->first_op + i);
			assert_int_equal(recv.kind, GOAL_RECV);
			assert_int_equal(recv.peer, rank);
			assert_int_equal(to, send.peer);
			assert_int_equal(recv.tag, send.tag);
			before = &last[rank][to][send.tag];
			assert_true(partner + 1 > *before);
			*before = partner + 1;
			messages++;
		}
	}
	assert_int_equal(messages, matching->message_count);
}

static void large_graphs_are_matched_as_small_ones(void **state)
{
	const struct random_shape shape = {.most_ranks = 16, .most_ops = 20000, .matched = true};
	uint64_t numbers = 6;
	uint64_t messages = 0;

	(void)state;
	for (int round = 0; round < 4; round++) {
		struct goal goal;
		struct goal_matching matching;
		struct error err;

		make_random_goal(&goal, &numbers, &shape);
		if (goal_match(&matching, &goal, &err) < 0)
			fail_msg("%s", err.text);
		assert_matched_in_order(&goal, &matching);
		messages += matching.message_count;
		goal_matching_release(&matching);
		goal_release(&goal);
	}
	assert_true(messages > 20000);
}

static void matching_goes_by_tag_where_the_orders_differ(void **state)
{
	struct goal goal;
	struct goal_matching matching;
	struct error err;

	(void)state;
	open_text(&goal,
		  "num_ranks 2\n"
		  "rank 0 {\nsend 1b to 1 tag 1\nsend 2b to 1 tag 2\nsend 3b to 1 tag 1\n}\n"
		  "rank 1 {\nrecv 2b from 0 tag 2\nrecv 1b from 0 tag 1\nrecv 3b from 0 tag 1\n"
		  "}\n");
	assert_int_equal(goal_match(&matching, &goal, &err), 0);
	assert_int_equal(matching.message_count, 3);
	assert_int_equal(matching.partner[0], 4);
	assert_int_equal(matching.partner[1], 3);
	assert_int_equal(matching.partner[2], 5);
	goal_matching_release(&matching);
	goal_release(&goal);
}

static void assert_check_fails(const char *text, enum status status, const char *expected)
{
	struct goal goal;
	struct error err = {0};

	open_text(&goal, text);
	assert_int_equal(goal_check(&goal, NULL, &err), -1);
	assert_int_equal(err.status, status);
	assert_string_equal(err.text, expected);
	goal_release(&goal);
}

static void operations_left_over_are_counted_and_the_first_named(void **state)
{
	(void)state;
	assert_check_fails("num_ranks 3\n"
			   "rank 0 {\ncalc 5\nsend 8b to 1 tag 5\nsend 9b to 1 tag 5\n}\n"
			   "rank 1 {\nrecv 8b from 0 tag 5\nrecv 8b from 0 tag 6\n"
			   "recv 8b from 2 tag 5\n}\nrank 2 {\n}\n",
			   STATUS_DATA,
			   "1 send and 2 receives have no partner; the first is"
			   " rank 0, operation 2 (send 9 bytes to 1, tag 5)");
	/* Leftovers among tags in another order do not keep the others from their partners. */
	assert_check_fails("num_ranks 2\n"
			   "rank 0 {\nsend 1b to 1 tag 4\nsend 1b to 1 tag 2\nsend 1b to 1 tag 6\n"
			   "}\n"
			   "rank 1 {\nrecv 1b from 0 tag 6\nrecv 1b from 0 tag 5\n"
			   "recv 1b from 0 tag 1\nrecv 1b from 0 tag 4\n}\n",
			   STATUS_DATA,
			   "1 send and 2 receives have no partner; the first is"
			   " rank 0, operation 1 (send 1 byte to 1, tag 2)");
	/* A tag may be the number of an operation. */
	assert_check_fails("num_ranks 2\nrank 0 {\nsend 8b to 1 tag 1\n}\n"
			   "rank 1 {\nrecv 8b from 0 tag 0\n}\n",
			   STATUS_DATA,
			   "1 send and 1 receive have no partner; the first is"
			   " rank 0, operation 0 (send 8 bytes to 1, tag 1)");
	assert_check_fails("num_ranks 1\nrank 0 {\nrecv 8b from 0 tag 5\n}\n", STATUS_DATA,
			   "0 sends and 1 receive have no partner; the first is"
			   " rank 0, operation 0 (recv 8 bytes from 0, tag 5)");
}

static void removing_any_message_half_is_found(void **state)
{
	const struct random_shape shape = {.most_ranks = 4, .most_ops = 12, .matched = true};
	uint64_t numbers = 5;

	(void)state;
	for (int round = 0; round < 300; round++) {
		struct goal goal;
		struct goal_matching matching;
		struct error err = {0};
		uint32_t victim, rank;
		uint8_t *kind;

		make_random_goal(&goal, &numbers, &shape);
		if (goal.op_count == 0) {
			goal_release(&goal);
			continue;
		}
		victim = random_below(&numbers, goal.op_count);
		if (op_of(&goal, victim, &rank).kind != GOAL_CALC) {
			/* Make it a calc: this test owns the images of random graphs. */
			kind = (uint8_t *)goal.ranks[rank].ops + 4 +
			       (size_t)(victim - goal.ranks[rank].first_op) * GOAL_OP_BYTES;
			*kind = GOAL_CALC;
			assert_int_equal(goal_match(&matching, &goal, &err), -1);
			assert_int_equal(err.status, STATUS_DATA);
		}
		goal_release(&goal);
	}
}

static void wildcards_are_a_limit_and_are_named(void **state)
{
	(void)state;
	assert_check_fails("num_ranks 1\nrank 0 {\nsend 1b to 0\nrecv 1b from -1 tag 3\n}\n",
			   STATUS_LIMIT,
			   "rank 0, operation 1 (recv 1 byte from any rank, tag 3):"
			   " only a run could tell which message matches any source or tag");
	assert_check_fails("num_ranks 1\nrank 0 {\nsend 1b to 0\nrecv 1b from 0 tag -1\n}\n",
			   STATUS_LIMIT,
			   "rank 0, operation 1 (recv 1 byte from 0, any tag):"
			   " only a run could tell which message matches any source or tag");
}

static void operations_after_a_wildcard_are_not_run(void **state)
{
	/* The message of rank 1 to itself, and more calcs than rank 0 has that wait for it. */
	enum { WAITING = 30 };
	char *bytes;
	size_t size;
	FILE *text = open_memstream(&bytes, &size);

	(void)state;
	assert_non_null(text);
	fprintf(text, "num_ranks 2\nrank 0 {\ncalc 1\n}\nrank 1 {\nz: calc 1\n"
		      "recv 1b from -1\ns: send 1b to 1\nr: recv 1b from 1\nc: calc 1\n");
	for (int i = 0; i < WAITING; i++)
		fprintf(text, "t%d: calc 1\n", i);
	fprintf(text, "e: calc 1\nz requires e\ns requires c\nr requires c\n");
	for (int i = 0; i < WAITING; i++)
		fprintf(text, "t%d requires r\n", i);
	fprintf(text, "}\n");
	fclose(text);
	assert_check_fails(bytes, STATUS_LIMIT,
			   "rank 1, operation 1 (recv 1 byte from any rank, tag 0):"
			   " only a run could tell which message matches any source or tag");
	free(bytes);
}

static void a_circle_of_dependencies_is_named(void **state)
{
	(void)state;
	assert_check_fails("num_ranks 2\nrank 0 {\n}\n"
			   "rank 1 {\na: calc 1\nb: calc 2\na requires b\nb irequires a\n}\n",
			   STATUS_DATA,
			   "the graph is cyclic: 2 operations wait for each other in"
			   " a circle: rank 1, operation 0 (calc 1 ns), rank 1, operation 1"
			   " (calc 2 ns)");
}

static void a_circle_through_messages_is_named(void **state)
{
	/* Both ranks receive before they send. */
	(void)state;
	assert_check_fails("num_ranks 2\n"
			   "rank 0 {\nr: recv 1b from 1\ns: send 1b to 1\ns requires r\n}\n"
			   "rank 1 {\nr: recv 1b from 0\ns: send 1b to 0\ns requires r\n}\n",
			   STATUS_DATA,
			   "the graph is cyclic: 2 operations wait for each other in"
			   " a circle: rank 0, operation 1 (send 1 byte to 1, tag 0), rank 1,"
			   " operation 1 (send 1 byte to 0, tag 0)");
}

static void assert_check_passes(const char *text, uint32_t messages)
{
	struct goal goal;
	struct error err = {0};
	uint32_t count = ~0u;

	open_text(&goal, text);
	if (goal_check(&goal, &count, &err) < 0)
		fail_msg("%s", err.text);
	assert_int_equal(count, messages);
	goal_release(&goal);
}

static void posting_a_receive_before_the_send_is_not_a_circle(void **state)
{
	(void)state;
	assert_check_passes("num_ranks 2\n"
			    "rank 0 {\nr: recv 1b from 1\ns: send 1b to 1\ns irequires r\n}\n"
			    "rank 1 {\nr: recv 1b from 0\ns: send 1b to 0\ns irequires r\n}\n",
			    2);
}

static void sends_do_not_wait_for_their_receives(void **state)
{
	(void)state;
	assert_check_passes("num_ranks 2\n"
			    "rank 0 {\ns: send 1b to 1\nr: recv 1b from 1\nr requires s\n}\n"
			    "rank 1 {\ns: send 1b to 0\nr: recv 1b from 0\nr requires s\n}\n",
			    2);
	assert_check_passes("num_ranks 1\nrank 0 {\n}\n", 0);
}

static void numbers_lead_to_their_ranks_past_empty_ones(void **state)
{
	struct goal goal;
	char text[GOAL_TEXT_BYTES];

	(void)state;
	open_text(&goal, "num_ranks 5\nrank 0 {\n}\nrank 1 {\ncalc 1\ncalc 2\n}\nrank 2 {\n}\n"
			 "rank 3 {\ncalc 3\n}\nrank 4 {\n}\n");
	assert_int_equal(goal_rank_of(&goal, 0), 1);
	assert_int_equal(goal_rank_of(&goal, 1), 1);
	assert_int_equal(goal_rank_of(&goal, 2), 3);
	assert_string_equal(goal_describe(&goal, 2, text), "rank 3, operation 0 (calc 3 ns)");
	goal_release(&goal);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(matching_agrees_with_its_definition),
		cmocka_unit_test(large_graphs_are_matched_as_small_ones),
		cmocka_unit_test(matching_goes_by_tag_where_the_orders_differ),
		cmocka_unit_test(operations_left_over_are_counted_and_the_first_named),
		cmocka_unit_test(removing_any_message_half_is_found),
		cmocka_unit_test(wildcards_are_a_limit_and_are_named),
		cmocka_unit_test(operations_after_a_wildcard_are_not_run),
		cmocka_unit_test(a_circle_of_dependencies_is_named),
		cmocka_unit_test(a_circle_through_messages_is_named),
		cmocka_unit_test(posting_a_receive_before_the_send_is_not_a_circle),
		cmocka_unit_test(sends_do_not_wait_for_their_receives),
		cmocka_unit_test(numbers_lead_to_their_ranks_past_empty_ones),
	};

	return cmocka_run_group_tests_name("goal match", tests, NULL, NULL);
}
