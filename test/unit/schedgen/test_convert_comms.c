/* From MPI calls to graphs: communicators, tags, collectives, unmatched messages. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "schedgen/convert/message_balance.h"
#include "test/unit/lib/make/feed.h"

#include <string.h>

#define NEW_TAG UINT32_C(0x80000000)

static int setup(void **state)
{
	static struct feed feed;

	feed_init(&feed, NULL);
	*state = &feed;
	return 0;
}

static int release(void **state)
{
	feed_release(*state);
	return 0;
}

static uint32_t tag_of(const struct feed *feed, uint32_t op)
{
	return feed_tag(feed, op);
}

static uint32_t peer_of(const struct feed *feed, uint32_t op)
{
	return feed->convert.builder.ops.items[op].peer;
}

/* ---------------------------------------------------------------- communicators */

static void ranks_of_communicators_become_world_ranks(void **state)
{
	struct feed *feed = *state;

	feed_begin(feed, 3);
	feed_ok(feed, 0, "MPI_Send", SEND(2, 1, 5, 8));
	feed_ok(feed, 0, "MPI_Sendrecv", SEND(1, 0, 5, 8), RECV(1, 0, 5, 8));
	feed_end(feed);
	assert_int_equal(peer_of(feed, 0), 1);
	assert_int_equal(peer_of(feed, 1), 3);
	assert_int_equal(peer_of(feed, 2), 3);
}

static void ranks_of_an_inter_communicator_are_those_of_the_other_group(void **state)
{
	struct feed *feed = *state;

	for (uint32_t rank = 0; rank < 4; rank++) {
		feed_begin(feed, rank);
		feed_ok(feed, 0, "MPI_Send", SEND(4, 1, 5, 8));
		feed_end(feed);
		assert_int_equal(peer_of(feed, 0), rank < 2 ? 3 : 1);
	}
}

static void tags_differ_between_communicators_and_agree_between_ranks(void **state)
{
	struct feed *feed = *state;
	uint32_t first[5];

	for (uint32_t rank = 1; rank < 4; rank += 2) {
		feed_begin(feed, rank);
		feed_ok(feed, 0, "MPI_Send", SEND(0, 0, 5, 8));
		feed_ok(feed, 0, "MPI_Send", SEND(2, 0, 5, 8));
		feed_ok(feed, 0, "MPI_Send", SEND(3, 0, 5, 8));
		feed_ok(feed, 0, "MPI_Send", SEND(3, 0, 6, 8));
		feed_ok(feed, 0, "MPI_Send", SEND(0, 0, NEW_TAG, 8));
		feed_end(feed);
		for (uint32_t i = 0; i < 5; i++) {
			if (rank == 1)
				first[i] = tag_of(feed, i);
			assert_int_equal(tag_of(feed, i), first[i]);
			for (uint32_t j = 0; j < i; j++)
				assert_int_not_equal(first[i], first[j]);
		}
	}
	assert_int_equal(first[0], 5);
	for (int i = 1; i < 5; i++)
		assert_true(first[i] >= NEW_TAG);
}

/* ------------------------------------------------------------------ collectives */

static void collective_runs_among_the_ranks_of_its_communicator(void **state)
{
	struct feed *feed = *state;

	feed_begin(feed, 1);
	feed_ok(feed, 100, "MPI_Barrier", COLLECTIVE(COLL_BARRIER, 2));
	feed_plain(feed, 200, "MPI_Finalize");
	feed_end(feed);
	feed_expect(feed, "calc 100\n"
			  "send 0 to 3 tag 2147483648 > 0\n"
			  "recv 0 from 3 tag 2147483648 > 0\n"
			  "calc 200 > 1 2\n");
}

static void collective_of_one_rank_has_no_operations(void **state)
{
	struct feed *feed = *state;

	feed_begin(feed, 1);
	feed_ok(feed, 100, "MPI_Allreduce", COLLECTIVE(COLL_ALLREDUCE, 1));
	feed_plain(feed, 200, "MPI_Finalize");
	feed_end(feed);
	feed_expect(feed, "calc 100\ncalc 200 > 0\n");
}

