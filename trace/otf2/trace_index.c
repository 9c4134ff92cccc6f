#include "trace/otf2/trace_index.h"

#include "common/number_map.h"
#include "trace/call/below.h"
#include "trace/call/mpi_call.h"

#include <string.h>

static void resolve_regions(struct trace_index *index)
{
	for (size_t i = 0; i < index->regions.count; i++) {
		struct trace_region *region = &index->regions.items[i];
		const char *name = trace_index_string(index, region->name);

		if (name && (region->mpi || !strncmp(name, "MPI_", 4)))
			region->function = name;
		else if (name && below_function_find(name) < BELOW_FUNCTION_COUNT) {
			region->below = 1 + below_function_find(name);
			index->world.has_below = true;
		}
	}
}

static int by_id(const void *a, const void *b)
{
	const struct trace_location *x = a, *y = b;

	return (x->id > y->id) - (x->id < y->id);
}

/* Find the locations of the world ranks in the group of kind COMM_LOCATIONS. */
static int resolve_ranks(struct trace_index *index, struct error *err)
{
	const struct trace_group *found = NULL;

	for (size_t i = 0; i < index->groups.count; i++) {
		const struct trace_group *group = &index->groups.items[i];

		if (group->mpi && group->type == OTF2_GROUP_TYPE_COMM_LOCATIONS)
			found = group;
	}
	if (!found || !found->count)
		return error_set(err, STATUS_DATA,
				 "not a trace of an MPI program: no group of kind COMM_LOCATIONS "
				 "with the MPI processes");
	if (index->locations.count)
		qsort(index->locations.items, index->locations.count,
		      sizeof *index->locations.items, by_id);
	for (size_t i = 1; i < index->locations.count; i++)
		if (index->locations.items[i].id == index->locations.items[i - 1].id)
			return error_set(err, STATUS_DATA, "location %llu is defined twice",
					 (unsigned long long)index->locations.items[i].id);
	TRY(array_reserve(&index->ranks, found->count, err));
	for (uint32_t rank = 0; rank < found->count; rank++) {
		struct trace_location key = {.id = index->members.items[found->first + rank]};
		const struct trace_location *location =
			!index->locations.count ? NULL :
			bsearch(&key, index->locations.items, index->locations.count,
				sizeof key, by_id);

		if (!location)
			return error_set(err, STATUS_DATA,
					 "rank %u: location %llu is not defined", rank,
					 (unsigned long long)key.id);
		index->ranks.items[rank] = *location;
	}
	index->ranks.count = found->count;
	index->world.rank_count = found->count;
	return 0;
}

/* Map locations to world ranks. */
static int map_ranks(const struct trace_index *index, struct number_map *ranks, struct error *err)
{
	for (uint32_t rank = 0; rank < index->ranks.count; rank++) {
		uint64_t location = index->ranks.items[rank].id;

		if (number_map_get(ranks, location, 0) == NUMBER_MAP_EMPTY)
			TRY(number_map_add(ranks, location, 0, rank, err));
	}
	return 0;
}

/* Replace members that are locations by their world ranks, or by NUMBER_MAP_EMPTY. */
static int replace_locations(struct trace_index *index, struct error *err)
{
	struct number_map ranks = {0};

	for (size_t i = 0; i < index->groups.count; i++) {
		const struct trace_group *group = &index->groups.items[i];
		uint64_t *members = index->members.items + group->first;

		if (!group->mpi || !group->of_locations ||
		    group->type != OTF2_GROUP_TYPE_COMM_GROUP)
			continue;
		if (!ranks.count && map_ranks(index, &ranks, err) < 0) {
			number_map_release(&ranks);
			return -1;
		}
		for (uint32_t j = 0; j < group->count; j++)
			members[j] = number_map_get(&ranks, members[j], 0);
	}
	number_map_release(&ranks);
	return 0;
}

/* ------------------------------------------------------------------- threads */

/* Location group that holds the location of a rank. */
struct process {
	uint32_t group, rank;
};

static int by_group(const void *a, const void *b)
{
	const struct process *x = a, *y = b;

	if (x->group != y->group)
		return x->group < y->group ? -1 : 1;
	return (x->rank > y->rank) - (x->rank < y->rank);
}

