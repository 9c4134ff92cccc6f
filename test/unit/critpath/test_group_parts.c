/*
 * Groups found by parts, by any number of processes, against all at once and against a brute force
 * that knows nothing of sorting: the methods `groups` and `shuffle` of critpath-mpi without MPI.
 */
#include "critpath/groups/cuts.h"
#include "critpath/groups/group_lists.h"
#include "critpath/groups/group_methods.h"
#include "test/unit/lib/check/dist_play.h"
#include "test/unit/lib/make/random_graph.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>
#include <string.h>

#include "test/unit/lib/must.h"

/* With PROGRAMS in the environment there are that many rounds. */
static int rounds = 5000;
enum { RANKS = 9, MOST = 40, PARTS = 7 };

/* Sorted intervals of some ranks, and which ranks each process has. */
struct sample {
	uint32_t ranks, parts;
	uint32_t first_rank[PARTS + 1];
	struct compute_intervals lists[RANKS];
	struct compute_interval all[MOST];
	size_t count;
};

static int compare(const void *a, const void *b)
{
	return compute_interval_before(a, b) ? -1 : compute_interval_before(b, a);
}

static int compare_numbers(const void *a, const void *b)
{
	return (int)(*(const uint32_t *)a - *(const uint32_t *)b);
}

/* Leave one of the intervals of a thread that start at once.  Returns how many are left. */
static size_t leave_out_doubles(struct compute_interval *intervals, size_t count)
{
	size_t left = 0;

	for (size_t i = 0; i < count; i++)
		if (left == 0 || compare(&intervals[left - 1], &intervals[i]) != 0)
			intervals[left++] = intervals[i];
	return left;
}

/*
 * Short times, so that starts are often equal and intervals touch; at times one spans all.  Or long
 * times, which differ in few bits, and some short ones among them.  Some samples have the largest times
 * that there are.
 */
static void make_sample(struct sample *sample, uint64_t *numbers)
{
	const size_t count = random_below(numbers, MOST);
	const uint64_t span = 1 + random_below(numbers, 60), longest = 1 + random_below(numbers, 9);
	const uint64_t unit = UINT64_C(1) << random_below(numbers, 2) * random_below(numbers, 20);
	const uint64_t noise = 1 + unit / (1 + random_below(numbers, 100));
	const uint64_t tick = random_below(numbers, 4) ? 1 : 1 + random_below(numbers, 1000);
	const uint64_t origin = random_below(numbers, 8) ? 0 : UINT64_MAX - (UINT64_C(1) << 37);
	struct error err;

	memset(sample, 0, sizeof *sample);
	sample->ranks = 1 + (uint32_t)random_below(numbers, RANKS);
	sample->parts = 1 + (uint32_t)random_below(numbers, PARTS);
	for (uint32_t p = 1; p < sample->parts; p++)
		sample->first_rank[p] = (uint32_t)random_below(numbers, sample->ranks + 1);
	sample->first_rank[sample->parts] = sample->ranks;
	qsort(sample->first_rank, sample->parts, sizeof *sample->first_rank, compare_numbers);
	for (size_t i = 0; i < count; i++) {
		struct compute_interval interval = {.start_ns = unit * random_below(numbers, span) +
								random_below(numbers, noise)};

		interval.end_ns = interval.start_ns + 1 + unit * random_below(numbers, longest) +
				  random_below(numbers, noise);
		if (random_below(numbers, 50) == 0)
			interval.end_ns += unit * random_below(numbers, span);
		interval.call = (uint32_t)random_below(numbers, 5) - 1;
		interval.function = (uint32_t)random_below(numbers, 3);
		interval.site = (uint32_t)random_below(numbers, 3) - 1;
		interval.start_ns = origin + interval.start_ns * tick;
		interval.end_ns = origin + interval.end_ns * tick;
		interval.rank = (uint32_t)random_below(numbers, sample->ranks);
		interval.thread = (uint32_t)random_below(numbers, 3);
		sample->all[i] = interval;
	}
	qsort(sample->all, count, sizeof *sample->all, compare);
	sample->count = leave_out_doubles(sample->all, count);
	for (size_t i = 0; i < sample->count; i++)
		MUST(array_push(&sample->lists[sample->all[i].rank].list, sample->all[i], &err));
}

