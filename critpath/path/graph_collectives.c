#include "critpath/path/graph_builder.h"
#include "critpath/path/observed.h"

#include <string.h>

/* ------------------------------------------------------------------ as defined */

enum program_reach program_reach_of(const struct measured_part *part)
{
	switch (part->kind) {
	case COLL_BCAST:
	case COLL_SCATTER:
	case COLL_SCATTERV:
		return part->root == NO_ROOT ? REACH_NOBODY : REACH_FROM_ROOT;
	case COLL_GATHER:
	case COLL_GATHERV:
	case COLL_REDUCE:
		return part->root == NO_ROOT ? REACH_NOBODY : REACH_TO_ROOT;
	case COLL_SCAN:
	case COLL_EXSCAN:
		return REACH_UPWARDS;
	case MEASURED_NEIGHBOURS:
		return REACH_NOBODY;
	default:
		return REACH_ALL;
	}
}

/* Add what a member gives to the hub of its instance and gets from it. */
static int add_part(struct graph_builder *builder, uint32_t number, size_t index)
{
	const uint32_t *hub_of = builder->graph->hub_of;
	const struct measured_run *run = builder->run;
	const struct measured_part *part = &run->ranks[number].parts.items[index];
	const uint32_t instance = run->instance_of[number][index];
	const enum program_reach reach = program_reach_of(part);
	const bool is_root = part->root == number;
	uint64_t hub_ns, begin_ns;
	uint32_t hub;

	if (instance == NO_MATCH || hub_of[instance] == UINT32_MAX || reach == REACH_NOBODY)
		return 0;
	hub = hub_of[instance];
	hub_ns = builder->hubs.items[hub - builder->graph->first_vertex[run->rank_count]];
	begin_ns = graph_call(run, number, part->begin)->enter_ns;
	if (reach != REACH_FROM_ROOT || is_root)
		TRY(graph_add_edge(builder, graph_begin(builder, number, part->begin), hub,
				   graph_time_between(begin_ns, hub_ns)));
	if (reach != REACH_TO_ROOT || is_root)
		TRY(graph_add_edge_to_end(builder, hub, hub_ns, number, part->end));
	return 0;
}

/* Make the hubs of all instances but scans. */
static int add_hubs(struct graph_builder *builder)
{
	uint32_t *hub_of = builder->graph->hub_of;
	const struct measured_run *run = builder->run;

	for (uint32_t r = 0; r < run->rank_count; r++)
		for (size_t i = 0; i < run->ranks[r].parts.count; i++) {
			const uint32_t index = run->instance_of[r][i];
			const enum program_reach reach = program_reach_of(
				&run->ranks[r].parts.items[i]);
			const struct measured_instance *instance;
			uint64_t at_ns;

			if (index == NO_MATCH || hub_of[index] != UINT32_MAX ||
			    reach == REACH_NOBODY || reach == REACH_UPWARDS)
				continue;
			instance = &run->instances.items[index];
			if (reach == REACH_FROM_ROOT && instance->root.call == NO_CALL)
				continue;
			at_ns = reach == REACH_FROM_ROOT
					? graph_call(run, instance->root_rank, instance->root.call)
						  ->enter_ns
					: instance->last.begin_ns;
			TRY(graph_add_hub(builder, at_ns, &hub_of[index]));
		}
	return 0;
}

/* Add an edge for each call of a scan that waited; those before it are no later. */
static int add_scans(struct graph_builder *builder, uint32_t number)
{
	const struct measured_run *run = builder->run;
	const struct measured_rank *rank = &run->ranks[number];

	for (size_t i = 0; i < rank->parts.count; i++) {
		const struct measured_part *part = &rank->parts.items[i];
		const struct wait *wait = wait_at(builder->graph->waits, number, part->end);

		if (program_reach_of(part) == REACH_UPWARDS && wait->kind == WAIT_COLLECTIVE)
			TRY(graph_add_edge_to_end(builder,
						  graph_begin(builder, wait->rank, wait->call),
						  graph_call(run, wait->rank, wait->call)->enter_ns,
						  number, part->end));
	}
	return 0;
}

static int add_as_defined(struct graph_builder *builder)
{
	const struct measured_run *run = builder->run;

	TRY(add_hubs(builder));
	for (uint32_t r = 0; r < run->rank_count; r++)
		for (size_t i = 0; i < run->ranks[r].parts.count; i++)
			TRY(add_part(builder, r, i));
	for (uint32_t r = 0; r < run->rank_count; r++)
		TRY(add_scans(builder, r));
	return 0;
}

