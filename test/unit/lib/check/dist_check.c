#include "test/unit/lib/check/dist_check.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>

#include "critpath/causes/wait_causes.h"
#include "critpath/match/run_match.h"
#include "critpath/path/blocks.h"
#include "critpath/tables/imbalance.h"
#include "critpath/tables/profile.h"
#include "critpath/tables/wait_groups.h"
#include "test/unit/lib/check/dist_play.h"
#include "test/unit/lib/must.h"

struct check {
	const struct found_alone *alone;
	struct profile profile;
	struct imbalance imbalance;
	struct wait_groups groups[WAIT_GROUPINGS];
	struct wait_causes_options causes; /* another one for each run */
	const char *_Atomic difference;	   /* the last that a thread found */
};

/* Note a difference; cmocka's checks are for the main thread. */
static void expect(struct check *check, bool same, const char *what)
{
	if (!same)
		check->difference = what;
}

static bool same_bytes(const void *a, const void *b, size_t count, size_t bytes)
{
	return !count || !memcmp(a, b, count * bytes);
}

#define same_array(a, b)             \
	((a)->count == (b)->count && \
	 same_bytes((a)->items, (b)->items, (a)->count, sizeof *(a)->items))

/* ----------------------------------------------------------------------- share */

#define copy_array(to, from, err)                                                 \
	(array_reserve(to, (from)->count, err) < 0                                \
		 ? -1                                                             \
		 : ((from)->count ? memcpy((to)->items, (from)->items,            \
					   (from)->count * sizeof *(from)->items) \
				  : NULL,                                         \
		    (to)->count = (from)->count, 0))

static int copy_rank(struct measured_rank *to, const struct measured_rank *from, struct error *err)
{
	*to = *from;
	memset(&to->calls, 0, sizeof to->calls);
	memset(&to->sends, 0, sizeof to->sends);
	memset(&to->recvs, 0, sizeof to->recvs);
	memset(&to->probes, 0, sizeof to->probes);
	memset(&to->locks, 0, sizeof to->locks);
	memset(&to->lock_calls, 0, sizeof to->lock_calls);
	memset(&to->parts, 0, sizeof to->parts);
	memset(&to->sites, 0, sizeof to->sites);
	memset(&to->cuts, 0, sizeof to->cuts);
	TRY(copy_array(&to->cuts.of_sends, &from->cuts.of_sends, err));
	TRY(copy_array(&to->cuts.of_recvs, &from->cuts.of_recvs, err));
	TRY(copy_array(&to->cuts.of_parts, &from->cuts.of_parts, err));
	TRY(copy_array(&to->calls, &from->calls, err));
	TRY(copy_array(&to->sends, &from->sends, err));
	TRY(copy_array(&to->recvs, &from->recvs, err));
	TRY(copy_array(&to->probes, &from->probes, err));
	TRY(copy_array(&to->locks, &from->locks, err));
	TRY(copy_array(&to->lock_calls, &from->lock_calls, err));
	TRY(copy_array(&to->sites, &from->sites, err));
	return copy_array(&to->parts, &from->parts, err);
}

static int copy_names(struct measured_names *to, const struct measured_names *from,
		      struct error *err)
{
	uint32_t function;

	for (size_t i = 0; i < from->others.count; i++)
		TRY(measured_names_add(to, from->others.items[i], &function, err));
	return 0;
}

int dist_check_take(struct measured_run *run, const struct measured_run *whole,
		    const struct dist *dist, struct error *err)
{
	*run = (struct measured_run){
		.iterations = whole->iterations,
		.world = whole->world,
		.rank_count = whole->rank_count,
		.own_first = measured_share(whole->rank_count, dist->rank, dist->size),
		.own_end = measured_share(whole->rank_count, dist->rank + 1, dist->size),
		.threads = 1,
	};
	TRY(allocate(&run->ranks, run->rank_count, sizeof *run->ranks, err));
	TRY(copy_names(&run->names, &whole->names, err));
	for (uint32_t r = run->own_first; r < run->own_end; r++)
		TRY(copy_rank(&run->ranks[r], &whole->ranks[r], err));
	return 0;
}

/* --------------------------------------------------------------------- compare */