static void release_sample(struct sample *sample)
{
	for (uint32_t r = 0; r < sample->ranks; r++)
		compute_intervals_release(&sample->lists[r]);
}

/* ------------------------------------------------------------------ one process */

/* Join any two intervals that overlap, until none of different groups do. */
static size_t label(const struct sample *sample, size_t *group_of)
{
	bool again = true;
	size_t groups = 0;

	for (size_t i = 0; i < sample->count; i++)
		group_of[i] = i;
	while (again) {
		again = false;
		for (size_t i = 0; i < sample->count; i++)
			for (size_t k = 0; k < sample->count; k++)
				if (group_of[i] < group_of[k] &&
				    sample->all[i].start_ns < sample->all[k].end_ns &&
				    sample->all[k].start_ns < sample->all[i].end_ns) {
					group_of[k] = group_of[i];
					again = true;
				}
	}
	for (size_t i = 0; i < sample->count; i++)
		groups += group_of[i] == i;
	return groups;
}

static void check_group(const struct sample *sample, const size_t *group_of,
			const struct compute_group *group)
{
	const struct compute_interval *longest = NULL;
	uint64_t intervals = 0, start_ns = UINT64_MAX, end_ns = 0;
	size_t number = MOST;

	for (size_t i = 0; i < sample->count; i++)
		if (compare(&sample->all[i], &group->longest) == 0 &&
		    sample->all[i].end_ns == group->longest.end_ns)
			number = group_of[i];
	assert_true(number < MOST);
	for (size_t i = 0; i < sample->count; i++) {
		const struct compute_interval *one = &sample->all[i];

		if (group_of[i] != number)
			continue;
		intervals++;
		start_ns = one->start_ns < start_ns ? one->start_ns : start_ns;
		end_ns = one->end_ns > end_ns ? one->end_ns : end_ns;
		if (!longest || one->end_ns - one->start_ns > longest->end_ns - longest->start_ns)
			longest = one;
	}
	assert_int_equal(group->intervals, intervals);
	assert_int_equal(group->start_ns, start_ns);
	assert_int_equal(group->end_ns, end_ns);
	assert_int_equal(compare(longest, &group->longest), 0);
	assert_memory_equal(longest, &group->longest, offsetof(struct compute_interval, site));
	assert_int_equal(longest->site, group->longest.site);
}

static void check_groups(const struct sample *sample, const struct groups *groups)
{
	size_t group_of[MOST];
	uint64_t longest_ns = 0;

	assert_int_equal(groups->list.count, label(sample, group_of));
	assert_int_equal(groups->intervals, sample->count);
	for (size_t i = 0; i < groups->list.count; i++) {
		const struct compute_group *group = &groups->list.items[i];

		check_group(sample, group_of, group);
		longest_ns += group->longest.end_ns - group->longest.start_ns;
		if (i)
			assert_true(group->start_ns >= group[-1].end_ns);
	}
	assert_int_equal(groups->longest_ns, longest_ns);
}

/* ------------------------------------------------------------- without a shuffle */

static void find_own(struct groups *groups, struct sample *sample, uint32_t part)
{
	const uint32_t first = sample->first_rank[part];
	struct error err;

	MUST(group_lists_find(groups, &sample->lists[first], sample->first_rank[part + 1] - first,
			      &err));
}

/* Merge the lists of all processes, in a random tree. */
static void merge_all(struct sample *sample, uint64_t *numbers)
{
	struct groups lists[PARTS] = {0};
	uint32_t left = sample->parts;
	struct error err;

	for (uint32_t p = 0; p < sample->parts; p++)
		find_own(&lists[p], sample, p);
	for (; left > 1; left--) {
		const uint32_t into = (uint32_t)random_below(numbers, left - 1);

		MUST(group_lists_merge(&lists[into], &lists[left - 1], &err));
		groups_release(&lists[left - 1]);
	}
	check_groups(sample, &lists[0]);
	groups_release(&lists[0]);
}

