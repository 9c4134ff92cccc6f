#include "llamp/analysis/critical_path.h"

#include "llamp/analysis/critical_steps.h"
#include "llamp/simulate/simulation.h"

/* Operation, as in segments. */
struct place {
	uint32_t rank, operation, peer;
	enum goal_kind kind;
};

static struct place place_of(const struct goal *goal, uint32_t op)
{
	uint32_t rank = goal_rank_of(goal, op);
	const struct goal_block *block = &goal->ranks[rank];
	uint32_t operation = op - block->first_op;
	const struct goal_op found = goal_op(block, operation);

	return (struct place){rank, operation, found.peer, found.kind};
}

static int add_segment(struct critical_path *path, enum category category, int128 length_as,
		       const struct place *place, struct error *err)
{
	struct critical_segment segment = {
		.start_as = path->runtime_as,
		.end_as = path->runtime_as + length_as,
		.rank = place->rank,
		.operation = place->operation,
		.category = (uint8_t)category,
		.kind = (uint8_t)place->kind,
	};

	path->runtime_as = segment.end_as;
	return length_as > 0 ? array_push(&path->segments, segment, err) : 0;
}

/* Tell whether the bytes of a cost delay another message: they are gap, not bandwidth. */
static bool is_gap(const struct cost *cost)
{
	return cost->rule == COST_TRANSFER || cost->rule == COST_NIC ||
	       cost->rule == COST_NIC_GAP;
}

/* Time of one category in a cost. */
static int128 time_of(const struct model *model, const struct cost *cost, enum category category)
{
	const struct variables *variables = &model->loggps.variables;
	int128 sum = category == CATEGORY_COMPUTE ? (int128)cost->ns * AS_PER_NS : 0;

	for (uint32_t v = 0; v < variables->count; v++) {
		const enum category its = is_gap(cost) ? CATEGORY_GAP : variables->of[v].category;

		if (its == category)
			sum += (int128)execution_coefficient(&model->execution, cost, v) *
			       variables->of[v].value_as;
	}
	return sum;
}

/* Add the latencies, bytes and transfer of a step to its message. */
static int add_transfer(struct critical_path *path, const struct model *model,
			const struct critical_step *step, const struct place *recv,
			struct error *err)
{
	const uint64_t lambda = execution_coefficient(&model->execution, &step->cost, VARIABLE_L);
	const uint64_t lambda_G =
		is_gap(&step->cost)
			? 0
			: execution_coefficient(&model->execution, &step->cost, VARIABLE_G);
	const int128 transfer_as = time_of(model, &step->cost, CATEGORY_LATENCY) +
				   time_of(model, &step->cost, CATEGORY_BANDWIDTH);
	struct critical_message *last;

	if (lambda == 0 && lambda_G == 0 && transfer_as == 0)
		return 0;
	last = path->messages.count ? &path->messages.items[path->messages.count - 1] : NULL;
	if (!last || last->to != recv->rank || last->operation != recv->operation)
		TRY(array_push(&path->messages, ((struct critical_message){
			.from = recv->peer, .to = recv->rank, .operation = recv->operation,
			.send = model->execution.matching.partner[step->transfer] -
				model->goal.ranks[recv->peer].first_op}), err));
	last = &path->messages.items[path->messages.count - 1];
	last->lambda += lambda;
	last->lambda_G += lambda_G;
	last->transfer_as += transfer_as;
	path->lambda += lambda;
	path->lambda_G += lambda_G;
	return 0;
}

/* Add the time of each variable in a cost. */
static void add_variables(struct critical_path *path, const struct model *model,
			  const struct cost *cost)
{
	const struct variables *variables = &model->loggps.variables;

	for (uint32_t v = 0; v < variables->count; v++)
		path->variable_as[v] += (int128)execution_coefficient(&model->execution, cost, v) *
					variables->of[v].value_as;
}

/* Cut an edge into segments. */
static int critical_path_add_edge(struct critical_path *path, const struct model *model,
				  const struct critical_step *step, struct error *err)
{
	const struct place op = place_of(&model->goal, step->op);
	const struct place transfer = place_of(&model->goal, step->transfer);

	/* A message may have several steps, one after the other. */
	if (step->message != NO_MESSAGE && step->message != path->last_message) {
		path->last_message = step->message;
		path->message_count++;
	}
	add_variables(path, model, &step->cost);
	TRY(add_transfer(path, model, step, &transfer, err));
	for (int c = 0; c < CATEGORY_COUNT; c++) {
		const enum category category = (enum category)c;
		const bool moves = category == CATEGORY_LATENCY || category == CATEGORY_BANDWIDTH;

		TRY(add_segment(path, category, time_of(model, &step->cost, category),
				moves ? &transfer : &op, err));
	}
	return 0;
}

/* Cut all steps, which are released. */
static int add_steps(struct critical_path *path, const struct model *model,
		     struct critical_steps *steps, struct error *err)
{
	int result = 0;

	for (size_t i = 0; i < steps->list.count && result == 0; i++)
		result = critical_path_add_edge(path, model, &steps->list.items[i], err);
	critical_steps_release(steps);
	if (result < 0)
		critical_path_release(path);
	return result;
}

int critical_path_find(struct critical_path *path, const struct model *model, struct error *err)
{
	struct critical_steps steps;

	*path = (struct critical_path){.last_message = NO_MESSAGE};
	TRY(critical_steps_find(&steps, model, err));
	return add_steps(path, model, &steps, err);
}

/* With resources the order of service and the deciding waits are those of the given parameters. */
static int find_served_slack(int128 **slack_as, const struct model *model, struct error *err)
{
	struct sim_result simulation;
	int64_t *slack;

	TRY(allocate(slack_as, model->goal.op_count, sizeof **slack_as, err));
	if (sim_find_slack(&slack, &simulation, &model->execution, err) < 0) {
		free(*slack_as);
		return -1;
	}
	for (uint32_t op = 0; op < model->goal.op_count; op++)
		(*slack_as)[op] = (int128)slack[op] * simulation.unit_as;
	free(slack);
	return 0;
}

int critical_path_find_with_slack(struct critical_path *path, int128 **slack_as,
				  const struct model *model, struct error *err)
{
	const struct rational latency_as =
		rational_from(loggps_value(&model->loggps, VARIABLE_L));
	struct critical_steps steps;

	*path = (struct critical_path){.last_message = NO_MESSAGE};
	if (!model->loggps.resources) {
		TRY(critical_steps_find_at(&steps, model, latency_as, slack_as, err));
	} else {
		TRY(find_served_slack(slack_as, model, err));
		if (critical_steps_find(&steps, model, err) < 0) {
			free(*slack_as);
			return -1;
		}
	}
	if (add_steps(path, model, &steps, err) == 0)
		return 0;
	free(*slack_as);
	return -1;
}

void critical_path_release(struct critical_path *path)
{
	array_release(&path->segments);
	array_release(&path->messages);
}
