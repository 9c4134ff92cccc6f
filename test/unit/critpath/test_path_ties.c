/*
 * Of several paths with the same wait, the searches list one, whatever the number of processes is: where
 * a call begins several collectives, that through the first.
 */
#include "critpath/path/members.h"
#include "critpath/graph/minimum_wait.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "test/unit/lib/check/dist_methods_check.h"
#include "test/unit/lib/make/feed.h"
#include "test/unit/lib/must.h"

/* Rank 0 begins a collective for each of the others, which waits for it. */
enum { OTHERS = 5, RANKS = OTHERS + 1 };
#ifdef __SANITIZE_ADDRESS__
enum { PROCESSES = 3 };
#else
enum { PROCESSES = 7 };
#endif

struct collectives {
	uint32_t comms[OTHERS];
	bool of_all; /* all ranks take part in each, but each of the others waits for its own first */
	uint32_t first;
};

/* Begin collectives in one call, in their order from the first on. */
static void begin(struct made_run *made, const struct collectives *of, uint32_t rank, uint64_t at_ns)
{
	struct mpi_event events[OTHERS];
	uint32_t count = 0;

	for (uint32_t i = 0; i < OTHERS; i++) {
		const uint32_t number = (of->first + i) % OTHERS;

		if (rank == 0 || rank == number + 1 || of->of_all)
			events[count++] = (struct mpi_event)ICOLL(number + 1);
	}
	made_take(made, rank,
		  &(struct mpi_call){.function = "MPI_Startall",
				     .enter_ns = at_ns,
				     .leave_ns = at_ns + 1,
				     .events = events,
				     .event_count = count});
}

/* End some of them in one call. */
static void end(struct made_run *made, const struct collectives *of, uint32_t rank, bool own,
		uint64_t from_ns, uint64_t to_ns)
{
	struct mpi_event events[OTHERS];
	uint32_t count = 0;

	for (uint32_t i = 0; i < OTHERS; i++) {
		if (rank != 0 && (rank == i + 1) != own)
			continue;
		events[count] = (struct mpi_event)ICOLL_DONE(COLL_ALLREDUCE, of->comms[i], i + 1);
		events[count++].persistent = i + 1;
	}
	made_take(made, rank,
		  &(struct mpi_call){.function = "MPI_Waitall",
				     .enter_ns = from_ns,
				     .leave_ns = to_ns,
				     .events = events,
				     .event_count = count});
}

/* All others are held up by rank 0, and hold it up in turn by the same time. */
static void make(struct made_run *made, bool of_all, uint32_t first)
{
	struct collectives of = {.of_all = of_all, .first = first};

	made_begin(made, RANKS);
	for (uint32_t i = 0; i < OTHERS; i++)
		of.comms[i] = of_all ? 0 : made_comm(made, 2, (uint32_t[]){0, i + 1});
	for (uint32_t r = 0; r < RANKS; r++) {
		begin(made, &of, r, r ? 1 : 20);
		end(made, &of, r, true, r ? 5 : 21, 22);
		made_call(made, r, "MPI_Barrier", r ? 30 : 25, 31, COLLECTIVE(COLL_BARRIER, 0));
		if (r && of_all)
			end(made, &of, r, false, 32, 33);
	}
	made_end(made);
}

/* Rank of the path at a time since the run began. */
static uint32_t rank_at(const struct walk *path, uint64_t at_ns)
{
	for (size_t i = 0; i < path->segments.count; i++)
		if (path->segments.items[i].end_ns > at_ns)
			return path->segments.items[i].rank;
	return UINT32_MAX;
}

static void check_searches(const struct made_run *made, const struct waits *waits, uint32_t rank)
{
	static const uint64_t deltas[] = {0, 1, 7, UINT64_MAX};

	for (size_t i = 0; i < sizeof deltas / sizeof *deltas; i++) {
		const struct minimum_wait_options options = {deltas[i], SYNC_POINTS_OFF};
		struct minimum_wait_found found;
		struct walk path;
		struct error err;

		MUST(minimum_wait_path(&path, waits, &options, dist_alone(), &found, &err));
		assert_int_equal(found.wait_ns, 0);
		assert_int_equal(rank_at(&path, 10), 0);
		assert_int_equal(rank_at(&path, 25), rank);
		walk_release(&path);
		for (uint32_t processes = 2; processes <= PROCESSES; processes++)
			dist_methods_check(made, waits, processes, deltas[i], 0);
	}
}

static void check_all(bool of_all)
{
	for (uint32_t first = 0; first < OTHERS; first++) {
		struct made_run made;
		struct waits observed;
		struct error err;

		make(&made, of_all, first);
		check_searches(&made, &made.waits, first + 1);
		MUST(waits_find(&observed, &made.run, dist_alone(), &err));
		MUST(members_wait(&observed, true, dist_alone(), &err));
		check_searches(&made, &observed, first + 1);
		waits_release(&observed);
		made_release(&made);
	}
}

static void the_path_goes_on_in_the_first_of_the_collectives_that_a_call_begins(void **state)
{
	(void)state;
	check_all(false);
}

static void the_path_goes_on_in_the_first_of_the_collectives_of_one_communicator(void **state)
{
	(void)state;
	check_all(true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			the_path_goes_on_in_the_first_of_the_collectives_that_a_call_begins),
		cmocka_unit_test(
			the_path_goes_on_in_the_first_of_the_collectives_of_one_communicator),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
