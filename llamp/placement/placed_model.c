#include "llamp/placement/placed_model.h"

#include "llamp/path/evaluate.h"
#include "llamp/placement/placement.h"
#include "llamp/simulate/build.h"

int placed_model_open(struct placed_model *placed, const struct placement_task *task,
		      const uint32_t *hosts, struct error *err)
{
	placed->network = *task->model->loggps.network;
	placed->network.mapping = MAPPING_LIST;
	placed->network.hosts = (uint32_t *)hosts;
	placed->network.listed = task->model->goal.rank_count;
	placed->model = (struct model){.path = task->model->path,
				       .loggps = task->model->loggps,
				       .goal = task->model->goal};
	placed->model.loggps.network = &placed->network;
	return graphs_build(&placed->model.execution, &placed->model.graph, &placed->model.goal,
			    &placed->model.loggps, err);
}

void placed_model_close(struct placed_model *placed)
{
	cost_graph_release(&placed->model.graph);
	execution_graph_release(&placed->model.execution);
}

static int runtime_of(const struct placed_model *placed, __int128 *runtime_as, struct error *err)
{
	const struct direction direction = direction_fixed(&placed->model.loggps.variables);
	struct line line;

	TRY(path_evaluate(&placed->model.graph, &direction, rational_from(0), SIDE_RIGHT, &line,
			  NULL, err));
	*runtime_as = line.constant;
	return 0;
}

int placement_runtime(const struct placement_task *task, const uint32_t *hosts,
		      __int128 *runtime_as, struct error *err)
{
	struct placed_model placed;
	int result;

	TRY(placed_model_open(&placed, task, hosts, err));
	result = runtime_of(&placed, runtime_as, err);
	placed_model_close(&placed);
	return result;
}
