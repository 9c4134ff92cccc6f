#include "llamp/placement/placement.h"

#include "common/hash.h"
#include "common/number_map.h"
#include "common/parallel.h"
#include "common/units.h"
#include "llamp/analysis/communication.h"
#include "llamp/analysis/critical_path.h"
#include "llamp/network/topology.h"
#include "llamp/path/evaluate.h"
#include "llamp/placement/placement_queues.h"
#include "llamp/simulate/build.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ----------------------------------------------------------------- evaluation */

/* The model with another mapping. */
struct placed {
	struct network network;
	struct model model;	/* shares the graph and the calls of the task's model */
};

static int place(struct placed *placed, const struct placement_task *task, const uint32_t *hosts,
		 struct error *err)
{
	placed->network = *task->model->loggps.network;
	placed->network.mapping = MAPPING_LIST;
	placed->network.hosts = (uint32_t *)hosts;
	placed->network.listed = task->model->goal.rank_count;
	placed->model = (struct model){.path = task->model->path, .loggps = task->model->loggps,
				       .goal = task->model->goal};
	placed->model.loggps.network = &placed->network;
	return graphs_build(&placed->model.execution, &placed->model.graph, &placed->model.goal,
			    &placed->model.loggps, err);
}

static void release_placed(struct placed *placed)
{
	cost_graph_release(&placed->model.graph);
	execution_graph_release(&placed->model.execution);
}

static int runtime_of(const struct placed *placed, __int128 *runtime_as, struct error *err)
{
	const struct direction direction = direction_fixed(&placed->model.loggps.variables);
	struct line line;

	TRY(path_evaluate(&placed->model.graph, &direction, rational_from(0), SIDE_RIGHT, &line,
			  NULL, err));
	*runtime_as = line.constant;
	return 0;
}

int placement_runtime(const struct placement_task *task, const uint32_t *hosts,
		      __int128 *runtime_as, struct error *err)
{
	struct placed placed;
	int result;

	TRY(place(&placed, task, hosts, err));
	result = runtime_of(&placed, runtime_as, err);
	release_placed(&placed);
	return result;
}

/* ---------------------------------------------------------- what T depends on */

/* Latencies and bytes on the critical path of messages between two ranks, of a row of sizes. */
struct flow {
	uint32_t ranks[2];
	uint32_t row;
	double latencies, bytes;
	double within_as, between_as;	/* by find_times */
};

/* The flows of a rank are of_rank[first[rank]] to of_rank[first[rank + 1] - 1]. */
struct flows {
	ARRAY(struct flow) list;
	struct number_map known;	/* by the two ranks and the row */
	uint32_t *first, *of_rank;
};

static void release_flows(struct flows *flows)
{
	array_release(&flows->list);
	number_map_release(&flows->known);
	free(flows->first);
	free(flows->of_rank);
}

static int add_message(struct flows *flows, const struct placed *placed,
		       const struct critical_message *message, struct error *err)
{
	const struct goal_op send =
		goal_op(&placed->model.goal.ranks[message->from], message->send);
	const uint32_t row = network_row(&placed->network, send.size);
	const uint64_t pair = (uint64_t)message->from << 32 | message->to;
	uint32_t index = number_map_get(&flows->known, pair, row);

	if (message->from == message->to)
		return 0;
	if (index == NUMBER_MAP_EMPTY) {
		index = (uint32_t)flows->list.count;
		TRY(number_map_add(&flows->known, pair, row, index, err));
		TRY(array_push(&flows->list,
			       ((struct flow){{message->from, message->to}, row, 0, 0, 0, 0}), err));
	}
	flows->list.items[index].latencies += (double)message->lambda;
	flows->list.items[index].bytes += send.size ? (double)(send.size - 1) : 0;
	return 0;
}

