#include "llamp/analysis/model.h"

#include "llamp/graph/build.h"

int model_open(struct model *model, const char *path, const struct loggps *loggps,
	       struct error *err)
{
	*model = (struct model){.path = path, .loggps = *loggps};
	TRY(goal_open(&model->goal, path, err));
	if (graphs_build(&model->execution, &model->graph, &model->goal, &model->loggps, err) == 0)
		return 0;
	goal_release(&model->goal);
	return error_prefix(err, "%s", path);
}

void model_release(struct model *model)
{
	cost_graph_release(&model->graph);
	execution_graph_release(&model->execution);
	goal_release(&model->goal);
}
