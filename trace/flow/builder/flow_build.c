#include "trace/flow/builder/flow_build.h"

#include "common/parallel/parallel.h"
#include "common/progress.h"
#include "trace/flow/call/flow_call.h"
#include "trace/flow/file/flow_merge.h"

/* What all threads have in common. */
struct build {
	const struct flow_source *source;
	const struct flow_options *options;
	struct flow *flow;
	uint32_t first_rank, count;
};

struct build_worker {
	const struct flow_source *source;
	void *data; /* of the source, or the thread's own */
	bool opened;
	struct flow *part; /* of one rank */
};

static int build_receive(void *data, const struct mpi_call *call, struct error *err)
{
	return flow_rank_call(data, call, err);
}

static int read_rank(struct flow_rank_builder *builder, const struct build_worker *worker,
		     uint32_t rank, struct flow **part, struct error *err)
{
	const struct trace_world *world = worker->source->world;

	for (uint32_t i = 0; i < world->comm_count; i++) {
		const struct flow_place place = flow_place_in(&world->comms[i], rank);

		TRY(flow_rank_comm(builder, i, place.place, place.size, err));
	}
	TRY(worker->source->rank(worker->data, rank, build_receive, builder, err));
	return flow_rank_end(builder, part, err);
}

static int open_worker(struct build *build, struct build_worker *worker, struct error *err)
{
	worker->source = build->source;
	worker->data = build->source->data;
	if (build->source->again)
		TRY(build->source->again(build->source->data, &worker->data, err));
	worker->opened = true;
	return 0;
}

static int build_rank(void *shared, void *state, uint32_t item, struct error *err)
{
	struct build *build = shared;
	struct build_worker *worker = state;
	struct flow_options options = *build->options;
	struct flow_rank_builder *builder;
	int result;

	if (!worker->opened)
		TRY(open_worker(build, worker, err));
	options.site = build->source->site;
	options.site_data = worker->data;
	TRY(flow_rank_begin(&builder, &options, build->source->world->rank_count,
			    build->first_rank + item, err));
	result = read_rank(builder, worker, build->first_rank + item, &worker->part, err);
	flow_rank_release(builder);
	return result;
}

static int take_part(void *shared, void *state, uint32_t item, struct error *err)
{
	struct build *build = shared;
	struct build_worker *worker = state;
	const int result = flow_merge(build->flow, worker->part, err);

	progress_show(item, build->count);
	flow_release(worker->part);
	worker->part = NULL;
	return result;
}

static void release_worker(void *state)
{
	struct build_worker *worker = state;

	flow_release(worker->part);
	if (worker->opened && worker->source->close)
		worker->source->close(worker->data);
}

/* Add the ranks of `build` to its flow. */
static int build_ranks(struct build *build, struct error *err)
{
	const struct parallel_work work = {
		.make = build_rank,
		.take = take_part,
		.shared = build,
		.state_bytes = sizeof(struct build_worker),
		.release = release_worker,
	};
	const unsigned threads = build->source->threads;

	return parallel_run(&work, build->count, threads ? threads : processor_count(), err);
}

static int begin_flow(struct build *build, struct error *err)
{
	TRY(flow_make(&build->flow, err));
	build->flow->first_rank = build->first_rank;
	build->flow->times = build->options->times;
	build->flow->level = build->options->level;
	build->flow->folds = build->options->folds;
	build->flow->world.rank_count = build->source->world->rank_count;
	return 0;
}

static int end_flow(struct build *build, int result, struct flow **made)
{
	*made = result < 0 ? NULL : build->flow;
	if (result < 0)
		flow_release(build->flow);
	return result;
}

int flow_build_ranks(struct flow **part, const struct flow_source *source,
		     const struct flow_options *options, uint32_t first_rank, uint32_t count,
		     struct error *err)
{
	struct build build = {.source = source,
			      .options = options,
			      .first_rank = first_rank,
			      .count = count};

	*part = NULL;
	TRY(begin_flow(&build, err));
	return end_flow(&build, build_ranks(&build, err), part);
}

int flow_build(struct flow **made, const struct flow_source *source,
	       const struct flow_options *options, struct error *err)
{
	struct build build = {.source = source,
			      .options = options,
			      .count = source->world->rank_count};
	int result;

	*made = NULL;
	TRY(begin_flow(&build, err));
	result = flow_set_world(build.flow, source->world, err);
	if (result == 0)
		result = build_ranks(&build, err);
	return end_flow(&build, result, made);
}