/* List all messages between ranks, whatever T depends on, as flows. */
static int add_all_messages(struct flows *flows, const struct placed *placed, struct error *err)
{
	struct communication communication;
	int result = 0;

	TRY(communication_count(&communication, &placed->model.goal, err));
	for (size_t i = 0; result == 0 && i < communication.pairs.count; i++) {
		const struct communication_pair *pair = &communication.pairs.items[i];
		const uint64_t mean = pair->bytes / pair->messages;

		if (pair->source != pair->destination)
			result = array_push(&flows->list,
					    ((struct flow){{pair->source, pair->destination},
							   network_row(&placed->network, mean),
							   (double)pair->messages,
							   (double)pair->bytes, 0, 0}), err);
	}
	communication_release(&communication);
	return result;
}

/* Compute the time of a flow between two hosts, in as. */
static double find_flow_as(const struct placed *placed, const struct flow *flow, uint32_t from,
			   uint32_t to)
{
	const struct message_class class = network_class(&placed->network, from, to, flow->row);
	double sum = 0;

	for (uint32_t i = 0; i < class.term_count; i++) {
		const struct class_term *term = &class.terms[i];
		const double value = (double)term->count *
				     (double)loggps_value(&placed->model.loggps, term->variable);

		if (term->symbol == VARIABLE_L)
			sum += flow->latencies * value;
		else if (term->symbol == VARIABLE_G)
			sum += flow->bytes * value;
	}
	return sum;
}

/*
 * Find the times of all flows within a host, and what they take longer than their latencies by the
 * distance of two hosts.
 */
static void find_times(struct flows *flows, const struct placed *placed,
		       const struct placement_task *task)
{
	for (size_t i = 0; i < flows->list.count; i++) {
		struct flow *flow = &flows->list.items[i];

		flow->within_as = find_flow_as(placed, flow, 0, 0);
		if (task->host_count > 1)
			flow->between_as = find_flow_as(placed, flow, 0, 1) -
					   flow->latencies * placement_distance_as(&task->hosts, 0, 1);
	}
}

static int index_flows(struct flows *flows, const struct placement_task *task,
		       const struct placed *placed, struct error *err)
{
	const uint32_t rank_count = task->model->goal.rank_count;

	TRY(allocate(&flows->first, (size_t)rank_count + 1, sizeof *flows->first, err));
	TRY(allocate(&flows->of_rank, 2 * flows->list.count, sizeof *flows->of_rank, err));
	for (size_t i = 0; i < flows->list.count; i++)
		for (int end = 0; end < 2; end++)
			flows->first[flows->list.items[i].ranks[end]]++;
	for (uint32_t rank = 1; rank <= rank_count; rank++)
		flows->first[rank] += flows->first[rank - 1];
	for (size_t i = flows->list.count; i-- > 0;)
		for (int end = 0; end < 2; end++)
			flows->of_rank[--flows->first[flows->list.items[i].ranks[end]]] =
				(uint32_t)i;
	find_times(flows, placed, task);
	return 0;
}

static int find_flows(struct flows *flows, const struct placement_task *task,
		      const struct placed *placed, const struct critical_path *path,
		      struct error *err)
{
	int result = 0;

	*flows = (struct flows){0};
	for (size_t i = 0; result == 0 && i < path->messages.count; i++)
		result = add_message(flows, placed, &path->messages.items[i], err);
	if (result == 0)
		result = index_flows(flows, task, placed, err);
	if (result < 0)
		release_flows(flows);
	return result;
}

/* What the critical path of a mapping depends on. */
struct needs {
	struct flows flows;
	struct placement_queues queues;
};

static void release_needs(struct needs *needs)
{
	release_flows(&needs->flows);
	placement_queues_release(&needs->queues);
}

static int find_needs(struct needs *needs, const struct placement_task *task,
		      const struct placed *placed, struct error *err)
{
	struct critical_path path;
	int result;

	TRY(critical_path_find(&path, &placed->model, err));
	result = placement_queues_find(&needs->queues, &placed->model, placed->network.hosts,
				       task->host_count, err);
	if (result == 0)
		placement_queues_of_path(&needs->queues, &placed->model, &path);
	if (result == 0 && find_flows(&needs->flows, task, placed, &path, err) < 0) {
		placement_queues_release(&needs->queues);
		result = -1;
	}
	critical_path_release(&path);
	return result;
}

/* Time of a flow between two hosts, in as. */
static double flow_as(const struct placement_task *task, const struct flow *flow, uint32_t from,
		      uint32_t to)
{
	return from == to ? flow->within_as
			  : flow->between_as +
				    flow->latencies * placement_distance_as(&task->hosts, from, to);
}

