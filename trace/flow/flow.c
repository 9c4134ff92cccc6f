/* What holds all of a flow. */
#include "trace/flow/flow.h"

#include "trace/flow/flow_parts.h"

#include <string.h>
#include <zstd.h>

enum { COMPRESSION = 6 };

int flow_make(struct flow **made, struct error *err)
{
	struct flow *flow;
	uint32_t empty;

	*made = NULL;
	TRY(allocate(&flow, 1, sizeof *flow, err));
	flow->world.world_comm = NO_COMM;
	if (string_table_add(&flow->strings, "", 0, &empty, err) < 0) {
		flow_release(flow);
		return -1;
	}
	*made = flow;
	return 0;
}

int flow_add_ranks(struct flow *flow, uint32_t count, struct error *err)
{
	const uint64_t needed = (uint64_t)flow->rank_count + count;

	if (needed > flow->rank_room) {
		const uint64_t room = needed > UINT32_MAX / 2 ? needed : needed + flow->rank_count;
		struct flow_rank *ranks;

		TRY(allocate(&ranks, room, sizeof *ranks, err));
		if (flow->rank_count)
			memcpy(ranks, flow->ranks, flow->rank_count * sizeof *ranks);
		free(flow->ranks);
		flow->ranks = ranks;
		flow->rank_room = (uint32_t)room;
	}
	flow->rank_count += count;
	return 0;
}

int flow_allocate(struct flow *flow, void *pointer, size_t count, size_t item_bytes,
		  struct error *err)
{
	TRY(array_reserve(&flow->owned, 1, err));
	TRY(allocate(pointer, count, item_bytes, err));
	memcpy(&flow->owned.items[flow->owned.count++], pointer, sizeof(void *));
	return 0;
}

int flow_compress(const void *from, size_t count, struct flow_bytes *to, struct error *err)
{
	const size_t bound = ZSTD_compressBound(count);
	size_t size;

	to->count = 0;
	TRY(array_reserve(to, bound, err));
	size = ZSTD_compress(to->items, bound, from, count, COMPRESSION);
	if (ZSTD_isError(size))
		return error_set(err, STATUS_SYSTEM, "zstd: %s", ZSTD_getErrorName(size));
	if (size < count) {
		to->count = size;
		return 0;
	}
	return flow_put_bytes(to, from, count, err);
}

int flow_keep(struct flow *flow, struct flow_bytes *bytes, struct flow_packed *packed,
	      struct error *err)
{
	struct flow_bytes small = {0};
	int result = 0;

	*packed = (struct flow_packed){0};
	if (bytes->count)
		result = flow_compress(bytes->items, bytes->count, &small, err);
	if (result == 0 && bytes->count) {
		array_fit(&small);
		result = array_push(&flow->owned, (void *)small.items, err);
	}
	if (result < 0) {
		array_release(&small);
		return -1;
	}
	*packed = (struct flow_packed){small.items, small.count, bytes->count};
	array_release(bytes);
	return 0;
}

int flow_unpack(const struct flow_packed *packed, struct flow_cursor *cursor, void **unpacked,
		struct error *err)
{
	size_t count;

	*unpacked = NULL;
	*cursor = flow_cursor(packed->bytes, packed->count);
	if (packed->raw_count == packed->count)
		return 0;
	TRY(allocate(unpacked, packed->raw_count, 1, err));
	count = ZSTD_decompress(*unpacked, packed->raw_count, packed->bytes, packed->count);
	if (ZSTD_isError(count) || count != packed->raw_count) {
		free(*unpacked);
		*unpacked = NULL;
		return error_set(err, STATUS_DATA, "damaged: %zu bytes that cannot be decompressed",
				 packed->count);
	}
	*cursor = flow_cursor(*unpacked, packed->raw_count);
	return 0;
}

static void release_ranks(struct flow *flow)
{
	for (uint32_t r = 0; r < flow->rank_count; r++) {
		for (size_t t = 0; t < flow->ranks[r].threads.count; t++)
			array_release(&flow->ranks[r].threads.items[t].contents);
		array_release(&flow->ranks[r].threads);
		array_release(&flow->ranks[r].comms);
		array_release(&flow->ranks[r].windows);
		array_release(&flow->ranks[r].groups);
		array_release(&flow->ranks[r].recorded);
	}
	free(flow->ranks);
}

void flow_release(struct flow *flow)
{
	if (!flow)
		return;
	release_ranks(flow);
	for (size_t i = 0; i < flow->graphs.count; i++)
		flow_graph_release(&flow->graphs.items[i]);
	for (size_t i = 0; i < flow->groups.count; i++)
		array_release(&flow->groups.items[i].members);
	for (size_t i = 0; i < flow->owned.count; i++)
		free(flow->owned.items[i]);
	array_release(&flow->graphs);
	array_release(&flow->groups);
	array_release(&flow->owned);
	array_release(&flow->signature_sizes);
	string_table_release(&flow->strings);
	string_table_release(&flow->signatures);
	for (size_t i = 0; i < flow->inputs.count; i++) {
		input_release(flow->inputs.items[i]);
		free(flow->inputs.items[i]);
	}
	array_release(&flow->inputs);
	string_table_release(&flow->graph_numbers);
	number_map_release(&flow->group_numbers);
	free(flow);
}
