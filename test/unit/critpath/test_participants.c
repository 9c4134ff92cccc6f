/* Who takes part in collectives: of communicators that are being made, and of inter-communicators. */
#include "critpath/path/trace_quality.h"
#include "critpath/tables/imbalance.h"
#include "test/unit/lib/make/make_run.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "test/unit/lib/make/feed.h"
#include "test/unit/lib/must.h"

#define MADE(c)                                      \
	{                                            \
		.kind = EVENT_COMM_CREATE, .comm = c \
	}

/* Add an inter-communicator of ranks 0 and 1, and of 2 and 3. */
static uint32_t make_inter(struct made_run *made)
{
	static const uint32_t ranks[] = {0, 1}, others[] = {2, 3};
	const uint32_t id = made_comm(made, 2, ranks);

	made->comms[id].inter = true;
	made->comms[id].remote_ranks = others;
	made->comms[id].remote_size = 2;
	return id;
}

static void only_members_take_part_in_making_a_group_whatever_is_recorded(void **state)
{
	struct made_run made;
	uint32_t group;

	(void)state;
	made_begin(&made, 3);
	group = made_comm(&made, 2, (uint32_t[]){0, 1});
	/* Score-P records the parent. */
	made_call(&made, 0, "MPI_Comm_create_group", 10, 42, MADE(group),
		  COLLECTIVE(COLL_CREATE_HANDLE, 0));
	made_call(&made, 1, "MPI_Comm_create_group", 40, 45, MADE(group),
		  COLLECTIVE(COLL_CREATE_HANDLE, 0));
	for (uint32_t r = 0; r < 3; r++)
		made_call(&made, r, "MPI_Barrier", 50 + 10 * r, 75, COLLECTIVE(COLL_BARRIER, 0));
	made_end(&made);
	assert_int_equal(made.run.instances.count, 2);
	assert_int_equal(made.run.lacking, 0);
	made_expect_wait(&made, 0, 1, 30, 1, 1);
	made_expect_wait(&made, 0, 2, 20, 2, 1);
	made_expect_wait(&made, 1, 2, 10, 2, 1);
	made_release(&made);
}

static void making_an_inter_communicator_waits_for_the_other_group(void **state)
{
	struct made_run made;
	uint32_t inter, local;

	(void)state;
	made_begin(&made, 4);
	inter = make_inter(&made);
	local = made_comm(&made, 2, (uint32_t[]){0, 1});
	for (uint32_t r = 0; r < 4; r++)
		made_call(&made, r, "MPI_Intercomm_create", 10 + 10 * r, 45, MADE(inter),
			  COLLECTIVE(COLL_CREATE_HANDLE, r < 2 ? local : 1));
	made_end(&made);
	assert_int_equal(made.run.instances.count, 1);
	assert_int_equal(made.run.lacking, 0);
	for (uint32_t r = 0; r < 3; r++)
		made_expect_wait(&made, r, 1, 30 - 10 * r, 3, 1);
	made_expect(&made, "3 compute 0-40, 0 MPI_Intercomm_create 40-45");
	made_release(&made);
}

/* A broadcast from rank 0 to ranks 2 and 3, in which rank 1 only looks on. */
static void make_broadcast(struct made_run *made, bool root, bool last)
{
	made_begin(made, 4);
	make_inter(made);
	if (root)
		made_call(made, 0, "MPI_Bcast", 30, 50, ROOTED(COLL_BCAST, 2, ROOT_SELF));
	made_call(made, 1, "MPI_Bcast", 90, 91, ROOTED(COLL_BCAST, 2, ROOT_THIS_GROUP));
	made_call(made, 2, "MPI_Bcast", 10, 55, ROOTED(COLL_BCAST, 2, 0));
	if (last)
		made_call(made, 3, "MPI_Bcast", 40, 60, ROOTED(COLL_BCAST, 2, 0));
	for (uint32_t r = 0; r < 4; r++)
		made_plain(made, r, "MPI_Finalize", 100, 110);
	made_end(made);
}

static void the_root_and_the_other_group_are_all_participants(void **state)
{
	struct imbalance imbalance;
	struct made_run made;
	struct error err;

	(void)state;
	make_broadcast(&made, true, true);
	assert_int_equal(made.run.lacking, 0);
	made_expect_wait(&made, 2, 1, 20, 0, 1);
	MUST(imbalance_find(&imbalance, &made.waits, dist_alone(), &err));
	assert_int_equal(imbalance.instance_states[INSTANCE_SYNCHRONOUS], 1);
	assert_int_equal(imbalance.instance_states[INSTANCE_INCOMPLETE], 0);
	assert_int_equal(imbalance_of_call(&imbalance, 1, 1).before_ns, 0);
	assert_int_equal(imbalance_of_call(&imbalance, 1, 1).after_ns, 0);
	imbalance_release(&imbalance);
	made_release(&made);
}

static void a_missing_root_or_receiver_is_a_missing_participant(void **state)
{
	struct made_run made;

	(void)state;
	make_broadcast(&made, false, true);
	assert_int_equal(made.run.lacking, 1);
	assert_int_equal(wait_at(&made.waits, 2, 1)->unknown, 1);
	assert_int_equal(wait_at(&made.waits, 1, 1)->unknown, 0);
	made_release(&made);
	make_broadcast(&made, true, false);
	assert_int_equal(made.run.lacking, 1);
	assert_int_equal(trace_quality_of(&made.run).lacking, 1);
	made_expect_wait(&made, 2, 1, 20, 0, 1);
	made_release(&made);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_members_take_part_in_making_a_group_whatever_is_recorded),
		cmocka_unit_test(making_an_inter_communicator_waits_for_the_other_group),
		cmocka_unit_test(the_root_and_the_other_group_are_all_participants),
		cmocka_unit_test(a_missing_root_or_receiver_is_a_missing_participant),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