/* -------------------------------------------------------------------- observed */

/* An instance whose members wait as observed. */
struct observation {
	const struct observed_members *members;
	size_t first, end;
	uint32_t *hub_at; /* [member]: vertex at its begin, or UINT32_MAX */
	size_t hub_count;
};

/* The last member that a member waits for. */
static size_t last_for(const struct observation *instance, size_t member)
{
	return observed_last(instance->members, instance->first, instance->end,
			     instance->members->list.items[member].end_ns);
}

static uint64_t began(const struct observation *instance, size_t member)
{
	return instance->members->list.items[member].begin.begin_ns;
}

/* Make a hub at the begin of each member that is the last one for some, with edges between them. */
static int add_observed_hubs(struct graph_builder *builder, struct observation *instance)
{
	size_t before = instance->end;

	for (size_t i = instance->first; i < instance->end; i++)
		instance->hub_at[i] = UINT32_MAX;
	for (size_t i = instance->first; i < instance->end; i++)
		instance->hub_at[last_for(instance, i)] = 0;
	for (size_t i = instance->first; i < instance->end; i++) {
		if (instance->hub_at[i] == UINT32_MAX)
			continue;
		TRY(graph_add_hub(builder, began(instance, i), &instance->hub_at[i]));
		instance->hub_count++;
		if (before < instance->end)
			TRY(graph_add_edge(builder, instance->hub_at[before], instance->hub_at[i],
					   began(instance, i) - began(instance, before)));
		before = i;
	}
	return 0;
}

/* Find the first of the members that began at the same time. */
static size_t first_at_once(const struct observation *instance, size_t member)
{
	while (member > instance->first && began(instance, member - 1) == began(instance, member))
		member--;
	return member;
}

/* Add an edge from each member to the first hub that is no earlier, if there is one. */
static int add_edges_to_hubs(struct graph_builder *builder, const struct observation *instance)
{
	size_t next = instance->end, i = instance->end;

	while (i > instance->first) {
		const size_t first = first_at_once(instance, i - 1);

		next = instance->hub_at[first] == UINT32_MAX ? next : first;
		for (; i > first; i--) {
			const struct observed_member *member =
				&instance->members->list.items[i - 1];

			if (next < instance->end)
				TRY(graph_add_edge(builder,
						   graph_begin(builder, member->rank,
							       member->begin.call),
						   instance->hub_at[next],
						   began(instance, next) - began(instance, i - 1)));
		}
	}
	return 0;
}

static int add_edges_from_hubs(struct graph_builder *builder, const struct observation *instance)
{
	for (size_t i = instance->first; i < instance->end; i++) {
		const struct observed_member *member = &instance->members->list.items[i];
		const size_t last = last_for(instance, i);

		TRY(graph_add_edge_to_end(builder, instance->hub_at[last], began(instance, last),
					  member->rank, member->end));
	}
	return 0;
}

static int add_observed(struct graph_builder *builder, const struct observed_members *members,
			uint32_t *hub_at)
{
	struct observation instance = {.members = members, .hub_at = hub_at};

	for (; instance.first < members->list.count; instance.first = instance.end) {
		const uint32_t index = members->list.items[instance.first].instance;

		instance.end = observed_members_end(members, instance.first);
		instance.hub_count = 0;
		TRY(add_observed_hubs(builder, &instance));
		TRY(add_edges_to_hubs(builder, &instance));
		TRY(add_edges_from_hubs(builder, &instance));
		if (instance.hub_count == 1)
			builder->graph->hub_of[index] = hub_at[last_for(&instance, instance.first)];
	}
	return 0;
}

static int add_as_observed(struct graph_builder *builder)
{
	struct observed_members members;
	uint32_t *hub_at = NULL;
	int result;

	TRY(observed_members_list(&members, builder->run, builder->err));
	result = allocate(&hub_at, members.list.count, sizeof *hub_at, builder->err);
	if (result == 0)
		result = add_observed(builder, &members, hub_at);
	free(hub_at);
	observed_members_release(&members);
	return result;
}

int graph_add_collectives(struct graph_builder *builder)
{
	struct program_graph *graph = builder->graph;
	const size_t instances = builder->run->instances.count;

	TRY(allocate(&graph->hub_of, instances, sizeof *graph->hub_of, builder->err));
	memset(graph->hub_of, 0xff, instances * sizeof *graph->hub_of);
	return graph->waits->observed ? add_as_observed(builder) : add_as_defined(builder);
}
