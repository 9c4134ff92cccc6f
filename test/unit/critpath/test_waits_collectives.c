/* Waits in collectives and the critical paths through them, with times given to the nanosecond. */
#include "test/unit/lib/make/make_run.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "test/unit/lib/make/feed.h"

static void barriers_wait_for_the_slow_rank(void **state)
{
	struct made_run made;

	(void)state;
	made_begin(&made, 3);
	for (uint64_t i = 0; i < 3; i++)
		for (uint32_t r = 0; r < 3; r++)
			made_call(&made, r, "MPI_Barrier", 110 * i + (r == 1 ? 100 : 20 + r),
				  110 * i + 110, COLLECTIVE(COLL_BARRIER, 0));
	made_end(&made);
	for (uint32_t i = 0; i < 3; i++) {
		made_expect_wait(&made, 0, 1 + i, 80, 1, 1 + i);
		made_expect_no_wait(&made, 1, 1 + i);
		made_expect_wait(&made, 2, 1 + i, 78, 1, 1 + i);
	}
	made_expect(&made, "1 compute 0-100, 1 MPI_Barrier 100-110, 1 compute 110-210, "
			   "1 MPI_Barrier 210-220, 1 compute 220-320, 0 MPI_Barrier 320-330");
	made_release(&made);
}

static void a_broadcast_waits_for_its_root_only(void **state)
{
	struct made_run made;

	(void)state;
	made_begin(&made, 3);
	made_call(&made, 0, "MPI_Bcast", 20, 75, ROOTED(COLL_BCAST, 0, 1));
	made_call(&made, 1, "MPI_Bcast", 60, 70, ROOTED(COLL_BCAST, 0, 1));
	made_call(&made, 2, "MPI_Bcast", 90, 95, ROOTED(COLL_BCAST, 0, 1));
	made_plain(&made, 0, "MPI_Finalize", 200, 210);
	made_end(&made);
	made_expect_wait(&made, 0, 1, 40, 1, 1);
	made_expect_no_wait(&made, 1, 1);
	made_expect_no_wait(&made, 2, 1);
	made_expect(&made, "1 compute 0-60, 0 MPI_Bcast 60-75, 0 compute 75-200");
	made_release(&made);
}

static void only_the_root_of_a_reduction_waits(void **state)
{
	struct made_run made;

	(void)state;
	made_begin(&made, 3);
	made_call(&made, 0, "MPI_Reduce", 20, 120, ROOTED(COLL_REDUCE, 0, 0));
	made_call(&made, 1, "MPI_Reduce", 30, 35, ROOTED(COLL_REDUCE, 0, 0));
	made_call(&made, 2, "MPI_Reduce", 90, 95, ROOTED(COLL_REDUCE, 0, 0));
	made_end(&made);
	made_expect_wait(&made, 0, 1, 70, 2, 1);
	made_expect_no_wait(&made, 1, 1);
	made_expect_no_wait(&made, 2, 1);
	made_expect(&made, "2 compute 0-90, 0 MPI_Reduce 90-120");
	made_release(&made);
}

static void a_scan_waits_for_lower_ranks_of_its_communicator(void **state)
{
	struct made_run made;
	uint32_t turned;

	(void)state;
	made_begin(&made, 3);
	turned = made_comm(&made, 3, (uint32_t[]){2, 0, 1});
	made_call(&made, 2, "MPI_Scan", 40, 45, COLLECTIVE(COLL_SCAN, turned));
	made_call(&made, 0, "MPI_Scan", 10, 50, COLLECTIVE(COLL_SCAN, turned));
	made_call(&made, 1, "MPI_Scan", 30, 60, COLLECTIVE(COLL_SCAN, turned));
	made_end(&made);
	made_expect_no_wait(&made, 2, 1);
	made_expect_wait(&made, 0, 1, 30, 2, 1);
	made_expect_wait(&made, 1, 1, 10, 2, 1);
	made_expect(&made, "2 compute 0-40, 1 MPI_Scan 40-60");
	made_release(&made);
}

