#include "llamp/analysis/critical_path.h"

#include "llamp/analysis/critical_steps.h"

/* Operation, as in segments. */
struct place {
	uint32_t rank, operation;
	enum goal_kind kind;
};

static struct place place_of(const struct goal *goal, uint32_t op)
{
	uint32_t rank = goal_rank_of(goal, op);
	const struct goal_block *block = &goal->ranks[rank];
	uint32_t operation = op - block->first_op;

	return (struct place){rank, operation, goal_op(block, operation).kind};
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

/* Time of one category in a cost.  Bytes that delay another message are gap, not bandwidth. */
static int128 time_of(const struct variables *variables, const struct cost *cost,
		      enum category category)
{
	int128 sum = category == CATEGORY_COMPUTE ? (int128)cost->ns * AS_PER_NS : 0;

	for (uint32_t v = 0; v < variables->count; v++) {
		const bool apart = cost->rule == COST_TRANSFER || cost->rule == COST_NIC ||
				   cost->rule == COST_NIC_GAP;
		const enum category its = apart ? CATEGORY_GAP : variables->of[v].category;

		if (its == category)
			sum += (int128)cost_coefficient(cost, v) * variables->of[v].value_as;
	}
	return sum;
}

/* Cut an edge into segments. */
static int add_edge(struct critical_path *path, const struct model *model,
		    const struct critical_step *step, struct error *err)
{
	const struct variables *variables = &model->loggps.variables;
	const struct place op = place_of(&model->goal, step->op);
	const struct place transfer = place_of(&model->goal, step->transfer);

	/* A message may have several steps, one after the other. */
	if (step->message != NO_MESSAGE && step->message != path->last_message) {
		path->last_message = step->message;
		path->message_count++;
	}
	for (int c = 0; c < CATEGORY_COUNT; c++) {
		const enum category category = (enum category)c;
		const bool moves = category == CATEGORY_LATENCY || category == CATEGORY_BANDWIDTH;

		TRY(add_segment(path, category, time_of(variables, &step->cost, category),
				moves ? &transfer : &op, err));
	}
	return 0;
}

int critical_path_find(struct critical_path *path, const struct model *model, struct error *err)
{
	struct critical_steps steps;
	int result = 0;

	*path = (struct critical_path){.last_message = NO_MESSAGE};
	TRY(critical_steps_find(&steps, model, err));
	for (size_t i = 0; i < steps.list.count && result == 0; i++)
		result = add_edge(path, model, &steps.list.items[i], err);
	critical_steps_release(&steps);
	if (result < 0)
		critical_path_release(path);
	return result;
}

void critical_path_release(struct critical_path *path)
{
	array_release(&path->segments);
}