static int by_rank(const void *a, const void *b)
{
	const struct trace_location *x = a, *y = b;

	return x->rank != y->rank ? (x->rank > y->rank) - (x->rank < y->rank) : by_id(a, b);
}

/* Find the first process, in order of groups, whose group is not below `group`. */
static size_t find_process(const struct process *processes, size_t count, uint32_t group)
{
	size_t low = 0;

	while (low < count) {
		size_t middle = (low + count) / 2;

		if (processes[middle].group < group)
			low = middle + 1;
		else
			count = middle;
	}
	return low;
}

/* Add a thread to the rank in the same location group.  Skip it if several ranks are in it. */
static int add_thread(struct trace_index *index, const struct process *processes,
		      const struct trace_location *location, struct error *err)
{
	size_t count = index->ranks.count, at = find_process(processes, count, location->group);
	struct trace_location thread = *location;

	if (at == count || processes[at].group != location->group ||
	    (at + 1 < count && processes[at + 1].group == location->group))
		return 0;
	thread.rank = processes[at].rank;
	if (thread.id == index->ranks.items[thread.rank].id)
		return 0;
	return array_push(&index->threads, thread, err);
}

static int resolve_threads(struct trace_index *index, struct error *err)
{
	struct process *processes;
	int result = 0;

	if (index->locations.count <= index->ranks.count)
		return 0;
	TRY(allocate(&processes, index->ranks.count, sizeof *processes, err));
	for (uint32_t rank = 0; rank < index->ranks.count; rank++)
		processes[rank] = (struct process){index->ranks.items[rank].group, rank};
	qsort(processes, index->ranks.count, sizeof *processes, by_group);
	for (size_t i = 0; result == 0 && i < index->locations.count; i++)
		if (index->locations.items[i].thread &&
		    (index->locations.items[i].events || !index->world.has_counts))
			result = add_thread(index, processes, &index->locations.items[i], err);
	free(processes);
	if (index->threads.count)
		qsort(index->threads.items, index->threads.count, sizeof *index->threads.items,
		      by_rank);
	return result;
}

const struct trace_location *trace_index_threads(const struct trace_index *index, uint32_t rank,
						 uint32_t *count)
{
	size_t low = 0, high = index->threads.count, end;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (index->threads.items[middle].rank < rank)
			low = middle + 1;
		else
			high = middle;
	}
	for (end = low; end < index->threads.count && index->threads.items[end].rank == rank; end++)
		;
	*count = (uint32_t)(end - low);
	return index->threads.items + low;
}

/* Set comm_ranks to the world ranks of all group members, at the indices of `members`. */
static int resolve_groups(struct trace_index *index, struct error *err)
{
	uint32_t rank_count = index->world.rank_count;

	TRY(replace_locations(index, err));
	TRY(allocate(&index->comm_ranks, index->members.count + 1,
		     sizeof *index->comm_ranks, err));
	for (size_t i = 0; i < index->groups.count; i++) {
		const struct trace_group *group = &index->groups.items[i];
		const uint64_t *members = index->members.items + group->first;
		uint32_t *ranks = index->comm_ranks + group->first;
		bool locations = group->type == OTF2_GROUP_TYPE_COMM_LOCATIONS;

		if (!group->mpi || (!locations && group->type != OTF2_GROUP_TYPE_COMM_GROUP))
			continue;
		for (uint32_t j = 0; j < group->count; j++) {
			ranks[j] = locations ? j : (uint32_t)members[j];
			if (!locations && members[j] >= rank_count)
				return error_set(err, STATUS_DATA,
						 "group %zu has rank %llu of %u", i,
						 (unsigned long long)members[j], rank_count);
		}
	}
	return 0;
}

bool trace_index_group(const struct trace_index *index, uint32_t id, const uint32_t **ranks,
		       uint32_t *size)
{
	const struct trace_group *group;

	if (id >= index->groups.count)
		return false;
	group = &index->groups.items[id];
	if (!group->mpi || (group->type != OTF2_GROUP_TYPE_COMM_GROUP &&
			    group->type != OTF2_GROUP_TYPE_COMM_LOCATIONS &&
			    group->type != OTF2_GROUP_TYPE_COMM_SELF))
		return false;
	if (group->type == OTF2_GROUP_TYPE_COMM_SELF) {
		*ranks = NULL;
		*size = 1;
	} else {
		*ranks = index->comm_ranks + group->first;
		*size = group->count;
	}
	return true;
}

