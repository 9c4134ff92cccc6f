#include "llamp/analysis/order_range.h"

#include "llamp/graph/service.h"

/* Operations that may be visited to find the ends of a range, over all passes. */
enum { MOST_VISITS = 1 << 20 };

int order_pass(struct service *service, const struct model *model, uint32_t varied,
	       int64_t value_as, struct error *err)
{
	struct loggps loggps = model->loggps;
	struct execution_graph execution = model->execution;

	loggps_set(&loggps, varied, value_as);
	execution.loggps = &loggps;
	return service_run(service, &execution, varied, NULL, NULL, err);
}

struct search {
	const struct model *model;
	uint32_t varied;
	uint64_t visits;	/* operations visited so far */
};

/* Whether a pass serves requests in the order of the given parameters. */
enum order { ORDER_SAME, ORDER_OTHER, ORDER_UNKNOWN };

/*
 * Run a pass with another value.  The order stays unknown if there are no visits left for it, or
 * if its times do not fit.
 */
static int try_pass(struct search *search, int64_t value_as, struct service *service,
		    enum order *order, struct error *err)
{
	const uint64_t hash = service->order_hash;

	*order = ORDER_UNKNOWN;
	search->visits += search->model->goal.op_count;
	if (search->visits > MOST_VISITS)
		return 0;
	if (order_pass(service, search->model, search->varied, value_as, err) < 0)
		return err->status == STATUS_LIMIT ? 0 : -1;
	*order = service->order_hash == hash ? ORDER_SAME : ORDER_OTHER;
	return 0;
}

static int64_t shorter(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/*
 * The lines of a pass hold until an event waits for another one, or until requests meet.  Where
 * they meet the order may be another one than on either side, so that point and the next one
 * each have a pass, and only the second one's lines are followed.
 */
static int find_high(struct search *search, struct service service, struct order_range *range,
		     struct error *err)
{
	enum order order = ORDER_SAME;
	bool follow = false;

	range->high_as = loggps_value(&search->model->loggps, search->varied);
	for (;; follow = !follow) {
		const int64_t distance =
			follow ? shorter(service.order.above, service.waits.above) : 0;

		if (distance == INT64_MAX || range->high_as > INT64_MAX - 1 - distance) {
			range->high_as = INT64_MAX;
			break;
		}
		range->high_as += distance > 0 ? distance - 1 : 0;
		TRY(try_pass(search, range->high_as + 1, &service, &order, err));
		if (order != ORDER_SAME)
			break;
		range->high_as++;
	}
	range->high_exact = order != ORDER_UNKNOWN;
	return 0;
}

static int find_low(struct search *search, struct service service, struct order_range *range,
		    struct error *err)
{
	enum order order = ORDER_SAME;

	range->low_as = loggps_value(&search->model->loggps, search->varied);
	for (bool follow = false; range->low_as > 0; follow = !follow) {
		const int64_t distance =
			follow ? shorter(service.order.below, service.waits.below) : 0;

		if (distance > 0)
			range->low_as -= shorter(distance, range->low_as) - 1;
		TRY(try_pass(search, range->low_as - 1, &service, &order, err));
		if (order != ORDER_SAME)
			break;
		range->low_as--;
	}
	range->low_exact = order != ORDER_UNKNOWN;
	return 0;
}

int order_range_find(struct order_range *range, const struct model *model, uint32_t varied,
		     struct error *err)
{
	struct search search = {.model = model, .varied = varied};
	struct service service = {0};

	*range = (struct order_range){0};
	if (model->goal.op_count <= MOST_VISITS)
		TRY(order_pass(&service, model, varied, loggps_value(&model->loggps, varied), err));
	TRY(find_high(&search, service, range, err));
	search.visits = 0;
	return find_low(&search, service, range, err);
}
