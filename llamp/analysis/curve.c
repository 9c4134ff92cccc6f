#include "llamp/analysis/curve.h"

#include "common/parallel/parallel.h"
#include "llamp/analysis/sweep.h"

#include <math.h>
#include <string.h>

/* Parts of a pixel that a picture does not show. */
enum { PARTS_OF_PIXEL = 4 };

/* ------------------------------------------------------------------ range */

/* Round up to two significant digits. */
static int64_t rounded_up(double as)
{
	const double unit = pow(10, floor(log10(as)) - 1);
	const double rounded = ceil(as / unit * (1 - 1e-12)) * unit;

	return rounded < 0x1p63 ? (int64_t)rounded : INT64_MAX;
}

int64_t curve_default_end(const struct analysis *analysis, const struct model *model,
			  const struct observations *measured)
{
	const struct variable *varied = &model->loggps.variables.of[analysis->varied];
	double end = 0;

	for (size_t i = 0; i < analysis->tolerance.count; i++) {
		const struct tolerance *tolerance = &analysis->tolerance.items[i];

		if (!tolerance->unbounded)
			end = fmax(end, 1.25 * tolerance->value_ns * AS_PER_NS);
	}
	if (measured->points.count)
		end = fmax(end, 1.05 * (double)measured->points.items[measured->points.count - 1]
						.value_as);
	if (end <= 0)
		end = 2 * (double)varied->value_as;
	if (end <= 0)
		end = varied->unit == UNIT_TIME ? 10e3 * AS_PER_NS : AS_PER_NS;
	return rounded_up(end);
}

/* ---------------------------------------------------------------------- T */

/*
 * Distance of T below the chord between two points.  As T is convex, it is largest where the
 * slope reaches that of the chord.
 */
static double chord_error(const struct sweep_point *points, size_t first, size_t last)
{
	const struct sweep_point *from = &points[first], *to = &points[last];
	const double width_ns = to->value_ns - from->value_ns;
	const double slope = (to->runtime_ns - from->runtime_ns) / width_ns;
	size_t low = first, high = last;

	if (width_ns <= 0)
		return 0;
	while (high - low > 1) {
		const size_t middle = low + (high - low) / 2;

		if (points[middle].lambda < slope)
			low = middle;
		else
			high = middle;
	}
	return from->runtime_ns + slope * (points[high].value_ns - from->value_ns) -
	       points[high].runtime_ns;
}

/* Find the last point whose chord from `first` is near enough to T. */
static size_t last_near(const struct sweep_point *points, size_t count, size_t first, double most)
{
	size_t near = first + 1, step = 1, far;

	while (near + step < count && chord_error(points, first, near + step) <= most) {
		near += step;
		step *= 2;
	}
	far = near + step < count ? near + step : count;
	while (far - near > 1) {
		const size_t middle = near + (far - near) / 2;

		if (chord_error(points, first, middle) <= most)
			near = middle;
		else
			far = middle;
	}
	return near;
}

static struct curve_point curve_point_of(const struct sweep_point *point)
{
	return (struct curve_point){point->value_ns, point->runtime_ns, point->lambda};
}

static int find_runtime(struct curve *curve, const struct sweep *sweep, struct error *err)
{
	const struct sweep_point *points = sweep->points.items;
	const size_t count = sweep->points.count;
	const double height_ns = points[count - 1].runtime_ns - points[0].runtime_ns;
	const double most_ns = height_ns / (PARTS_OF_PIXEL * CURVE_HEIGHT);

	TRY(array_push(&curve->runtime, curve_point_of(&points[0]), err));
	for (size_t at = 0; at + 1 < count;) {
		at = last_near(points, count, at, most_ns);
		TRY(array_push(&curve->runtime, curve_point_of(&points[at]), err));
	}
	return 0;
}

/* --------------------------------------------------------- lambda and rho */

/*
 * Keep a step unless it is less than a part of a pixel high, or follows the one before within a
 * part of a pixel and becomes part of it.
 */
static int find_steps(struct curve *curve, const struct sweep *sweep, struct error *err)
{
	const struct sweep_point *points = sweep->points.items;
	const size_t count = sweep->points.count;
	const double highest = points[count - 1].lambda / (PARTS_OF_PIXEL * CURVE_HEIGHT);
	const double widest = (curve->to_ns - curve->from_ns) / (PARTS_OF_PIXEL * CURVE_WIDTH);
	struct curve_point *kept;

	TRY(array_push(&curve->steps, curve_point_of(&points[0]), err));
	for (size_t i = 1; i + 1 < count; i++) {
		kept = &curve->steps.items[curve->steps.count - 1];
		if (points[i].lambda - kept->lambda <= highest)
			continue;
		if (points[i].value_ns - kept->value_ns < widest)
			kept->lambda = points[i].lambda;
		else
			TRY(array_push(&curve->steps, curve_point_of(&points[i]), err));
	}
	return 0;
}

