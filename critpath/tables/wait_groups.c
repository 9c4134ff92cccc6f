#include "critpath/tables/wait_groups.h"

#include "common/number_map.h"
#include "trace/measured/measured_iterations.h"

#include <string.h>

const char *const wait_grouping_names[WAIT_GROUPINGS + 1] = {
	[WAITS_BY_CALL] = "call",	[WAITS_BY_FUNCTION] = "function",
	[WAITS_BY_COMM] = "comm",	[WAITS_BY_RANK] = "rank",
	[WAITS_BY_CHANNEL] = "channel", [WAITS_BY_ITERATION] = "iteration",
	[WAITS_BY_SITE] = "site",
};

/* Time of a group that one rank caused. */
struct cause {
	uint32_t group, rank;
	uint64_t ns;
};

struct grouping {
	struct wait_groups *groups;
	const struct waits *waits;
	enum wait_grouping by;
	struct number_map kinds;	/* of channels, by communicator and tag */
	struct number_map places;	/* of groups */
	struct number_map cause_places; /* by group and rank */
	ARRAY(struct cause) causes;
	struct measured_iterations iterations;
};

static void add_to(struct wait_sum *sum, uint64_t ns)
{
	sum->waits++;
	sum->ns += ns;
	if (ns > sum->most_ns)
		sum->most_ns = ns;
}

/* --------------------------------------------------------------------- groups */

/* Number the communicator and the tag of a channel. */
static int number_channel(struct grouping *grouping, struct wait_group *group, struct error *err)
{
	const uint64_t kind = (uint64_t)group->comm << 32 | group->tag;

	group->number = number_map_get(&grouping->kinds, kind, 0);
	if (group->number != NUMBER_MAP_EMPTY)
		return 0;
	group->number = (uint32_t)grouping->kinds.count;
	return number_map_add(&grouping->kinds, kind, 0, group->number, err);
}

/* Describe the channel of a message by its waiting call. */
static int describe_channel(struct grouping *grouping, const struct wait_item *item,
			    struct wait_group *group, struct error *err)
{
	const bool receives = item->pattern == PATTERN_LATE_SENDER;

	group->sender = receives ? item->cause_rank : item->rank;
	group->receiver = receives ? item->rank : item->cause_rank;
	group->comm = item->comm;
	group->tag = item->tag;
	return number_channel(grouping, group, err);
}

/* Find the iteration of a wait: that in which its call began. */
static int find_iteration(struct grouping *grouping, const struct wait_item *item,
			  uint32_t *iteration, struct error *err)
{
	const struct measured_run *run = grouping->waits->run;
	const struct iterations *iterations;

	TRY(measured_iterations_of(&grouping->iterations, run, item->rank, &iterations, err));
	*iteration = iteration_at(iterations,
				  run->ranks[item->rank].calls.items[item->call].enter_ns);
	return 0;
}

/* Describe the group of a wait.  *inside becomes false if it has none. */
static int wait_groups_describe(struct grouping *grouping, const struct wait_item *item,
				struct wait_group *group, bool *inside, struct error *err)
{
	*inside = true;
	switch (grouping->by) {
	case WAITS_BY_FUNCTION:
		group->number = item->function;
		return 0;
	case WAITS_BY_COMM:
		group->number = item->comm;
		return 0;
	case WAITS_BY_CHANNEL:
		*inside = item->pattern == PATTERN_LATE_SENDER ||
			  item->pattern == PATTERN_LATE_RECEIVER;
		return *inside ? describe_channel(grouping, item, group, err) : 0;
	case WAITS_BY_ITERATION:
		TRY(find_iteration(grouping, item, &group->number, err));
		*inside = group->number != NO_ITERATION;
		return 0;
	case WAITS_BY_SITE:
		group->number = item->site;
		*inside = group->number != NO_SITE;
		return 0;
	default:
		group->number = item->rank;
		return 0;
	}
}

static int find_group(struct grouping *grouping, const struct wait_group *group, uint32_t *place,
		      struct error *err)
{
	const uint64_t key = (uint64_t)group->sender << 32 | group->receiver;

	*place = number_map_get(&grouping->places, key, group->number);
	if (*place != NUMBER_MAP_EMPTY)
		return 0;
	*place = (uint32_t)grouping->groups->groups.count;
	TRY(array_push(&grouping->groups->groups, *group, err));
	return number_map_add(&grouping->places, key, group->number, *place, err);
}

static int add_cause(struct grouping *grouping, uint32_t group, uint32_t rank, uint64_t ns,
		     struct error *err)
{
	uint32_t place = number_map_get(&grouping->cause_places, group, rank);

