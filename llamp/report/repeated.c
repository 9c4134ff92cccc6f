#include "llamp/report/repeated.h"

#include "common/statistics/sampling.h"

#include <math.h>
#include <stdlib.h>

/* N iterations without something let expect it in less than 3 / N of the others, in 95 of 100 cases. */
#define RULE_OF_THREE 3

/* A recorded iteration, and what repeats it. */
struct repeated_iteration {
	uint32_t number;
	uint64_t repetitions;
	uint64_t lambda; /* of the recorded iteration itself */
};

struct repeated_iterations {
	ARRAY(struct repeated_iteration) list;
	uint64_t repeated_lambda; /* of all repetitions */
};

/* Iterations of a rank, each as a recorded one or a repetition. */
static int add_entries(struct repeated_iterations *iterations, struct goal_calls_cursor *cursor,
		       struct error *err)
{
	struct goal_call call;
	uint32_t before = 0;
	int result;

	while ((result = goal_calls_find(cursor, cursor->end_op, &call, err)) == 0) {
		const struct repeated_iteration found = {.number = call.repeats / 4,
							 .repetitions = !(call.repeats & 1)};

		if (found.number && call.repeats != before)
			TRY(array_push(&iterations->list, found, err));
		before = call.repeats;
	}
	return result < 0 ? -1 : 0;
}

static int add_iterations(struct repeated_iterations *iterations, const struct goal_calls *file,
			  uint32_t rank, struct error *err)
{
	struct goal_calls_cursor cursor = {0};
	int result;

	goal_calls_cursor_start(&cursor, file, rank);
	result = add_entries(iterations, &cursor, err);
	goal_calls_cursor_release(&cursor);
	return result;
}

static int add_lambda(struct repeated_iterations *iterations, const struct critical_calls *calls,
		      struct error *err)
{
	for (size_t i = 0; i < calls->calls.count; i++) {
		const struct critical_call *call = &calls->calls.items[i];

		if (!(call->repeats & 1)) {
			iterations->repeated_lambda += call->repeats ? call->lambda : 0;
			continue;
		}
		TRY(array_push(&iterations->list,
			       ((struct repeated_iteration){.number = call->repeats / 4,
							    .lambda = call->lambda}),
			       err));
	}
	return 0;
}

static int by_number(const void *a, const void *b)
{
	const struct repeated_iteration *x = a, *y = b;

	return (x->number > y->number) - (x->number < y->number);
}

/* Make one of all entries of a recorded iteration, in the order of their numbers. */
static void merge_iterations(struct repeated_iterations *iterations)
{
	struct repeated_iteration *items = iterations->list.items;
	size_t kept = 0;

	if (iterations->list.count)
		qsort(items, iterations->list.count, sizeof *items, by_number);
	for (size_t i = 0; i < iterations->list.count; i++) {
		if (!kept || items[kept - 1].number != items[i].number) {
			items[kept++] = items[i];
			continue;
		}
		items[kept - 1].repetitions += items[i].repetitions;
		items[kept - 1].lambda += items[i].lambda;
	}
	iterations->list.count = kept;
}

static double lambda_of(const void *data, size_t number)
{
	return (double)((const struct repeated_iterations *)data)->list.items[number].lambda;
}

static void estimate(struct repeated *repeated, const struct repeated_iterations *iterations,
		     const struct critical_path *path)
{
	const size_t count = iterations->list.count;
	double sum = (double)path->lambda - (double)iterations->repeated_lambda;
	double squares = 0, more = 0, within;

	for (size_t i = 0; i < count; i++) {
		const struct repeated_iteration *iteration = &iterations->list.items[i];
		const double again = (double)iteration->repetitions;

		repeated->repetitions += iteration->repetitions;
		sum += again * (double)iteration->lambda;
		more += again;
		squares += again * again;
	}
	repeated->recorded = (uint32_t)count;
	within = sampling_deviation(lambda_of, iterations, count) * sqrt(squares + more);
	if (count)
		within += more * fmin(1, RULE_OF_THREE / (double)count);
	if (count < 2 && more > 0)
		within = HUGE_VAL;
	/* The path of the graph is one that the run may have. */
	repeated->low = fmax(0, fmin(sum - within, (double)path->lambda));
	repeated->high = fmax(sum + within, (double)path->lambda);
}

int repeated_find(struct repeated *repeated, const struct critical_path *path,
		  const struct critical_calls *calls, struct error *err)
{
	struct repeated_iterations iterations = {0};
	int result;

	*repeated = (struct repeated){0};
	if (!calls->file->origin.repeated)
		return 0;
	result = add_iterations(&iterations, calls->file, 0, err);
	if (result == 0)
		result = add_lambda(&iterations, calls, err);
	if (result == 0) {
		merge_iterations(&iterations);
		estimate(repeated, &iterations, path);
	}
	array_release(&iterations.list);
	return result;
}
