#include "llamp/analysis/critical_path.h"

#include "common/units.h"
#include "llamp/analysis/critical_steps.h"

#include <stdbool.h>

const char *path_category_name(enum path_category category)
{
	static const char *const names[] = {
		[PATH_COMPUTE] = "compute", [PATH_OVERHEAD] = "overhead",
		[PATH_LATENCY] = "latency", [PATH_BANDWIDTH] = "bandwidth",
		[PATH_GAP] = "gap",
	};

	return names[category];
}

/* An operation, as segments name it. */
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

static int add_segment(struct critical_path *path, enum path_category category, int128 length_as,
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

/* Cut an edge into segments. */
static int add_edge(struct critical_path *path, const struct model *model,
		    const struct critical_step *step, struct error *err)
{
	const struct loggps *loggps = &model->loggps;
	const struct cost *cost = &step->cost;
	const struct place from = place_of(&model->goal, step->from.op);
	const bool message = !step->from.match && from.kind == GOAL_SEND && !step->to_end &&
			     step->to.match;
	/* Bytes without a message are those of a send that holds up the next one. */
	const enum path_category bytes = message || step->from.match ? PATH_BANDWIDTH : PATH_GAP;
	const struct place transfer = message ? place_of(&model->goal, step->to.op) : from;

	/* A rendezvous may have latencies on both sides of the event of match. */
	if (message)
		path->last_message = step->to.op;
	if (message || (cost->latencies > 0 && step->from.match &&
			step->from.op != path->last_message))
		path->message_count++;
	TRY(add_segment(path, PATH_COMPUTE, (int128)cost->ns * AS_PER_NS, &from, err));
	TRY(add_segment(path, PATH_OVERHEAD, (int128)cost->overheads * loggps->o, &from, err));
	TRY(add_segment(path, PATH_LATENCY, (int128)cost->latencies * loggps->L, &transfer, err));
	TRY(add_segment(path, bytes, (int128)cost->bytes * loggps->G, &transfer, err));
	return add_segment(path, PATH_GAP, (int128)cost->gaps * loggps->g, &from, err);
}

int critical_path_find(struct critical_path *path, const struct model *model, struct error *err)
{
	struct critical_steps steps;
	int result = 0;

	*path = (struct critical_path){.last_message = UINT32_MAX};
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