static bool is_identity(const struct trace_comm *comm, uint32_t rank_count)
{
	if (comm->inter || comm->self || comm->size != rank_count)
		return false;
	for (uint32_t i = 0; i < rank_count; i++)
		if (comm->ranks[i] != i)
			return false;
	return true;
}

static int resolve_comms(struct trace_index *index, struct error *err)
{
	struct trace_world *world = &index->world;
	size_t count = index->comm_definitions.count;

	world->world_comm = NO_COMM;
	TRY(array_reserve(&index->comms, count, err));
	for (size_t i = 0; i < count; i++) {
		const struct trace_index_comm *definition =
			&index->comm_definitions.items[i];
		struct trace_comm *comm = &index->comms.items[i];
		const char *name = trace_index_string(index, definition->name);

		*comm = (struct trace_comm){.name = name ? name : "", .inter = definition->inter};
		comm->defined = definition->defined &&
				trace_index_group(index, definition->group, &comm->ranks,
						  &comm->size);
		if (comm->inter && comm->defined)
			comm->defined = trace_index_group(index, definition->remote_group,
							  &comm->remote_ranks,
							  &comm->remote_size) &&
					comm->ranks && comm->remote_ranks;
		if (!comm->defined)
			continue;
		comm->self = !comm->ranks;
		comm->identity = is_identity(comm, world->rank_count);
		if (comm->identity && (world->world_comm == NO_COMM ||
				       !strcmp(comm->name, "MPI_COMM_WORLD")))
			world->world_comm = (uint32_t)i;
	}
	index->comms.count = count;
	world->comms = index->comms.items;
	world->comm_count = (uint32_t)count;
	return 0;
}

/* Check whether a communicator belongs to another model than MPI. */
static bool is_other_model(const struct trace_index *index, uint32_t comm)
{
	const struct trace_index_comm *definition;

	if (comm >= index->comm_definitions.count)
		return false;
	definition = &index->comm_definitions.items[comm];
	return definition->defined && definition->group < index->groups.count &&
	       index->groups.items[definition->group].defined &&
	       !index->groups.items[definition->group].mpi;
}

/* Resolve windows.  The receiver reports windows without an intra-communicator. */
static int resolve_windows(struct trace_index *index, struct error *err)
{
	size_t count = index->window_definitions.count;

	TRY(array_reserve(&index->windows, count, err));
	for (size_t i = 0; i < count; i++) {
		const struct trace_index_window *definition = &index->window_definitions.items[i];
		const char *name = trace_index_string(index, definition->name);
		struct trace_window window = {.name = name ? name : "", .comm = definition->comm};

		window.defined = definition->defined && window.comm < index->comms.count &&
				 index->comms.items[window.comm].defined &&
				 !index->comms.items[window.comm].inter;
		window.other_model = definition->defined && is_other_model(index, window.comm);
		index->windows.items[i] = window;
	}
	index->windows.count = count;
	index->world.windows = index->windows.items;
	index->world.window_count = (uint32_t)count;
	return 0;
}

int trace_index_read(struct trace_index *index, OTF2_Reader *reader, struct error *err)
{
	TRY(trace_index_collect(index, reader, err));
	resolve_regions(index);
	TRY(resolve_ranks(index, err));
	TRY(trace_index_hosts(index, err));
	TRY(resolve_threads(index, err));
	TRY(resolve_groups(index, err));
	TRY(resolve_comms(index, err));
	return resolve_windows(index, err);
}

void trace_index_release(struct trace_index *index)
{
	array_release(&index->text);
	array_release(&index->strings);
	array_release(&index->regions);
	array_release(&index->groups);
	array_release(&index->members);
	array_release(&index->comm_definitions);
	array_release(&index->locations);
	array_release(&index->tree_nodes);
	array_release(&index->location_groups);
	array_release(&index->nodes);
	array_release(&index->properties);
	free((void *)index->world.hosts);
	index->world.hosts = NULL;
	array_release(&index->attributes);
	array_release(&index->ranks);
	array_release(&index->threads);
	array_release(&index->comms);
	array_release(&index->windows);
	array_release(&index->window_definitions);
	free(index->comm_ranks);
	index->comm_ranks = NULL;
}