static void chosen_algorithm_is_used(void **state)
{
	struct convert_options options = {.compute_scale = 1};
	struct mpi_event bcast = COLLECTIVE(COLL_BCAST, 0);
	uint64_t sends[2];
	struct feed feed;

	(void)state;
	bcast.root = 0;
	bcast.bytes_sent = 4 * 8;
	bcast.bytes_received = 8;
	for (int i = 0; i < 2; i++) {
		options.choices[COLL_BCAST].algorithm = coll_find(COLL_BCAST,
								  i ? "linear" : "binomial");
		feed_init(&feed, &options);
		feed_begin(&feed, 0);
		feed_must(&feed, feed_call(&feed, 0, "MPI_Bcast", 1, &bcast));
		feed_end(&feed);
		sends[i] = 0;
		for (size_t op = 0; op < feed.convert.builder.ops.count; op++)
			sends[i] += feed.convert.builder.ops.items[op].kind == GOAL_SEND;
		feed_release(&feed);
	}
	assert_int_equal(sends[0], 2);
	assert_int_equal(sends[1], 3);
}

static void nonblocking_collective_begins_where_it_is_started(void **state)
{
	struct feed *feed = *state;

	feed_begin(feed, 1);
	feed_ok(feed, 100, "MPI_Ibarrier", ICOLL(9));
	feed_ok(feed, 300, "MPI_Wait", ICOLL_DONE(COLL_BARRIER, 2, 9));
	feed_plain(feed, 200, "MPI_Finalize");
	feed_end(feed);
	feed_expect(feed, "calc 100\n"
			  "calc 300 > 0\n"
			  "send 0 to 3 tag 2147483648 > 0\n"
			  "recv 0 from 3 tag 2147483648 > 0\n"
			  "calc 200 > 1 2 3\n");
}

static void nonblocking_collectives_match_in_the_order_of_their_start(void **state)
{
	struct feed *feed = *state;
	uint32_t first[2];

	/* Rank 1 completes them in the order of their start, rank 3 the other way round. */
	feed_begin(feed, 1);
	feed_ok(feed, 0, "MPI_Ibarrier", ICOLL(1));
	feed_ok(feed, 0, "MPI_Ibarrier", ICOLL(2));
	feed_ok(feed, 0, "MPI_Waitall", ICOLL_DONE(COLL_BARRIER, 2, 1),
		ICOLL_DONE(COLL_BARRIER, 2, 2));
	feed_end(feed);
	first[0] = tag_of(feed, 0);
	first[1] = tag_of(feed, 2);
	assert_int_not_equal(first[0], first[1]);
	feed_begin(feed, 3);
	feed_ok(feed, 0, "MPI_Ibarrier", ICOLL(1));
	feed_ok(feed, 0, "MPI_Ibarrier", ICOLL(2));
	feed_ok(feed, 0, "MPI_Wait", ICOLL_DONE(COLL_BARRIER, 2, 2));
	feed_ok(feed, 0, "MPI_Wait", ICOLL_DONE(COLL_BARRIER, 2, 1));
	feed_end(feed);
	/* A calc keeps the order of the two waits. */
	assert_int_equal(tag_of(feed, 0), first[1]);
	assert_int_equal(tag_of(feed, 3), first[0]);
}

/* Start persistent collectives of two ranks in this order, and store the tags of their sends. */
static void start_persistent(struct feed *feed, uint32_t rank, const uint32_t *order,
			     uint32_t *tags)
{
	feed_begin(feed, rank);
	for (uint32_t i = 0; i < 4; i++) {
		struct mpi_event done = ICOLL_DONE(COLL_BARRIER, 2, i);

		done.persistent = order[i];
		feed_ok(feed, 0, "MPI_Start", ICOLL(i));
		feed_must(feed, feed_call(feed, 0, "MPI_Wait", 1, &done));
	}
	feed_end(feed);
	for (uint32_t op = 0, i = 0; i < 4; op++)
		if (feed->convert.builder.ops.items[op].kind == GOAL_SEND)
			tags[i++] = tag_of(feed, op);
}