static void compare_run(struct check *check, const struct measured_run *run)
{
	const struct measured_run *whole = check->alone->run;

	expect(check, run->begin_ns == whole->begin_ns && run->end_ns == whole->end_ns, "span");
	expect(check, run->last_rank == whole->last_rank, "the rank that ends last");
	expect(check, run->calls == whole->calls, "calls");
	expect(check, run->incomplete == whole->incomplete, "incomplete requests");
	expect(check, run->unmatched_sends == whole->unmatched_sends, "unmatched sends");
	expect(check, run->unmatched_recvs == whole->unmatched_recvs, "unmatched receives");
	expect(check, run->instance_count == whole->instance_count, "collectives");
	expect(check, same_bytes(&run->violations, &whole->violations, 1, sizeof run->violations),
	       "violations of clocks");
}

static void compare_waits(struct check *check, const struct waits *waits)
{
	const struct measured_run *run = waits->run;

	for (uint32_t r = run->own_first; r < run->own_end; r++)
		for (uint32_t c = 0; c < run->ranks[r].calls.count; c++)
			expect(check,
			       same_bytes(wait_at(waits, r, c), wait_at(check->alone->waits, r, c),
					  1, sizeof(struct wait)),
			       "waits");
}

static bool same_walk(const struct walk *a, const struct walk *b)
{
	if (a->segments.count != b->segments.count || a->rank_switches != b->rank_switches ||
	    memcmp(a->category_ns, b->category_ns, sizeof a->category_ns) != 0)
		return false;
	for (size_t i = 0; i < a->segments.count; i++) {
		const struct walk_segment *x = &a->segments.items[i], *y = &b->segments.items[i];

		if (x->start_ns != y->start_ns || x->end_ns != y->end_ns || x->rank != y->rank ||
		    x->call != y->call || x->function != y->function ||
		    x->category != y->category || x->switches_rank != y->switches_rank)
			return false;
	}
	return true;
}

static void compare_totals(struct check *check, const struct totals *totals)
{
	const struct totals *alone = check->alone->totals;

	expect(check, same_bytes(&totals->sum, &alone->sum, 1, sizeof totals->sum), "sums");
	expect(check,
	       same_bytes(totals->ranks, alone->ranks, check->alone->run->rank_count,
			  sizeof *totals->ranks),
	       "totals of ranks");
	expect(check, same_array(&totals->functions, &alone->functions), "totals of functions");
}

static void compare_profile(struct check *check, const struct profile *profile)
{
	const struct profile *alone = &check->profile;

	expect(check, same_array(&profile->cells, &alone->cells), "cells of the profile");
	expect(check, same_array(&profile->functions, &alone->functions), "functions");
	expect(check, same_array(&profile->pairs, &alone->pairs), "pairs");
	expect(check, !memcmp(profile->sizes, alone->sizes, sizeof alone->sizes), "sizes");
	expect(check, same_bytes(&profile->sum, &alone->sum, 1, sizeof alone->sum), "profile");
}

/* Whether a process has the same sums of the instances that it lists, in their order. */
static bool same_instances(const struct imbalance *imbalance, const struct imbalance *alone)
{
	const struct measured_run *run = imbalance->waits->run, *whole = alone->waits->run;
	size_t at = 0;

	for (size_t i = 0; i < run->instances.count; i++) {
		const struct imbalance_instance own = imbalance_row(imbalance, i);
		struct imbalance_instance row;

		if (!imbalance_lists(imbalance, i))
			continue;
		while (at < whole->instances.count &&
		       !measured_owns(run, whole->instances.items[at].first_rank))
			at++;
		if (at == whole->instances.count)
			return false;
		row = imbalance_row(alone, at++);
		if (own.state != row.state || memcmp(&own.parts, &row.parts, sizeof row.parts) ||
		    own.instance.members != row.instance.members ||
		    own.instance.comm != row.instance.comm ||
		    own.instance.last_rank != row.instance.last_rank ||
		    memcmp(&own.instance.last, &row.instance.last, sizeof row.instance.last) ||
		    own.instance.first_end_ns != row.instance.first_end_ns)
			return false;
	}
	return true;
}