static void merged_lists_are_the_groups_of_all_intervals(void **state)
{
	uint64_t numbers = 1;

	(void)state;
	for (int round = 0; round < rounds; round++) {
		struct sample sample;

		make_sample(&sample, &numbers);
		merge_all(&sample, &numbers);
		release_sample(&sample);
	}
}

/* ------------------------------------------------------------------------ cuts */

/* What the processes of a shuffle know: [process] or [process][list, part]. */
struct shuffle {
	struct cuts cuts[PARTS];
	uint64_t positions[PARTS][RANKS * (PARTS + 1)];
};

static void add_up(uint64_t sums[], uint64_t of[][PARTS], uint32_t processes, uint32_t count)
{
	memset(sums, 0, count * sizeof *sums);
	for (uint32_t p = 0; p < processes; p++)
		for (uint32_t k = 0; k < count; k++)
			sums[k] += of[p][k];
}

static uint32_t own_lists(struct sample *sample, uint32_t part, struct compute_intervals **lists)
{
	*lists = &sample->lists[sample->first_rank[part]];
	return sample->first_rank[part + 1] - sample->first_rank[part];
}

static void cut(struct shuffle *shuffle, struct sample *sample)
{
	const uint32_t parts = sample->parts;
	uint64_t at_ns[PARTS], counts[PARTS][PARTS], below[PARTS][PARTS], equal[PARTS][PARTS];
	uint64_t sums[PARTS], before[PARTS] = {0};
	struct compute_intervals *lists;
	struct error err;
	uint32_t count;

	for (uint32_t p = 0; p < parts; p++)
		MUST(cuts_begin(&shuffle->cuts[p], parts, sample->count, sample->all[0].start_ns,
				sample->all[sample->count - 1].start_ns, &err));
	while (cuts_probe(&shuffle->cuts[0], at_ns)) {
		for (uint32_t p = 0; p < parts; p++) {
			count = own_lists(sample, p, &lists);
			cuts_count(&shuffle->cuts[p], lists, count, at_ns, counts[p]);
		}
		add_up(sums, counts, parts, parts - 1);
		for (uint32_t p = 0; p < parts; p++)
			cuts_learn(&shuffle->cuts[p], sums);
	}
	for (uint32_t p = 0; p < parts; p++) {
		count = own_lists(sample, p, &lists);
		cuts_below(&shuffle->cuts[p], lists, count, below[p], equal[p]);
	}
	add_up(sums, below, parts, parts - 1);
	for (uint32_t p = 0; p < parts; p++) {
		count = own_lists(sample, p, &lists);
		cuts_place(&shuffle->cuts[p], lists, count, sums, before, shuffle->positions[p]);
		for (uint32_t k = 0; k + 1 < parts; k++)
			before[k] += equal[p][k];
		cuts_release(&shuffle->cuts[p]);
	}
}

/* Count the intervals of a part, and find when the first and the last of them start. */
static uint64_t look_at_part(const struct shuffle *shuffle, struct sample *sample, uint32_t part,
			     uint64_t *first_ns, uint64_t *last_ns)
{
	uint64_t intervals = 0;

	*first_ns = UINT64_MAX;
	*last_ns = 0;
	for (uint32_t p = 0; p < sample->parts; p++) {
		struct compute_intervals *lists;
		const uint32_t count = own_lists(sample, p, &lists);

		for (uint32_t i = 0; i < count; i++) {
			const uint64_t *position =
				&shuffle->positions[p][i * (sample->parts + 1) + part];

			assert_true(position[0] <= position[1]);
			for (uint64_t k = position[0]; k < position[1]; k++) {
				const uint64_t start_ns = lists[i].list.items[k].start_ns;

				*first_ns = start_ns < *first_ns ? start_ns : *first_ns;
				*last_ns = start_ns > *last_ns ? start_ns : *last_ns;
				intervals++;
			}
		}
	}
	return intervals;
}

