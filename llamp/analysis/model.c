#include "llamp/analysis/model.h"

#include "llamp/graph/build.h"

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

int model_open(struct model *model, const char *path, const struct loggps *loggps,
	       struct error *err)
{
	*model = (struct model){.path = path, .loggps = *loggps};
	TRY(goal_open(&model->goal, path, err));
	if (graphs_build(&model->execution, &model->graph, &model->goal, &model->loggps,
			 err) == 0) {
		open_calls(model);
		return 0;
	}
	goal_release(&model->goal);
	return error_prefix(err, "%s", path);
}

void model_release(struct model *model)
{
	cost_graph_release(&model->graph);
	execution_graph_release(&model->execution);
	goal_calls_release(&model->side_file);
	goal_release(&model->goal);
}

uint64_t model_traced_ns(const struct model *model)
{
	return model->calls ? model->calls->origin.run_ns : 0;
}
