/* The hosts of an archive: the nodes of its machine, and what is known of the ranks there. */
#include "trace/otf2/trace_index.h"

#include "common/number_map.h"
#include "trace/call/trace_hosts.h"

#include <stdlib.h>
#include <string.h>

/*
 * Find the part of the machine that a process runs on: the nearest one of class "node", else the
 * lowest one; NO_PART if it is not defined.
 */
enum { NO_PART = TRACE_INDEX_IDS };

static uint32_t part_of(const struct trace_index *index, uint32_t group)
{
	const uint32_t lowest = group < index->location_groups.count ?
					index->location_groups.items[group] - 1 : NO_PART;
	uint32_t part = lowest;

	/* Bound the number of steps: a damaged tree may have cycles. */
	for (size_t i = 0; i < index->tree_nodes.count && part < index->tree_nodes.count; i++) {
		const struct trace_tree_node *node = &index->tree_nodes.items[part];
		const char *class = node->defined ? trace_index_string(index, node->class) : NULL;

		if (class && !strcmp(class, "node"))
			return part;
		part = node->parent;
	}
	return lowest < index->tree_nodes.count && index->tree_nodes.items[lowest].defined ?
		       lowest : NO_PART;
}

static int resolve_nodes(struct trace_index *index, struct error *err)
{
	struct number_map numbers = {0};
	uint32_t count = 0;
	int result = array_reserve(&index->nodes, index->ranks.count, err);

	for (size_t rank = 0; result == 0 && rank < index->ranks.count; rank++) {
		const uint32_t part = part_of(index, index->ranks.items[rank].group);
		uint32_t number = number_map_get(&numbers, part, 0);

		if (part == NO_PART)
			break;
		if (number == NUMBER_MAP_EMPTY) {
			number = count++;
			result = number_map_add(&numbers, part, 0, number, err);
		}
		index->nodes.items[index->nodes.count++] = number;
	}
	number_map_release(&numbers);
	if (index->nodes.count == index->ranks.count)
		index->world.nodes = index->nodes.items;
	return result;
}

/* ---------------------------------------------------------------------- hosts */

/* By rank: name of its host, its CPUs, "" if they are not known, and its preemptions. */
struct host_lists {
	const char **names, **cpus;
	struct preemptions *preemptions;
};

/* Properties of location groups, as string ids + 1; 0: not known. */
struct group_lists {
	uint64_t *cpus, *preemptions;
};

static const char *text_or_empty(const struct trace_index *index, uint32_t id)
{
	const char *text = trace_index_string(index, id);

	return text ? text : "";
}

static void find_properties(const struct trace_index *index, const char *name, uint64_t *groups)
{
	for (size_t i = 0; i < index->properties.count; i++) {
		const struct trace_index_property *property = &index->properties.items[i];

		if (property->group < index->location_groups.count &&
		    !strcmp(text_or_empty(index, property->name), name))
			groups[property->group] = (uint64_t)property->value + 1;
	}
}

static const char *property_text(const struct trace_index *index, uint64_t id_after)
{
	return id_after ? text_or_empty(index, (uint32_t)(id_after - 1)) : "";
}

static void fill_lists(const struct trace_index *index, const struct group_lists *groups,
		       const struct host_lists *lists)
{
	for (uint32_t rank = 0; rank < index->world.rank_count; rank++) {
		const uint32_t group = index->ranks.items[rank].group;
		const uint32_t part = part_of(index, group);

		lists->names[rank] = text_or_empty(index, index->tree_nodes.items[part].name);
		lists->cpus[rank] = property_text(index, groups->cpus[group]);
		preemptions_read(&lists->preemptions[rank],
				 property_text(index, groups->preemptions[group]));
	}
}

static int make_hosts(struct trace_index *index, struct group_lists *groups,
		      struct host_lists *lists, struct error *err)
{
	const size_t ranks = index->world.rank_count, group_count = index->location_groups.count;
	struct trace_host *hosts;

	TRY(allocate(&groups->cpus, group_count, sizeof *groups->cpus, err));
	TRY(allocate(&groups->preemptions, group_count, sizeof *groups->preemptions, err));
	TRY(allocate(&lists->names, ranks, sizeof *lists->names, err));
	TRY(allocate(&lists->cpus, ranks, sizeof *lists->cpus, err));
	TRY(allocate(&lists->preemptions, ranks, sizeof *lists->preemptions, err));
	find_properties(index, TRACE_CPUS_PROPERTY, groups->cpus);
	find_properties(index, TRACE_PREEMPTIONS_PROPERTY, groups->preemptions);
	fill_lists(index, groups, lists);
	TRY(trace_hosts_make(&hosts, &index->world.host_count, &index->world, lists->names,
			     lists->cpus, lists->preemptions, err));
	index->world.hosts = hosts;
	return 0;
}

int trace_index_hosts(struct trace_index *index, struct error *err)
{
	struct host_lists lists = {0};
	struct group_lists groups = {0};
	int result;

	TRY(resolve_nodes(index, err));
	/* Then each rank is in a location group that is defined. */
	if (!index->world.nodes)
		return 0;
	result = make_hosts(index, &groups, &lists, err);
	free(groups.cpus);
	free(groups.preemptions);
	free(lists.names);
	free(lists.cpus);
	free(lists.preemptions);
	return result;
}