static void check_parts(struct sample *sample)
{
	struct shuffle *shuffle = calloc(1, sizeof *shuffle);
	uint64_t first_ns, last_ns, before_ns = 0;

	assert_non_null(shuffle);
	cut(shuffle, sample);
	for (uint32_t part = 0; part < sample->parts; part++) {
		const uint64_t intervals = look_at_part(shuffle, sample, part, &first_ns, &last_ns);

		assert_int_equal(intervals, sample->count * (part + 1) / sample->parts -
						    sample->count * part / sample->parts);
		if (!intervals)
			continue;
		assert_true(first_ns >= before_ns);
		before_ns = last_ns;
	}
	free(shuffle);
}

static void parts_have_equal_counts_in_order_of_time(void **state)
{
	uint64_t numbers = 2;

	(void)state;
	for (int round = 0; round < rounds; round++) {
		struct sample sample;

		make_sample(&sample, &numbers);
		if (sample.count)
			check_parts(&sample);
		release_sample(&sample);
	}
}

/* ------------------------------------------------------------------- processes */

/* Results of all processes of a run of both methods. */
struct together {
	struct sample *sample;
	int level;
	struct groups merged[PARTS], shuffled[PARTS];
	struct groups_moved merge_moved, shuffle_moved;
	int results[PARTS];
	struct error errors[PARTS];
};

static void find_both(struct dist *dist, void *data)
{
	struct together *together = data;
	const uint32_t p = dist->rank;
	struct compute_intervals *lists;
	const uint32_t count = own_lists(together->sample, p, &lists);
	const struct groups_lists own = {lists, count};
	struct groups_moved merge_moved = {0}, shuffle_moved = {0};

	together->results[p] = groups_merge(&together->merged[p], &own, together->level, dist,
					    &merge_moved, &together->errors[p]);
	if (together->results[p] == 0)
		together->results[p] = groups_shuffle(&together->shuffled[p], &own, together->level,
						      dist, &shuffle_moved, &together->errors[p]);
	together->merge_moved.bytes += merge_moved.bytes;
	together->merge_moved.intervals += merge_moved.intervals;
	together->shuffle_moved.bytes += shuffle_moved.bytes;
	together->shuffle_moved.intervals += shuffle_moved.intervals;
}

/* Only the first process has groups, and a process alone moves nothing. */
static void check_together(struct together *together)
{
	const struct sample *sample = together->sample;

	for (uint32_t p = 0; p < sample->parts; p++) {
		if (together->results[p] < 0)
			fail_msg("%s", together->errors[p].text);
		if (p) {
			assert_int_equal(together->merged[p].list.count, 0);
			assert_int_equal(together->shuffled[p].list.count, 0);
		}
	}
	check_groups(sample, &together->merged[0]);
	check_groups(sample, &together->shuffled[0]);
	groups_release(&together->merged[0]);
	groups_release(&together->shuffled[0]);
	assert_int_equal(together->merge_moved.intervals, 0);
	assert_true(together->shuffle_moved.intervals <= sample->count);
	if (sample->parts == 1) {
		assert_int_equal(together->merge_moved.bytes, 0);
		assert_int_equal(together->shuffle_moved.bytes, 0);
	}
}

static void processes_together_find_the_groups_of_all_intervals(void **state)
{
	uint64_t numbers = 3;

	(void)state;
	for (int round = 0; round < rounds / 10; round++) {
		struct together *together = calloc(1, sizeof *together);
		struct sample sample;

		assert_non_null(together);
		make_sample(&sample, &numbers);
		together->sample = &sample;
		together->level = round % 3;
		dist_play(sample.parts, find_both, together);
		check_together(together);
		release_sample(&sample);
		free(together);
	}
}

int main(void)
{
	if (getenv("PROGRAMS"))
		rounds = atoi(getenv("PROGRAMS"));

	const struct CMUnitTest tests[] = {
		cmocka_unit_test(merged_lists_are_the_groups_of_all_intervals),
		cmocka_unit_test(parts_have_equal_counts_in_order_of_time),
		cmocka_unit_test(processes_together_find_the_groups_of_all_intervals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
