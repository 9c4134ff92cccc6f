#include "llamp/analysis/sweep.h"

#include "llamp/analysis/analysis.h"
#include "llamp/analysis/sweep_orders.h"

#include <string.h>

/* A range from 1 as on is one from 0 on, as order_in_ns has it. */
static bool is_in_order(const struct order_range *order, struct rational at)
{
	return (order->low_as <= 1 || order->low_as * at.denominator <= at.numerator) &&
	       (order->high_as == INT64_MAX || order->high_as * at.denominator >= at.numerator);
}

static int add_point(struct sweep *sweep, struct rational at, const struct line *line,
		     struct error *err)
{
	const bool other = sweep->one_order && !is_in_order(&sweep->order, at);

	return sweep_add_point(sweep, at, line, other, err);
}

static int add_end(struct sweep *sweep, const struct model *model,
		   const struct direction *direction, int64_t as, struct error *err)
{
	struct rational at = rational_from(as);
	struct line line;

	TRY(path_evaluate(&model->graph, direction, at, SIDE_RIGHT, &line, NULL, err));
	return add_point(sweep, at, &line, err);
}

static bool equals(struct rational r, int64_t as)
{
	return r.numerator == as * r.denominator;
}

static int find_breakpoints(struct sweep *sweep, const struct model *model,
			    const struct sweep_range *range, struct error *err)
{
	const struct direction direction = direction_of(&model->loggps.variables, range->varied);
	const int64_t from = range->from_as, to = range->to_as;
	struct breakpoints breakpoints = {0};
	int result;

	TRY(path_breakpoints(&model->graph, &direction, rational_from(from), rational_from(to),
			     &breakpoints, err));
	result = add_end(sweep, model, &direction, from, err);
	for (size_t i = 0; i < breakpoints.list.count && result == 0; i++) {
		const struct breakpoint *point = &breakpoints.list.items[i];

		if (!equals(point->at, from) && !equals(point->at, to))
			result = add_point(sweep, point->at, &point->right, err);
	}
	if (result == 0 && to != from)
		result = add_end(sweep, model, &direction, to, err);
	breakpoints_release(&breakpoints);
	return result;
}

/*
 * Samples at from + i step.  If T follows the same line at both ends of a stretch of samples, it
 * follows this line in between, since T is convex.  So only breakpoints cost evaluations.
 */
struct sampling {
	const struct model *model;
	const struct sweep_range *range;
	struct direction direction;
	struct line *lines;	/* [sample]: line of T to its right */
	/* Of the next evaluation: */
	ARRAY(size_t) samples;
	ARRAY(struct path_point) points;
	ARRAY(struct line) found;
};

static struct rational sample_at(const struct sampling *sampling, size_t i)
{
	return rational_from(sampling->range->from_as + (int64_t)i * sampling->range->step_as);
}

static int sampling_add(struct sampling *sampling, size_t i, struct error *err)
{
	TRY(array_push(&sampling->samples, i, err));
	return array_push(&sampling->points,
			  ((struct path_point){&sampling->direction, sample_at(sampling, i),
					       SIDE_RIGHT}), err);
}

/* Evaluate the samples that were added. */
static int sampling_evaluate(struct sampling *sampling, struct error *err)
{
	const size_t count = sampling->points.count;

	sampling->found.count = 0;
	TRY(array_reserve(&sampling->found, count, err));
	TRY(path_evaluate_all(&sampling->model->graph, sampling->points.items, count,
			      sampling->found.items, err));
	for (size_t i = 0; i < count; i++)
		sampling->lines[sampling->samples.items[i]] = sampling->found.items[i];
	sampling->samples.count = sampling->points.count = 0;
	return 0;
}

/* Stretches of samples with evaluated ends. */
struct pieces {
	ARRAY(size_t) ends;	/* first and last sample of each */
};

