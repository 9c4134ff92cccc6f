#include "llamp/advise/advice.h"

#include "llamp/advise/advice_steps.h"

#include <math.h>
#include <string.h>

const char *const confidence_names[] = {
	[CONFIDENCE_LOW] = "low",
	[CONFIDENCE_MEDIUM] = "medium",
	[CONFIDENCE_HIGH] = "high",
	NULL,
};

/* Limits of |T / traced - 1|, and runs that are too short to say much. */
static const double high_error = 0.02, medium_error = 0.05;
static const double short_ns = 10e6;
static const uint64_t least_iterations = 3;

static enum confidence confidence_of(const struct advice *advice, const struct change *change)
{
	const enum change_class class = change_class(change->kind);
	const double error = fabs(advice->error);

	if (advice->is_of_few_iterations)
		return CONFIDENCE_LOW;
	if (isnan(advice->error) || class == CHANGE_UNSAFE || (double)advice->traced_ns < short_ns)
		return CONFIDENCE_LOW;
	if (class == CHANGE_EXACT && error <= high_error)
		return CONFIDENCE_HIGH;
	return error <= medium_error ? CONFIDENCE_MEDIUM : CONFIDENCE_LOW;
}

/* ----------------------------------------------------------------------- advice */

static int by_advice(const void *one, const void *other)
{
	const struct advised *a = one, *b = other;

	if (a->step != b->step)
		return !a->step ? 1 : !b->step ? -1 : a->step < b->step ? -1 : 1;
	if (!a->failure != !b->failure)
		return a->failure ? 1 : -1;
	if (a->is_skipped != b->is_skipped)
		return a->is_skipped ? 1 : -1;
	if (!a->is_skipped && a->gain_alone != b->gain_alone)
		return a->gain_alone < b->gain_alone ? 1 : -1;
	return a->change < b->change ? -1 : a->change > b->change;
}

static int find_path(struct advice *advice, struct evaluation *evaluation, struct error *err)
{
	TRY(allocate(&advice->path, 1, sizeof *advice->path, err));
	if (advised_path_open(advice->path, evaluation, NULL, 0, err) == 0)
		return 0;
	free(advice->path);
	advice->path = NULL;
	return -1;
}

static int find_changes(struct advice *advice, struct evaluation *evaluation,
			const struct model *model, const struct advice_options *options,
			struct error *err)
{
	TRY(find_path(advice, evaluation, err));
	TRY(changes_find(&advice->changes, evaluation, model, advice->path, &advice->base,
			 &options->changes, err));
	for (size_t i = 0; i < advice->changes.count; i++) {
		const struct change *change = &advice->changes.items[i];
		const struct advised added = {.change = change,
					      .confidence = confidence_of(advice, change)};

		TRY(array_push(&advice->advised, added, err));
	}
	TRY(advice_choose(advice, evaluation, options->changes.at_least, options->steps, err));
	if (advice->advised.count)
		qsort(advice->advised.items, advice->advised.count, sizeof *advice->advised.items,
		      by_advice);
	return 0;
}

static int find(struct advice *advice, struct evaluation *evaluation, const struct model *model,
		const struct advice_options *options, struct error *err)
{
	struct run_quality quality;

	TRY(evaluate_changes(evaluation, NULL, 0, &advice->base, err));
	advice->traced_ns = model_traced_ns(model);
	advice->error = model_to_traced(model, advice->base.runtime_ns) - 1;
	TRY(run_quality_ask(&quality, evaluation->maker, err));
	advice->is_of_few_iterations = quality.iterations < least_iterations;
	TRY(reasons_find(&advice->withheld, &quality, model, evaluation->maker->not_modelled,
			 advice->error, err));
	if (!advice->withheld.count)
		TRY(find_changes(advice, evaluation, model, options, err));
	advice->runs = evaluation->runs;
	return 0;
}

int advice_find(struct advice *advice, struct evaluation *evaluation, const struct model *model,
		const struct advice_options *options, struct error *err)
{
	*advice = (struct advice){.error = NAN};
	if (find(advice, evaluation, model, options, err) == 0)
		return 0;
	advice_release(advice);
	return -1;
}

void advice_release(struct advice *advice)
{
	for (size_t i = 0; i < advice->advised.count; i++)
		free(advice->advised.items[i].failure);
	array_release(&advice->advised);
	reasons_release(&advice->withheld);
	change_list_release(&advice->changes);
	if (advice->path)
		advised_path_close(advice->path);
	free(advice->path);
}
