/* Tests of following a rank's calls (trace/call/call_tracker.h). */
#include "trace/call/call_tracker.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "test/unit/lib/must.h"
#include "trace/call/mpi_functions.h"

/* The world, each rank itself, {3, 1}, an inter-communicator of {0, 1} and {2, 3}, not defined. */
static const uint32_t all[] = {0, 1, 2, 3}, odd[] = {3, 1};
static const struct trace_comm comms[] = {
	{.defined = true, .identity = true, .size = 4, .ranks = all},
	{.defined = true, .self = true, .size = 1},
	{.defined = true, .size = 2, .ranks = odd},
	{.defined = true,
	 .inter = true,
	 .size = 2,
	 .ranks = all,
	 .remote_size = 2,
	 .remote_ranks = all + 2},
	{.defined = false},
};
enum { WORLD, SELF, ODD, INTER, UNDEFINED, COMMS };
static const struct trace_world world = {.rank_count = 4, .comm_count = COMMS, .comms = comms};

static struct call_tracker tracker;
static struct tracked_request request, before;
static struct error err;

static int set_up(void **state)
{
	(void)state;
	tracker = (struct call_tracker){0};
	call_tracker_begin(&tracker, &world, 1);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	call_tracker_release(&tracker);
	return 0;
}

static int start(enum mpi_event_kind kind, uint64_t number)
{
	const struct mpi_event event = {.kind = kind, .request = number};
	const int result = call_tracker_start(&tracker, &event, &request, &before, &err);

	MUST(result);
	return result;
}

static bool complete(enum mpi_event_kind kind, uint64_t number)
{
	const struct mpi_event event = {.kind = kind, .request = number};

	return call_tracker_complete(&tracker, &event, &request);
}

static void a_completion_belongs_to_its_start(void **state)
{
	uint32_t places[3];

	(void)state;
	assert_int_equal(start(EVENT_ISEND, 70), 0);
	places[0] = request.place;
	assert_int_equal(start(EVENT_IRECV_REQUEST, 60), 0);
	places[1] = request.place;
	assert_int_equal(start(EVENT_COLLECTIVE_REQUEST, UINT64_MAX), 0);
	places[2] = request.place;
	assert_true(complete(EVENT_IRECV, 60));
	assert_int_equal(request.kind, TRACKED_RECV);
	assert_int_equal(request.place, places[1]);
	assert_true(complete(EVENT_COLLECTIVE_COMPLETE, UINT64_MAX));
	assert_int_equal(request.kind, TRACKED_COLLECTIVE);
	assert_int_equal(request.place, places[2]);
	assert_true(complete(EVENT_REQUEST_CANCELLED, 70));
	assert_int_equal(request.kind, TRACKED_SEND);
	assert_int_equal(request.place, places[0]);
	assert_false(complete(EVENT_ISEND_COMPLETE, 70));
}

static void places_are_fewer_than_requests_that_were_active_at_once(void **state)
{
	(void)state;
	for (uint64_t i = 0; i < 1000; i++) {
		start(EVENT_ISEND, 2 * i);
		assert_in_range(request.place, 0, 2);
		start(EVENT_IRECV_REQUEST, 2 * i + 1);
		assert_in_range(request.place, 0, 2);
		if (i)
			assert_true(complete(EVENT_ISEND_COMPLETE, 2 * i - 2));
		assert_true(complete(EVENT_IRECV, 2 * i + 1));
	}
}

static void a_number_that_is_used_again_hands_back_the_first_request(void **state)
{
	uint32_t first;

	(void)state;
	start(EVENT_ISEND, 5);
	first = request.place;
	assert_int_equal(start(EVENT_IRECV_REQUEST, 5), 1);
	assert_int_equal(before.kind, TRACKED_SEND);
	assert_int_equal(before.place, first);
	assert_int_not_equal(request.place, first);
	assert_true(complete(EVENT_IRECV, 5));
	assert_false(complete(EVENT_ISEND_COMPLETE, 5));
}

static void a_collective_has_the_number_of_those_started_before(void **state)
{
	(void)state;
	start(EVENT_COLLECTIVE_REQUEST, 1);
	assert_int_equal(request.ordinal, 0);
	start(EVENT_ISEND, 9);
	start(EVENT_COLLECTIVE_REQUEST, 2);
	assert_int_equal(request.ordinal, 1);
	/* Without a start it starts now. */
	assert_false(complete(EVENT_COLLECTIVE_COMPLETE, 3));
	assert_int_equal(request.ordinal, 2);
	start(EVENT_COLLECTIVE_REQUEST, 4);
	assert_int_equal(request.ordinal, 3);
	assert_true(complete(EVENT_COLLECTIVE_COMPLETE, 2));
	assert_int_equal(request.ordinal, 1);
}

