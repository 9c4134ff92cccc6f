#include "llamp/analysis/critical_calls.h"

#include <string.h>

/* Part of a path and its call, for sorting. */
struct found {
	struct goal_call call;
	uint32_t rank, operation;
	uint32_t part;		/* a segment; messages follow the segments */
};

static int by_operation(const void *a, const void *b)
{
	const struct found *x = a, *y = b;

	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return (x->operation > y->operation) - (x->operation < y->operation);
}

static int by_call(const void *a, const void *b)
{
	const struct found *x = a, *y = b;

	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	if (x->call.number != y->call.number)
		return x->call.number < y->call.number ? -1 : 1;
	if (x->call.before != y->call.before)
		return x->call.before ? -1 : 1;
	return (x->part > y->part) - (x->part < y->part);
}

/* Find the calls of all parts, which are in the order of their operations. */
static int look_up(const struct goal_calls *file, struct found *found, uint32_t count,
		   struct error *err)
{
	struct goal_calls_cursor cursor = {0};
	int result = 0;

	for (uint32_t i = 0; i < count && result >= 0; i++) {
		if (i == 0 || found[i].rank != found[i - 1].rank)
			goal_calls_cursor_start(&cursor, file, found[i].rank);
		result = goal_calls_find(&cursor, found[i].operation, &found[i].call, err);
	}
	goal_calls_cursor_release(&cursor);
	return result < 0 ? -1 : 0;
}

static bool same_call(const struct found *a, const struct found *b)
{
	return a->rank == b->rank && a->call.number == b->call.number &&
	       a->call.before == b->call.before;
}

static int critical_calls_add_call(struct critical_calls *calls, const struct found *found,
				   struct error *err)
{
	const struct goal_call *made = &found->call;
	const char *site = NULL;

	if (made->site)
		TRY(source_lines_name(calls->lines, made->site, &site, err));
	return array_push(
		&calls->calls,
		((struct critical_call){.function = made->function,
					.site = site,
					.rank = found->rank,
					.communicator = made->communicator,
					.number = made->number,
					.before = made->before,
					.repeats = made->repeats,
					.time_ns = (int64_t)(made->time_ns -
							     calls->file->origin.begin_ns)}),
		err);
}

/* Add the calls of `found`, in which parts of the same call follow each other. */
static int critical_calls_add_calls(struct critical_calls *calls, const struct critical_path *path,
				    const struct found *found, uint32_t count, struct error *err)
{
	for (uint32_t i = 0; i < count; i++) {
		const struct critical_segment *segment = &path->segments.items[found[i].part];
		struct critical_call *call;

		if (i == 0 || !same_call(&found[i], &found[i - 1]))
			TRY(critical_calls_add_call(calls, &found[i], err));
		call = &calls->calls.items[calls->calls.count - 1];
		if (found[i].part >= path->segments.count) {
			const size_t message = found[i].part - path->segments.count;

			call->lambda += path->messages.items[message].lambda;
			call->lambda_G += path->messages.items[message].lambda_G;
			continue;
		}
		call->as[segment->category] += segment->end_as - segment->start_as;
		call->all_as += segment->end_as - segment->start_as;
		calls->of[found[i].part] = (uint32_t)calls->calls.count - 1;
	}
	return 0;
}

static bool same_function(const struct critical_function *function, const char *name, bool before)
{
	if (function->before != before || !function->function || !name)
		return function->before == before && function->function == name;
	return !strcmp(function->function, name);
}

/* Find or add a function or site.  A linear search is enough: there are few of them. */
static int find_function(struct critical_functions *functions, const char *name, bool before,
			 struct critical_function **found, struct error *err)
{
	size_t i = 0;

	while (i < functions->list.count &&
	       !same_function(&functions->list.items[i], name, before))
		i++;
	if (i == functions->list.count)
		TRY(array_push(&functions->list,
			       ((struct critical_function){.function = name, .before = before}),
			       err));
	*found = &functions->list.items[i];
	return 0;
}

static int add_to_function(struct critical_functions *functions, const char *name,
			   const struct critical_call *call, struct error *err)
{
	struct critical_function *function;

	TRY(find_function(functions, name, call->before, &function, err));
	function->call_count++;
	function->lambda += call->lambda;
	function->lambda_G += call->lambda_G;
	function->all_as += call->all_as;
	for (int i = 0; i < CATEGORY_COUNT; i++)
		function->as[i] += call->as[i];
	return 0;
}

static int functions_by_time(const void *a, const void *b)
{
	const struct critical_function *x = a, *y = b;

	if (x->all_as != y->all_as)
		return x->all_as < y->all_as ? 1 : -1;
	if (!x->function || !y->function)
		return x->function ? -1 : y->function ? 1 : 0;
	if (strcmp(x->function, y->function))
		return strcmp(x->function, y->function);
	return x->before - y->before;
}

static void sort_functions(struct critical_functions *functions)
{
	if (functions->list.count)
		qsort(functions->list.items, functions->list.count, sizeof *functions->list.items,
		      functions_by_time);
}

/* List the segments and messages of a path.  A message is part of the call of its receive. */
static void list_parts(struct found *found, const struct critical_path *path)
{
	uint32_t count = 0;

	for (size_t i = 0; i < path->segments.count; i++, count++)
		found[count] = (struct found){.rank = path->segments.items[i].rank,
					      .operation = path->segments.items[i].operation,
					      .part = count};
	for (size_t i = 0; i < path->messages.count; i++, count++)
		found[count] = (struct found){.rank = path->messages.items[i].to,
					      .operation = path->messages.items[i].operation,
					      .part = count};
}

static int critical_calls_sort(struct critical_calls *calls, const struct critical_path *path,
			       struct found *found, uint32_t count, struct error *err)
{
	list_parts(found, path);
	qsort(found, count, sizeof *found, by_operation);
	TRY(look_up(calls->file, found, count, err));
	qsort(found, count, sizeof *found, by_call);
	TRY(critical_calls_add_calls(calls, path, found, count, err));
	for (size_t i = 0; i < calls->calls.count; i++) {
		const struct critical_call *call = &calls->calls.items[i];

		TRY(add_to_function(&calls->functions, call->function, call, err));
		if (call->site)
			TRY(add_to_function(&calls->sites, call->site, call, err));
	}
	sort_functions(&calls->functions);
	sort_functions(&calls->sites);
	return 0;
}

int critical_calls_find(struct critical_calls *calls, const struct critical_path *path,
			const struct model *model, struct error *err)
{
	const size_t count = path->segments.count + path->messages.count;
	struct found *found = NULL;
	int result = 0;

	*calls = (struct critical_calls){0};
	if (!model->calls)
		return 1;
	calls->file = model->calls;
	calls->lines = model->lines;
	calls->timed = calls->file->origin.timed;
	if (count >= UINT32_MAX)
		result = error_set(err, STATUS_LIMIT,
				   "the critical path has 2^32 segments or more");
	if (result == 0)
		result = allocate(&calls->of, path->segments.count, sizeof *calls->of, err);
	if (result == 0)
		result = allocate(&found, count, sizeof *found, err);
	if (result == 0)
		result = critical_calls_sort(calls, path, found, (uint32_t)count, err);
	free(found);
	if (result < 0)
		critical_calls_release(calls);
	return result;
}

void critical_calls_release(struct critical_calls *calls)
{
	array_release(&calls->calls);
	array_release(&calls->functions.list);
	array_release(&calls->sites.list);
	free(calls->of);
	*calls = (struct critical_calls){0};
}
