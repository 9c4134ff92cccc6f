/* runs: slow */
/* Groups of overlapping computation: closed forms, and brute force over all pairs of intervals. */
#include "critpath/groups/groups.h"
#include "test/unit/lib/make/make_run.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>

#include "test/unit/lib/make/random_graph.h"
#include "test/unit/lib/must.h"

#ifdef __SANITIZE_ADDRESS__
enum { RUNS = 2000 };
#else
enum { RUNS = 20000 };
#endif

enum { RANKS = 4, THREADS = 2, GAPS = 6, MOST = RANKS * THREADS * (GAPS + 2) };

/* What the generator has let the ranks compute. */
struct made_intervals {
	struct compute_interval items[MOST];
	uint32_t count;
};

/* Find the groups by one process. */
static void find(struct groups *groups, const struct made_run *run, uint64_t least_ns)
{
	const struct groups_options options = {.least_ns = least_ns};
	struct groups_moved moved;
	struct error err;

	MUST(groups_find(groups, &run->run, &options, dist_alone(), &moved, &err));
	assert_int_equal(moved.bytes, 0);
}

static void add(struct made_intervals *made, uint64_t start, uint64_t end, uint32_t rank,
		uint32_t thread)
{
	if (start < end)
		made->items[made->count++] = (struct compute_interval){
			start + MADE_BEGIN_NS, end + MADE_BEGIN_NS, rank, thread, 0, 0, 0};
}

static uint64_t length_of(const struct compute_interval *interval)
{
	return interval->end_ns - interval->start_ns;
}

/* Whether an interval is the longest of a group rather than another: tie by start, rank, thread. */
static bool rather(const struct compute_interval *a, const struct compute_interval *b)
{
	if (length_of(a) != length_of(b))
		return length_of(a) > length_of(b);
	if (a->start_ns != b->start_ns)
		return a->start_ns < b->start_ns;
	return a->rank != b->rank ? a->rank < b->rank : a->thread < b->thread;
}

/* Join what overlaps, pair by pair, until nothing changes: group_of becomes the least index. */
static void join_pairs(const struct made_intervals *made, uint32_t *group_of)
{
	bool changed = true;

	for (uint32_t i = 0; i < made->count; i++)
		group_of[i] = i;
	while (changed) {
		changed = false;
		for (uint32_t i = 0; i < made->count; i++)
			for (uint32_t k = 0; k < made->count; k++)
				if (made->items[i].start_ns < made->items[k].end_ns &&
				    made->items[k].start_ns < made->items[i].end_ns &&
				    group_of[k] < group_of[i]) {
					group_of[i] = group_of[k];
					changed = true;
				}
	}
}

static bool same(const struct compute_interval *a, const struct compute_interval *b)
{
	return a->start_ns == b->start_ns && a->end_ns == b->end_ns && a->rank == b->rank &&
	       a->thread == b->thread;
}

/* Check each group against the pairs. */
static void check_groups(const struct groups *groups, const struct made_intervals *made)
{
	uint32_t group_of[MOST], found = 0;
	uint64_t sum = 0;

	join_pairs(made, group_of);
	for (uint32_t first = 0; first < made->count; first++) {
		const struct compute_interval *longest = NULL;
		uint64_t start = UINT64_MAX, end = 0, count = 0;
		bool seen = false;

		for (uint32_t i = 0; i < made->count; i++) {
			const struct compute_interval *interval = &made->items[i];

			if (group_of[i] != first)
				continue;
			count++;
			start = interval->start_ns < start ? interval->start_ns : start;
			end = interval->end_ns > end ? interval->end_ns : end;
			if (!longest || rather(interval, longest))
				longest = interval;
		}
		if (!longest)
			continue;
		found++;
		sum += length_of(longest);
		for (size_t g = 0; g < groups->list.count; g++) {
			const struct compute_group *group = &groups->list.items[g];

			seen |= group->start_ns == start && group->end_ns == end &&
				group->intervals == count && same(&group->longest, longest);
		}
		assert_true(seen);
	}
	assert_int_equal(groups->list.count, found);
	assert_int_equal(groups->intervals, made->count);
	assert_int_equal(groups->longest_ns, sum);
	for (size_t g = 1; g < groups->list.count; g++)
		assert_true(groups->list.items[g].start_ns >= groups->list.items[g - 1].end_ns);
}

struct made_call {
	uint64_t enter, leave;
	uint32_t thread;
};

struct made_calls {
	struct made_call items[THREADS * (GAPS + 1)];
	size_t count;
};

