#include "llamp/analysis/critical_next.h"

#include "common/progress.h"
#include "llamp/analysis/order_range.h"
#include "llamp/path/path_engine.h"

#include <string.h>

/* ------------------------------------------------------------------ changes */

static uint64_t change_size(const struct critical_change *change)
{
	return change->there > change->now ? change->there - change->now
					   : change->now - change->there;
}

static int changes_by_size(const void *a, const void *b)
{
	const struct critical_change *x = a, *y = b;

	if (change_size(x) != change_size(y))
		return change_size(x) < change_size(y) ? 1 : -1;
	if (x->function && y->function && strcmp(x->function, y->function))
		return strcmp(x->function, y->function);
	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return (x->to > y->to) - (x->to < y->to);
}

static bool same_subject(const struct critical_change *a, const struct critical_change *b)
{
	if (!a->function != !b->function || a->before != b->before || a->from != b->from ||
	    a->to != b->to)
		return false;
	return !a->function || !strcmp(a->function, b->function);
}

/* Add the difference of two lists that were merged: drop what does not change. */
static void keep_changes(struct critical_next *next)
{
	size_t count = 0;

	for (size_t i = 0; i < next->changes.count; i++)
		if (change_size(&next->changes.items[i]))
			next->changes.items[count++] = next->changes.items[i];
	next->changes.count = count;
	if (count)
		qsort(next->changes.items, count, sizeof *next->changes.items, changes_by_size);
}

/* Compare the functions of both paths, which are few. */
static int compare_functions(struct critical_next *next, const struct critical_calls *now,
			     const struct critical_calls *there, struct error *err)
{
	const struct critical_calls *both[] = {now, there};

	for (int k = 0; k < 2; k++) {
		for (size_t i = 0; i < both[k]->functions.list.count; i++) {
			const struct critical_function *function = &both[k]->functions.list.items[i];
			struct critical_change change = {.function = function->function,
							 .before = function->before};
			size_t at = 0;

			while (at < next->changes.count &&
			       !same_subject(&next->changes.items[at], &change))
				at++;
			if (at == next->changes.count)
				TRY(array_push(&next->changes, change, err));
			*(k ? &next->changes.items[at].there : &next->changes.items[at].now) +=
				function->lambda;
		}
	}
	return 0;
}

static int by_pair(const void *a, const void *b)
{
	const struct critical_change *x = a, *y = b;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return (x->to > y->to) - (x->to < y->to);
}

/* Compare the pairs of ranks of both paths. */
static int compare_pairs(struct critical_next *next, const struct critical_path *now,
			 const struct critical_path *there, struct error *err)
{
	const struct critical_path *both[] = {now, there};
	size_t count = 0;

	for (int k = 0; k < 2; k++)
		for (size_t i = 0; i < both[k]->messages.count; i++) {
			const struct critical_message *message = &both[k]->messages.items[i];

			TRY(array_push(&next->changes, ((struct critical_change){
				.from = message->from, .to = message->to,
				.now = k ? 0 : message->lambda,
				.there = k ? message->lambda : 0}), err));
		}
	if (next->changes.count)
		qsort(next->changes.items, next->changes.count, sizeof *next->changes.items,
		      by_pair);
	for (size_t i = 0; i < next->changes.count; i++) {
		struct critical_change *items = next->changes.items;

		if (!count || by_pair(&items[count - 1], &items[i]) != 0) {
			items[count++] = items[i];
			continue;
		}
		items[count - 1].now += items[i].now;
		items[count - 1].there += items[i].there;
	}
	next->changes.count = count;
	return 0;
}

static int by_place(const struct critical_call *x, const struct critical_call *y)
{
	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	if (x->number != y->number)
		return x->number < y->number ? -1 : 1;
	return (int)y->before - (int)x->before;
}

static int calls_by_time(const void *a, const void *b)
{
	const struct critical_call *x = a, *y = b;

	if (x->all_as != y->all_as)
		return x->all_as < y->all_as ? 1 : -1;
	return by_place(x, y);
}

