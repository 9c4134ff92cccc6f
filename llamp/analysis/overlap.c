#include "llamp/analysis/overlap.h"

#include "common/progress.h"
#include "llamp/graph/deferred.h"
#include "llamp/simulate/build.h"

#include <stdlib.h>
#include <string.h>

/* T without the deferral of the halves in undefer; NULL: of all. */
static int undeferred_runtime(int128 *runtime_as, const struct model *model,
			      const struct goal_deferred *deferred, const bool *undefer,
			      struct error *err)
{
	struct model other = {.path = model->path, .loggps = model->loggps};
	struct critical_path path;
	int result;

	TRY(goal_undefer(&other.goal, &model->goal, deferred, undefer, err));
	result = graphs_build(&other.execution, &other.graph, &other.goal, &other.loggps, err);
	if (result == 0) {
		result = critical_path_find(&path, &other, err);
		*runtime_as = result == 0 ? path.runtime_as : 0;
		if (result == 0)
			critical_path_release(&path);
		cost_graph_release(&other.graph);
		execution_graph_release(&other.execution);
	}
	goal_release(&other.goal);
	return result;
}

/* ------------------------------------------------------------------------------ calls */

/* The search for the gain of each call. */
struct gains {
	const struct model *model;
	struct goal_deferred deferred;
	uint32_t *call_of; /* [place in deferred]: index of its call, or NO_CALL */
	bool *undefer;	   /* [place in deferred] */
};
#define NO_CALL UINT32_MAX

/* Find or add the call with this name.  A linear search is enough: there are few of them. */
static int find_overlap_call(struct overlap *overlap, const char *name, uint32_t *found,
			     struct error *err)
{
	size_t i = 0;

	while (i < overlap->calls.count && strcmp(overlap->calls.items[i].name, name))
		i++;
	if (i == overlap->calls.count)
		TRY(array_push(&overlap->calls, (struct overlap_call){.name = name}, err));
	*found = (uint32_t)i;
	return 0;
}

static int name_half(struct overlap *overlap, struct gains *gains, struct goal_calls_cursor *cursor,
		     size_t place, struct error *err)
{
	const struct goal *goal = &gains->model->goal;
	const uint32_t op = gains->deferred.ops.items[place];
	const struct goal_block *block = &goal->ranks[goal_rank_of(goal, op)];
	struct goal_call made;
	const char *name;
	int found;

	gains->call_of[place] = NO_CALL;
	found = goal_calls_find(cursor, op - block->first_op, &made, err);
	if (found)
		return found < 0 ? -1 : 0;
	name = made.function;
	if (made.site && gains->model->lines)
		TRY(source_lines_name(gains->model->lines, made.site, &name, err));
	TRY(find_overlap_call(overlap, name ? name : made.function, &gains->call_of[place], err));
	overlap->calls.items[gains->call_of[place]].messages++;
	overlap->calls.items[gains->call_of[place]].bytes +=
		goal_op(block, op - block->first_op).size;
	return 0;
}

/* Name the calls of all deferred halves. */
static int name_halves(struct overlap *overlap, struct gains *gains, struct error *err)
{
	struct goal_calls_cursor cursor = {0};
	uint32_t rank = UINT32_MAX;
	int result = 0;

	for (size_t i = 0; i < gains->deferred.ops.count && result == 0; i++) {
		const uint32_t of = goal_rank_of(&gains->model->goal, gains->deferred.ops.items[i]);

		if (of != rank)
			goal_calls_cursor_start(&cursor, gains->model->calls, of);
		rank = of;
		result = name_half(overlap, gains, &cursor, i, err);
	}
	goal_calls_cursor_release(&cursor);
	return result;
}

