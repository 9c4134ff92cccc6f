#include "critpath/groups/groups.h"

#include "common/parallel/parallel.h"
#include "critpath/groups/group_methods.h"

struct listing {
	const struct measured_run *run;
	struct groups_lists *lists;
	uint64_t least_ns;
};

static int groups_list_rank(void *shared, void *state, uint32_t item, struct error *err)
{
	struct listing *listing = shared;

	(void)state;
	return compute_intervals_add(&listing->lists->ranks[item],
				     &listing->run->ranks[listing->run->own_first + item],
				     listing->least_ns, err);
}

/* List the intervals of own ranks. */
static int list_ranks(struct groups_lists *lists, const struct measured_run *run, uint64_t least_ns,
		      struct error *err)
{
	struct listing listing = {run, lists, least_ns};
	const struct parallel_work work = {.make = groups_list_rank, .shared = &listing};

	lists->count = run->own_end - run->own_first;
	TRY(allocate(&lists->ranks, lists->count, sizeof *lists->ranks, err));
	return parallel_run(&work, lists->count, measured_threads(run), err);
}

static int groups_find_by_method(struct groups *groups, const struct groups_lists *lists,
				 const struct groups_options *options, struct dist *dist,
				 struct groups_moved *moved, struct error *err)
{
	/* One process has nobody to shuffle with. */
	if (options->shuffle && dist->size > 1)
		return groups_shuffle(groups, lists, options->level, dist, moved, err);
	return groups_merge(groups, lists, options->level, dist, moved, err);
}

static int groups_add_up(struct groups_moved *moved, struct dist *dist, struct error *err)
{
	uint64_t sums[] = {moved->intervals, moved->groups, moved->bytes, moved->record_bytes};

	TRY(dist_allreduce(dist, sums, 4, DIST_SUM, err));
	*moved = (struct groups_moved){sums[0], sums[1], sums[2], sums[3]};
	return 0;
}

int groups_find(struct groups *groups, const struct measured_run *run,
		const struct groups_options *options, struct dist *dist, struct groups_moved *moved,
		struct error *err)
{
	struct groups_lists lists = {0};
	int result = list_ranks(&lists, run, options->least_ns, err);

	*groups = (struct groups){0};
	*moved = (struct groups_moved){0};
	result = dist_agree(dist, result, err);
	if (result == 0)
		result = groups_find_by_method(groups, &lists, options, dist, moved, err);
	if (result == 0)
		result = groups_add_up(moved, dist, err);
	for (uint32_t i = 0; lists.ranks && i < lists.count; i++)
		compute_intervals_release(&lists.ranks[i]);
	free(lists.ranks);
	if (result < 0)
		groups_release(groups);
	return result;
}

bool groups_are_path(const struct groups *groups, const struct measured_run *run)
{
	const uint64_t length_ns = run->end_ns - run->begin_ns;

	return groups->longest_ns >= length_ns - groups->longest_ns;
}
