#include "llamp/placement/placement_task.h"

#include "common/units.h"
#include "llamp/network/topology.h"

enum { MOST_SLOTS = 1 << 28 };

bool placement_has_given(const struct placement_task *task)
{
	const enum mapping mapping = task->model->loggps.network->mapping;

	return mapping == MAPPING_LIST || mapping == MAPPING_TRACE;
}

/* Check that the given mapping fits the slots; without a topology its hosts count, too. */
static int fit_given(struct placement_task *task, const uint32_t *hosts, struct error *err)
{
	const struct network *network = task->model->loggps.network;
	uint32_t *ranks_on;
	int result = 0;

	for (uint32_t rank = 0; rank < task->model->goal.rank_count; rank++) {
		if (hosts[rank] >= TOPOLOGY_MOST_HOSTS)
			return error_set(err, STATUS_LIMIT,
					 "rank %u is on host %u: at most %d hosts"
					 " can be compared",
					 rank, hosts[rank], TOPOLOGY_MOST_HOSTS);
		if (!network->topology && hosts[rank] >= task->host_count)
			task->host_count = hosts[rank] + 1;
	}
	TRY(allocate(&ranks_on, task->host_count, sizeof *ranks_on, err));
	for (uint32_t rank = 0; result == 0 && rank < task->model->goal.rank_count; rank++)
		if (++ranks_on[hosts[rank]] > task->slots)
			result = error_set(err, STATUS_DATA,
					   "the mapping has more than %u rank%s on"
					   " host %u: set ranks-per-node",
					   task->slots, plural(task->slots), hosts[rank]);
	free(ranks_on);
	return result;
}

static int check_given(struct placement_task *task, struct error *err)
{
	const struct network *network = task->model->loggps.network;
	uint32_t *hosts;
	int result;

	if (!placement_has_given(task))
		return 0;
	TRY(network_place(network, task->model->goal.rank_count, &hosts, err));
	result = fit_given(task, hosts, err);
	free(hosts);
	return result;
}

uint32_t placement_packed_hosts(const struct placement_task *task)
{
	return (task->model->goal.rank_count - 1) / task->slots + 1;
}

uint32_t placement_near_hosts(const struct placement_task *task)
{
	const uint64_t near = 2 * (uint64_t)placement_packed_hosts(task);

	return near < task->host_count ? (uint32_t)near : task->host_count;
}

/*
 * Number of hosts among which a compact mapping of any shape fits: a cube of them in a torus has hosts
 * that are farther from host 0 than many outside of it.
 */
static uint32_t placement_roomy_hosts(const struct placement_task *task)
{
	enum { TIMES_PACKED = 8, ENOUGH = 2048 };
	const uint64_t roomy = TIMES_PACKED * (uint64_t)placement_packed_hosts(task);
	const uint32_t near = placement_near_hosts(task);
	const uint32_t most = near > ENOUGH		  ? near
			      : ENOUGH < task->host_count ? ENOUGH
							  : task->host_count;

	return roomy < most ? (uint32_t)roomy : most;
}

int placement_task_init(struct placement_task *task, const struct model *model, struct error *err)
{
	const struct network *network = model->loggps.network;
	const uint32_t ranks = model->goal.rank_count;

	if (!network ||
	    (network_is_plain(network) && !(model->loggps.resources & RESOURCE_NODE_NIC)))
		return error_set(err, STATUS_USAGE,
				 "all pairs of ranks are alike: give --params a"
				 " file with 'topology:' or 'intra-node:' (doc/parameters.md), or"
				 " --resources node-nic");
	*task = (struct placement_task){.model = model, .slots = network->ranks_per_node};
	task->host_count = network->topology ? network->topology->host_count
					     : (ranks - 1) / task->slots + 1;
	TRY(check_given(task, err));
	if ((uint64_t)task->host_count * task->slots < ranks)
		return error_set(err, STATUS_DATA, "%u ranks do not fit on %u hosts with %u each",
				 ranks, task->host_count, task->slots);
	if ((uint64_t)task->host_count * task->slots > MOST_SLOTS)
		return error_set(err, STATUS_LIMIT, "%u hosts with %u ranks each are more than %d",
				 task->host_count, task->slots, MOST_SLOTS);
	return placement_hosts_find(&task->hosts, &model->loggps, task->host_count,
				    placement_roomy_hosts(task), err);
}

void placement_task_release(struct placement_task *task)
{
	placement_hosts_release(&task->hosts);
}
