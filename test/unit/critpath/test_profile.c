/* Profile of small programs, whose times are given to the nanosecond. */
#include "critpath/tables/profile.h"
#include "test/unit/lib/make/make_run.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>

#include "test/unit/lib/make/feed.h"
#include "test/unit/lib/must.h"

static void sizes_are_powers_of_two(void **state)
{
	(void)state;
	assert_int_equal(profile_size_of(0), 0);
	assert_int_equal(profile_size_of(1), 1);
	assert_int_equal(profile_size_of(2), 2);
	assert_int_equal(profile_size_of(3), 2);
	assert_int_equal(profile_size_of(4), 3);
	assert_int_equal(profile_size_of(1023), 10);
	assert_int_equal(profile_size_of(1024), 11);
	assert_int_equal(profile_size_of(UINT64_MAX), PROFILE_SIZES - 1);
}

/* Two ranks: rank 0 sends 8, 8 and 1000 bytes, rank 1 receives and waits 40 ns, both reduce. */
static void make(struct made_run *made, struct profile *profile)
{
	struct error err;

	made_begin(made, 2);
	made_call(made, 0, "MPI_Send", 70, 75, SEND(0, 1, 5, 8));
	made_call(made, 0, "MPI_Send", 80, 90, SEND(0, 1, 6, 8));
	made_call(made, 0, "MPI_Send", 90, 120, SEND(0, 1, 7, 1000));
	made_call(made, 0, "MPI_Allreduce", 130, 150,
		  {.kind = EVENT_COLLECTIVE,
		   .collective = COLL_ALLREDUCE,
		   .comm = 0,
		   .root = NO_ROOT,
		   .bytes_sent = 8,
		   .bytes_received = 8});
	made_plain(made, 0, "MPI_Finalize", 180, 300);
	made_call(made, 1, "MPI_Recv", 30, 90, RECV(0, 0, 5, 8));
	made_call(made, 1, "MPI_Recv", 95, 96, RECV(0, 0, 6, 8));
	made_call(made, 1, "MPI_Recv", 100, 121, RECV(0, 0, 7, 1000));
	made_call(made, 1, "MPI_Allreduce", 130, 150,
		  {.kind = EVENT_COLLECTIVE,
		   .collective = COLL_ALLREDUCE,
		   .comm = 0,
		   .root = NO_ROOT,
		   .bytes_sent = 8,
		   .bytes_received = 8});
	made_plain(made, 1, "MPI_Finalize", 200, 300);
	made_end(made);
	MUST(profile_find(profile, &made->waits, dist_alone(), &err));
}

static const struct profile_calls *find(const struct made_run *made, const struct profile *profile,
					const char *name)
{
	for (size_t i = 0; i < profile->functions.count; i++)
		if (!strcmp(measured_function(&made->run.names,
					      profile->functions.items[i].function),
			    name))
			return &profile->functions.items[i];
	fail_msg("%s is missing", name);
	return NULL;
}

static void time_of_functions_is_that_of_their_calls(void **state)
{
	const struct profile_calls *calls;
	struct made_run made;
	struct profile profile;

	(void)state;
	make(&made, &profile);
	calls = find(&made, &profile, "MPI_Send");
	assert_int_equal(calls->calls, 3);
	assert_int_equal(calls->ns, 45);
	assert_int_equal(calls->run_ns, 45);
	assert_int_equal(calls->least_ns, 5);
	assert_int_equal(calls->most_ns, 30);
	calls = find(&made, &profile, "MPI_Recv");
	assert_int_equal(calls->ns, 82);
	assert_int_equal(calls->wait_ns, 40);
	assert_int_equal(calls->least_ns, 1);
	profile_release(&profile);
	made_release(&made);
}

static void finalize_has_time_but_none_in_the_run(void **state)
{
	const struct profile_calls *calls;
	struct made_run made;
	struct profile profile;

	(void)state;
	make(&made, &profile);
	calls = find(&made, &profile, "MPI_Finalize");
	assert_int_equal(calls->ns, 220);
	assert_int_equal(calls->run_ns, 0);
	assert_ptr_equal(calls, &profile.functions.items[0]);
	profile_release(&profile);
	made_release(&made);
}

static void ranks_have_their_time_in_the_run_and_their_messages(void **state)
{
	struct made_run made;
	struct profile profile;

	(void)state;
	make(&made, &profile);
	assert_int_equal(profile.ranks[0].run_ns, 180);
	assert_int_equal(profile.ranks[0].mpi_ns, 65);
	assert_int_equal(profile.ranks[1].run_ns, 200);
	assert_int_equal(profile.ranks[1].mpi_ns, 102);
	assert_int_equal(profile.ranks[1].wait_ns, 40);
	assert_int_equal(profile.ranks[0].sent, 3);
	assert_int_equal(profile.ranks[0].sent_bytes, 1016);
	assert_int_equal(profile.ranks[1].received_bytes, 1016);
	assert_int_equal(profile.sum.mpi_ns, 167);
	assert_int_equal(profile.sum.calls, 12);
	profile_release(&profile);
	made_release(&made);
}

static void messages_are_counted_by_size_and_pair(void **state)
{
	struct made_run made;
	struct profile profile;

	(void)state;
	make(&made, &profile);
	assert_int_equal(profile.sizes[profile_size_of(8)].messages, 2);
	assert_int_equal(profile.sizes[profile_size_of(8)].message_bytes, 16);
	assert_int_equal(profile.sizes[profile_size_of(1000)].messages, 1);
	assert_int_equal(profile.sizes[profile_size_of(16)].parts, 2);
	assert_int_equal(profile.sizes[profile_size_of(16)].part_bytes, 32);
	assert_int_equal(profile.pairs.count, 1);
	assert_int_equal(profile.pairs.items[0].sender, 0);
	assert_int_equal(profile.pairs.items[0].receiver, 1);
	assert_int_equal(profile.pairs.items[0].messages, 3);
	assert_int_equal(profile.pairs.items[0].bytes, 1016);
	profile_release(&profile);
	made_release(&made);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sizes_are_powers_of_two),
		cmocka_unit_test(time_of_functions_is_that_of_their_calls),
		cmocka_unit_test(finalize_has_time_but_none_in_the_run),
		cmocka_unit_test(ranks_have_their_time_in_the_run_and_their_messages),
		cmocka_unit_test(messages_are_counted_by_size_and_pair),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