	if (place == NUMBER_MAP_EMPTY) {
		place = (uint32_t)grouping->causes.count;
		TRY(array_push(&grouping->causes, ((struct cause){.group = group, .rank = rank}),
			       err));
		TRY(number_map_add(&grouping->cause_places, group, rank, place, err));
	}
	grouping->causes.items[place].ns += ns;
	return 0;
}

static int add_item(struct grouping *grouping, const struct wait_item *item, uint64_t ns,
		    struct error *err)
{
	struct wait_group group = {0};
	uint32_t place;
	bool inside;

	TRY(wait_groups_describe(grouping, item, &group, &inside, err));
	if (!inside) {
		add_to(&grouping->groups->outside, ns);
		return 0;
	}
	TRY(find_group(grouping, &group, &place, err));
	add_to(&grouping->groups->groups.items[place].sum, ns);
	return add_cause(grouping, place, item->cause_rank, ns, err);
}

/* --------------------------------------------------------------------- causes */

static void find_causes(struct grouping *grouping)
{
	for (size_t i = 0; i < grouping->causes.count; i++) {
		const struct cause *cause = &grouping->causes.items[i];
		struct wait_group *group = &grouping->groups->groups.items[cause->group];

		if (cause->ns > group->cause_ns ||
		    (cause->ns == group->cause_ns && cause->rank < group->cause)) {
			group->cause = cause->rank;
			group->cause_ns = cause->ns;
		}
	}
}

static int wait_groups_compare_places(const void *a, const void *b)
{
	const struct wait_group *x = a, *y = b;

	if (x->number != y->number)
		return x->number < y->number ? -1 : 1;
	if (x->sender != y->sender)
		return x->sender < y->sender ? -1 : 1;
	return x->receiver < y->receiver ? -1 : x->receiver > y->receiver;
}

static int compare_groups(const void *a, const void *b)
{
	const struct wait_group *x = a, *y = b;

	if (x->sum.ns != y->sum.ns)
		return x->sum.ns > y->sum.ns ? -1 : 1;
	return wait_groups_compare_places(a, b);
}

static int count_iterations(struct grouping *grouping, struct error *err)
{
	const struct measured_run *run = grouping->waits->run;
	struct wait_groups *groups = grouping->groups;

	groups->least_iterations = UINT32_MAX;
	for (uint32_t r = run->own_first; r < run->own_end; r++) {
		const struct iterations *iterations;
		uint32_t count;

		TRY(measured_iterations_of(&grouping->iterations, run, r, &iterations, err));
		count = (uint32_t)iterations->starts_ns.count;
		if (count < groups->least_iterations)
			groups->least_iterations = count;
		if (count > groups->most_iterations)
			groups->most_iterations = count;
	}
	return 0;
}

static int group_items(struct grouping *grouping, const struct wait_items *items,
		       enum wait_pattern pattern, struct error *err)
{
	struct wait_groups *groups = grouping->groups;

	for (size_t i = 0; i < items->list.count; i++) {
		const struct wait_item *item = &items->list.items[i];
		const uint64_t ns = wait_item_ns(item, pattern);

		add_to(&groups->patterns[item->pattern], item->ns);
		if (item->wrong_order_ns)
			add_to(&groups->patterns[item->order], item->wrong_order_ns);
		if (!ns)
			continue;
		add_to(&groups->all, ns);
		if (grouping->by != WAITS_BY_CALL)
			TRY(add_item(grouping, item, ns, err));
	}
	return grouping->by == WAITS_BY_ITERATION ? count_iterations(grouping, err) : 0;
}

/* ----------------------------------------------------------------------- sharing */

static int share_sum(struct wait_sum *sum, struct dist *dist, struct error *err)
{
	uint64_t added[] = {sum->waits, sum->ns};

	TRY(dist_allreduce(dist, added, 2, DIST_SUM, err));
	sum->waits = added[0];
	sum->ns = added[1];
	return dist_allreduce(dist, &sum->most_ns, 1, DIST_MAX, err);
}

static int share_sums(struct wait_groups *groups, struct dist *dist, struct error *err)
{
	uint64_t least = groups->least_iterations, most = groups->most_iterations;

	for (int i = 0; i < PATTERNS; i++)
		TRY(share_sum(&groups->patterns[i], dist, err));
	TRY(share_sum(&groups->all, dist, err));
	TRY(share_sum(&groups->outside, dist, err));
	TRY(dist_allreduce(dist, &least, 1, DIST_MIN, err));
	TRY(dist_allreduce(dist, &most, 1, DIST_MAX, err));
	groups->least_iterations = (uint32_t)least;
	groups->most_iterations = (uint32_t)most;
	return 0;
}