/* --------------------------------------------------------------------- swaps */

/*
 * A rank and a slot.  Slots are numbered host by host; occupant[slot] is a rank + 1, or 0 if the
 * slot is free.
 */
struct swap {
	double gain_as;
	uint32_t rank, slot;
};

struct descent {
	const struct placement_task *task;
	struct placement *placement;
	uint32_t *occupant;	/* [slot] */
	uint32_t *slot_of;	/* [rank] */
	struct swap *best;	/* by gain, the largest first */
	uint32_t tries, count;
	uint64_t seed, evaluations;
};

/* Host of a rank if `swap` were made. */
static uint32_t host_after(const struct descent *descent, const struct swap *swap, uint32_t rank)
{
	const uint32_t slots = descent->task->slots;

	if (rank == swap->rank)
		return swap->slot / slots;
	if (descent->occupant[swap->slot] == rank + 1)
		return descent->slot_of[swap->rank] / slots;
	return descent->slot_of[rank] / slots;
}

/* What a swap saves on the flows of a rank; those with `other` are left out. */
static double gain_of_rank(const struct descent *descent, const struct flows *flows,
			   const struct swap *swap, uint32_t rank, uint32_t other)
{
	const uint32_t slots = descent->task->slots;
	double gain = 0;

	for (uint32_t i = flows->first[rank]; i < flows->first[rank + 1]; i++) {
		const struct flow *flow = &flows->list.items[flows->of_rank[i]];
		const uint32_t *ranks = flow->ranks;

		if (ranks[0] == other || ranks[1] == other)
			continue;
		gain += flow_as(descent->task, flow, descent->slot_of[ranks[0]] / slots,
				descent->slot_of[ranks[1]] / slots) -
			flow_as(descent->task, flow, host_after(descent, swap, ranks[0]),
				host_after(descent, swap, ranks[1]));
	}
	return gain;
}

/* What a swap saves in all. */
static double gain_of(const struct descent *descent, const struct needs *needs,
		      const struct swap *swap)
{
	const uint32_t slots = descent->task->slots, occupant = descent->occupant[swap->slot];
	const uint32_t other = occupant - 1; /* UINT32_MAX: nobody */
	double gain = placement_queues_gain(&needs->queues, swap->rank,
					    descent->slot_of[swap->rank] / slots, other,
					    swap->slot / slots);

	gain += gain_of_rank(descent, &needs->flows, swap, swap->rank, UINT32_MAX);
	if (occupant)
		gain += gain_of_rank(descent, &needs->flows, swap, other, swap->rank);
	return gain;
}

/* Keep a swap if it is among the best. */
static void keep_swap(struct descent *descent, const struct swap *swap)
{
	uint32_t at = descent->count;

	if (at == descent->tries && descent->best[at - 1].gain_as >= swap->gain_as)
		return;
	at = at == descent->tries ? at - 1 : descent->count++;
	for (; at > 0 && descent->best[at - 1].gain_as < swap->gain_as; at--)
		descent->best[at] = descent->best[at - 1];
	descent->best[at] = *swap;
}

/* Look at a rank and a slot. */
static void look_at_slot(struct descent *descent, const struct needs *needs, uint32_t rank,
			 uint32_t slot)
{
	const uint32_t slots = descent->task->slots;
	const uint32_t occupant = descent->occupant[slot];
	struct swap swap = {0, rank, slot};

	if (slot / slots == descent->slot_of[rank] / slots)
		return;
	/* All free slots of a host are the same. */
	if (!occupant && slot % slots && !descent->occupant[slot - 1])
		return;
	swap.gain_as = gain_of(descent, needs, &swap);
	if (swap.gain_as > 0)
		keep_swap(descent, &swap);
}

