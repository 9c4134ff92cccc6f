#include "llamp/analysis/critical_communicators.h"

#include "goal/calls.h"

#include <string.h>

/* Half of a message. */
struct half {
	uint32_t rank, operation;
	size_t message;
};

static int halves_by_operation(const void *a, const void *b)
{
	const struct half *x = a, *y = b;

	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return (x->operation > y->operation) - (x->operation < y->operation);
}

/* Set the names of messages that have none yet, from the calls of these halves. */
static int name_messages(const struct goal_calls *calls, struct half *halves, size_t count,
			 const char **names, struct error *err)
{
	struct goal_calls_cursor cursor = {0};
	struct goal_call call;
	int result = 0;

	if (count)
		qsort(halves, count, sizeof *halves, halves_by_operation);
	for (size_t i = 0; i < count && result >= 0; i++) {
		if (i == 0 || halves[i].rank != halves[i - 1].rank)
			goal_calls_cursor_start(&cursor, calls, halves[i].rank);
		result = goal_calls_find(&cursor, halves[i].operation, &call, err);
		if (result == 0 && !names[halves[i].message])
			names[halves[i].message] = call.communicator;
	}
	goal_calls_cursor_release(&cursor);
	return result < 0 ? -1 : 0;
}

static int find_names(const char **names, struct half *halves, const struct critical_path *path,
		      const struct model *model, struct error *err)
{
	const size_t count = path->messages.count;

	for (size_t i = 0; i < count; i++)
		halves[i] = (struct half){path->messages.items[i].to,
					  path->messages.items[i].operation, i};
	TRY(name_messages(model->calls, halves, count, names, err));
	for (size_t i = 0; i < count; i++)
		halves[i] = (struct half){path->messages.items[i].from,
					  path->messages.items[i].send, i};
	return name_messages(model->calls, halves, count, names, err);
}

/* Names are compared as texts: each rank has its own copy.  No name comes last. */
static int compare_names(const char *a, const char *b)
{
	if (!a || !b)
		return !a - !b;
	return strcmp(a, b);
}

static int communicators_by_name(const void *a, const void *b)
{
	const struct critical_communicator *x = a, *y = b;

	return compare_names(x->name, y->name);
}

static int communicators_by_latencies(const void *a, const void *b)
{
	const struct critical_communicator *x = a, *y = b;

	if (x->lambda != y->lambda)
		return x->lambda < y->lambda ? 1 : -1;
	if (x->transfer_as != y->transfer_as)
		return x->transfer_as < y->transfer_as ? 1 : -1;
	return compare_names(x->name, y->name);
}

static void merge_communicators(struct critical_communicators *communicators)
{
	struct critical_communicator *items = communicators->list.items;
	size_t count = 0;

	if (communicators->list.count)
		qsort(items, communicators->list.count, sizeof *items, communicators_by_name);
	for (size_t i = 0; i < communicators->list.count; i++) {
		if (!count || compare_names(items[count - 1].name, items[i].name) != 0) {
			items[count++] = items[i];
			continue;
		}
		items[count - 1].messages += items[i].messages;
		items[count - 1].lambda += items[i].lambda;
		items[count - 1].lambda_G += items[i].lambda_G;
		items[count - 1].transfer_as += items[i].transfer_as;
	}
	communicators->list.count = count;
	if (count)
		qsort(items, count, sizeof *items, communicators_by_latencies);
}

static int add_messages(struct critical_communicators *communicators,
			const struct critical_path *path, const char **names, struct error *err)
{
	for (size_t i = 0; i < path->messages.count; i++) {
		const struct critical_message *message = &path->messages.items[i];

		TRY(array_push(&communicators->list, ((struct critical_communicator){
			.name = names[i], .messages = 1, .lambda = message->lambda,
			.lambda_G = message->lambda_G, .transfer_as = message->transfer_as}), err));
	}
	merge_communicators(communicators);
	return 0;
}

int critical_communicators_find(struct critical_communicators *communicators,
				const struct critical_path *path, const struct model *model,
				struct error *err)
{
	const char **names = NULL;
	struct half *halves = NULL;
	int result = -1;

	*communicators = (struct critical_communicators){{0}};
	if (!model->calls)
		return 1;
	if (allocate(&names, path->messages.count, sizeof *names, err) == 0 &&
	    allocate(&halves, path->messages.count, sizeof *halves, err) == 0 &&
	    find_names(names, halves, path, model, err) == 0)
		result = add_messages(communicators, path, names, err);
	free(halves);
	free(names);
	if (result < 0)
		critical_communicators_release(communicators);
	return result;
}

void critical_communicators_release(struct critical_communicators *communicators)
{
	array_release(&communicators->list);
}