/* Part of a line of T, and rho on it. */
struct piece {
	struct curve_point from, to;	/* slope: that of `from` */
};

static double rho_at(const struct piece *piece, double value_ns)
{
	const struct curve_point *from = &piece->from, *to = &piece->to;
	const double width_ns = to->value_ns - from->value_ns;
	const double part = width_ns > 0 ? (value_ns - from->value_ns) / width_ns : 0;
	const double runtime_ns = from->runtime_ns + part * (to->runtime_ns - from->runtime_ns);

	return share_of_runtime(value_ns, from->lambda, runtime_ns);
}

/* Add the points of rho behind the first one up to the last: rho is bent, so halve it. */
static int add_rhos(struct curve *curve, const struct piece *piece, struct curve_share first,
		    struct curve_share last, int depth, struct error *err)
{
	const double middle_ns = (first.value_ns + last.value_ns) / 2;
	const struct curve_share middle = {middle_ns, rho_at(piece, middle_ns)};
	const double off = fabs(middle.rho - (first.rho + last.rho) / 2);

	if (depth == 0 || off <= 1.0 / (PARTS_OF_PIXEL * CURVE_HEIGHT))
		return array_push(&curve->rhos, last, err);
	TRY(add_rhos(curve, piece, first, middle, depth - 1, err));
	return add_rhos(curve, piece, middle, last, depth - 1, err);
}

static int find_rhos(struct curve *curve, struct error *err)
{
	enum { MOST_HALVINGS = 8 };
	const struct curve_point end = curve->runtime.items[curve->runtime.count - 1];

	for (size_t i = 0; i < curve->steps.count; i++) {
		const struct piece piece = {
			curve->steps.items[i],
			i + 1 < curve->steps.count ? curve->steps.items[i + 1] : end};
		const struct curve_share first = {
			piece.from.value_ns, rho_at(&piece, piece.from.value_ns)};
		const struct curve_share last = {
			piece.to.value_ns, rho_at(&piece, piece.to.value_ns)};

		TRY(array_push(&curve->rhos, first, err));
		TRY(add_rhos(curve, &piece, first, last, MOST_HALVINGS, err));
	}
	return 0;
}

/* ----------------------------------------------------- critical latencies */

static double step_height(const struct curve_step *step)
{
	return step->right - step->left;
}

/* Keep the largest steps: replace the smallest, the later of two equal ones. */
static int keep_critical(struct curve *curve, const struct curve_step *step, struct error *err)
{
	size_t smallest = 0;

	if (curve->critical.count < CURVE_MOST_CRITICAL)
		return array_push(&curve->critical, *step, err);
	for (size_t i = 1; i < curve->critical.count; i++)
		if (step_height(&curve->critical.items[i]) <=
		    step_height(&curve->critical.items[smallest]))
			smallest = i;
	if (step_height(step) <= step_height(&curve->critical.items[smallest]))
		return 0;
	/* Those behind it move, so the steps stay in order. */
	memmove(&curve->critical.items[smallest], &curve->critical.items[smallest + 1],
		(curve->critical.count - smallest - 1) * sizeof *curve->critical.items);
	curve->critical.items[curve->critical.count - 1] = *step;
	return 0;
}

static int find_critical(struct curve *curve, const struct sweep *sweep, struct error *err)
{
	for (size_t i = 1; i + 1 < sweep->points.count; i++) {
		const struct sweep_point *point = &sweep->points.items[i];
		const struct curve_step step = {point->value_ns, point->runtime_ns, point[-1].lambda,
						point->lambda};

		TRY(keep_critical(curve, &step, err));
	}
	curve->breakpoint_count = sweep->points.count - 2;
	return 0;
}

/* -------------------------------------------------------- order of service */

/* T of one order, and with the order decided again, at values that several threads take. */
struct orders {
	const struct model *model;
	const struct direction *direction;
	uint64_t hash;		/* of the order at p0 */
	int64_t from_as, to_as;
	uint32_t count;
	struct curve_order *found;
};

/* The middle of a part. */
static int64_t order_value(const struct orders *orders, uint32_t part)
{
	const int128 width_as = (int128)orders->to_as - orders->from_as;

	return orders->from_as + (int64_t)(width_as * (2 * part + 1) / (2 * orders->count));
}