static int compare_calls(const void *a, const void *b)
{
	const struct made_call *x = a, *y = b;

	return x->enter < y->enter ? -1 : x->enter > y->enter;
}

/* Let a thread of a rank compute between some calls, which may be empty, or long. */
static uint64_t make_thread(struct made_calls *calls, struct made_intervals *made,
			    uint64_t *numbers, uint32_t rank, uint32_t thread, uint64_t end)
{
	const uint64_t gaps = 1 + random_below(numbers, GAPS), most = 1 + random_below(numbers, 40);
	uint64_t since = 0;

	for (uint64_t i = 0; i < gaps; i++) {
		const uint64_t enter = since + random_below(numbers, 8);
		const uint64_t leave = enter + random_below(numbers, most);

		if (leave > end)
			break;
		calls->items[calls->count++] = (struct made_call){enter, leave, thread};
		if (i || !thread)
			add(made, since, enter, rank, thread);
		since = leave;
	}
	return since;
}

static void make_rank(struct made_run *run, struct made_intervals *made, uint64_t *numbers,
		      uint32_t rank)
{
	struct made_calls calls = {0};
	const uint64_t since = make_thread(&calls, made, numbers, rank, 0, UINT64_MAX);
	const uint64_t end = since + random_below(numbers, 5);

	if (random_below(numbers, 3) == 0)
		make_thread(&calls, made, numbers, rank, 1, end);
	qsort(calls.items, calls.count, sizeof *calls.items, compare_calls);
	for (size_t i = 0; i < calls.count; i++)
		made_thread_call(run, rank, calls.items[i].thread, "MPI_Comm_rank",
				 calls.items[i].enter, calls.items[i].leave, {0});
	made_plain(run, rank, "MPI_Finalize", end, end + 9);
	add(made, since, end, rank, 0);
}

static void groups_are_those_of_all_pairs_of_intervals(void **state)
{
	uint64_t groups_seen = 0, intervals_seen = 0;

	(void)state;
	for (uint64_t seed = 0; seed < RUNS; seed++) {
		struct made_intervals made = {0};
		struct groups groups;
		struct made_run run;
		uint64_t numbers = seed;
		const uint32_t ranks = 1 + (uint32_t)random_below(&numbers, RANKS);

		made_begin(&run, ranks);
		for (uint32_t r = 0; r < ranks; r++)
			make_rank(&run, &made, &numbers, r);
		made_match(&run);
		find(&groups, &run, 0);
		check_groups(&groups, &made);
		assert_true(groups.longest_ns <= run.run.end_ns - run.run.begin_ns);
		groups_seen += groups.list.count;
		intervals_seen += groups.intervals;
		groups_release(&groups);
		made_release(&run);
	}
	/* Not all in one group, nor each in its own. */
	assert_true(groups_seen > RUNS && intervals_seen > groups_seen * 5 / 4);
}

static void touching_intervals_are_not_one_group_and_the_first_of_equal_ones_counts(void **state)
{
	struct groups groups;
	struct made_run run;

	(void)state;
	made_begin(&run, 2);
	made_plain(&run, 0, "MPI_Barrier", 10, 20);
	made_plain(&run, 0, "MPI_Finalize", 30, 31);
	made_plain(&run, 1, "MPI_Barrier", 10, 15);
	made_plain(&run, 1, "MPI_Barrier", 20, 30);
	made_plain(&run, 1, "MPI_Finalize", 30, 31);
	made_end(&run);
	find(&groups, &run, 0);
	assert_int_equal(groups.list.count, 3);
	assert_int_equal(groups.list.items[0].longest.rank, 0);
	assert_int_equal(groups.list.items[1].longest.rank, 1);
	assert_int_equal(groups.list.items[2].longest.rank, 0);
	assert_int_equal(groups.longest_ns, 25);
	assert_true(groups_are_path(&groups, &run.run));
	assert_int_equal(groups.list.items[1].longest.call, 2);
	assert_int_equal(groups.list.items[1].longest.function,
			 run.run.ranks[1].calls.items[2].function);
	groups_release(&groups);

	/* The computation between the calls of rank 1 is within a block of calls. */
	find(&groups, &run, 6);
	assert_int_equal(groups.list.count, 2);
	assert_int_equal(groups.longest_ns, 20);
	groups_release(&groups);
	find(&groups, &run, 11);
	assert_int_equal(groups.list.count + groups.longest_ns, 0);
	assert_false(groups_are_path(&groups, &run.run));
	groups_release(&groups);
	made_release(&run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			touching_intervals_are_not_one_group_and_the_first_of_equal_ones_counts),
		cmocka_unit_test(groups_are_those_of_all_pairs_of_intervals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
