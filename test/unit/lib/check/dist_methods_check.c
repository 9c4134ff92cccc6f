#include "test/unit/lib/check/dist_methods_check.h"

#include "critpath/groups/groups.h"
#include "critpath/graph/minimum_wait.h"
#include "critpath/path/members.h"
#include "critpath/match/run_match.h"
#include "test/unit/lib/check/dist_play.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>

#include "test/unit/lib/check/dist_check.h"
#include "test/unit/lib/must.h"

enum { MOST_PROCESSES = 8, SYNC_POINT_USES = SYNC_POINTS_IN_TURN + 1 };

struct shared {
	const struct made_run *made;
	const struct waits *waits;
	uint64_t delta_ns;
	struct walk walk, paths[SYNC_POINT_USES]; /* of process 0 */
	struct groups merged, shuffled;
	struct minimum_wait_found found[SYNC_POINT_USES][MOST_PROCESSES];
	int results[MOST_PROCESSES];
	struct error errors[MOST_PROCESSES];
};

static int match_own_ranks(struct measured_run *own, const struct measured_run *run,
			   struct dist *dist, struct error *err)
{
	const int result = dist_check_take(own, run, dist, err);

	TRY(dist_agree(dist, result, err));
	return run_match(own, dist, err);
}

/* Find the groups without a shuffle, and with one.  The other processes have none to release. */
static int find_groups(struct shared *shared, const struct measured_run *run, struct dist *dist,
		       struct error *err)
{
	struct groups *found[] = {&shared->merged, &shared->shuffled};

	for (int shuffle = 0; shuffle < 2; shuffle++) {
		const struct groups_options options = {.shuffle = shuffle, .level = 1};
		struct groups_moved moved;
		struct groups groups;

		TRY(groups_find(&groups, run, &options, dist, &moved, err));
		if (dist->rank == 0)
			*found[shuffle] = groups;
	}
	return 0;
}

static int find_paths(struct shared *shared, const struct waits *waits, struct dist *dist,
		      struct error *err)
{
	struct walk walk;

	TRY(walk_find(&walk, waits, dist, err));
	if (dist->rank == 0)
		shared->walk = walk;
	else
		walk_release(&walk);
	for (int use = 0; use < SYNC_POINT_USES; use++) {
		const struct minimum_wait_options options = {shared->delta_ns,
							     (enum sync_point_use)use};

		TRY(minimum_wait_path(&walk, waits, &options, dist, &shared->found[use][dist->rank],
				      err));
		if (dist->rank == 0)
			shared->paths[use] = walk;
		else
			walk_release(&walk);
	}
	return 0;
}

static int find_waits(struct waits *waits, const struct shared *shared,
		      const struct measured_run *run, struct dist *dist, struct error *err)
{
	TRY(waits_find(waits, run, dist, err));
	if (shared->waits->observed)
		TRY(members_wait(waits, true, dist, err));
	for (uint32_t r = run->own_first; r < run->own_end; r++)
		for (uint32_t c = 0; c < run->ranks[r].calls.count; c++)
			if (memcmp(wait_at(waits, r, c), wait_at(shared->waits, r, c),
				   sizeof(struct wait)) != 0)
				return error_set(err, STATUS_DATA, "another wait of rank %u", r);
	return 0;
}

static int find_all(struct shared *shared, struct dist *dist, struct error *err)
{
	struct measured_run own;
	struct waits waits;

	TRY(match_own_ranks(&own, &shared->made->run, dist, err));
	TRY(find_groups(shared, &own, dist, err));
	TRY(find_waits(&waits, shared, &own, dist, err));
	TRY(find_paths(shared, &waits, dist, err));
	waits_release(&waits);
	measured_run_release(&own);
	return 0;
}

static void work(struct dist *dist, void *data)
{
	struct shared *shared = data;
	const uint32_t p = dist->rank;

	shared->results[p] = find_all(shared, dist, &shared->errors[p]);
}

/* ---------------------------------------------------------------------- checks */

