#include "llamp/placement/placement_queues.h"

/* Time for which a message occupies a NIC: none within a node that needs none. */
static double occupies_as(const struct model *model, uint32_t op, uint64_t bytes)
{
	const uint32_t class = execution_class(&model->execution, op);
	const struct cost busy = {.class = class,
				  .rule = COST_NIC_GAP,
				  .bytes = message_charged(bytes)};
	double sum = 0;

	if (model->execution.classes.list[class].within_node)
		return 0;
	for (uint32_t v = 0; v < model->loggps.variables.count; v++)
		sum += (double)execution_coefficient(&model->execution, &busy, v) *
		       (double)loggps_value(&model->loggps, v);
	return sum;
}

static void find_loads(struct placement_queues *queues, const struct model *model,
		       const uint32_t *hosts)
{
	for (uint32_t rank = 0; rank < model->goal.rank_count; rank++) {
		const struct goal_block *block = &model->goal.ranks[rank];

		for (uint32_t i = 0; i < block->op_count; i++) {
			const struct goal_op op = goal_op(block, i);

			if (op.kind != GOAL_CALC)
				queues->load[rank].of[op.kind == GOAL_RECV] +=
					occupies_as(model, block->first_op + i, op.size);
		}
		for (int side = 0; side < 2; side++)
			queues->on_host[hosts[rank]].of[side] += queues->load[rank].of[side];
	}
}

/*
 * The rank whose message waits until the NIC has moved that of a gap: the next segment is another
 * gap of this NIC, or a part of the message, which belongs to its receive.
 */
static uint32_t waiting_rank(const struct model *model, const struct critical_segment *gap,
			     const struct critical_segment *next)
{
	if (next->category == CATEGORY_GAP || gap->kind == GOAL_RECV)
		return next->rank;
	return goal_op(&model->goal.ranks[next->rank], next->operation).peer;
}

void placement_queues_of_path(struct placement_queues *queues, const struct model *model,
			      const struct critical_path *path)
{
	const uint32_t *hosts = model->loggps.network->hosts;
	double waited = 0, products = 0;

	for (size_t i = 0; i + 1 < path->segments.count; i++) {
		const struct critical_segment *gap = &path->segments.items[i];
		uint32_t rank;

		if (!queues->load || gap->category != CATEGORY_GAP || gap[1].kind == GOAL_CALC)
			continue;
		rank = waiting_rank(model, gap, &gap[1]);
		/* Messages of other nodes wait at links. */
		if (rank == gap->rank || hosts[rank] != hosts[gap->rank])
			continue;
		queues->waits[rank] = queues->waits[gap->rank] = true;
		waited += (double)(gap->end_as - gap->start_as);
		for (int side = 0; side < 2; side++)
			products += queues->load[rank].of[side] * queues->load[gap->rank].of[side];
	}
	queues->factor = products > 0 ? waited / products : 0;
}

void placement_queues_of_all(struct placement_queues *queues, __int128 runtime_as)
{
	queues->factor = queues->load && runtime_as > 0 ? 1 / (double)runtime_as : 0;
}

int placement_queues_find(struct placement_queues *queues, const struct model *model,
			  const uint32_t *hosts, uint32_t host_count, struct error *err)
{
	const uint32_t ranks = model->goal.rank_count;

	*queues = (struct placement_queues){0};
	if (!(model->loggps.resources & RESOURCE_NODE_NIC))
		return 0;
	if (allocate(&queues->load, ranks, sizeof *queues->load, err) < 0 ||
	    allocate(&queues->on_host, host_count, sizeof *queues->on_host, err) < 0 ||
	    allocate(&queues->waits, ranks, sizeof *queues->waits, err) < 0) {
		placement_queues_release(queues);
		return -1;
	}
	find_loads(queues, model, hosts);
	return 0;
}

void placement_queues_release(struct placement_queues *queues)
{
	free(queues->load);
	free(queues->on_host);
	free(queues->waits);
	*queues = (struct placement_queues){0};
}

bool placement_queues_wait(const struct placement_queues *queues, uint32_t rank)
{
	return queues->waits && queues->waits[rank];
}

/* What a host has more if a rank comes, and `other` leaves. */
static struct nic_load difference(const struct placement_queues *queues, uint32_t rank,
				  uint32_t other)
{
	struct nic_load more = queues->load[rank];

	for (int side = 0; side < 2; side++)
		more.of[side] -= other == UINT32_MAX ? 0 : queues->load[other].of[side];
	return more;
}

double placement_queues_gain(const struct placement_queues *queues, uint32_t rank, uint32_t from,
			     uint32_t other, uint32_t to)
{
	struct nic_load more;
	double gain = 0;

	if (queues->factor == 0)
		return 0;
	more = difference(queues, rank, other);
	for (int side = 0; side < 2; side++) {
		const double left = queues->on_host[from].of[side] - queues->load[rank].of[side];
		const double met = queues->on_host[to].of[side] + more.of[side] -
				   queues->load[rank].of[side];

		gain += more.of[side] * (left - met);
	}
	return queues->factor * gain;
}

void placement_queues_move(struct placement_queues *queues, uint32_t rank, uint32_t from,
			   uint32_t other, uint32_t to)
{
	struct nic_load more;

	if (!queues->load)
		return;
	more = difference(queues, rank, other);
	for (int side = 0; side < 2; side++) {
		queues->on_host[from].of[side] -= more.of[side];
		queues->on_host[to].of[side] += more.of[side];
	}
}