static void compare_imbalance(struct check *check, const struct imbalance *imbalance)
{
	const struct imbalance *alone = &check->imbalance;

	expect(check, same_instances(imbalance, alone), "instances");
	expect(check, same_array(&imbalance->comms, &alone->comms), "communicators");
	expect(check,
	       !memcmp(imbalance->instance_states, alone->instance_states,
		       sizeof alone->instance_states),
	       "states of instances");
}

static void compare_ranks(struct check *check, const struct imbalance *imbalance)
{
	const struct imbalance *alone = &check->imbalance;

	expect(check, same_array(&imbalance->functions, &alone->functions), "functions' parts");
	expect(check, same_bytes(&imbalance->sum, &alone->sum, 1, sizeof alone->sum), "parts");
	expect(check, imbalance->busiest == alone->busiest, "the busiest rank");
}

/* -------------------------------------------------------------------- together */

static void check_groups(struct check *check, const struct waits *waits, struct dist *dist,
			 enum wait_grouping by)
{
	const struct wait_groups *alone = &check->groups[by];
	struct wait_groups groups;
	struct wait_items items;
	struct error err;

	if (wait_items_find(&items, waits, &err) < 0)
		return expect(check, false, err.text);
	if (wait_groups_find(&groups, waits, &items, by, PATTERN_ANY, dist, &err) < 0) {
		expect(check, false, "finding groups");
	} else {
		expect(check, !memcmp(groups.patterns, alone->patterns, sizeof groups.patterns),
		       "patterns");
		expect(check, dist->rank || same_array(&groups.groups, &alone->groups),
		       wait_grouping_names[by]);
		wait_groups_release(&groups);
	}
	wait_items_release(&items);
}

static void check_tables(struct check *check, const struct waits *waits, struct dist *dist)
{
	struct profile profile;
	struct imbalance imbalance;
	struct error err;

	for (int by = 0; by < WAIT_GROUPINGS; by++)
		check_groups(check, waits, dist, (enum wait_grouping)by);
	if (profile_find(&profile, waits, dist, &err) < 0)
		return expect(check, false, "finding the profile");
	if (dist->rank == 0)
		compare_profile(check, &profile);
	profile_release(&profile);
	if (imbalance_find(&imbalance, waits, dist, &err) < 0)
		return expect(check, false, "finding the imbalance");
	compare_imbalance(check, &imbalance);
	if (dist->rank == 0)
		compare_ranks(check, &imbalance);
	imbalance_release(&imbalance);
}

/* Check that processes join their segments to the same blocks.  This changes the walk. */
static void check_blocks(struct check *check, const struct measured_run *run, struct walk *walk,
			 struct dist *dist)
{
	static const uint64_t thresholds[] = {0, 1, 3, 9, 1000000};
	struct walk alone = *check->alone->walk;
	struct error err;

	alone.segments.items = NULL;
	alone.segments.count = alone.segments.capacity = 0;
	if (copy_array(&alone.segments, &check->alone->walk->segments, &err) < 0)
		abort();
	for (size_t i = 0; i < sizeof thresholds / sizeof *thresholds; i++) {
		struct blocks whole, own;

		if (blocks_count(&whole, check->alone->run, thresholds[i], dist_alone(), &err) <
			    0 ||
		    blocks_count(&own, run, thresholds[i], dist, &err) < 0)
			abort();
		blocks_join(&alone, check->alone->run, &whole);
		if (walk_join(walk, run, &own, dist, &err) < 0)
			return expect(check, false, "joining blocks");
		expect(check, own.count == whole.count, "count of blocks");
		expect(check, dist->rank || same_walk(walk, &alone), "blocks");
	}
	walk_release(&alone);
}

static bool same_rows(const struct cause_rows *a, const struct cause_rows *b)
{
	if (a->list.count != b->list.count)
		return false;
	for (size_t i = 0; i < a->list.count; i++) {
		const struct cause_row *x = &a->list.items[i], *y = &b->list.items[i];

		if (x->key.first != y->key.first || x->key.second != y->key.second ||
		    x->cost_as != y->cost_as || x->direct_as != y->direct_as ||
		    x->weighted_ns != y->weighted_ns || x->time_ns != y->time_ns ||
		    x->path_ns != y->path_ns || x->victims != y->victims || x->waits != y->waits ||
		    x->propagating_ns != y->propagating_ns || x->cause.first != y->cause.first ||
		    x->cause.second != y->cause.second || x->cause_as != y->cause_as)
			return false;
	}
	return true;
}