static void a_communicator_waits_for_its_members_only(void **state)
{
	struct made_run made;
	uint32_t pair;

	(void)state;
	made_begin(&made, 3);
	pair = made_comm(&made, 2, (uint32_t[]){0, 2});
	made_call(&made, 0, "MPI_Allreduce", 10, 50, COLLECTIVE(COLL_ALLREDUCE, pair));
	made_call(&made, 2, "MPI_Allreduce", 40, 50, COLLECTIVE(COLL_ALLREDUCE, pair));
	made_call(&made, 1, "MPI_Barrier", 80, 90, COLLECTIVE(COLL_BARRIER, 0));
	made_call(&made, 0, "MPI_Barrier", 60, 90, COLLECTIVE(COLL_BARRIER, 0));
	made_call(&made, 2, "MPI_Barrier", 70, 90, COLLECTIVE(COLL_BARRIER, 0));
	made_end(&made);
	made_expect_wait(&made, 0, 1, 30, 2, 1);
	made_expect_wait(&made, 0, 2, 20, 1, 1);
	assert_int_equal(made.run.instances.count, 2);
	made_release(&made);
}

static void a_collective_on_comm_self_waits_for_nobody(void **state)
{
	struct made_run made;

	(void)state;
	made_begin(&made, 2);
	made_call(&made, 0, "MPI_Barrier", 10, 50, COLLECTIVE(COLL_BARRIER, 1));
	made_call(&made, 1, "MPI_Barrier", 30, 40, COLLECTIVE(COLL_BARRIER, 1));
	made_end(&made);
	made_expect_no_wait(&made, 0, 1);
	assert_int_equal(made.run.instances.count, 0);
	made_release(&made);
}

static void a_rank_that_gets_no_data_leaves_a_collective_before_others_begin(void **state)
{
	struct mpi_event sent_only = COLLECTIVE(COLL_REDUCE_SCATTER, 0);
	struct made_run made;
	uint32_t copy;

	(void)state;
	sent_only.bytes_sent = 80;
	made_begin(&made, 2);
	copy = made_comm(&made, 2, (uint32_t[]){0, 1});
	made_call(&made, 0, "MPI_Allreduce", 10, 20, COLLECTIVE(COLL_ALLREDUCE, copy));
	made_call(&made, 0, "MPI_Scan", 25, 30, COLLECTIVE(COLL_SCAN, copy));
	made_call(&made, 0, "MPI_Reduce_scatter", 30, 40, sent_only);
	made_call(&made, 0, "MPI_Comm_free", 50, 60, COLLECTIVE(COLL_DESTROY_HANDLE, copy));
	made_call(&made, 1, "MPI_Allreduce", 80, 81, COLLECTIVE(COLL_ALLREDUCE, copy));
	made_call(&made, 1, "MPI_Scan", 82, 83, COLLECTIVE(COLL_SCAN, copy));
	made_call(&made, 1, "MPI_Reduce_scatter", 84, 85, sent_only);
	made_call(&made, 1, "MPI_Comm_free", 86, 87, COLLECTIVE(COLL_DESTROY_HANDLE, copy));
	made_plain(&made, 0, "MPI_Finalize", 100, 110);
	made_end(&made);
	for (uint32_t call = 1; call <= 4; call++)
		made_expect_no_wait(&made, 0, call);
	made_expect(&made,
		    "0 compute 0-10, 0 MPI_Allreduce 10-20, 0 compute 20-25, 0 MPI_Scan 25-30, "
		    "0 MPI_Reduce_scatter 30-40, 0 compute 40-50, 0 MPI_Comm_free 50-60, "
		    "0 compute 60-100");
	made_release(&made);
}

static void a_scan_without_data_waits_for_no_rank_that_begins_after_its_end(void **state)
{
	struct made_run made;

	(void)state;
	made_begin(&made, 3);
	made_call(&made, 0, "MPI_Scan", 10, 12, COLLECTIVE(COLL_SCAN, 0));
	made_call(&made, 1, "MPI_Scan", 70, 72, COLLECTIVE(COLL_SCAN, 0));
	made_call(&made, 2, "MPI_Scan", 5, 30, COLLECTIVE(COLL_SCAN, 0));
	made_plain(&made, 2, "MPI_Finalize", 100, 110);
	made_end(&made);
	made_expect_no_wait(&made, 2, 1);
	made_expect(&made, "2 compute 0-5, 2 MPI_Scan 5-30, 2 compute 30-100");
	made_release(&made);
}

