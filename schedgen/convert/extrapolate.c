/* Collectives of a run that is extrapolated to more ranks, by copies of the traced one. */
#include "schedgen/convert/convert_internal.h"

#include <string.h>

/* List the ranks of all copies, and keep them for the next collective on the communicator. */
static int list_ranks(struct convert *convert, uint32_t id, const struct trace_comm *comm,
		      struct error *err)
{
	const uint32_t copies = convert->options.copies;

	if (convert->spread.comm == id)
		return 0;
	convert->spread.comm = NO_COMM;
	TRY(array_reserve(&convert->spread.ranks, (size_t)copies * comm->size, err));
	for (uint32_t copy = 0; copy < copies; copy++)
		for (uint32_t i = 0; i < comm->size; i++)
			convert->spread.ranks.items[copy * comm->size + i] =
				copy * comm->size + comm->ranks[i];
	convert->spread.comm = id;
	return 0;
}

/* Repeat the sizes for the ranks of one copy for each copy. */
static void repeat(const struct convert *convert, uint64_t *items, const uint64_t *vector,
		   size_t count)
{
	for (uint32_t copy = 0; copy < convert->options.copies; copy++)
		memcpy(items + copy * count, vector, count * sizeof *vector);
}

int convert_repeat_vectors(struct convert *convert, uint32_t count,
			   struct collective *collective, struct error *err)
{
	const size_t all = (size_t)count * convert->options.copies;

	if (collective->send_bytes) {
		TRY(array_reserve(&convert->spread.send_bytes, all, err));
		repeat(convert, convert->spread.send_bytes.items, collective->send_bytes,
		       count);
		collective->send_bytes = convert->spread.send_bytes.items;
	}
	if (collective->receive_bytes) {
		TRY(array_reserve(&convert->spread.receive_bytes, all, err));
		repeat(convert, convert->spread.receive_bytes.items,
		       collective->receive_bytes, count);
		collective->receive_bytes = convert->spread.receive_bytes.items;
	}
	return 0;
}

/* Give the root of the trace one block, like other ranks, in copies where it is no root. */
static void demote_root(const struct convert *convert, struct collective *collective)
{
	const uint64_t *vector = collective->kind == COLL_GATHERV ? collective->receive_bytes :
				 collective->kind == COLL_SCATTERV ? collective->send_bytes : NULL;

	if (!convert->copy || collective->rank != collective->root || !vector)
		return;
	collective->block_bytes = vector[collective->rank];
	collective->send_bytes = collective->receive_bytes = NULL;
}

int convert_extrapolate(struct convert *convert, uint32_t comm_id,
			struct collective *collective, struct error *err)
{
	const struct trace_comm *comm = &convert->world->comms[comm_id];
	const uint32_t copies = convert->options.copies;

	if (comm->inter || comm->self || comm->size != convert->world->rank_count ||
	    coll_is_neighbor(collective->kind))
		return 0;
	demote_root(convert, collective);
	TRY(convert_repeat_vectors(convert, comm->size, collective, err));
	collective->world_offset = 0;
	if (!comm->identity) {
		TRY(list_ranks(convert, comm_id, comm, err));
		collective->world = convert->spread.ranks.items;
	}
	collective->rank += convert->copy * comm->size;
	collective->size *= copies;
	return 0;
}