static void persistent_collectives_match_in_the_order_in_which_they_were_made(void **state)
{
	/* Two persistent ones, started twice each, the first of rank 3 after the second one. */
	static const uint32_t of_1[] = {1, 2, 1, 2}, of_3[] = {2, 2, 1, 1};
	struct feed *feed = *state;
	uint32_t at_1[4], at_3[4];

	start_persistent(feed, 1, of_1, at_1);
	start_persistent(feed, 3, of_3, at_3);
	assert_int_equal(at_1[0], at_3[2]);
	assert_int_equal(at_1[2], at_3[3]);
	assert_int_equal(at_1[1], at_3[0]);
	assert_int_equal(at_1[3], at_3[1]);
	for (int i = 0; i < 4; i++)
		for (int k = 0; k < i; k++)
			assert_int_not_equal(at_1[i], at_1[k]);
}

/* Expect the numbers of a list of all tags in the order of their first use. */
static void tags_of_nonblocking_collectives_are_numbered_after_all_others_of_the_rank(void **state)
{
	enum { COMMS = 3, MOST = 400, TAGS_BETWEEN = 9 };
	struct goal_tags tags = {.world_comm = NO_COMM}, joined = {.world_comm = NO_COMM};
	uint32_t expected[COMMS][MOST], numbers[2 * MOST], given = 0, seed = 1;
	bool plain[TAGS_BETWEEN] = {false};
	struct error err;

	(void)state;
	memset(expected, 0, sizeof expected);
	for (uint32_t rank = 0; rank < 20; rank++) {
		uint32_t next[COMMS] = {0}, of[2 * MOST], count = 0;

		goal_tags_clear(&tags);
		/* Runs on one communicator, then changes between them. */
		for (uint32_t i = 0; i < 2 * MOST; i++) {
			struct tag tag = {.use = TAG_NONBLOCKING};

			seed = seed * 1103515245 + 12345;
			tag.comm = i < 30 + 10 * rank ? 0 : seed >> 16 & 1 ? 1 : i / 100 % COMMS;
			if (next[tag.comm] == MOST)
				continue;
			of[count] = tag.comm * MOST + next[tag.comm];
			tag.number = next[tag.comm]++;
			assert_int_equal(goal_tags_nonblocking(&tags, tag, &numbers[count++], &err),
					 0);
			tag = (struct tag){.use = TAG_PARTITIONED, .number = i % (rank / 2 + 1)};
			if (tag.number < TAGS_BETWEEN)
				assert_int_equal(goal_tags_number(&tags, tag, &(uint32_t){0}, &err),
						 0);
		}
		for (uint32_t i = 0; i < tags.list.count; i++) {
			given += !plain[tags.list.items[i].number];
			plain[tags.list.items[i].number] = true;
		}
		for (uint32_t i = 0; i < count; i++)
			if (!expected[of[i] / MOST][of[i] % MOST])
				expected[of[i] / MOST][of[i] % MOST] = GOAL_TAGS_FIRST_NEW +
								       given++;
		assert_int_equal(goal_tags_join(&tags, &joined, &err), 0);
		for (uint32_t i = 0; i < count; i++) {
			assert_true(goal_tags_is_nonblocking(&tags, numbers[i]));
			assert_int_equal(goal_tags_find(&tags, numbers[i]).comm, of[i] / MOST);
			assert_int_equal(goal_tags_find(&tags, numbers[i]).number, of[i] % MOST);
			assert_int_equal(goal_tags_joined(&tags, numbers[i]),
					 expected[of[i] / MOST][of[i] % MOST]);
		}
	}
	goal_tags_release(&tags);
	goal_tags_release(&joined);
}

static void making_a_communicator_is_a_barrier_of_those_who_make_it(void **state)
{
	struct feed *feed = *state;

	feed_begin(feed, 1);
	feed_ok(feed, 0, "MPI_Comm_dup", {.kind = EVENT_COMM_CREATE, .comm = 3},
		COLLECTIVE(COLL_CREATE_HANDLE, 2));
	/* Record another communicator than the callers', as Score-P does. */
	feed_ok(feed, 0, "MPI_Comm_create_group", {.kind = EVENT_COMM_CREATE, .comm = 2},
		COLLECTIVE(COLL_CREATE_HANDLE, 0));
	feed_ok(feed, 0, "MPI_Comm_idup", ICOLL(9));
	feed_ok(feed, 0, "MPI_Wait", ICOLL_DONE(COLL_CREATE_HANDLE, 2, 9));
	feed_end(feed);
	feed_expect(feed, "send 0 to 3 tag 2147483648\n"
			  "recv 0 from 3 tag 2147483648\n"
			  "send 0 to 3 tag 2147483648 > 0 1\n"
			  "recv 0 from 3 tag 2147483648 > 0 1\n"
			  "calc 0 > 2 3\n"
			  "send 0 to 3 tag 2147483649 > 4\n"
			  "recv 0 from 3 tag 2147483649 > 4\n");
}

