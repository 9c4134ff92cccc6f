#include "llamp/analysis/critical_steps.h"

#include "common/progress.h"
#include "llamp/graph/times.h"
#include "llamp/path/lexicographic_key.h"

/* Longest of the edges from one event to another, or to the end. */
struct longest_edge {
	const struct times *times;
	struct critical_step step;
	int128 key;
	bool found;
};

static void note_longest(void *context, const struct edge *edge)
{
	struct longest_edge *longest = context;
	const int128 key = cost_weigh(&longest->times->weights, edge->cost);
	struct critical_step *step = &longest->step;

	if ((edge->target == TARGET_END) != step->to_end ||
	    (longest->found && key <= longest->key))
		return;
	if (!step->to_end) {
		const struct event to = execution_target(longest->times->execution, edge);

		if (to.op != step->to.op || to.match != step->to.match)
			return;
	}
	longest->found = true;
	longest->key = key;
	step->op = edge->op;
	step->cost = *edge->cost;
}

static int trace_back(struct critical_steps *steps, const struct times *times, struct error *err)
{
	uint32_t from = times->before_end;
	struct event to = {0};
	bool to_end = true;
	size_t count;

	while (from != NO_EVENT) {
		struct longest_edge longest = {
			.times = times,
			.step = {.from = event_of(from), .to = to, .to_end = to_end},
		};

		execution_edges(times->execution, event_of(from), note_longest, &longest);
		TRY(array_push(&steps->list, longest.step, err));
		to = event_of(from);
		to_end = false;
		from = times_event_before(times, to);
	}
	count = steps->list.count;
	for (size_t i = 0; i < count / 2; i++) {
		const struct critical_step step = steps->list.items[i];

		steps->list.items[i] = steps->list.items[count - 1 - i];
		steps->list.items[count - 1 - i] = step;
	}
	return 0;
}

/* Use keys as times, so that of several longest paths the one with the slope lambda_L decides. */
int critical_steps_find(struct critical_steps *steps, const struct model *model,
			struct error *err)
{
	const struct direction direction = direction_of(&model->loggps.variables, VARIABLE_L);
	const struct path_point point = {&direction, rational_from(direction.start_as), SIDE_RIGHT};
	/* Leave out the divisors of the cost graph: edges of the execution graph may be smaller. */
	const struct cost_graph bounds = {.most = model->graph.most};
	struct lexicographic_key key;
	struct cost_weights weights;
	struct times times;
	int result;

	*steps = (struct critical_steps){0};
	TRY(key_init(&key, &bounds, &point, err));
	weights = cost_weights_of(key.key.ns, key.key.of);
	progress_phase("finding the critical path");
	TRY(times_find(&times, &model->execution, &weights, err));
	result = trace_back(steps, &times, err);
	times_release(&times);
	if (result < 0)
		critical_steps_release(steps);
	return result;
}

void critical_steps_release(struct critical_steps *steps)
{
	array_release(&steps->list);
}