static int find_order(void *shared, void *state, uint32_t part, struct error *err)
{
	const struct orders *orders = shared;
	struct curve_order *found = &orders->found[part];
	const int64_t value_as = order_value(orders, part);
	struct sim_result simulation;
	struct line line;

	(void)state;
	TRY(order_simulate(&simulation, orders->model, orders->direction, value_as, err));
	TRY(path_evaluate(&orders->model->graph, orders->direction, rational_from(value_as),
			  SIDE_RIGHT, &line, NULL, err));
	*found = (struct curve_order){
		.value_ns = rational_ns(rational_from(value_as)),
		.runtime_ns = rational_ns(
			(struct rational){(int128)simulation.end.time * simulation.unit_as, 1}),
		.frozen_ns = line_runtime_ns(&line, rational_from(value_as)),
		.other = simulation.order_hash != orders->hash,
	};
	return 0;
}

/* Number of values for a graph, whose operations are visited once for each. */
static uint32_t order_count(const struct model *model)
{
	enum { MOST_VISITS = 1 << 22 };
	const uint32_t count = MOST_VISITS / (model->goal.op_count + 1);

	return count < CURVE_LEAST_ORDERS  ? CURVE_LEAST_ORDERS
	       : count > CURVE_MOST_ORDERS ? CURVE_MOST_ORDERS
					   : count;
}

static int find_orders(struct curve *curve, const struct model *model,
		       const struct analysis *analysis, const struct sweep_range *range,
		       struct error *err)
{
	const struct direction direction = direction_of(&model->loggps.variables, range->varied);
	struct orders orders = {
		.model = model,
		.direction = &direction,
		.hash = analysis->order_hash,
		.from_as = range->from_as,
		.to_as = range->to_as,
		.count = order_count(model),
	};
	const struct parallel_work work = {.make = find_order, .shared = &orders};

	TRY(array_reserve(&curve->orders, orders.count, err));
	orders.found = curve->orders.items;
	if (parallel_run(&work, orders.count,
			 parallel_threads((uint64_t)orders.count * model->goal.op_count),
			 err) == 0)
		curve->orders.count = orders.count;
	/* Without them the curve still holds for its order. */
	else if (err->status != STATUS_LIMIT)
		return -1;
	return 0;
}

/* ------------------------------------------------------------------ curve */

static int curve_find_all(struct curve *curve, const struct model *model,
			  const struct analysis *analysis, const struct sweep *sweep,
			  struct error *err)
{
	for (size_t i = 0; i < analysis->tolerance.count; i++)
		TRY(array_push(&curve->tolerance, analysis->tolerance.items[i], err));
	TRY(find_runtime(curve, sweep, err));
	TRY(find_steps(curve, sweep, err));
	TRY(find_rhos(curve, err));
	TRY(find_critical(curve, sweep, err));
	return observations_compare(&curve->measured, model, analysis->varied, err);
}

int curve_find(struct curve *curve, const struct model *model, const struct analysis *analysis,
	       int64_t from_as, int64_t to_as, struct observations *measured, struct error *err)
{
	const struct variable *varied = &model->loggps.variables.of[analysis->varied];
	const struct sweep_range range = {
		.varied = analysis->varied, .from_as = from_as, .to_as = to_as};
	struct sweep sweep;
	int result;

	*curve = (struct curve){
		.label = model->path,
		.varied = *varied,
		.from_ns = rational_ns(rational_from(from_as)),
		.to_ns = rational_ns(rational_from(to_as)),
		.value_ns = rational_ns(rational_from(varied->value_as)),
		.runtime_ns = analysis->runtime_ns,
		.lambda = analysis->lambda[analysis->varied],
		.rho = analysis->rho,
		.baseline_ns = (double)analysis->baseline_ns,
		.one_order = analysis->has_order,
		.order = order_in_ns(&analysis->order),
		.measured = *measured,
	};
	*measured = (struct observations){0};
	result = sweep_run(&sweep, model, &range, err);
	if (result == 0) {
		result = curve_find_all(curve, model, analysis, &sweep, err);
		sweep_release(&sweep);
	}
	if (result == 0 && analysis->resimulated)
		result = find_orders(curve, model, analysis, &range, err);
	if (result < 0)
		curve_release(curve);
	return result;
}

void curve_release(struct curve *curve)
{
	array_release(&curve->runtime);
	array_release(&curve->steps);
	array_release(&curve->rhos);
	array_release(&curve->critical);
	array_release(&curve->orders);
	array_release(&curve->tolerance);
	observations_release(&curve->measured);
}