static void check_walk(const struct walk *found, const struct walk *expected)
{
	assert_int_equal(found->segments.count, expected->segments.count);
	assert_int_equal(found->rank_switches, expected->rank_switches);
	assert_memory_equal(found->category_ns, expected->category_ns, sizeof found->category_ns);
	for (size_t i = 0; i < found->segments.count; i++) {
		const struct walk_segment *a = &found->segments.items[i],
					  *b = &expected->segments.items[i];

		assert_true(a->start_ns == b->start_ns && a->end_ns == b->end_ns);
		assert_true(a->rank == b->rank && a->call == b->call);
		assert_true(a->category == b->category && a->switches_rank == b->switches_rank);
	}
}

static void check_path(const struct walk *path, const struct made_run *made, uint64_t wait_ns)
{
	uint64_t at_ns = 0;

	for (size_t i = 0; i < path->segments.count; i++) {
		const struct walk_segment *segment = &path->segments.items[i];

		assert_int_equal(segment->start_ns, at_ns);
		at_ns = segment->end_ns;
		if (segment->call != NO_CALL)
			assert_int_equal(
				segment->function,
				made->run.ranks[segment->rank].calls.items[segment->call].function);
	}
	assert_int_equal(at_ns, made->walk.length_ns);
	if (!made->run.violations.count)
		assert_int_equal(path->unknown_ns[UNKNOWN_CLOCKS], wait_ns);
}

static void check_groups(const struct groups *found, const struct groups *expected)
{
	assert_int_equal(found->list.count, expected->list.count);
	assert_int_equal(found->intervals, expected->intervals);
	assert_int_equal(found->longest_ns, expected->longest_ns);
	for (size_t i = 0; i < found->list.count; i++) {
		const struct compute_group *a = &found->list.items[i],
					   *b = &expected->list.items[i];

		assert_memory_equal(a, b, offsetof(struct compute_group, longest.site));
		assert_int_equal(a->longest.site, b->longest.site);
	}
}

/* Check that the processes find what one finds alone: the same path, minimum wait and parts. */
static void check_search(struct shared *shared, enum sync_point_use use, uint32_t processes,
			 uint64_t minimum_wait_ns)
{
	const struct minimum_wait_options options = {shared->delta_ns, use};
	struct minimum_wait_found found;
	struct walk path;
	struct error err;

	MUST(minimum_wait_path(&path, shared->waits, &options, dist_alone(), &found, &err));
	check_path(&path, shared->made, minimum_wait_ns);
	check_walk(&shared->paths[use], &path);
	for (uint32_t p = 0; p < processes; p++) {
		assert_int_equal(shared->found[use][p].wait_ns, minimum_wait_ns);
		assert_int_equal(shared->found[use][p].blocks, found.blocks);
	}
	walk_release(&path);
	walk_release(&shared->paths[use]);
}

void dist_methods_check(const struct made_run *made, const struct waits *waits, uint32_t processes,
			uint64_t delta_ns, uint64_t minimum_wait_ns)
{
	struct shared *shared = calloc(1, sizeof *shared);
	struct groups_moved moved;
	struct groups groups;
	struct walk walk;
	struct error err;

	assert_non_null(shared);
	shared->made = made;
	shared->waits = waits;
	shared->delta_ns = delta_ns;
	dist_play(processes, work, shared);
	for (uint32_t p = 0; p < processes; p++) {
		if (shared->results[p] < 0)
			fail_msg("process %u of %u: %s", p, processes, shared->errors[p].text);
	}
	MUST(groups_find(&groups, &made->run, &(struct groups_options){0}, dist_alone(), &moved,
			 &err));
	check_groups(&shared->merged, &groups);
	check_groups(&shared->shuffled, &groups);
	MUST(walk_find(&walk, waits, dist_alone(), &err));
	check_walk(&shared->walk, &walk);
	walk_release(&walk);
	for (int use = 0; use < SYNC_POINT_USES; use++)
		check_search(shared, (enum sync_point_use)use, processes, minimum_wait_ns);
	groups_release(&groups);
	groups_release(&shared->merged);
	groups_release(&shared->shuffled);
	walk_release(&shared->walk);
	free(shared);
}