/* Compare the calls of both paths, which are sorted by rank and number. */
static int compare_calls(struct critical_next *next, const struct critical_calls *now,
			 const struct critical_calls *there, struct error *err)
{
	size_t i = 0, k = 0;

	while (i < now->calls.count || k < there->calls.count) {
		const struct critical_call *a = i < now->calls.count ? &now->calls.items[i] : NULL;
		const struct critical_call *b =
			k < there->calls.count ? &there->calls.items[k] : NULL;
		const int order = !a ? 1 : !b ? -1 : by_place(a, b);

		i += order <= 0;
		k += order >= 0;
		next->leaving += order < 0;
		if (order > 0)
			TRY(array_push(&next->joining, *b, err));
	}
	if (next->joining.count)
		qsort(next->joining.items, next->joining.count, sizeof *next->joining.items,
		      calls_by_time);
	return 0;
}

static int compare_paths(struct critical_next *next, const struct model *model,
			 const struct critical_path *path, const struct critical_calls *calls,
			 const struct critical_path *there, struct error *err)
{
	struct critical_calls found;
	int result;

	next->has_calls = calls != NULL;
	if (!calls) {
		TRY(compare_pairs(next, path, there, err));
	} else {
		TRY(critical_calls_find(&found, there, model, err));
		result = compare_functions(next, calls, &found, err);
		if (result == 0)
			result = compare_calls(next, calls, &found, err);
		critical_calls_release(&found);
		TRY(result);
	}
	keep_changes(next);
	return 0;
}

/* --------------------------------------------------------------- latencies */

static void next_release(struct critical_next *next)
{
	array_release(&next->changes);
	array_release(&next->joining);
}

/*
 * Find the path just above a critical latency: at it if it is whole, where of the longest paths the
 * steepest one is found, else at the next attosecond.
 */
static int find_next(struct critical_next *next, const struct model *model,
		     const struct critical_path *path, const struct critical_calls *calls,
		     int64_t latency_as, struct error *err)
{
	struct model moved = *model;
	struct critical_path there;
	int result;

	loggps_set(&moved.loggps, VARIABLE_L, latency_as);
	moved.execution.loggps = &moved.loggps;
	TRY(critical_path_find(&there, &moved, err));
	next->lambda = there.lambda;
	next->runtime_as = there.runtime_as;
	result = compare_paths(next, model, path, calls, &there, err);
	critical_path_release(&there);
	return result;
}

/* Find the next critical latency above `at`.  Returns 1 if there is none up to the limit. */
static int add_next(struct critical_nexts *nexts, const struct model *model,
		    const struct critical_path *path, const struct critical_calls *calls,
		    struct rational *at, struct error *err)
{
	const int64_t limit_as = nexts->limit_as;
	const struct direction direction = direction_of(&model->loggps.variables, VARIABLE_L);
	struct critical_next next = {.has_calls = false};
	struct critical_range range;
	int128 whole;

	TRY(path_critical_range(&model->graph, &direction, *at, &range, err));
	if (range.unbounded) {
		nexts->limited = limit_as < INT64_MAX;
		return 1;
	}
	whole = (range.high.numerator + range.high.denominator - 1) / range.high.denominator;
	nexts->limited = whole > limit_as && limit_as < INT64_MAX;
	if (whole > limit_as)
		return 1;
	next.latency_as = *at = range.high;
	if (find_next(&next, model, path, calls, (int64_t)whole, err) == 0 &&
	    array_push(&nexts->list, next, err) == 0)
		return 0;
	next_release(&next);
	return -1;
}

int critical_nexts_find(struct critical_nexts *nexts, const struct model *model,
			const struct critical_path *path, const struct critical_calls *calls,
			struct error *err)
{
	const struct direction along_L = direction_of(&model->loggps.variables, VARIABLE_L);
	struct rational at = rational_from(along_L.start_as);
	struct order_range order = {.high_as = INT64_MAX};
	int result = 0;

	*nexts = (struct critical_nexts){.limited = false};
	progress_phase("finding the next critical latencies");
	if (model->loggps.resources)
		TRY(order_range_find(&order, model, &along_L, err));
	nexts->limit_as = order.high_as;
	for (int i = 0; i < CRITICAL_NEXTS && result == 0; i++)
		result = add_next(nexts, model, path, calls, &at, err);
	if (result >= 0)
		return 0;
	critical_nexts_release(nexts);
	return -1;
}

void critical_nexts_release(struct critical_nexts *nexts)
{
	for (size_t i = 0; i < nexts->list.count; i++)
		next_release(&nexts->list.items[i]);
	array_release(&nexts->list);
}