static void requests_that_are_active_are_listed(void **state)
{
	unsigned kinds = 0;
	size_t at = 0;

	(void)state;
	assert_false(call_tracker_next(&tracker, &at, &request));
	start(EVENT_ISEND, 1);
	start(EVENT_IRECV_REQUEST, 2);
	start(EVENT_COLLECTIVE_REQUEST, 3);
	complete(EVENT_IRECV, 2);
	for (at = 0; call_tracker_next(&tracker, &at, &request);)
		kinds += 1U << request.kind;
	assert_int_equal(kinds, 1U << TRACKED_SEND | 1U << TRACKED_COLLECTIVE);
	/* The next rank has none of them. */
	call_tracker_begin(&tracker, &world, 2);
	at = 0;
	assert_false(call_tracker_next(&tracker, &at, &request));
	assert_false(complete(EVENT_ISEND_COMPLETE, 1));
}

static uint32_t peer_of(uint32_t rank, uint32_t comm, uint32_t peer)
{
	struct tracked_peers peers;

	call_tracker_begin(&tracker, &world, rank);
	MUST(call_tracker_peers(&tracker, comm, &peers, &err));
	return call_tracker_world_rank(&tracker, &peers, peer);
}

static void peers_are_ranks_of_the_world(void **state)
{
	struct tracked_peers peers;

	(void)state;
	assert_int_equal(peer_of(2, WORLD, 3), 3);
	assert_int_equal(peer_of(2, WORLD, 4), NO_RANK);
	assert_int_equal(peer_of(2, SELF, 0), 2);
	assert_int_equal(peer_of(2, SELF, 1), NO_RANK);
	assert_int_equal(peer_of(1, ODD, 0), 3);
	/* Ranks of the other group. */
	assert_int_equal(peer_of(0, INTER, 1), 3);
	assert_int_equal(peer_of(3, INTER, 1), 1);
	for (uint32_t comm = UNDEFINED; comm <= COMMS; comm++) {
		assert_int_equal(call_tracker_peers(&tracker, comm, &peers, &err), -1);
		assert_int_equal(err.status, STATUS_DATA);
	}
}

static void a_rank_finds_itself_in_communicators(void **state)
{
	const struct tracked_comm *own;

	(void)state;
	MUST(call_tracker_comm(&tracker, ODD, &own, &err));
	assert_true(own->member);
	assert_int_equal(own->rank, 1);
	call_tracker_begin(&tracker, &world, 2);
	MUST(call_tracker_comm(&tracker, ODD, &own, &err));
	assert_false(own->member);
	MUST(call_tracker_comm(&tracker, INTER, &own, &err));
	assert_true(own->member);
	assert_true(own->in_remote_group);
	assert_int_equal(own->rank, 0);
	MUST(call_tracker_comm(&tracker, WORLD, &own, &err));
	assert_int_equal(own->rank, 2);
	MUST(call_tracker_comm(&tracker, SELF, &own, &err));
	assert_true(own->member);
	assert_int_equal(own->rank, 0);
	assert_int_equal(call_tracker_comm(&tracker, UNDEFINED, &own, &err), -1);
}

static uint32_t ordinal_of(uint32_t comm, uint32_t use, uint32_t stream)
{
	uint32_t ordinal;

	MUST(call_tracker_ordinal(&tracker, comm, use, stream, &ordinal, &err));
	return ordinal;
}

static void collectives_of_a_communicator_and_stream_are_counted(void **state)
{
	(void)state;
	assert_int_equal(ordinal_of(WORLD, 0, 0), 0);
	assert_int_equal(ordinal_of(WORLD, 0, 0), 1);
	assert_int_equal(ordinal_of(ODD, 0, 0), 0);
	assert_int_equal(ordinal_of(WORLD, 1, 0), 0);
	assert_int_equal(ordinal_of(WORLD, 0, 1), 0);
	assert_int_equal(ordinal_of(WORLD, 0, 0), 2);
	call_tracker_begin(&tracker, &world, 2);
	assert_int_equal(ordinal_of(WORLD, 0, 0), 0);
}

static void calls_of_members_are_one_collective_over_what_they_made(void **state)
{
	const struct mpi_event of_parent[] = {
		{.kind = EVENT_COMM_CREATE, .comm = ODD},
		{.kind = EVENT_COLLECTIVE, .collective = COLL_CREATE_HANDLE, .comm = WORLD},
	};
	const struct mpi_call call = {.events = of_parent, .event_count = 2};
	const struct mpi_event *events;
	struct mpi_event made;

	(void)state;
	assert_int_equal(mpi_call_events(&call, 0, &made, &events), 2);
	assert_ptr_equal(events, of_parent);
	assert_int_equal(mpi_call_events(&call, MPI_BY_MEMBERS, &made, &events), 1);
	assert_int_equal(events->kind, EVENT_COLLECTIVE);
	assert_int_equal(events->comm, ODD);
	assert_int_equal(events->root, NO_ROOT);
	assert_int_equal(mpi_call_events(&(struct mpi_call){0}, MPI_BY_MEMBERS, &made, &events), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_completion_belongs_to_its_start),
		TEST(places_are_fewer_than_requests_that_were_active_at_once),
		TEST(a_number_that_is_used_again_hands_back_the_first_request),
		TEST(a_collective_has_the_number_of_those_started_before),
		TEST(requests_that_are_active_are_listed),
		TEST(peers_are_ranks_of_the_world),
		TEST(a_rank_finds_itself_in_communicators),
		TEST(collectives_of_a_communicator_and_stream_are_counted),
		TEST(calls_of_members_are_one_collective_over_what_they_made),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
