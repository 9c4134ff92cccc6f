/* The hosts of an archive: the nodes of its machine, and the CPUs of the ranks there. */
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

/* Texts by rank: name of its host, and its CPUs, "" if they are not known. */
struct host_texts {
	const char **names, **cpus;
};

static const char *text_or_empty(const struct trace_index *index, uint32_t id)
{
	const char *text = trace_index_string(index, id);

	return text ? text : "";
}

/* Find the CPUs of all location groups, as string ids + 1; 0: not known. */
static void find_cpus(const struct trace_index *index, uint64_t *groups)
{
	for (size_t i = 0; i < index->properties.count; i++) {
		const struct trace_index_property *property = &index->properties.items[i];

		if (property->group < index->location_groups.count &&
		    !strcmp(text_or_empty(index, property->name), TRACE_CPUS_PROPERTY))
			groups[property->group] = (uint64_t)property->value + 1;
	}
}

static void find_texts(const struct trace_index *index, const uint64_t *groups,
		       const struct host_texts *texts)
{
	for (uint32_t rank = 0; rank < index->world.rank_count; rank++) {
		const uint32_t group = index->ranks.items[rank].group;
		const uint32_t part = part_of(index, group);
		const uint64_t cpus = groups[group];

		texts->names[rank] = text_or_empty(index, index->tree_nodes.items[part].name);
		texts->cpus[rank] = cpus ? text_or_empty(index, (uint32_t)(cpus - 1)) : "";
	}
}

static int make_hosts(struct trace_index *index, uint64_t **groups, struct host_texts *texts,
		      struct error *err)
{
	const size_t ranks = index->world.rank_count;
	struct trace_host *hosts;

	TRY(allocate(groups, index->location_groups.count, sizeof **groups, err));
	TRY(allocate(&texts->names, ranks, sizeof *texts->names, err));
	TRY(allocate(&texts->cpus, ranks, sizeof *texts->cpus, err));
	find_cpus(index, *groups);
	find_texts(index, *groups, texts);
	TRY(trace_hosts_make(&hosts, &index->world.host_count, &index->world, texts->names,
			     texts->cpus, err));
	index->world.hosts = hosts;
	return 0;
}

int trace_index_hosts(struct trace_index *index, struct error *err)
{
	struct host_texts texts = {0};
	uint64_t *groups = NULL;
	int result;

	TRY(resolve_nodes(index, err));
	/* Then each rank is in a location group that is defined. */
	if (!index->world.nodes)
		return 0;
	result = make_hosts(index, &groups, &texts, err);
	free(groups);
	free(texts.names);
	free(texts.cpus);
	return result;
}
