#include "trace/flow/flow_build.h"

#include "trace/flow/flow_file.h"
#include "trace/flow/flow_parts.h"
#include "trace/flow/flow_rank_internal.h"

static int build_receive(void *data, const struct mpi_call *call, struct error *err)
{
	return flow_rank_call(data, call, err);
}

static int read_rank(struct flow_rank_builder *builder, const struct flow_source *source,
		     uint32_t rank, struct error *err)
{
	struct flow *part;

	for (uint32_t i = 0; i < source->world->comm_count; i++) {
		const struct flow_place place = flow_place_in(&source->world->comms[i], rank);

		TRY(flow_rank_comm(builder, i, place.place, place.size, err));
	}
	TRY(source->rank(source->data, rank, build_receive, builder, err));
	return flow_rank_end(builder, &part, err);
}

static int build_all(struct build_common *common, const struct flow_source *source,
		     const struct flow_options *options, struct error *err)
{
	struct flow_bytes bytes = {0};
	struct flow_cursor cursor;
	int result = flow_world_put(common->flow, source->world, &bytes, err);

	cursor = flow_cursor(bytes.items, bytes.count);
	if (result == 0)
		result = flow_world_get(common->flow, &cursor, err);
	array_release(&bytes);
	for (uint32_t rank = 0; result == 0 && rank < source->world->rank_count; rank++) {
		struct flow_rank_builder *builder;

		result = flow_rank_begin_with(&builder, common, options, 0, rank, err);
		if (result == 0)
			result = read_rank(builder, source, rank, err);
		flow_rank_release(builder);
	}
	return result;
}

int flow_build(struct flow **made, const struct flow_source *source,
	       const struct flow_options *options, struct error *err)
{
	struct flow_options all = *options;
	struct build_common common = {0};
	int result;

	*made = NULL;
	all.site = source->site;
	all.site_data = source->data;
	TRY(build_flow(&common.flow, &all, 0, source->world->rank_count, err));
	result = build_all(&common, source, &all, err);
	number_map_release(&common.groups);
	string_table_release(&common.graphs);
	if (result < 0)
		flow_release(common.flow);
	else
		*made = common.flow;
	return result;
}
