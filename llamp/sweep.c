#include "llamp/sweep.h"

#include "llamp/analysis.h"

static int add_point(struct sweep *sweep, struct rational latency, const struct line *line,
		     struct error *err)
{
	struct sweep_point point = {
		.latency_ns = rational_ns(latency),
		.runtime_ns = line_runtime_ns(line, latency),
		.lambda_L = (double)line->slope,
	};

	point.rho_L = latency_share(point.latency_ns, point.lambda_L, point.runtime_ns);
	return array_push(&sweep->points, point, err);
}

static int add_end(struct sweep *sweep, const struct model *model, int64_t as, struct error *err)
{
	struct rational at = rational_from(as);
	struct line line;

	TRY(path_evaluate(&model->graph, &model->loggps, PARAMETER_L, at, SIDE_RIGHT, &line, NULL,
			  err));
	return add_point(sweep, at, &line, err);
}

static bool equals(struct rational r, int64_t as)
{
	return r.numerator == as * r.denominator;
}

int sweep_breakpoints(struct sweep *sweep, const struct model *model, int64_t from_as,
		      int64_t to_as, struct error *err)
{
	struct breakpoints breakpoints = {0};
	int result;

	*sweep = (struct sweep){0};
	TRY(path_breakpoints(&model->graph, &model->loggps, PARAMETER_L, rational_from(from_as),
			     rational_from(to_as), &breakpoints, err));
	result = add_end(sweep, model, from_as, err);
	for (size_t i = 0; i < breakpoints.list.count && result == 0; i++) {
		const struct breakpoint *point = &breakpoints.list.items[i];

		if (!equals(point->at, from_as) && !equals(point->at, to_as))
			result = add_point(sweep, point->at, &point->right, err);
	}
	if (result == 0 && to_as != from_as)
		result = add_end(sweep, model, to_as, err);
	breakpoints_release(&breakpoints);
	if (result < 0)
		sweep_release(sweep);
	return result;
}

/* Samples from + i step, and the lines that T follows right of them. */
struct sampling {
	const struct model *model;
	int64_t from, step;
	struct line *lines;
};

static int evaluate_sample(struct sampling *sampling, size_t i, struct error *err)
{
	struct rational at = rational_from(sampling->from + (int64_t)i * sampling->step);

	return path_evaluate(&sampling->model->graph, &sampling->model->loggps, PARAMETER_L, at,
			     SIDE_RIGHT, &sampling->lines[i], NULL, err);
}

/*
 * Fill in the lines between two samples.  T is convex: where both ends follow the
 * same line so does all between them, and only kinks cost passes over the graph.
 */
static int fill_between(struct sampling *sampling, size_t low, size_t high, struct error *err)
{
	const struct line *a = &sampling->lines[low], *b = &sampling->lines[high];
	size_t middle = low + (high - low) / 2;

	if (high - low < 2)
		return 0;
	if (a->slope == b->slope && a->constant == b->constant) {
		for (size_t i = low + 1; i < high; i++)
			sampling->lines[i] = *a;
		return 0;
	}
	TRY(evaluate_sample(sampling, middle, err));
	TRY(fill_between(sampling, low, middle, err));
	return fill_between(sampling, middle, high, err);
}

static int sample_all(struct sweep *sweep, struct sampling *sampling, size_t count,
		      struct error *err)
{
	TRY(evaluate_sample(sampling, 0, err));
	TRY(evaluate_sample(sampling, count - 1, err));
	TRY(fill_between(sampling, 0, count - 1, err));
	TRY(array_reserve(&sweep->points, count, err));
	for (size_t i = 0; i < count; i++)
		TRY(add_point(sweep, rational_from(sampling->from + (int64_t)i * sampling->step),
			      &sampling->lines[i], err));
	return 0;
}

int sweep_samples(struct sweep *sweep, const struct model *model, int64_t from_as, int64_t to_as,
		  int64_t step_as, struct error *err)
{
	struct sampling sampling = {.model = model, .from = from_as, .step = step_as};
	uint64_t count = (uint64_t)(to_as - from_as) / (uint64_t)step_as + 1;
	int result;

	*sweep = (struct sweep){0};
	if (count > SWEEP_MOST_SAMPLES)
		return error_set(err, STATUS_LIMIT, "%llu samples are more than %d; choose a longer step",
				 (unsigned long long)count, SWEEP_MOST_SAMPLES);
	TRY(allocate(&sampling.lines, count, sizeof *sampling.lines, err));
	result = sample_all(sweep, &sampling, count, err);
	free(sampling.lines);
	if (result < 0)
		sweep_release(sweep);
	return result;
}

void sweep_release(struct sweep *sweep)
{
	array_release(&sweep->points);
}