/* Look at a rank and all slots of other hosts that are near, or have a rank. */
static void look_at_rank(struct descent *descent, const struct needs *needs, uint32_t rank)
{
	const struct placement_task *task = descent->task;
	const uint32_t near = placement_near_hosts(task), slots = task->slots;

	for (uint32_t i = 0; i < near; i++)
		for (uint32_t k = 0; k < slots; k++)
			look_at_slot(descent, needs, rank, task->hosts.order[i] * slots + k);
	for (uint32_t other = 0; other < task->model->goal.rank_count; other++)
		if (task->hosts.place[descent->slot_of[other] / slots] >= near)
			look_at_slot(descent, needs, rank, descent->slot_of[other]);
}

static void make_swap(struct descent *descent, const struct swap *swap)
{
	const uint32_t slots = descent->task->slots;
	const uint32_t from = descent->slot_of[swap->rank], occupant = descent->occupant[swap->slot];

	descent->occupant[from] = occupant;
	descent->occupant[swap->slot] = swap->rank + 1;
	descent->slot_of[swap->rank] = swap->slot;
	descent->placement->hosts[swap->rank] = swap->slot / slots;
	if (occupant) {
		descent->slot_of[occupant - 1] = from;
		descent->placement->hosts[occupant - 1] = from / slots;
	}
}

/* Make a swap, and keep the loads of NICs. */
static void take_swap(struct descent *descent, struct needs *needs, const struct swap *swap)
{
	const uint32_t slots = descent->task->slots;

	placement_queues_move(&needs->queues, swap->rank, descent->slot_of[swap->rank] / slots,
			      descent->occupant[swap->slot] - 1, swap->slot / slots);
	make_swap(descent, swap);
}

/* Find the swap of a rank that saves most, and make it if it saves anything.  1 if so. */
static int settle_rank(struct descent *descent, struct needs *needs, uint32_t rank)
{
	const uint32_t tries = descent->tries;
	const struct swap *swap = &descent->best[0];

	descent->count = 0;
	descent->tries = 1;
	look_at_rank(descent, needs, rank);
	descent->tries = tries;
	if (!descent->count)
		return 0;
	take_swap(descent, needs, swap);
	return 1;
}

/* Give each rank a slot of its host. */
static void fill_slots(struct descent *descent)
{
	const uint32_t slots = descent->task->slots;
	const size_t slot_count = (size_t)descent->task->host_count * slots;

	memset(descent->occupant, 0, slot_count * sizeof *descent->occupant);
	for (uint32_t rank = 0; rank < descent->task->model->goal.rank_count; rank++) {
		uint32_t slot = descent->placement->hosts[rank] * slots;

		while (descent->occupant[slot])
			slot++;
		descent->occupant[slot] = rank + 1;
		descent->slot_of[rank] = slot;
	}
}

/* Propose a rank, and most often a slot near a rank that it communicates with. */
static struct swap propose(const struct descent *descent, const struct flows *flows, uint64_t chance)
{
	enum { ELSEWHERE = 16 };	/* each 16th slot is any one */
	const struct placement_hosts *hosts = &descent->task->hosts;
	const uint32_t slots = descent->task->slots;
	const struct flow *flow = &flows->list.items[chance % flows->list.count];
	const int end = chance >> 40 & 1;
	const uint32_t place = hosts->place[descent->slot_of[flow->ranks[!end]] / slots];
	uint32_t host;

	chance = mix64(chance);
	if (place < hosts->count && chance % ELSEWHERE)
		host = hosts->near[(size_t)place * hosts->each + (chance >> 8) % hosts->each];
	else
		host = hosts->order[(chance >> 8) % hosts->count];
	return (struct swap){0, flow->ranks[end], host * slots + (uint32_t)((chance >> 40) % slots)};
}

/*
 * Take the swaps that are proposed and add no more than a threshold to the sum of all messages.  The
 * threshold falls to 0 (G. Dueck, T. Scheuer: "Threshold accepting", 1990).  It begins with half of
 * the mean change by the first proposals, which are not taken.
 */