static void making_an_inter_communicator_is_a_barrier_of_both_groups(void **state)
{
	struct feed *feed = *state;

	feed_begin(feed, 0);
	/* The record has the communicator of the rank's own group. */
	feed_ok(feed, 0, "MPI_Intercomm_create", {.kind = EVENT_COMM_CREATE, .comm = 4},
		COLLECTIVE(COLL_CREATE_HANDLE, 1));
	feed_end(feed);
	/*
	 * Barrier of the group.  Rank 0 notifies the other group, is notified, and notifies its
	 * own.
	 */
	feed_expect(feed, "send 0 to 1 tag 2147483648\n"
			  "recv 0 from 1 tag 2147483648\n"
			  "send 0 to 2 tag 2147483648 > 0 1\n"
			  "recv 0 from 2 tag 2147483648 > 2\n"
			  "send 0 to 1 tag 2147483648 > 3\n");
}

/* A collective of neighbours on "odd" = {3, 1}. */
static struct mpi_event of_neighbours(const char *neighbours, uint32_t in, uint32_t out)
{
	static const uint64_t bytes[] = {5, 6, 7};
	struct mpi_event event = COLLECTIVE(COLL_ALLTOALLV, 2);

	event.neighbours = neighbours;
	event.send_bytes = event.receive_bytes = bytes;
	event.receive_count = in;
	event.send_count = out;
	return event;
}

static void neighbours_get_a_message_for_each_edge(void **state)
{
	const struct mpi_event event = of_neighbours("0,1,0;1,0,0", 3, 3);
	struct feed *feed = *state;

	feed_begin(feed, 1);
	feed_must(feed, feed_call(feed, 0, "MPI_Neighbor_alltoallv", 1, &event));
	feed_end(feed);
	feed_expect(feed, "recv 5 from 3 tag 2147483648\n"
			  "recv 7 from 3 tag 2147483648\n"
			  "send 6 to 3 tag 2147483648\n"
			  "send 7 to 3 tag 2147483648\n");
}

static void lists_of_neighbours_that_are_none_are_refused(void **state)
{
	static const char *const wrong[] = {"", "0", "0;2", "0;0,", ",0;0", "0;0;", "x;0", "0;0x",
					    "0,0;0", "0;", "1;0", "0;99999999999999999999"};
	struct feed *feed = *state;

	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		const struct mpi_event event = of_neighbours(wrong[i], 1, 1);

		feed_begin(feed, 1);
		if (feed_call(feed, 0, "MPI_Neighbor_alltoallv", 1, &event) == 0)
			fail_msg("\"%s\" is taken", wrong[i]);
		assert_int_equal(feed->err.status, STATUS_DATA);
	}
}

/* --------------------------------------------------------------------- balance */

/* Convert two ranks with the given events, and return the result of the check. */
static int check_two(struct feed *feed, const struct mpi_event *of_0, const struct mpi_event *of_1,
		     uint32_t count)
{
	struct message_balance balance;
	int result;

	feed_must(feed, message_balance_init(&balance, &feed_world, 1, &feed->err));
	for (uint32_t rank = 0; rank < 2; rank++) {
		feed_begin(feed, rank);
		feed_must(feed, feed_call(feed, 0, "MPI_Some", count, rank ? of_1 : of_0));
		feed_end(feed);
		feed_must(feed, message_balance_rank(&balance, rank, &feed->convert.builder,
						     &feed->convert.tags, &feed->err));
	}
	feed->err.text[0] = '\0';
	result = message_balance_check(&balance, &feed->err);
	message_balance_release(&balance);
	return result;
}

static void matched_messages_are_in_balance_in_any_order(void **state)
{
	const struct mpi_event of_0[] = {SEND(0, 1, 5, 8), SEND(3, 1, 5, 8), RECV(0, 1, 7, 2)};
	const struct mpi_event of_1[] = {SEND(0, 0, 7, 2), RECV(3, 0, 5, 8), RECV(0, 0, 5, 8)};

	assert_int_equal(check_two(*state, of_0, of_1, 3), 0);
}

