#include "llamp/analysis/order_range.h"

#include "common/parallel/parallel.h"
#include "llamp/simulate/simulation.h"

/* Operations that may be visited to find an end of a range, over all simulations. */
enum { MOST_VISITS = 1 << 20 };

static int simulate(struct sim_result *simulation, const struct model *model,
		    const struct direction *direction, int64_t p_as, bool slopes, struct error *err)
{
	struct loggps loggps = model->loggps;
	struct execution_graph execution = model->execution;

	for (uint32_t v = 0; v < direction->count; v++) {
		int64_t value;

		if (!direction->weight[v])
			continue;
		if (__builtin_mul_overflow(direction->weight[v], p_as, &value) ||
		    __builtin_add_overflow(direction->origin_as[v], value, &value))
			return error_set(err, STATUS_LIMIT, "a value of %s does not fit 64 bits",
					 loggps.variables.of[v].name);
		loggps_set(&loggps, v, value);
	}
	execution.loggps = &loggps;
	return sim_run(simulation, &execution, slopes ? direction : NULL, NULL, NULL, err);
}

int order_simulate(struct sim_result *simulation, const struct model *model,
		   const struct direction *direction, int64_t p_as, struct error *err)
{
	return simulate(simulation, model, direction, p_as, true, err);
}

int order_runtime(__int128 *runtime_as, const struct model *model,
		  const struct direction *direction, int64_t p_as, struct error *err)
{
	struct sim_result simulation;

	TRY(simulate(&simulation, model, direction, p_as, false, err));
	*runtime_as = (__int128)simulation.end.time * simulation.unit_as;
	return 0;
}

static int64_t shorter(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/*
 * The lines of a simulation hold before the values where events or requests meet, not at these, and
 * above 0, where costs of 0 may change which requests are made before others.
 */
struct order_range order_range_of(const struct sim_result *simulation,
				  const struct direction *direction)
{
	const int64_t start = direction->start_as;
	const bool known = !simulation->late_ties;
	const int64_t above = known ? shorter(simulation->order.above, simulation->waits.above) : 0;
	const int64_t below = known ? shorter(simulation->order.below, simulation->waits.below) : 0;
	struct order_range range = {.low_exact = start == 0,
				    .high_exact = above >= INT64_MAX - start};

	range.low_as = start == 0 || below == 0 ? start : start - (shorter(below, start) - 1);
	range.high_as = range.high_exact ? INT64_MAX : start + (above > 0 ? above - 1 : 0);
	return range;
}

/* ------------------------------------------------------------- further simulations */

/* Search for one end. */
struct search {
	const struct model *model;
	const struct direction *direction;
	struct order_range *range;
	struct sim_result start; /* the simulation at the start of the direction */
};

/* Whether a simulation serves requests in the order of the one at the given parameters. */
enum order { ORDER_SAME, ORDER_OTHER, ORDER_UNKNOWN };

/*
 * Simulate at another value.  The order stays unknown if there are no visits left for it, or
 * if its times do not fit.
 */
static int try_value(const struct search *search, uint64_t *visits, int64_t p_as,
		     struct sim_result *simulation, enum order *order, struct error *err)
{
	*order = ORDER_UNKNOWN;
	*visits += search->model->goal.op_count;
	if (*visits > MOST_VISITS)
		return 0;
	if (order_simulate(simulation, search->model, search->direction, p_as, err) < 0)
		return err->status == STATUS_LIMIT ? 0 : -1;
	*order = simulation->order_hash == search->start.order_hash ? ORDER_SAME : ORDER_OTHER;
	return 0;
}

/*
 * The lines of a simulation hold until an event waits for another one, or until requests meet.  Where
 * they meet the order may be another one than on either side, so that point and the next one
 * each have a simulation, and only the second one's lines are followed.
 */
static int find_high(const struct search *search, struct error *err)
{
	struct order_range *range = search->range;
	struct sim_result simulation = search->start;
	enum order order = ORDER_SAME;
	uint64_t visits = 0;

	if (range->high_exact)
		return 0;
	for (bool follow = false;; follow = !follow) {
		const int64_t distance = follow ? shorter(simulation.order.above,
							  simulation.waits.above)
						: 0;

		if (distance == INT64_MAX || range->high_as > INT64_MAX - 1 - distance) {
			range->high_as = INT64_MAX;
			break;
		}
		range->high_as += distance > 0 ? distance - 1 : 0;
		TRY(try_value(search, &visits, range->high_as + 1, &simulation, &order, err));
		if (order != ORDER_SAME)
			break;
		range->high_as++;
	}
	range->high_exact = order != ORDER_UNKNOWN;
	return 0;
}

static int find_low(const struct search *search, struct error *err)
{
	struct order_range *range = search->range;
	struct sim_result simulation = search->start;
	enum order order = ORDER_SAME;
	uint64_t visits = 0;

	if (range->low_exact)
		return 0;
	for (bool follow = false; range->low_as > 0; follow = !follow) {
		const int64_t distance = follow ? shorter(simulation.order.below,
							  simulation.waits.below)
						: 0;

		if (distance > 0)
			range->low_as -= shorter(distance, range->low_as) - 1;
		TRY(try_value(search, &visits, range->low_as - 1, &simulation, &order, err));
		if (order != ORDER_SAME)
			break;
		range->low_as--;
	}
	range->low_exact = order != ORDER_UNKNOWN;
	return 0;
}

static int find_end(void *shared, void *state, uint32_t item, struct error *err)
{
	(void)state;
	return (item ? find_low : find_high)(shared, err);
}

int order_range_find(struct order_range *range, const struct model *model,
		     const struct direction *direction, struct error *err)
{
	struct search search = {.model = model, .direction = direction, .range = range};
	const struct parallel_work work = {.make = find_end, .shared = &search};

	TRY(order_simulate(&search.start, model, direction, direction->start_as, err));
	*range = order_range_of(&search.start, direction);
	return parallel_run(&work, 2, parallel_threads(MOST_VISITS), err);
}
