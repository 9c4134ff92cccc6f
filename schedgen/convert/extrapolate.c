#include "schedgen/convert/convert.h"

#include <string.h>

/* The ranks of all copies, kept for the next collective on the communicator. */
static int list_ranks(struct converter *converter, uint32_t id, const struct trace_comm *comm,
		      struct error *err)
{
	const uint32_t copies = converter->options.copies;

	if (converter->spread.comm == id)
		return 0;
	converter->spread.comm = NO_COMM;
	TRY(array_reserve(&converter->spread.ranks, (size_t)copies * comm->size, err));
	for (uint32_t copy = 0; copy < copies; copy++)
		for (uint32_t i = 0; i < comm->size; i++)
			converter->spread.ranks.items[copy * comm->size + i] =
				copy * comm->size + comm->ranks[i];
	converter->spread.comm = id;
	return 0;
}

/* What is sent to (received from) the ranks of one copy goes to those of each. */
static void repeat(const struct converter *converter, uint64_t *items, const uint64_t *vector,
		   size_t count)
{
	for (uint32_t copy = 0; copy < converter->options.copies; copy++)
		memcpy(items + copy * count, vector, count * sizeof *vector);
}

int convert_repeat_vectors(struct converter *converter, uint32_t count,
			   struct collective *collective, struct error *err)
{
	const size_t all = (size_t)count * converter->options.copies;

	if (collective->send_bytes) {
		TRY(array_reserve(&converter->spread.send_bytes, all, err));
		repeat(converter, converter->spread.send_bytes.items, collective->send_bytes,
		       count);
		collective->send_bytes = converter->spread.send_bytes.items;
	}
	if (collective->receive_bytes) {
		TRY(array_reserve(&converter->spread.receive_bytes, all, err));
		repeat(converter, converter->spread.receive_bytes.items,
		       collective->receive_bytes, count);
		collective->receive_bytes = converter->spread.receive_bytes.items;
	}
	return 0;
}

/* The root of the trace is none in the other copies: there it has a block like the others. */
static void demote_root(const struct converter *converter, struct collective *collective)
{
	const uint64_t *vector = collective->kind == COLL_GATHERV ? collective->receive_bytes :
				 collective->kind == COLL_SCATTERV ? collective->send_bytes : NULL;

	if (!converter->copy || collective->rank != collective->root || !vector)
		return;
	collective->block_bytes = vector[collective->rank];
	collective->send_bytes = collective->receive_bytes = NULL;
}

int convert_extrapolate(struct converter *converter, uint32_t comm_id,
			struct collective *collective, struct error *err)
{
	const struct trace_comm *comm = &converter->world->comms[comm_id];
	const uint32_t copies = converter->options.copies;

	if (comm->inter || comm->self || comm->size != converter->world->rank_count ||
	    coll_is_neighbor(collective->kind))
		return 0;
	demote_root(converter, collective);
	TRY(convert_repeat_vectors(converter, comm->size, collective, err));
	collective->world_offset = 0;
	if (!comm->identity) {
		TRY(list_ranks(converter, comm_id, comm, err));
		collective->world = converter->spread.ranks.items;
	}
	collective->rank += converter->copy * comm->size;
	collective->size *= copies;
	return 0;
}