static void anneal(struct descent *descent, struct needs *needs)
{
	enum { PROPOSALS_PER_RANK = 10000, SHARE_OF_FIRST = 100 };
	const uint64_t count = (uint64_t)PROPOSALS_PER_RANK * descent->task->model->goal.rank_count;
	const uint64_t first = count / SHARE_OF_FIRST;
	double changes_as = 0;

	for (uint64_t i = 0; needs->flows.list.count && i < count; i++) {
		struct swap swap = propose(descent, &needs->flows, mix64(descent->seed + i));
		const double left = 1 - (double)i / (double)count;

		if (swap.slot / descent->task->slots == descent->slot_of[swap.rank] / descent->task->slots)
			continue;
		swap.gain_as = gain_of(descent, needs, &swap);
		if (i < first)
			changes_as += fabs(swap.gain_as);
		else if (-swap.gain_as <= left * left * changes_as / (double)(2 * first))
			take_swap(descent, needs, &swap);
	}
}

/* Make the sum of the times of all messages and their waits small, which needs no longest path. */
static int settle_ranks(struct descent *descent, struct error *err)
{
	enum { MOST_SWEEPS = 100 };
	const uint32_t ranks = descent->task->model->goal.rank_count;
	struct placed placed;
	struct needs needs = {0};
	int result;

	TRY(place(&placed, descent->task, descent->placement->hosts, err));
	result = placement_queues_find(&needs.queues, &placed.model, descent->placement->hosts,
				       descent->task->host_count, err);
	placement_queues_of_all(&needs.queues, descent->placement->runtime_as);
	if (result == 0)
		result = add_all_messages(&needs.flows, &placed, err);
	if (result == 0)
		result = index_flows(&needs.flows, descent->task, &placed, err);
	if (result == 0)
		anneal(descent, &needs);
	for (int sweep = 0, moved = 1; result == 0 && moved && sweep < MOST_SWEEPS; sweep++) {
		moved = 0;
		for (uint32_t rank = 0; rank < ranks; rank++)
			moved += settle_rank(descent, &needs, rank);
	}
	release_needs(&needs);
	release_placed(&placed);
	return result;
}

/* Settle the ranks, a good place to begin a descent, unless T becomes larger. */
static int settle(struct descent *descent, struct error *err)
{
	const size_t bytes = descent->task->model->goal.rank_count * sizeof(uint32_t);
	struct placement *placement = descent->placement;
	__int128 runtime_as;
	uint32_t *before;
	int result;

	TRY(allocate(&before, bytes, 1, err));
	memcpy(before, placement->hosts, bytes);
	result = settle_ranks(descent, err);
	if (result == 0)
		result = placement_runtime(descent->task, placement->hosts, &runtime_as, err);
	if (result == 0 && runtime_as <= placement->runtime_as) {
		placement->runtime_as = runtime_as;
	} else {
		memcpy(placement->hosts, before, bytes);
		fill_slots(descent);
	}
	free(before);
	return result;
}

/* Try the best swaps.  Returns 1 if one of them was taken. */
static int try_swaps(struct descent *descent, struct error *err)
{
	for (uint32_t i = 0; i < descent->count; i++) {
		const struct swap *swap = &descent->best[i];
		const struct swap back = {0, swap->rank, descent->slot_of[swap->rank]};
		__int128 runtime_as;

		make_swap(descent, swap);
		descent->evaluations++;
		TRY(placement_runtime(descent->task, descent->placement->hosts, &runtime_as, err));
		if (runtime_as < descent->placement->runtime_as) {
			descent->placement->runtime_as = runtime_as;
			descent->placement->steps++;
			return 1;
		}
		make_swap(descent, &back);
	}
	return 0;
}

/* Find the best swaps for the critical path of the mapping as it is. */
static int find_swaps(struct descent *descent, struct error *err)
{
	const uint32_t rank_count = descent->task->model->goal.rank_count;
	struct placed placed;
	struct needs needs;
	int result;

	descent->count = 0;
	TRY(place(&placed, descent->task, descent->placement->hosts, err));
	result = find_needs(&needs, descent->task, &placed, err);
	if (result == 0) {
		for (uint32_t rank = 0; rank < rank_count; rank++)
			if (needs.flows.first[rank] < needs.flows.first[rank + 1] ||
			    placement_queues_wait(&needs.queues, rank))
				look_at_rank(descent, &needs, rank);
		release_needs(&needs);
	}
	release_placed(&placed);
	return result;
}

