#include "llamp/analysis/slack.h"

#include <string.h>

const int slack_limits[SLACK_LIMITS] = {1, 10, 100};

/* ---------------------------------------------------------------- visiting */

/* Calls of one rank. */
struct rank_calls {
	ARRAY(struct slack_call) list;
	bool ascending;
};

static int by_number(const void *a, const void *b)
{
	const struct slack_call *x = a, *y = b;

	if (x->number != y->number)
		return x->number < y->number ? -1 : 1;
	return (int)y->before - (int)x->before;
}

static void take_smaller(struct slack_call *call, const struct slack_call *other)
{
	if (other->slack_as >= call->slack_as)
		return;
	call->slack_as = other->slack_as;
	call->operation = other->operation;
}

static int add_operation(struct rank_calls *calls, const struct slack_call *added,
			 struct error *err)
{
	struct slack_call *last =
		calls->list.count ? &calls->list.items[calls->list.count - 1] : NULL;
	const int order = last ? by_number(last, added) : -1;

	if (order == 0) {
		take_smaller(last, added);
		return 0;
	}
	calls->ascending &= order < 0;
	return array_push(&calls->list, *added, err);
}

/* Non-blocking collectives may have operations after those of later calls. */
static void sort_and_merge(struct rank_calls *calls)
{
	struct slack_call *items = calls->list.items;
	size_t count = 0;

	qsort(items, calls->list.count, sizeof *items, by_number);
	for (size_t i = 0; i < calls->list.count; i++) {
		if (count && by_number(&items[count - 1], &items[i]) == 0)
			take_smaller(&items[count - 1], &items[i]);
		else
			items[count++] = items[i];
	}
	calls->list.count = count;
}

static int collect_rank(struct rank_calls *calls, struct goal_calls_cursor *cursor,
			const struct model *model, const struct goal_calls *file, uint32_t rank,
			const int128 *slack_as, struct error *err)
{
	const struct goal_block *block = &model->goal.ranks[rank];
	struct goal_call call;

	goal_calls_cursor_start(cursor, file, rank);
	calls->list.count = 0;
	calls->ascending = true;
	for (uint32_t i = 0; i < block->op_count; i++) {
		const int result = goal_calls_find(cursor, i, &call, err);

		TRY(result);
		if (result > 0)
			continue;
		TRY(add_operation(calls, &(struct slack_call){
			.function = call.function, .rank = rank, .operation = i,
			.number = call.number, .before = call.before,
			.time_ns = (int64_t)(call.time_ns - file->origin.begin_ns),
			.slack_as = slack_as[block->first_op + i]}, err));
	}
	if (!calls->ascending)
		sort_and_merge(calls);
	return 0;
}

static int visit_calls(const struct model *model, const struct goal_calls *file,
		       const int128 *slack_as, slack_visitor *visit, void *context,
		       struct error *err)
{
	struct goal_calls_cursor cursor = {0};
	struct rank_calls calls = {.ascending = true};
	int result = 0;

	for (uint32_t rank = 0; rank < model->goal.rank_count && result == 0; rank++) {
		result = collect_rank(&calls, &cursor, model, file, rank, slack_as, err);
		for (size_t i = 0; i < calls.list.count && result == 0; i++)
			result = visit(context, &calls.list.items[i], err);
	}
	goal_calls_cursor_release(&cursor);
	array_release(&calls.list);
	return result;
}

static int visit_operations(const struct model *model, const int128 *slack_as,
			    slack_visitor *visit, void *context, struct error *err)
{
	for (uint32_t rank = 0; rank < model->goal.rank_count; rank++) {
		const struct goal_block *block = &model->goal.ranks[rank];

		for (uint32_t i = 0; i < block->op_count; i++)
			TRY(visit(context, &(struct slack_call){
				.rank = rank, .operation = i,
				.slack_as = slack_as[block->first_op + i]}, err));
	}
	return 0;
}

int slack_visit(const struct model *model, const struct goal_calls *calls, const int128 *slack_as,
		slack_visitor *visit, void *context, struct error *err)
{
	if (!calls)
		return visit_operations(model, slack_as, visit, context, err);
	return visit_calls(model, calls, slack_as, visit, context, err);
}

/* ----------------------------------------------------------------- summary */

/* Add a call to the smallest slacks.  A level that is dropped once cannot come back. */
static int add_to_least(struct slack *slack, const struct slack_call *call, struct error *err)
{
	struct slack_level *items = slack->least.items;
	size_t at = slack->least.count;

	while (at && items[at - 1].slack_as > call->slack_as)
		at--;
	if (at && items[at - 1].slack_as == call->slack_as) {
		items[at - 1].count++;
		if (call->time_ns < items[at - 1].first.time_ns)
			items[at - 1].first = *call;
		return 0;
	}
	if (at == SLACK_LEVELS)
		return 0;
	if (slack->least.count < SLACK_LEVELS)
		TRY(array_push(&slack->least, (struct slack_level){0}, err));
	items = slack->least.items;
	memmove(&items[at + 1], &items[at], (slack->least.count - at - 1) * sizeof *items);
	items[at] = (struct slack_level){call->slack_as, 1, *call};
	return 0;
}

static int slack_add_call(void *context, const struct slack_call *call, struct error *err)
{
	struct slack *slack = context;

	if (call->before)
		return 0;
	slack->count++;
	slack->critical += call->slack_as == 0;
	for (int i = 0; i < SLACK_LIMITS; i++)
		slack->below[i] += 1000 * call->slack_as < slack_limits[i] * slack->runtime_as;
	return call->slack_as > 0 ? add_to_least(slack, call, err) : 0;
}

int slack_find(struct slack *slack, const struct model *model, const struct goal_calls *calls,
	       int128 runtime_as, const int128 *slack_as, struct error *err)
{
	*slack = (struct slack){.runtime_as = runtime_as, .calls = calls};
	if (slack_visit(model, calls, slack_as, slack_add_call, slack, err) == 0)
		return 0;
	slack_release(slack);
	return -1;
}

void slack_release(struct slack *slack)
{
	array_release(&slack->least);
}