/* Halve all pieces until T follows one line in each, or nothing is between its ends. */
static int sampling_fill(struct sampling *sampling, struct pieces *pieces, struct error *err)
{
	while (pieces->ends.count) {
		const size_t count = pieces->ends.count;
		size_t kept = 0;

		for (size_t i = 0; i < count; i += 2) {
			const size_t low = pieces->ends.items[i], high = pieces->ends.items[i + 1];

			if (high - low >= 2 &&
			    !lines_same(sampling->lines[low], sampling->lines[high])) {
				TRY(sampling_add(sampling, low + (high - low) / 2, err));
				pieces->ends.items[kept++] = low;
				pieces->ends.items[kept++] = high;
				continue;
			}
			for (size_t k = low + 1; k < high; k++)
				sampling->lines[k] = sampling->lines[low];
		}
		TRY(sampling_evaluate(sampling, err));
		TRY(array_reserve(&pieces->ends, kept, err));
		pieces->ends.count = 2 * kept;
		for (size_t i = kept; i > 0; i -= 2) {
			const size_t low = pieces->ends.items[i - 2],
				     high = pieces->ends.items[i - 1];
			const size_t halves[] = {low, low + (high - low) / 2, high};

			memcpy(&pieces->ends.items[2 * i - 4], halves, 2 * sizeof *halves);
			memcpy(&pieces->ends.items[2 * i - 2], halves + 1, 2 * sizeof *halves);
		}
	}
	return 0;
}

static int sample_all(struct sweep *sweep, struct sampling *sampling, size_t count,
		      struct error *err)
{
	struct pieces pieces = {0};
	int result = sampling_add(sampling, 0, err);

	if (result == 0)
		result = sampling_add(sampling, count - 1, err);
	if (result == 0)
		result = sampling_evaluate(sampling, err);
	if (result == 0)
		result = array_push(&pieces.ends, 0, err);
	if (result == 0)
		result = array_push(&pieces.ends, count - 1, err);
	if (result == 0)
		result = sampling_fill(sampling, &pieces, err);
	array_release(&pieces.ends);
	TRY(result);
	TRY(array_reserve(&sweep->points, count, err));
	for (size_t i = 0; i < count; i++)
		TRY(add_point(sweep, sample_at(sampling, i), &sampling->lines[i], err));
	return 0;
}

static int find_samples(struct sweep *sweep, const struct model *model,
			const struct sweep_range *range, struct error *err)
{
	const uint64_t length_as = (uint64_t)(range->to_as - range->from_as);
	const uint64_t count = length_as / (uint64_t)range->step_as + 1;
	struct sampling sampling = {
		.model = model,
		.range = range,
		.direction = direction_of(&model->loggps.variables, range->varied),
	};
	int result;

	if (count > SWEEP_MOST_SAMPLES)
		return error_set(err, STATUS_LIMIT,
				 "%llu samples are more than %d; choose a longer step",
				 (unsigned long long)count, SWEEP_MOST_SAMPLES);
	TRY(allocate(&sampling.lines, count, sizeof *sampling.lines, err));
	result = sample_all(sweep, &sampling, count, err);
	free(sampling.lines);
	array_release(&sampling.samples);
	array_release(&sampling.points);
	array_release(&sampling.found);
	return result;
}

/* Find where the order of service at the given value is known to be the same. */
static int find_order(struct sweep *sweep, const struct model *model, uint32_t varied,
		      struct error *err)
{
	const struct direction direction = direction_of(&model->loggps.variables, varied);
	struct sim_result start;

	TRY(order_simulate(&start, model, &direction, direction.start_as, err));
	sweep->order = order_range_of(&start, &direction);
	sweep->one_order = true;
	return 0;
}

int sweep_run(struct sweep *sweep, const struct model *model, const struct sweep_range *range,
	      struct error *err)
{
	*sweep = (struct sweep){0};
	TRY(variables_require_on(&model->loggps.variables, range->varied, err));
	if (range->resimulate && !model->loggps.resources)
		return error_set(err, STATUS_USAGE,
				 "there is no order of service to decide: name --resources");
	if (model->loggps.resources && !range->resimulate)
		TRY(find_order(sweep, model, range->varied, err));
	if ((range->resimulate ? sweep_orders
	     : range->step_as > 0 ? find_samples
				  : find_breakpoints)(sweep, model, range, err) == 0)
		return 0;
	sweep_release(sweep);
	return -1;
}

void sweep_release(struct sweep *sweep)
{
	array_release(&sweep->points);
}