/* Swap until T is not smaller any more; `settles`: begin with the sum of all messages. */
static int descend(struct placement *placement, const struct placement_task *task, uint32_t tries,
		   bool settles, uint64_t seed, uint64_t *evaluations, struct error *err)
{
	struct descent descent = {.task = task, .placement = placement, .tries = tries,
				  .seed = seed};
	int result = -1;

	if (allocate(&descent.occupant, (size_t)task->host_count * task->slots,
		     sizeof *descent.occupant, err) == 0 &&
	    allocate(&descent.slot_of, task->model->goal.rank_count, sizeof *descent.slot_of,
		     err) == 0 &&
	    allocate(&descent.best, tries, sizeof *descent.best, err) == 0) {
		fill_slots(&descent);
		result = settles ? settle(&descent, err) : 0;
		do {
			if (result >= 0)
				result = find_swaps(&descent, err);
			if (result == 0)
				result = try_swaps(&descent, err);
		} while (result > 0);
	}
	*evaluations = descent.evaluations;
	free(descent.occupant);
	free(descent.slot_of);
	free(descent.best);
	return result;
}

/* ------------------------------------------------------------------- mappings */

enum { MOST_SLOTS = 1 << 28 };

/* Check that the given mapping fits the slots; without a topology its hosts count, too. */
static int fit_given(struct placement_task *task, const uint32_t *hosts, struct error *err)
{
	const struct network *network = task->model->loggps.network;
	uint32_t *ranks_on;
	int result = 0;

	for (uint32_t rank = 0; rank < task->model->goal.rank_count; rank++) {
		if (hosts[rank] >= TOPOLOGY_MOST_HOSTS)
			return error_set(err, STATUS_LIMIT, "rank %u is on host %u: at most %d hosts"
					 " can be compared", rank, hosts[rank], TOPOLOGY_MOST_HOSTS);
		if (!network->topology && hosts[rank] >= task->host_count)
			task->host_count = hosts[rank] + 1;
	}
	TRY(allocate(&ranks_on, task->host_count, sizeof *ranks_on, err));
	for (uint32_t rank = 0; result == 0 && rank < task->model->goal.rank_count; rank++)
		if (++ranks_on[hosts[rank]] > task->slots)
			result = error_set(err, STATUS_DATA, "the mapping has more than %u rank%s on"
					   " host %u: set ranks-per-node", task->slots,
					   plural(task->slots), hosts[rank]);
	free(ranks_on);
	return result;
}

/* Whether the network has a mapping that is neither block nor cyclic. */
static bool places_by_list(const struct network *network)
{
	return network->mapping == MAPPING_LIST || network->mapping == MAPPING_TRACE;
}

static int check_given(struct placement_task *task, struct error *err)
{
	const struct network *network = task->model->loggps.network;
	uint32_t *hosts;
	int result;

	if (!places_by_list(network))
		return 0;
	TRY(network_place(network, task->model->goal.rank_count, &hosts, err));
	result = fit_given(task, hosts, err);
	free(hosts);
	return result;
}

int placement_task_init(struct placement_task *task, const struct model *model,
			struct error *err)
{
	const struct network *network = model->loggps.network;
	const uint32_t ranks = model->goal.rank_count;