/* Groups of a process, and the causes of their waits. */
struct parts {
	ARRAY(struct wait_group) groups;
	ARRAY(struct cause) causes;
};

/* Add a group of a process to those of all.  *place becomes its place there. */
static int add_group(struct grouping *grouping, const struct wait_group *part, uint32_t *place,
		     struct error *err)
{
	struct wait_group group = *part;
	struct wait_sum *sum;

	group.sum = (struct wait_sum){0};
	if (grouping->by == WAITS_BY_CHANNEL)
		TRY(number_channel(grouping, &group, err));
	TRY(find_group(grouping, &group, place, err));
	sum = &grouping->groups->groups.items[*place].sum;
	sum->waits += part->sum.waits;
	sum->ns += part->sum.ns;
	if (part->sum.most_ns > sum->most_ns)
		sum->most_ns = part->sum.most_ns;
	return 0;
}

/* Process 0 adds the groups of all processes, in their order. */
static int add_parts(struct grouping *grouping, const struct parts *parts, struct error *err)
{
	uint32_t *places;
	int result = 0;

	TRY(allocate(&places, parts->groups.count, sizeof *places, err));
	for (size_t i = 0; result == 0 && i < parts->groups.count; i++)
		result = add_group(grouping, &parts->groups.items[i], &places[i], err);
	for (size_t i = 0; result == 0 && i < parts->causes.count; i++)
		result = add_cause(grouping, places[parts->causes.items[i].group],
				   parts->causes.items[i].rank, parts->causes.items[i].ns, err);
	free(places);
	return result;
}

/* Let causes name the groups by their places in the list of all processes. */
static int move_causes(struct grouping *grouping, struct dist *dist, struct error *err)
{
	uint64_t before = grouping->groups->groups.count;

	TRY(dist_exscan(dist, &before, err));
	for (size_t i = 0; i < grouping->causes.count; i++)
		grouping->causes.items[i].group += (uint32_t)before;
	return 0;
}

static int join_parts(struct grouping *grouping, struct parts *parts, struct dist *dist,
		      struct error *err)
{
	int result = 0;

	TRY(dist_gather_array(dist, &grouping->groups->groups, err));
	TRY(dist_gather_array(dist, &grouping->causes, err));
	if (dist->rank != 0)
		return dist_agree(dist, 0, err);
	memcpy(&parts->groups, &grouping->groups->groups, sizeof parts->groups);
	memcpy(&parts->causes, &grouping->causes, sizeof parts->causes);
	memset(&grouping->groups->groups, 0, sizeof grouping->groups->groups);
	memset(&grouping->causes, 0, sizeof grouping->causes);
	number_map_clear(&grouping->places);
	number_map_clear(&grouping->kinds);
	number_map_clear(&grouping->cause_places);
	result = add_parts(grouping, parts, err);
	return dist_agree(dist, result, err);
}

static int wait_groups_share(struct grouping *grouping, struct dist *dist, struct error *err)
{
	struct parts parts = {0};
	int result;

	TRY(share_sums(grouping->groups, dist, err));
	TRY(move_causes(grouping, dist, err));
	result = join_parts(grouping, &parts, dist, err);
	array_release(&parts.groups);
	array_release(&parts.causes);
	return result;
}

static void finish(struct grouping *grouping)
{
	struct wait_groups *groups = grouping->groups;

	find_causes(grouping);
	if (groups->groups.count)
		qsort(groups->groups.items, groups->groups.count, sizeof *groups->groups.items,
		      grouping->by == WAITS_BY_ITERATION ? wait_groups_compare_places
							 : compare_groups);
}

int wait_groups_find(struct wait_groups *groups, const struct waits *waits,
		     const struct wait_items *items, enum wait_grouping by,
		     enum wait_pattern pattern, struct dist *dist, struct error *err)
{
	struct grouping grouping = {.groups = groups, .waits = waits, .by = by};
	int result;

	*groups = (struct wait_groups){0};
	result = dist_agree(dist, group_items(&grouping, items, pattern, err), err);
	if (result == 0 && dist->size > 1)
		result = wait_groups_share(&grouping, dist, err);
	if (result == 0 && dist->rank == 0)
		finish(&grouping);
	number_map_release(&grouping.kinds);
	number_map_release(&grouping.places);
	number_map_release(&grouping.cause_places);
	array_release(&grouping.causes);
	measured_iterations_release(&grouping.iterations);
	if (result < 0)
		wait_groups_release(groups);
	return result;
}

void wait_groups_release(struct wait_groups *groups)
{
	array_release(&groups->groups);
}
