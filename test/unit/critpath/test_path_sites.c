/* Time on the path by call site, with times given to the nanosecond. */
#include "critpath/tables/path_sites.h"
#include "test/unit/lib/make/make_run.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "test/unit/lib/make/feed.h"
#include "test/unit/lib/must.h"

static void call_at(struct made_run *made, uint32_t rank, uint32_t site, const char *function,
		    uint64_t from, uint64_t to, const struct mpi_event *event)
{
	made_take(made, rank,
		  &(struct mpi_call){.function = function,
				     .enter_ns = from,
				     .leave_ns = to,
				     .events = event,
				     .event_count = 1,
				     .site = site});
}

/* Rank 1 computes for 2, receives at site 2, waits until rank 0 has computed for 10, and computes for 1. */
static void make(struct made_run *made)
{
	const struct mpi_event send = SEND(0, 1, 5, 8), receive = RECV(0, 0, 5, 8);
	const struct mpi_event barrier = COLLECTIVE(COLL_BARRIER, 0);

	made_begin(made, 2);
	call_at(made, 0, 1, "MPI_Send", 10, 12, &send);
	call_at(made, 1, 2, "MPI_Recv", 2, 15, &receive);
	call_at(made, 0, 3, "MPI_Barrier", 13, 20, &barrier);
	call_at(made, 1, 3, "MPI_Barrier", 16, 20, &barrier);
	made_end(made);
	made->run.site_count = 4;
}

static const struct path_site *site_of(const struct path_sites *sites, uint32_t number)
{
	for (size_t i = 0; i < sites->list.count; i++)
		if (sites->list.items[i].site == number)
			return &sites->list.items[i];
	fail_msg("site %u is not on the path", number);
	return NULL;
}

static void the_sum_of_a_site_is_of_all_ranks_without_waits(void **state)
{
	struct path_sites sites;
	struct made_run made;
	struct error err;

	(void)state;
	make(&made);
	made_expect(&made, "0 compute 0-10, 1 MPI_Recv 10-15, 1 compute 15-16, 0 MPI_Barrier 16-20");
	MUST(path_sites_find(&sites, &made.waits, &made.walk, dist_alone(), &err));
	assert_int_equal(sites.list.count, 3);
	assert_int_equal(site_of(&sites, 1)->compute_ns, 10);
	assert_int_equal(site_of(&sites, 1)->sum_ns, 12);
	assert_int_equal(site_of(&sites, 2)->call_ns, 5);
	assert_int_equal(site_of(&sites, 2)->sum_ns, 2 + 5);
	/* Both ranks compute for 1 before the barrier, which takes 4 without the wait. */
	assert_int_equal(site_of(&sites, 3)->sum_ns, 2 * (1 + 4));
	path_sites_release(&sites);
	made_release(&made);
}

static void a_slice_cuts_the_sum_of_a_site(void **state)
{
	struct path_sites sites;
	struct made_run made;
	struct error err;

	(void)state;
	make(&made);
	made.run.sliced = true;
	made.run.slice_begin_ns = made.run.begin_ns + 4;
	made.run.slice_end_ns = made.run.begin_ns + 18;
	MUST(path_sites_find(&sites, &made.waits, &made.walk, dist_alone(), &err));
	assert_int_equal(site_of(&sites, 1)->sum_ns, 6 + 2);
	assert_int_equal(site_of(&sites, 2)->sum_ns, 5);
	assert_int_equal(site_of(&sites, 3)->sum_ns, 2 * (1 + 2));
	path_sites_release(&sites);
	made_release(&made);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_sum_of_a_site_is_of_all_ranks_without_waits),
		cmocka_unit_test(a_slice_cuts_the_sum_of_a_site),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