static int overlap_by_number(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Mark the call of an operation if it is deferred. */
static void mark_call(struct overlap *overlap, const struct gains *gains, uint32_t op)
{
	const uint32_t *found = bsearch(&op, gains->deferred.ops.items, gains->deferred.ops.count,
					sizeof op, overlap_by_number);

	if (found && gains->call_of[found - gains->deferred.ops.items] != NO_CALL)
		overlap->calls.items[gains->call_of[found - gains->deferred.ops.items]].critical =
			true;
}

/* Mark the calls of the deferred halves whose messages are on the critical path. */
static void mark_critical(struct overlap *overlap, const struct gains *gains,
			  const struct critical_path *path)
{
	const struct goal_block *ranks = gains->model->goal.ranks;

	for (size_t i = 0; i < path->messages.count; i++) {
		const struct critical_message *message = &path->messages.items[i];

		mark_call(overlap, gains, ranks[message->to].first_op + message->operation);
		mark_call(overlap, gains, ranks[message->from].first_op + message->send);
	}
}

static int find_gain(struct overlap *overlap, struct gains *gains, uint32_t call, struct error *err)
{
	int128 runtime_as;

	for (size_t i = 0; i < gains->deferred.ops.count; i++)
		gains->undefer[i] = gains->call_of[i] == call;
	TRY(undeferred_runtime(&runtime_as, gains->model, &gains->deferred, gains->undefer, err));
	overlap->calls.items[call].gain_as = overlap->runtime_as - runtime_as;
	return 0;
}

static int overlap_by_gain(const void *a, const void *b)
{
	const struct overlap_call *x = a, *y = b;

	if (x->gain_as != y->gain_as)
		return x->gain_as < y->gain_as ? 1 : -1;
	if (x->bytes != y->bytes)
		return x->bytes < y->bytes ? 1 : -1;
	return strcmp(x->name, y->name);
}

/* Find the gains.  A call that is not on the critical path gains nothing: the path stays. */
static int find_gains(struct overlap *overlap, struct gains *gains,
		      const struct critical_path *path, struct error *err)
{
	uint32_t found = 0;

	TRY(allocate(&gains->call_of, gains->deferred.ops.count, sizeof *gains->call_of, err));
	TRY(allocate(&gains->undefer, gains->deferred.ops.count, sizeof *gains->undefer, err));
	TRY(name_halves(overlap, gains, err));
	mark_critical(overlap, gains, path);
	for (uint32_t i = 0; i < overlap->calls.count && found < OVERLAP_MOST_CALLS; i++) {
		if (!overlap->calls.items[i].critical)
			continue;
		progress_phase("finding what overlap brings");
		TRY(find_gain(overlap, gains, i, err));
		found++;
	}
	if (overlap->calls.count)
		qsort(overlap->calls.items, overlap->calls.count, sizeof *overlap->calls.items,
		      overlap_by_gain);
	return 0;
}

/* ---------------------------------------------------------------------------- search */

static int find_overlap(struct overlap *overlap, struct gains *gains,
			const struct critical_path *path, struct error *err)
{
	const struct goal *goal = &gains->model->goal;

	TRY(goal_deferred_find(&gains->deferred, goal, err));
	overlap->messages = gains->deferred.ops.count;
	if (!overlap->messages)
		return 0;
	for (size_t i = 0; i < gains->deferred.ops.count; i++) {
		const struct goal_block *block =
			&goal->ranks[goal_rank_of(goal, gains->deferred.ops.items[i])];

		overlap->bytes +=
			goal_op(block, gains->deferred.ops.items[i] - block->first_op).size;
	}
	TRY(undeferred_runtime(&overlap->async_as, gains->model, &gains->deferred, NULL, err));
	if (!path)
		return 0;
	overlap->runtime_as = path->runtime_as;
	return gains->model->calls ? find_gains(overlap, gains, path, err) : 0;
}

int overlap_find(struct overlap *overlap, const struct model *model,
		 const struct critical_path *path, struct error *err)
{
	struct gains gains = {.model = model};
	int result;

	*overlap = (struct overlap){0};
	result = find_overlap(overlap, &gains, path, err);
	goal_deferred_release(&gains.deferred);
	free(gains.call_of);
	free(gains.undefer);
	if (result < 0)
		overlap_release(overlap);
	return result;
}

void overlap_release(struct overlap *overlap)
{
	array_release(&overlap->calls);
	*overlap = (struct overlap){0};
}
