#include "schedgen/collectives/comm_nodes.h"

#include "common/array.h"

#include <stdlib.h>
#include <string.h>

/* Make the nodes in one piece of memory that begins with nodes->of. */
static int make(struct coll_nodes *nodes, const struct trace_world *world, uint32_t ranks_per_node,
		const struct trace_comm *comm, size_t size, struct error *err)
{
	const size_t copies = size / comm->size;
	uint32_t *memory, *of, *first, *members, *leaders, *number, *places;
	bool consecutive = true;
	uint32_t count = 0;

	TRY(allocate(&memory, 5 * size + 1 + copies * world->rank_count, sizeof *memory, err));
	of = memory;
	members = of + size;
	leaders = members + size;
	places = leaders + size;
	first = places + size;
	number = first + size + 1;	/* by node of the world: 1 + its number here */
	for (uint32_t i = 0; i < size; i++) {
		const size_t copy = i / comm->size * world->rank_count;
		const uint32_t rank = comm->ranks[i % comm->size];
		uint32_t *known = &number[ranks_per_node ? (copy + rank) / ranks_per_node :
							   copy + world->nodes[rank]];

		if (!*known) {
			leaders[count] = i;
			*known = ++count;
		}
		of[i] = *known - 1;
		consecutive &= i == 0 || of[i] >= of[i - 1];
		first[of[i] + 1]++;
	}
	for (uint32_t i = 0; i < count; i++) {
		first[i + 1] += first[i];
		places[i] = first[i];
	}
	for (uint32_t i = 0; i < size; i++)
		members[places[of[i]]++] = i;
	*nodes = (struct coll_nodes){count, of, first, members, leaders, consecutive};
	return 0;
}

int comm_nodes_find(struct comm_nodes *nodes, const struct trace_world *world,
		    uint32_t ranks_per_node, uint32_t comm, uint32_t size,
		    const struct coll_nodes **found, struct error *err)
{
	*found = NULL;
	if ((!world->nodes && !ranks_per_node) || comm >= world->comm_count ||
	    world->comms[comm].self || world->comms[comm].inter || !world->comms[comm].size)
		return 0;
	if (!nodes->comms) {
		TRY(allocate(&nodes->comms, world->comm_count, sizeof *nodes->comms, err));
		nodes->count = world->comm_count;
	}
	if (!nodes->comms[comm].of)
		TRY(make(&nodes->comms[comm], world, ranks_per_node, &world->comms[comm], size,
			 err));
	*found = &nodes->comms[comm];
	return 0;
}

void comm_nodes_release(struct comm_nodes *nodes)
{
	for (uint32_t i = 0; i < nodes->count; i++)
		free((void *)nodes->comms[i].of);
	free(nodes->comms);
	*nodes = (struct comm_nodes){0};
}