static void a_rank_that_gets_no_data_may_wait_all_the_same(void **state)
{
	struct made_run made;

	(void)state;
	made_begin(&made, 2);
	made_call(&made, 0, "MPI_Allreduce", 10, 90, COLLECTIVE(COLL_ALLREDUCE, 0));
	made_call(&made, 1, "MPI_Allreduce", 80, 81, COLLECTIVE(COLL_ALLREDUCE, 0));
	made_end(&made);
	made_expect_wait(&made, 0, 1, 70, 1, 1);
	made_expect(&made, "1 compute 0-80, 0 MPI_Allreduce 80-90");
	made_release(&made);
}

static void only_clocks_let_a_rank_leave_before_data_is_sent(void **state)
{
	struct mpi_event data = COLLECTIVE(COLL_ALLREDUCE, 0);
	struct made_run made;

	(void)state;
	data.bytes_sent = data.bytes_received = 8;
	made_begin(&made, 2);
	made_call(&made, 0, "MPI_Allreduce", 10, 79, data);
	made_call(&made, 0, "MPI_Barrier", 100, 179, COLLECTIVE(COLL_BARRIER, 0));
	made_call(&made, 1, "MPI_Allreduce", 80, 90, data);
	made_call(&made, 1, "MPI_Barrier", 180, 190, COLLECTIVE(COLL_BARRIER, 0));
	made_end(&made);
	made_expect_wait(&made, 0, 1, 69, 1, 1);
	made_expect_wait(&made, 0, 2, 79, 1, 2);
	made_release(&made);
}

static void a_non_blocking_collective_waits_where_it_completes(void **state)
{
	struct made_run made;

	(void)state;
	made_begin(&made, 2);
	made_call(&made, 0, "MPI_Iallreduce", 10, 11, ICOLL(1));
	made_call(&made, 0, "MPI_Ibarrier", 12, 13, ICOLL(2));
	made_call(&made, 0, "MPI_Wait", 20, 50, ICOLL_DONE(COLL_BARRIER, 0, 2));
	made_call(&made, 0, "MPI_Wait", 55, 56, ICOLL_DONE(COLL_ALLREDUCE, 0, 1));
	made_call(&made, 1, "MPI_Iallreduce", 30, 31, ICOLL(1));
	made_call(&made, 1, "MPI_Ibarrier", 40, 41, ICOLL(2));
	made_call(&made, 1, "MPI_Waitall", 42, 43, ICOLL_DONE(COLL_ALLREDUCE, 0, 1),
		  ICOLL_DONE(COLL_BARRIER, 0, 2));
	made_end(&made);
	made_expect_no_wait(&made, 0, 1);
	made_expect_wait(&made, 0, 3, 20, 1, 2);
	made_expect_no_wait(&made, 0, 4);
	made_expect(&made, "1 compute 0-30, 1 MPI_Iallreduce 30-31, 1 compute 31-40, "
			   "0 MPI_Wait 40-50, 0 compute 50-55, 0 MPI_Wait 55-56");
	made_release(&made);
}

static void persistent_collectives_match_by_number_not_by_order(void **state)
{
	struct mpi_event first = ICOLL_DONE(COLL_BARRIER, 0, 1),
			 second = ICOLL_DONE(COLL_BCAST, 0, 2);
	struct made_run made;

	(void)state;
	first.persistent = 1;
	second.persistent = 2;
	second.root = 1;
	made_begin(&made, 2);
	made_call(&made, 0, "MPI_Start", 10, 11, ICOLL(1));
	made_call(&made, 0, "MPI_Start", 12, 13, ICOLL(2));
	made_call(&made, 0, "MPI_Wait", 20, 70, second);
	made_call(&made, 0, "MPI_Wait", 71, 95, first);
	made_call(&made, 1, "MPI_Start", 60, 61, ICOLL(2));
	made_call(&made, 1, "MPI_Start", 90, 91, ICOLL(1));
	made_call(&made, 1, "MPI_Waitall", 92, 95, second, first);
	made_end(&made);
	made_expect_wait(&made, 0, 3, 40, 1, 1);
	made_expect_wait(&made, 0, 4, 19, 1, 2);
	made_release(&made);
}