static void whatever_is_left_over_is_found(void **state)
{
	struct feed *feed = *state;
	const struct mpi_event send = SEND(0, 1, 5, 8);
	const struct mpi_event wrong[] = {
		RECV(0, 0, 6, 8),	/* tag */
		RECV(3, 0, 5, 8),	/* communicator */
		RECV(0, 2, 5, 8),	/* source */
		SEND(0, 2, 5, 8),	/* no receive at all */
	};

	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		assert_int_equal(check_two(feed, &send, &wrong[i], 1), -1);
		assert_int_equal(feed->err.status, STATUS_DATA);
		assert_non_null(strstr(feed->err.text, "from rank 0 (1 sent"));
		assert_non_null(strstr(feed->err.text, "communicator 0"));
	}
}

/* Ranks 1 and 3 complete these persistent collectives; the result of the check. */
static int check_persistent(struct feed *feed, uint32_t of_1, uint32_t of_3)
{
	struct message_balance balance;
	int result;

	feed_must(feed, message_balance_init(&balance, &feed_world, 1, &feed->err));
	for (uint32_t rank = 1; rank < 4; rank += 2) {
		struct mpi_event done = ICOLL_DONE(COLL_ALLREDUCE, 2, 7);

		done.bytes_sent = done.bytes_received = 16;
		done.persistent = rank == 1 ? of_1 : of_3;
		feed_begin(feed, rank);
		feed_ok(feed, 0, "MPI_Start", ICOLL(7));
		feed_must(feed, feed_call(feed, 0, "MPI_Wait", 1, &done));
		feed_end(feed);
		feed_must(feed, message_balance_rank(&balance, rank, &feed->convert.builder,
						     &feed->convert.tags, &feed->err));
	}
	assert_int_equal(balance.messages, 2);
	result = message_balance_check(&balance, &feed->err);
	message_balance_release(&balance);
	return result;
}

static void different_persistent_collectives_are_not_in_balance(void **state)
{
	assert_int_equal(check_persistent(*state, 2, 2), 0);
	assert_int_equal(check_persistent(*state, 1, 2), -1);
}

/* The hash of none of them may be zero. */
static void a_message_of_rank_0_to_itself_is_left_over_as_others_are(void **state)
{
	const struct mpi_event send = SEND(0, 0, 0, 8), nothing = TESTED(1);

	assert_int_equal(check_two(*state, &send, &nothing, 1), -1);
}

static void messages_of_ranks_to_themselves_are_counted(void **state)
{
	const struct mpi_event events[] = {SEND(0, 1, 5, 8), SEND(0, 0, 5, 8), RECV(0, 0, 5, 8),
					   SEND(1, 0, 6, 8), RECV(1, 0, 6, 8)};
	struct feed *feed = *state;
	struct message_balance all, balance;

	feed_must(feed, message_balance_init(&all, &feed_world, 1, &feed->err));
	feed_must(feed, message_balance_init(&balance, &feed_world, 1, &feed->err));
	feed_begin(feed, 0);
	feed_must(feed, feed_call(feed, 0, "MPI_Some", 5, events));
	feed_end(feed);
	feed_must(feed, message_balance_rank(&balance, 0, &feed->convert.builder,
					     &feed->convert.tags, &feed->err));
	message_balance_add(&all, &balance);
	assert_int_equal(all.messages, 3);
	assert_int_equal(all.own_messages, 2);
	message_balance_release(&balance);
	message_balance_release(&all);
}

