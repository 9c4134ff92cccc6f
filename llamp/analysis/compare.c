#include "llamp/analysis/compare.h"

#include "llamp/analysis/critical_path.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ------------------------------------------------------------------- facts */

/* Add a fact whose name is a text and, if it is not NULL, the name of a variable or category. */
static int add_fact(struct compared *compared, const struct fact *fact, const char *name,
		    const char *of, struct error *err)
{
	struct fact added = *fact;

	snprintf(added.quantity, sizeof added.quantity, "%s%s", name, of ? of : "");
	return array_push(&compared->facts, added, err);
}

static int add_plain(struct compared *compared, enum fact_kind kind, const char *name,
		     const char *of, double value, struct error *err)
{
	return add_fact(compared, &(struct fact){.kind = kind, .percent = NAN, .value = value},
			name, of, err);
}

static int add_size(struct compared *compared, struct error *err)
{
	const struct model *model = &compared->model;

	TRY(add_plain(compared, FACT_COUNT, "ranks", NULL, model->goal.rank_count, err));
	TRY(add_plain(compared, FACT_COUNT, "operations", NULL, model->graph.op_count, err));
	return add_plain(compared, FACT_COUNT, "messages", NULL, model->graph.message_count, err);
}

static int add_analysis(struct compared *compared, const struct analysis *analysis,
			struct error *err)
{
	const struct variables *variables = &compared->model.loggps.variables;

	for (uint32_t v = 0; v < variables->count; v++) {
		const struct fact slope = {.kind = FACT_SLOPE, .variable = &variables->of[v],
					   .percent = NAN,
					   .value = analysis->lambda[v]};

		if (v == analysis->varied || variable_is_on(&variables->of[v]))
			TRY(add_fact(compared, &slope, "lambda_", variables->of[v].name, err));
	}
	return add_plain(compared, FACT_SHARE, "rho_", variables->of[analysis->varied].name,
			 analysis->rho, err);
}

static int add_tolerances(struct compared *compared, const struct analysis *analysis,
			  struct error *err)
{
	const struct variable *varied = &compared->model.loggps.variables.of[analysis->varied];

	if (analysis->baseline_ns)
		TRY(add_plain(compared, FACT_TIME, "baseline", NULL, (double)analysis->baseline_ns,
			      err));
	for (size_t i = 0; i < analysis->tolerance.count; i++) {
		const struct tolerance *tolerance = &analysis->tolerance.items[i];
		struct fact fact = {.kind = FACT_VALUE, .variable = varied,
				    .percent = tolerance->percent, .value = tolerance->value_ns};

		TRY(add_fact(compared, &fact, "tolerance_", varied->name, err));
		fact.value = tolerance->delta_ns;
		TRY(add_fact(compared, &fact, "tolerance_delta_", varied->name, err));
	}
	return 0;
}

static int add_path(struct compared *compared, const struct critical_path *path,
		    struct error *err)
{
	int128 as[CATEGORY_COUNT] = {0};

	for (size_t i = 0; i < path->segments.count; i++) {
		const struct critical_segment *segment = &path->segments.items[i];

		as[segment->category] += segment->end_as - segment->start_as;
	}
	TRY(add_plain(compared, FACT_COUNT, "path_messages", NULL, (double)path->message_count,
		      err));
	for (int i = 0; i < CATEGORY_COUNT; i++)
		TRY(add_plain(compared, FACT_TIME, "path_", category_names[i],
			      rational_ns((struct rational){as[i], 1}), err));
	return add_plain(compared, FACT_SHARE, "compute_share", NULL,
			 path->runtime_as > 0
				 ? (double)as[CATEGORY_COMPUTE] / (double)path->runtime_as
				 : 0,
			 err);
}

/* ---------------------------------------------------------------- programs */

