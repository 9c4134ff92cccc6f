#include "llamp/analysis/model.h"

#include "common/parallel/parallel.h"
#include "llamp/simulate/build.h"

#include <math.h>

/* Open the side file.  One that cannot be used is no reason to fail. */
static void open_calls(struct model *model)
{
	const int result = goal_calls_open(&model->side_file, &model->goal, model->path,
					   &model->calls_error);

	if (result == 0)
		model->calls = &model->side_file;
	if (result >= 0)
		model->calls_error.status = STATUS_OK;
}

static int open_lines(struct model *model, struct error *err)
{
	return model->calls && model->calls->origin.sites ? source_lines_open(&model->lines, err)
							  : 0;
}

/* Place the ranks on the nodes of the side file, if the network has a use for them. */
static int use_nodes(struct model *model, struct error *err)
{
	struct loggps *loggps = &model->loggps;
	int used;

	if (!model->calls || !model->calls->nodes || !loggps->network)
		return 0;
	used = network_use_nodes(&model->network, loggps->network, loggps->resources,
				 model->calls->nodes, model->goal.rank_count, err);
	TRY(used);
	if (used)
		loggps->network = &model->network;
	return 0;
}

static int build_graphs(struct model *model, enum model_parts parts, struct error *err)
{
	if (model->loggps.resources)
		return graphs_simulate(&model->execution, &model->graph, &model->simulation,
				       &model->goal, &model->loggps, err);
	return parts == MODEL_EVENTS
		       ? graphs_build(&model->execution, &model->graph, &model->goal,
				      &model->loggps, err)
		       : cost_graph_build(&model->graph, &model->goal, &model->loggps, err);
}

/* What a thread of open_parts does. */
struct opening {
	struct model *model;
	enum model_parts parts;
};

enum { OPEN_CALLS, OPEN_GRAPHS, OPENINGS };

static int open_part(void *shared, void *state, uint32_t item, struct error *err)
{
	const struct opening *opening = shared;

	(void)state;
	if (item == OPEN_GRAPHS)
		return build_graphs(opening->model, opening->parts, err);
	open_calls(opening->model);
	return 0;
}

/*
 * Build the graphs, and open the side file, which takes a reading of the whole graph.  Both at a
 * time, unless the places of the ranks in the side file could matter to the graphs.
 */
static int open_parts(struct model *model, enum model_parts parts, struct error *err)
{
	const struct network *network = model->loggps.network;
	struct opening opening = {model, parts};
	const struct parallel_work work = {.make = open_part, .shared = &opening};

	if (model->loggps.resources || (network && !network_is_plain(network))) {
		open_calls(model);
		TRY(use_nodes(model, err));
		return build_graphs(model, parts, err);
	}
	TRY(parallel_run(&work, OPENINGS, parallel_threads(model->goal.op_count), err));
	return use_nodes(model, err);
}

int model_open(struct model *model, const char *path, const struct loggps *loggps,
	       enum model_parts parts, struct error *err)
{
	*model = (struct model){.path = path, .loggps = *loggps};
	TRY(goal_open(&model->goal, path, err));
	if (open_parts(model, parts, err) == 0 && open_lines(model, err) == 0)
		return 0;
	error_prefix(err, "%s", path);
	model_release(model);
	return -1;
}

void model_release(struct model *model)
{
	cost_graph_release(&model->graph);
	execution_graph_release(&model->execution);
	source_lines_close(model->lines);
	goal_calls_release(&model->side_file);
	goal_release(&model->goal);
}

uint64_t model_traced_ns(const struct model *model)
{
	return model->calls ? model->calls->origin.run_ns : 0;
}

double model_to_traced(const struct model *model, double runtime_ns)
{
	const uint64_t traced_ns = model_traced_ns(model);

	return traced_ns ? runtime_ns / (double)traced_ns : NAN;
}