	if (!network ||
	    (network_is_plain(network) && !(model->loggps.resources & RESOURCE_NODE_NIC)))
		return error_set(err, STATUS_USAGE, "all pairs of ranks are alike: give --params a"
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

static int add_mapping(struct placements *placements, const struct placement_task *task,
		       const char *name, const uint32_t *hosts, struct error *err)
{
	const uint32_t ranks = task->model->goal.rank_count;
	struct placement placement = {0};

	snprintf(placement.name, sizeof placement.name, "%s", name);
	TRY(allocate(&placement.hosts, ranks, sizeof *placement.hosts, err));
	memcpy(placement.hosts, hosts, ranks * sizeof *hosts);
	if (array_push(&placements->list, placement, err) == 0)
		return 0;
	free(placement.hosts);
	return -1;
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

uint32_t placement_roomy_hosts(const struct placement_task *task)
{
	enum { TIMES_PACKED = 8, ENOUGH = 2048 };
	const uint64_t roomy = TIMES_PACKED * (uint64_t)placement_packed_hosts(task);
	const uint32_t near = placement_near_hosts(task);
	const uint32_t most = near > ENOUGH ? near : ENOUGH < task->host_count ? ENOUGH : task->host_count;

	return roomy < most ? (uint32_t)roomy : most;
}

/* Place ranks on slots of the first hosts in random order. */
static int fill_random(const struct placement_task *task, uint32_t host_count, uint64_t seed,
		       uint32_t *hosts, struct error *err)
{
	const uint32_t slots = host_count * task->slots;
	const uint32_t ranks = task->model->goal.rank_count;
	uint32_t *order;

	TRY(allocate(&order, slots, sizeof *order, err));
	for (uint32_t i = 0; i < slots; i++)
		order[i] = i;
	for (uint32_t i = 0; i < ranks; i++) {
		const uint32_t k = i + (uint32_t)(mix64(seed + i) % (slots - i));
		const uint32_t slot = order[k];

		order[k] = order[i];
		hosts[i] = task->hosts.order[slot / task->slots];
	}
	free(order);
	return 0;
}

static int add_regular(struct placements *placements, const struct placement_task *task,
		       uint32_t *hosts, struct error *err)
{
	const uint32_t ranks = task->model->goal.rank_count;
	const uint32_t used = placement_packed_hosts(task);
	const struct network *network = task->model->loggps.network;
	uint32_t *given;

	for (uint32_t rank = 0; rank < ranks; rank++)
		hosts[rank] = rank / task->slots;
	TRY(add_mapping(placements, task, "block", hosts, err));
	for (uint32_t rank = 0; rank < ranks; rank++)
		hosts[rank] = rank % used;
	TRY(add_mapping(placements, task, "cyclic", hosts, err));
	if (!places_by_list(network))
		return 0;
	TRY(network_place(network, ranks, &given, err));
	memcpy(hosts, given, ranks * sizeof *hosts);
	free(given);
	return add_mapping(placements, task, network->mapping == MAPPING_LIST ? "given" : "trace",
			   hosts, err);
}

static int add_baselines(struct placements *placements, const struct placement_task *task,
			 const struct placement_options *options, uint32_t *hosts,
			 struct error *err)
{
	int missing;

	TRY(add_regular(placements, task, hosts, err));
	missing = placement_by_scotch(task, hosts, err);
	TRY(missing);
	if (!missing)
		TRY(add_mapping(placements, task, "scotch", hosts, err));
	for (uint32_t i = 0; i < options->random_starts; i++) {
		char name[48];

		snprintf(name, sizeof name, "random %u", i + 1);
		/* Each second one has room to spread. */
		TRY(fill_random(task, i % 2 ? placement_near_hosts(task)
					    : placement_packed_hosts(task),
				mix64(options->seed + i), hosts, err));
		TRY(add_mapping(placements, task, name, hosts, err));
	}
	return 0;
}

static int copy_baselines(struct placements *placements, const struct placement_task *task,
			  struct error *err)
{
	const size_t count = placements->list.count;

	for (size_t i = 0; i < count; i++) {
		char name[64];

		snprintf(name, sizeof name, "%s + swaps", placements->list.items[i].name);
		TRY(add_mapping(placements, task, name, placements->list.items[i].hosts, err));
	}
	return 0;
}

/* ------------------------------------------------------------------------ all */

struct work {
	struct placements *placements;
	const struct placement_task *task;
	const struct placement_options *options;
	size_t baselines;
};

struct progress {
	uint64_t evaluations;
};

/* Compute T of a baseline, and descend from its copy. */
static int run_start(void *shared, void *state, uint32_t item, struct error *err)
{
	const struct work *work = shared;
	struct placement *items = work->placements->list.items;
	struct placement *baseline = &items[item], *copy = &items[work->baselines + item];
	struct progress *progress = state;

	TRY(placement_runtime(work->task, baseline->hosts, &baseline->runtime_as, err));
	copy->runtime_as = baseline->runtime_as;
	return descend(copy, work->task, work->options->tries,
		       item >= work->baselines - work->options->random_starts,
		       mix64(work->options->seed + item), &progress->evaluations, err);
}

static int take_start(void *shared, void *state, uint32_t item, struct error *err)
{
	const struct work *work = shared;

	(void)item;
	(void)err;
	work->placements->evaluations += 1 + ((struct progress *)state)->evaluations;
	return 0;
}

/* -------------------------------------------------------------- second descent */

/* Descents that go on with more tries, and how many times more. */
enum { DEEP_DESCENTS = 4, DEEPER = 13 };

struct deep_work {
	const struct work *work;
	size_t of[DEEP_DESCENTS];	/* indices of mappings */
	uint32_t count;
};

static bool same_mapping(const struct work *work, size_t a, size_t b)
{
	const struct placement *items = work->placements->list.items;

	return memcmp(items[a].hosts, items[b].hosts,
		      work->task->model->goal.rank_count * sizeof *items[a].hosts) == 0;
}

/* Add a descent if it is among the best ones, and another one does not have its mapping. */
static void choose_deep(struct deep_work *deep, size_t number)
{
	const struct placement *items = deep->work->placements->list.items;
	uint32_t at = deep->count;

	for (uint32_t i = 0; i < deep->count; i++)
		if (same_mapping(deep->work, deep->of[i], number))
			return;
	while (at > 0 && items[number].runtime_as < items[deep->of[at - 1]].runtime_as)
		at--;
	if (at == DEEP_DESCENTS)
		return;
	if (deep->count < DEEP_DESCENTS)
		deep->count++;
	memmove(&deep->of[at + 1], &deep->of[at], (deep->count - 1 - at) * sizeof *deep->of);
	deep->of[at] = number;
}

static int run_deep(void *shared, void *state, uint32_t item, struct error *err)
{
	const struct deep_work *deep = shared;
	struct progress *progress = state;

	return descend(&deep->work->placements->list.items[deep->of[item]], deep->work->task,
		       DEEPER * deep->work->options->tries, false, 0, &progress->evaluations, err);
}

static int take_deep(void *shared, void *state, uint32_t item, struct error *err)
{
	const struct deep_work *deep = shared;

	(void)item;
	(void)err;
	deep->work->placements->evaluations += ((struct progress *)state)->evaluations;
	return 0;
}

/* Go on with the best descents: most starts only find out that they are not worth it. */
static int run_deep_descents(struct work *work, struct error *err)
{
	struct deep_work deep = {.work = work};
	const struct parallel_work parallel = {.make = run_deep, .take = take_deep,
					       .shared = &deep,
					       .state_bytes = sizeof(struct progress)};

	for (size_t i = 0; i < work->baselines; i++)
		choose_deep(&deep, work->baselines + i);
	return parallel_run(&parallel, deep.count, processor_count(), err);
}

static int run_starts(struct placements *placements, const struct placement_task *task,
		      const struct placement_options *options, struct error *err)
{
	struct work shared = {placements, task, options, placements->list.count};
	const struct parallel_work work = {.make = run_start, .take = take_start,
					   .shared = &shared,
					   .state_bytes = sizeof(struct progress)};

	TRY(copy_baselines(placements, task, err));
	TRY(parallel_run(&work, (uint32_t)shared.baselines, processor_count(), err));
	TRY(run_deep_descents(&shared, err));
	for (size_t i = 0; i < placements->list.count; i++)
		if (placements->list.items[i].runtime_as <
		    placements->list.items[placements->best].runtime_as)
			placements->best = i;
	return 0;
}

int placements_find(struct placements *placements, const struct placement_task *task,
		    const struct placement_options *options, struct error *err)
{
	uint32_t *hosts;
	int result;

	*placements = (struct placements){0};
	TRY(allocate(&hosts, task->model->goal.rank_count, sizeof *hosts, err));
	result = add_baselines(placements, task, options, hosts, err);
	free(hosts);
	if (result == 0)
		result = run_starts(placements, task, options, err);
	if (result < 0)
		placements_release(placements);
	return result;
}

void placements_release(struct placements *placements)
{
	for (size_t i = 0; i < placements->list.count; i++)
		free(placements->list.items[i].hosts);
	array_release(&placements->list);
}