static int add_all(struct compared *compared, const struct analysis *analysis,
		   const struct critical_path *path, const struct model *model, struct error *err)
{
	const uint64_t traced_ns = model_traced_ns(model);
	const double ratio = model_to_traced(model, analysis->runtime_ns);

	TRY(add_size(compared, err));
	TRY(add_plain(compared, FACT_TIME, "runtime", NULL, analysis->runtime_ns, err));
	TRY(add_plain(compared, FACT_TIME, "traced", NULL, traced_ns ? (double)traced_ns : NAN,
		      err));
	TRY(add_plain(compared, FACT_COUNT, "runtime_to_traced", NULL, ratio, err));
	TRY(add_analysis(compared, analysis, err));
	TRY(add_tolerances(compared, analysis, err));
	return add_path(compared, path, err);
}

int compared_find(struct compared *compared, const struct model *model,
		  const struct analysis_request *request, struct error *err)
{
	struct analysis analysis;
	struct critical_path path;
	int result;

	*compared = (struct compared){.model = {
		.path = model->path,
		.loggps = model->loggps,
		.goal = {.rank_count = model->goal.rank_count},
		.graph = {.op_count = model->graph.op_count,
			  .message_count = model->graph.message_count},
	}};
	TRY(analysis_run(&analysis, model, request, err));
	compared->engine = analysis.engine;
	compared->pivots = analysis.pivots;
	compared->resimulated = analysis.resimulated;
	compared->runtime_ns = analysis.runtime_ns;
	result = critical_path_find(&path, model, err);
	if (result == 0) {
		result = add_all(compared, &analysis, &path, model, err);
		critical_path_release(&path);
	}
	analysis_release(&analysis);
	if (result < 0)
		compared_release(compared);
	return result;
}

void compared_release(struct compared *compared)
{
	array_release(&compared->facts);
}

/* ------------------------------------------------------------------- align */

/* Find a quantity from the place `from` on; the number of facts if there is none. */
static size_t find_fact(const struct compared *compared, size_t from, const struct fact *fact)
{
	size_t i;

	for (i = from; i < compared->facts.count; i++) {
		const struct fact *other = &compared->facts.items[i];

		if (!strcmp(other->quantity, fact->quantity) &&
		    (other->percent == fact->percent || isnan(fact->percent)))
			break;
	}
	return i;
}

/* Put the quantity of a fact at the place `at`, behind which it may be, or else with the value NAN. */
static int place_fact(struct compared *compared, size_t at, const struct fact *fact,
		      struct error *err)
{
	const size_t found = find_fact(compared, at, fact);
	struct fact placed = *fact;

	placed.value = NAN;
	if (found < compared->facts.count)
		placed = compared->facts.items[found];
	else
		TRY(array_push(&compared->facts, placed, err));
	memmove(&compared->facts.items[at + 1], &compared->facts.items[at],
		(found - at) * sizeof placed);
	compared->facts.items[at] = placed;
	return 0;
}

/* Add the quantities to the first program that only the other one has, behind those before them. */
static int add_missing(struct compared *first, const struct compared *other, struct error *err)
{
	size_t at = 0;

	for (size_t i = 0; i < other->facts.count; i++) {
		const struct fact *fact = &other->facts.items[i];
		const size_t found = find_fact(first, 0, fact);

		if (found == first->facts.count)
			TRY(place_fact(first, at, fact, err));
		else
			at = found;
		at++;
	}
	return 0;
}

int compared_align(struct compared *items, size_t count, struct error *err)
{
	for (size_t k = 1; k < count; k++)
		TRY(add_missing(&items[0], &items[k], err));
	for (size_t k = 1; k < count; k++)
		for (size_t i = 0; i < items[0].facts.count; i++)
			TRY(place_fact(&items[k], i, &items[0].facts.items[i], err));
	return 0;
}

struct difference facts_differ(const struct fact *first, const struct fact *fact)
{
	const double absolute = fact->value - first->value;

	return (struct difference){
		.absolute = absolute,
		.percent = isfinite(absolute) && first->value > 0 ? 100 * absolute / first->value
								  : NAN,
	};
}
