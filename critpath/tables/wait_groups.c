#include "critpath/tables/wait_groups.h"

#include "common/number_map.h"
#include "trace/measured_iterations.h"

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
	struct measured_iterations iterations; /* of the rank at hand */
	uint32_t iterations_of;		       /* the rank, from 1; 0: none yet */
};

static void add_to(struct wait_sum *sum, uint64_t ns)
{
	sum->waits++;
	sum->ns += ns;
	if (ns > sum->most_ns)
		sum->most_ns = ns;
}

/* --------------------------------------------------------------------- groups */

/* Describe the channel of a message by its waiting call, and number its communicator and tag. */
static int describe_channel(struct grouping *grouping, const struct wait_item *item,
			    struct wait_group *group, struct error *err)
{
	const struct wait *wait = &grouping->waits->of[item->rank][item->call];
	const bool receives = item->pattern == PATTERN_LATE_SENDER;
	const uint64_t kind = (uint64_t)wait->comm << 32 | item->tag;

	group->sender = receives ? wait->rank : item->rank;
	group->receiver = receives ? item->rank : wait->rank;
	group->comm = wait->comm;
	group->tag = item->tag;
	group->number = number_map_get(&grouping->kinds, kind, 0);
	if (group->number != NUMBER_MAP_EMPTY)
		return 0;
	group->number = (uint32_t)grouping->kinds.count;
	return number_map_add(&grouping->kinds, kind, 0, group->number, err);
}

/* Find the iteration of a wait: that in which its call began. */
static int find_iteration(struct grouping *grouping, const struct wait_item *item,
			  uint32_t *iteration, struct error *err)
{
	const struct measured_rank *rank = &grouping->waits->run->ranks[item->rank];

	if (grouping->iterations_of != item->rank + 1) {
		measured_iterations_release(&grouping->iterations);
		grouping->iterations_of = 0;
		TRY(measured_iterations_find(&grouping->iterations, rank, err));
		grouping->iterations_of = item->rank + 1;
	}
	*iteration = measured_iteration_at(&grouping->iterations,
					   rank->calls.items[item->call].enter_ns);
	return 0;
}

/* Describe the group of a wait.  *inside becomes false if it has none. */
static int describe(struct grouping *grouping, const struct wait_item *item,
		    struct wait_group *group, bool *inside, struct error *err)
{
	const struct measured_run *run = grouping->waits->run;

	*inside = true;
	switch (grouping->by) {
	case WAITS_BY_FUNCTION:
		group->number = run->ranks[item->rank].calls.items[item->call].function;
		return 0;
	case WAITS_BY_COMM:
		group->number = grouping->waits->of[item->rank][item->call].comm;
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
		group->number = measured_site(&run->ranks[item->rank], item->call);
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

	TRY(describe(grouping, item, &group, &inside, err));
	if (!inside) {
		add_to(&grouping->groups->outside, ns);
		return 0;
	}
	TRY(find_group(grouping, &group, &place, err));
	add_to(&grouping->groups->groups.items[place].sum, ns);
	return add_cause(grouping, place, grouping->waits->of[item->rank][item->call].rank, ns,
			 err);
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

static int compare_places(const void *a, const void *b)
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
	return compare_places(a, b);
}

static int count_iterations(struct wait_groups *groups, const struct measured_run *run,
			    struct error *err)
{
	groups->least_iterations = UINT32_MAX;
	for (uint32_t r = 0; r < run->rank_count; r++) {
		struct measured_iterations iterations;
		uint32_t count;

		TRY(measured_iterations_find(&iterations, &run->ranks[r], err));
		count = (uint32_t)iterations.starts_ns.count;
		measured_iterations_release(&iterations);
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
			add_to(&groups->patterns[PATTERN_WRONG_ORDER], item->wrong_order_ns);
		if (!ns)
			continue;
		add_to(&groups->all, ns);
		if (grouping->by != WAITS_BY_CALL)
			TRY(add_item(grouping, item, ns, err));
	}
	find_causes(grouping);
	if (groups->groups.count)
		qsort(groups->groups.items, groups->groups.count, sizeof *groups->groups.items,
		      grouping->by == WAITS_BY_ITERATION ? compare_places : compare_groups);
	if (grouping->by == WAITS_BY_ITERATION)
		return count_iterations(groups, grouping->waits->run, err);
	return 0;
}

int wait_groups_find(struct wait_groups *groups, const struct waits *waits,
		     const struct wait_items *items, enum wait_grouping by,
		     enum wait_pattern pattern, struct error *err)
{
	struct grouping grouping = {.groups = groups, .waits = waits, .by = by};
	int result;

	*groups = (struct wait_groups){0};
	result = group_items(&grouping, items, pattern, err);
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