static void a_wait_for_collectives_that_one_call_begins_is_of_the_lowest_communicator(void **state)
{
	struct made_run made;
	uint32_t low, high;

	(void)state;
	made_begin(&made, 2);
	low = made_comm(&made, 2, (uint32_t[]){0, 1});
	high = made_comm(&made, 2, (uint32_t[]){0, 1});
	made_call(&made, 0, "MPI_Startall", 50, 51, ICOLL(1), ICOLL(2));
	made_call(&made, 0, "MPI_Waitall", 60, 61, ICOLL_DONE(COLL_BARRIER, high, 1),
		  ICOLL_DONE(COLL_BARRIER, low, 2));
	made_call(&made, 1, "MPI_Startall", 10, 11, ICOLL(1), ICOLL(2));
	made_call(&made, 1, "MPI_Waitall", 20, 61, ICOLL_DONE(COLL_BARRIER, high, 1),
		  ICOLL_DONE(COLL_BARRIER, low, 2));
	made_end(&made);
	made_expect_wait(&made, 1, 2, 30, 0, 1);
	assert_int_equal(wait_at(&made.waits, 1, 2)->comm, low);
	made_release(&made);
}

static void messages_between_groups_go_to_the_other_group(void **state)
{
	struct made_run made;
	uint32_t inter;

	(void)state;
	made_begin(&made, 4);
	inter = made_comm(&made, 2, (uint32_t[]){0, 1});
	made.comms[inter].inter = true;
	made.comms[inter].remote_size = 2;
	made.comms[inter].remote_ranks = (uint32_t[]){2, 3};
	/* From rank 0 of the second group to rank 1 of the first, and an answer. */
	made_call(&made, 2, "MPI_Send", 50, 51, SEND(inter, 1, 5, 8));
	made_call(&made, 1, "MPI_Recv", 10, 60, RECV(inter, 0, 5, 8));
	made_call(&made, 1, "MPI_Send", 70, 71, SEND(inter, 0, 5, 8));
	made_call(&made, 2, "MPI_Recv", 55, 80, RECV(inter, 1, 5, 8));
	made_end(&made);
	made_expect_wait(&made, 1, 1, 40, 2, 1);
	made_expect_wait(&made, 2, 2, 15, 1, 2);
	made_release(&made);
}

static void ranks_without_a_part_wait_for_no_root(void **state)
{
	struct made_run made;
	uint32_t inter;

	(void)state;
	made_begin(&made, 4);
	inter = made_comm(&made, 2, (uint32_t[]){0, 1});
	made.comms[inter].inter = true;
	made.comms[inter].remote_size = 2;
	made.comms[inter].remote_ranks = (uint32_t[]){2, 3};
	/* Rank 1 is the root, 0 has no part, 2 and 3 receive. */
	made_call(&made, 0, "MPI_Bcast", 10, 90, ROOTED(COLL_BCAST, inter, ROOT_THIS_GROUP));
	made_call(&made, 1, "MPI_Bcast", 50, 60, ROOTED(COLL_BCAST, inter, ROOT_SELF));
	made_call(&made, 2, "MPI_Bcast", 20, 65, ROOTED(COLL_BCAST, inter, 1));
	made_call(&made, 3, "MPI_Bcast", 70, 75, ROOTED(COLL_BCAST, inter, 1));
	made_end(&made);
	made_expect_no_wait(&made, 0, 1);
	made_expect_wait(&made, 2, 1, 30, 1, 1);
	made_expect_no_wait(&made, 3, 1);
	made_release(&made);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(barriers_wait_for_the_slow_rank),
		cmocka_unit_test(a_broadcast_waits_for_its_root_only),
		cmocka_unit_test(only_the_root_of_a_reduction_waits),
		cmocka_unit_test(a_scan_waits_for_lower_ranks_of_its_communicator),
		cmocka_unit_test(a_communicator_waits_for_its_members_only),
		cmocka_unit_test(a_rank_that_gets_no_data_leaves_a_collective_before_others_begin),
		cmocka_unit_test(a_scan_without_data_waits_for_no_rank_that_begins_after_its_end),
		cmocka_unit_test(a_rank_that_gets_no_data_may_wait_all_the_same),
		cmocka_unit_test(only_clocks_let_a_rank_leave_before_data_is_sent),
		cmocka_unit_test(a_collective_on_comm_self_waits_for_nobody),
		cmocka_unit_test(a_non_blocking_collective_waits_where_it_completes),
		cmocka_unit_test(persistent_collectives_match_by_number_not_by_order),
		cmocka_unit_test(
			a_wait_for_collectives_that_one_call_begins_is_of_the_lowest_communicator),
		cmocka_unit_test(messages_between_groups_go_to_the_other_group),
		cmocka_unit_test(ranks_without_a_part_wait_for_no_root),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