static void check_causes(struct check *check, const struct waits *waits, const struct walk *walk,
			 struct dist *dist)
{
	struct wait_causes causes, alone;
	struct error err;

	if (wait_causes_find(&causes, waits, walk, &check->causes, dist, &err) < 0)
		expect(check, false, "finding causes");
	if (dist->rank == 0) {
		if (wait_causes_find(&alone, check->alone->waits, check->alone->walk,
				     &check->causes, dist_alone(), &err) < 0)
			abort();
		expect(check, same_rows(&causes.rows, &alone.rows), "causes");
		expect(check, same_rows(&causes.groups, &alone.groups), "groups of causes");
		expect(check,
		       !memcmp(&causes.calls, &alone.calls, sizeof alone.calls) &&
			       !memcmp(&causes.ends, &alone.ends, sizeof alone.ends) &&
			       causes.unknown_ns == alone.unknown_ns,
		       "waits of causes");
		wait_causes_release(&alone);
	}
	wait_causes_release(&causes);
}

static void check_path(struct check *check, const struct waits *waits, struct dist *dist)
{
	struct walk walk;
	struct totals totals;
	struct error err;

	if (walk_find(&walk, waits, dist, &err) < 0)
		return expect(check, false, "finding the path");
	expect(check, dist->rank || same_walk(&walk, check->alone->walk), "path");
	check_causes(check, waits, &walk, dist);
	if (totals_find(&totals, waits, &walk, dist, &err) < 0) {
		expect(check, false, "finding totals");
	} else {
		if (dist->rank == 0)
			compare_totals(check, &totals);
		totals_release(&totals);
	}
	check_blocks(check, waits->run, &walk, dist);
	walk_release(&walk);
}

static void check_run(struct check *check, struct measured_run *run, struct dist *dist)
{
	struct waits waits;
	struct error err;

	if (run_match(run, dist, &err) < 0)
		return expect(check, false, "matching");
	compare_run(check, run);
	if (waits_find(&waits, run, dist, &err) < 0)
		return expect(check, false, "finding waits");
	compare_waits(check, &waits);
	check_path(check, &waits, dist);
	check_tables(check, &waits, dist);
	waits_release(&waits);
}

static void work(struct dist *dist, void *data)
{
	struct check *check = data;
	struct measured_run run;
	struct error err;

	if (dist_check_take(&run, check->alone->run, dist, &err) < 0)
		abort();
	check_run(check, &run, dist);
	measured_run_release(&run);
}

static void find_alone(struct check *check)
{
	const struct waits *waits = check->alone->waits;
	struct wait_items items;
	struct error err;

	MUST(profile_find(&check->profile, waits, dist_alone(), &err));
	MUST(imbalance_find(&check->imbalance, waits, dist_alone(), &err));
	MUST(wait_items_find(&items, waits, &err));
	for (int by = 0; by < WAIT_GROUPINGS; by++)
		MUST(wait_groups_find(&check->groups[by], waits, &items, (enum wait_grouping)by,
				      PATTERN_ANY, dist_alone(), &err));
	wait_items_release(&items);
}

void dist_check(const struct found_alone *alone, uint32_t processes)
{
	static uint32_t runs;
	struct check check = {.alone = alone,
			      .causes = {.by = (enum cause_grouping)(runs % CAUSE_GROUPINGS),
					 .match = (enum cell_match)(runs / CAUSE_GROUPINGS %
								    CELL_MATCHES)}};

	runs++;
	find_alone(&check);
	dist_play(processes, work, &check);
	for (int by = 0; by < WAIT_GROUPINGS; by++)
		wait_groups_release(&check.groups[by]);
	imbalance_release(&check.imbalance);
	profile_release(&check.profile);
	if (check.difference)
		fail_msg("%u processes differ: %s", processes, check.difference);
}
