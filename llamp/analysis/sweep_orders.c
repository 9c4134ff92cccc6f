#include "llamp/analysis/sweep_orders.h"

#include "common/progress.h"
#include "llamp/analysis/analysis.h"
#include "llamp/analysis/order_range.h"

int sweep_add_point(struct sweep *sweep, struct rational at, const struct line *line,
		    bool other_order, struct error *err)
{
	struct sweep_point point = {
		.value_ns = rational_ns(at),
		.runtime_ns = line_runtime_ns(line, at),
		.lambda = (double)line->slope,
		.other_order = other_order,
	};

	point.rho = share_of_runtime(point.value_ns, point.lambda, point.runtime_ns);
	return array_push(&sweep->points, point, err);
}

/* A walk over the range; the lines are those that T follows to the right. */
struct walk {
	struct sweep *sweep;
	const struct model *model;
	const struct sweep_range *range;
	struct direction direction;
	uint32_t simulations;
	struct sim_result simulation;
	struct line line;	/* of the last simulation */
	uint64_t order_hash;	/* of the last point */
};

static int simulate_at(struct walk *walk, int64_t value_as, struct error *err)
{
	if (walk->simulations++ == SWEEP_MOST_SIMULATIONS)
		return error_set(
			err, STATUS_LIMIT,
			"the order of service is decided again at more than %d values; choose a"
			" smaller range or a longer step",
			SWEEP_MOST_SIMULATIONS);
	progress_show((uint64_t)(value_as - walk->range->from_as),
		      (uint64_t)(walk->range->to_as - walk->range->from_as) + 1);
	TRY(order_simulate(&walk->simulation, walk->model, &walk->direction, value_as, err));
	walk->line.slope = walk->simulation.end.right;
	walk->line.constant = (int128)walk->simulation.end.time * walk->simulation.unit_as -
			      walk->line.slope * value_as;
	return 0;
}

/* Whether two lines meet within 1 as of a value: T has a kink there, and does not jump. */
static bool meet_at(const struct line *a, const struct line *b, int64_t value_as)
{
	const int128 apart = a->constant - b->constant + (a->slope - b->slope) * value_as;
	const int128 closing = a->slope > b->slope ? a->slope - b->slope : b->slope - a->slope;

	return (apart < 0 ? -apart : apart) <= closing;
}

/* Result of a simulation: the line of T, and the order of service. */
struct simulated {
	struct line line;
	uint64_t order_hash;
};

static struct simulated simulated_of(const struct walk *walk)
{
	return (struct simulated){walk->line, walk->simulation.order_hash};
}

/* Add a point on the line of a simulation. */
static int add_point(struct walk *walk, int64_t value_as, const struct simulated *at,
		     struct error *err)
{
	const bool other = walk->sweep->points.count > 0 && at->order_hash != walk->order_hash;

	walk->order_hash = at->order_hash;
	return sweep_add_point(walk->sweep, rational_from(value_as), &at->line, other, err);
}

static int add_last(struct walk *walk, int64_t value_as, struct error *err)
{
	const struct simulated last = simulated_of(walk);

	return add_point(walk, value_as, &last, err);
}

/* Add the points at which T leaves the line `before` for that of the simulation at `value_as`. */
static int turn(struct walk *walk, const struct simulated *before, int64_t value_as,
		struct error *err)
{
	if (lines_same(before->line, walk->line))
		return 0;
	if (!meet_at(&before->line, &walk->line, value_as))
		TRY(add_point(walk, value_as - 1, before, err));
	return add_last(walk, value_as, err);
}

/*
 * Where requests meet, the order may differ from that on either side.  So each simulation at such a
 * value is followed by one 1 as above it, whose lines hold until an event or a request changes.
 */
static int walk_range(struct walk *walk, struct error *err)
{
	int64_t value = walk->range->from_as;

	TRY(simulate_at(walk, value, err));
	TRY(add_last(walk, value, err));
	for (bool follow = false; value < walk->range->to_as; follow = !follow) {
		const struct reach *order = &walk->simulation.order,
				   *waits = &walk->simulation.waits;
		const int64_t reach = order->above < waits->above ? order->above : waits->above;
		const struct simulated before = simulated_of(walk);

		if (follow && reach > walk->range->to_as - value)
			break;
		value += follow && reach > 1 ? reach : 1;
		TRY(simulate_at(walk, value, err));
		TRY(turn(walk, &before, value, err));
	}
	return walk->range->to_as == walk->range->from_as ||
			       walk->sweep->points.items[walk->sweep->points.count - 1].value_ns ==
				       rational_ns(rational_from(walk->range->to_as))
		       ? 0
		       : add_last(walk, walk->range->to_as, err);
}

static int walk_samples(struct walk *walk, struct error *err)
{
	const struct sweep_range *range = walk->range;

	for (int64_t value = range->from_as;; value += range->step_as) {
		TRY(simulate_at(walk, value, err));
		TRY(add_last(walk, value, err));
		if (range->step_as > range->to_as - value)
			return 0;
	}
}

int sweep_orders(struct sweep *sweep, const struct model *model, const struct sweep_range *range,
		 struct error *err)
{
	struct walk walk = {
		.sweep = sweep,
		.model = model,
		.range = range,
		.direction = direction_of(&model->loggps.variables, range->varied),
	};

	return range->step_as > 0 ? walk_samples(&walk, err) : walk_range(&walk, err);
}