static void nodes_of_a_communicator_are_those_of_its_ranks(void **state)
{
	static const uint32_t world_nodes[] = {0, 1, 0, 2, 1}, ranks[] = {4, 3, 1, 2},
			      of[] = {0, 1, 0, 2}, first[] = {0, 2, 3, 4},
			      members[] = {0, 2, 1, 3}, leaders[] = {0, 1, 3};
	const struct trace_comm comms[] = {
		{.defined = true, .self = true, .size = 1},
		{.defined = true, .size = 4, .ranks = ranks},
	};
	struct trace_world world = {.rank_count = 5, .comm_count = 2, .comms = comms};
	struct comm_nodes nodes = {0};
	const struct coll_nodes *found, *again;
	struct error err;

	(void)state;
	assert_int_equal(comm_nodes_find(&nodes, &world, 0, 1, 4, &found, &err), 0);
	assert_null(found);
	world.nodes = world_nodes;
	assert_int_equal(comm_nodes_find(&nodes, &world, 0, 0, 1, &found, &err), 0);
	assert_null(found);
	assert_int_equal(comm_nodes_find(&nodes, &world, 0, 1, 4, &found, &err), 0);
	assert_int_equal(found->count, 3);
	assert_false(found->consecutive);
	assert_memory_equal(found->of, of, sizeof of);
	assert_memory_equal(found->first, first, sizeof first);
	assert_memory_equal(found->members, members, sizeof members);
	assert_memory_equal(found->leaders, leaders, sizeof leaders);
	assert_int_equal(comm_nodes_find(&nodes, &world, 0, 1, 4, &again, &err), 0);
	assert_ptr_equal(found, again);
	comm_nodes_release(&nodes);
	/* Copies have nodes of their own. */
	assert_int_equal(comm_nodes_find(&nodes, &world, 0, 1, 8, &found, &err), 0);
	assert_int_equal(found->count, 6);
	for (int i = 0; i < 4; i++) {
		assert_int_equal(found->of[i], of[i]);
		assert_int_equal(found->of[4 + i], 3 + of[i]);
	}
	comm_nodes_release(&nodes);
}

static void ranks_per_node_places_successive_ranks_on_a_node(void **state)
{
	static const uint32_t world_nodes[] = {0, 0, 0, 0, 0}, ranks[] = {0, 1, 3, 4},
			      of[] = {0, 0, 1, 2, 2, 3, 4, 4};
	const struct trace_comm comm = {.defined = true, .size = 4, .ranks = ranks};
	struct trace_world world = {
		.rank_count = 5, .comm_count = 1, .comms = &comm, .nodes = world_nodes
	};
	struct comm_nodes nodes = {0};
	const struct coll_nodes *found;
	struct error err;

	(void)state;
	/* Two copies: the ranks 0, 1, 3, 4, 5, 6, 8, 9 on nodes of two. */
	assert_int_equal(comm_nodes_find(&nodes, &world, 2, 0, 8, &found, &err), 0);
	assert_int_equal(found->count, 5);
	assert_true(found->consecutive);
	assert_memory_equal(found->of, of, sizeof of);
	comm_nodes_release(&nodes);
	world.nodes = NULL;
	assert_int_equal(comm_nodes_find(&nodes, &world, 3, 0, 4, &found, &err), 0);
	assert_int_equal(found->count, 2);
	comm_nodes_release(&nodes);
}

#define FED(test) cmocka_unit_test_setup_teardown(test, setup, release)

int main(void)
{
	const struct CMUnitTest tests[] = {
		FED(ranks_of_communicators_become_world_ranks),
		FED(ranks_of_an_inter_communicator_are_those_of_the_other_group),
		FED(tags_differ_between_communicators_and_agree_between_ranks),
		FED(collective_runs_among_the_ranks_of_its_communicator),
		FED(collective_of_one_rank_has_no_operations),
		cmocka_unit_test(chosen_algorithm_is_used),
		cmocka_unit_test(nodes_of_a_communicator_are_those_of_its_ranks),
		cmocka_unit_test(ranks_per_node_places_successive_ranks_on_a_node),
		FED(nonblocking_collective_begins_where_it_is_started),
		FED(nonblocking_collectives_match_in_the_order_of_their_start),
		cmocka_unit_test(
			tags_of_nonblocking_collectives_are_numbered_after_all_others_of_the_rank),
		FED(persistent_collectives_match_in_the_order_in_which_they_were_made),
		FED(making_a_communicator_is_a_barrier_of_those_who_make_it),
		FED(making_an_inter_communicator_is_a_barrier_of_both_groups),
		FED(neighbours_get_a_message_for_each_edge),
		FED(lists_of_neighbours_that_are_none_are_refused),
		FED(matched_messages_are_in_balance_in_any_order),
		FED(whatever_is_left_over_is_found),
		FED(different_persistent_collectives_are_not_in_balance),
		FED(a_message_of_rank_0_to_itself_is_left_over_as_others_are),
		FED(messages_of_ranks_to_themselves_are_counted),
	};

	return cmocka_run_group_tests_name("convert_comms", tests, NULL, NULL);
}
