/* Mapping of ranks to hosts by SCOTCH, as a start and for comparison. */
#include "llamp/placement/placement.h"

#ifndef WITH_SCOTCH

int placement_by_scotch(const struct placement_task *task, uint32_t *hosts, struct error *err)
{
	(void)task;
	(void)hosts;
	(void)err;
	return 1;
}

#else

#include "common/number_map.h"
#include "llamp/analysis/communication.h"
#include "llamp/network/topology.h"

#include <scotch.h>
#include <stdlib.h>
#include <string.h>

/* A weighted graph as SCOTCH wants it: each edge twice, sorted by where it begins. */
struct graph {
	SCOTCH_Num vertices, arcs;
	SCOTCH_Num *first, *to, *weight;
};

struct volume_edge {
	uint32_t a, b;
	uint64_t weight;
};

/* Edges, each pair of vertices once. */
struct volume_edges {
	ARRAY(struct volume_edge) list;
	struct number_map known;
};

static void release_edges(struct volume_edges *edges)
{
	array_release(&edges->list);
	number_map_release(&edges->known);
}

static int add_edge(struct volume_edges *edges, uint32_t a, uint32_t b, uint64_t weight,
		    struct error *err)
{
	const uint64_t pair = a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
	const uint32_t known = number_map_get(&edges->known, pair, 0);

	if (known != NUMBER_MAP_EMPTY) {
		edges->list.items[known].weight += weight;
		return 0;
	}
	TRY(number_map_add(&edges->known, pair, 0, (uint32_t)edges->list.count, err));
	return array_push(&edges->list, ((struct volume_edge){a, b, weight}), err);
}

static void release_graph(struct graph *graph)
{
	free(graph->first);
	free(graph->to);
	free(graph->weight);
}

static int make_graph(struct graph *graph, const struct volume_edges *edges, uint32_t vertices,
		      struct error *err)
{
	graph->vertices = (SCOTCH_Num)vertices;
	graph->arcs = 2 * (SCOTCH_Num)edges->list.count;
	TRY(allocate(&graph->first, (size_t)vertices + 1, sizeof *graph->first, err));
	TRY(allocate(&graph->to, 2 * edges->list.count, sizeof *graph->to, err));
	TRY(allocate(&graph->weight, 2 * edges->list.count, sizeof *graph->weight, err));
	for (size_t i = 0; i < edges->list.count; i++) {
		graph->first[edges->list.items[i].a]++;
		graph->first[edges->list.items[i].b]++;
	}
	for (uint32_t v = 1; v <= vertices; v++)
		graph->first[v] += graph->first[v - 1];
	for (size_t i = edges->list.count; i-- > 0;) {
		const struct volume_edge *edge = &edges->list.items[i];
		const SCOTCH_Num there = --graph->first[edge->a], back = --graph->first[edge->b];

		graph->to[there] = (SCOTCH_Num)edge->b;
		graph->to[back] = (SCOTCH_Num)edge->a;
		graph->weight[there] = graph->weight[back] = (SCOTCH_Num)edge->weight;
	}
	return 0;
}

/* Bytes between ranks, in both directions, scaled so that sums fit. */
static int list_volumes(struct volume_edges *edges, const struct model *model, struct error *err)
{
	const double most = 1 << 20;
	struct communication communication;
	double largest;
	int result = 0;

	TRY(communication_count(&communication, &model->goal, err));
	largest = communication.pairs.count
			  ? (double)communication.pairs.items[communication.largest].bytes + 1
			  : 1;
	for (size_t i = 0; result == 0 && i < communication.pairs.count; i++) {
		const struct communication_pair *pair = &communication.pairs.items[i];

		if (pair->source != pair->destination)
			result = add_edge(edges, pair->source, pair->destination,
					  1 + (uint64_t)((double)pair->bytes / largest * most),
					  err);
	}
	communication_release(&communication);
	return result;
}

/* The hosts to map to, and the nodes of the network between them. */
struct machine {
	struct volume_edges links;
	struct number_map numbers;	/* of nodes, which are counted after the slots */
	uint32_t hosts, slots, nodes;
};

/* Find the number of a node, which is a new one if it is not known. */
static int number_of(struct machine *machine, uint32_t node, uint32_t *number, struct error *err)
{
	*number = number_map_get(&machine->numbers, node, 0);
	if (*number != NUMBER_MAP_EMPTY)
		return 0;
	*number = machine->slots + machine->nodes++;
	return number_map_add(&machine->numbers, node, 0, *number, err);
}

static int add_machine_link(struct machine *machine, uint32_t from, uint32_t to, struct error *err)
{
	uint32_t numbers[2];

	TRY(number_of(machine, from, &numbers[0], err));
	TRY(number_of(machine, to, &numbers[1], err));
	return add_edge(&machine->links, numbers[0], numbers[1], 1, err);
}

/* Add all links of the topology. */
static int add_all_links(struct machine *machine, const struct topology *topology,
			 struct error *err)
{
	struct links links = {0};
	int result;

	TRY(topology_links(topology, &links, err));
	result = 0;
	for (size_t i = 0; result == 0 && i < links.count; i++)
		result = add_machine_link(machine, links.items[i].from, links.items[i].to, err);
	free(links.items);
	return result;
}

/* Add the links of the routes between the hosts. */
static int add_links_between(struct machine *machine, const struct topology *topology,
			     const uint32_t *order, struct error *err)
{
	struct hops hops = {0};
	int result = 0;

	for (uint32_t from = 0; from < machine->hosts; from++) {
		for (uint32_t to = 0; result == 0 && to < from; to++) {
			result = topology_hops(topology, order[from], order[to], &hops, err);
			for (size_t i = 0; result == 0 && i < hops.count; i++)
				result = add_machine_link(machine, hops.items[i].from,
							  hops.items[i].to, err);
		}
	}
	free(hops.items);
	return result;
}

/*
 * Links of the topology, and a link from each slot to its host; without one, a single switch.  Of a
 * network that is larger than the job only what is between its hosts.
 */
static int list_links(struct machine *machine, const struct placement_task *task,
		      struct error *err)
{
	enum { MOST_PAIRS = 1 << 20 };
	const struct topology *topology = task->model->loggps.network->topology;
	const uint64_t hosts = machine->hosts;

	for (uint32_t slot = 0; slot < machine->slots; slot++) {
		uint32_t host;

		TRY(number_of(machine, task->hosts.order[slot / task->slots], &host, err));
		TRY(add_edge(&machine->links, slot, host, 1, err));
	}
	for (uint32_t host = 0; !topology && host < hosts; host++)
		TRY(add_machine_link(machine, task->hosts.order[host], task->host_count, err));
	if (!topology)
		return 0;
	return hosts < task->host_count && hosts * hosts <= MOST_PAIRS
		       ? add_links_between(machine, topology, task->hosts.order, err)
		       : add_all_links(machine, topology, err);
}

static int failed(struct error *err)
{
	return error_set(err, STATUS_LIMIT, "SCOTCH has found no mapping");
}

/* Build SCOTCH's graphs and map one to the other; slot_of[rank] becomes a slot. */
static int map_graphs(const struct graph *volumes, const struct graph *machine, uint32_t slots,
		      SCOTCH_Num *slot_of, struct error *err)
{
	SCOTCH_Graph source, target;
	SCOTCH_Strat strategy;
	SCOTCH_Arch arch;
	SCOTCH_Num *list;
	int result = -1;

	TRY(allocate(&list, slots, sizeof *list, err));
	for (uint32_t i = 0; i < slots; i++)
		list[i] = (SCOTCH_Num)i;
	/* Several threads find another mapping with each number of them. */
	setenv("SCOTCH_PTHREAD_NUMBER", "1", 1);
	SCOTCH_graphInit(&source);
	SCOTCH_graphInit(&target);
	SCOTCH_stratInit(&strategy);
	SCOTCH_archInit(&arch);
	SCOTCH_randomSeed(1);
	SCOTCH_randomReset();
	if (SCOTCH_graphBuild(&source, 0, volumes->vertices, volumes->first, NULL, NULL, NULL,
			      volumes->arcs, volumes->to, volumes->weight) == 0 &&
	    SCOTCH_graphBuild(&target, 0, machine->vertices, machine->first, NULL, NULL, NULL,
			      machine->arcs, machine->to, machine->weight) == 0 &&
	    SCOTCH_archBuild2(&arch, &target, (SCOTCH_Num)slots, list) == 0 &&
	    SCOTCH_stratGraphMapBuild(&strategy, SCOTCH_STRATQUALITY | SCOTCH_STRATBALANCE, (SCOTCH_Num)slots, 0.01) == 0 &&
	    SCOTCH_graphMap(&source, &arch, &strategy, slot_of) == 0)
		result = 0;
	SCOTCH_archExit(&arch);
	SCOTCH_stratExit(&strategy);
	SCOTCH_graphExit(&target);
	SCOTCH_graphExit(&source);
	free(list);
	return result < 0 ? failed(err) : 0;
}

/* Move ranks from slots that have several to free ones, the nearest by number. */
static int spread(const struct placement_task *task, uint32_t slots, SCOTCH_Num *slot_of,
		  struct error *err)
{
	const uint32_t ranks = task->model->goal.rank_count;
	bool *taken;

	TRY(allocate(&taken, slots, sizeof *taken, err));
	for (int pass = 0; pass < 2; pass++) {
		for (uint32_t rank = 0; rank < ranks; rank++) {
			uint32_t slot = (uint32_t)slot_of[rank];

			if (pass == 0) {
				if (slot >= slots || taken[slot])
					slot_of[rank] = -1 - (slot_of[rank] < 0 ? 0 : slot_of[rank]);
				else
					taken[slot] = true;
				continue;
			}
			if (slot_of[rank] >= 0)
				continue;
			slot = (uint32_t)(-1 - slot_of[rank]) % slots;
			while (taken[slot])
				slot = (slot + 1) % slots;
			taken[slot] = true;
			slot_of[rank] = (SCOTCH_Num)slot;
		}
	}
	free(taken);
	return 0;
}

static int map(const struct placement_task *task, struct volume_edges *volumes,
	       struct machine *machine, SCOTCH_Num *slot_of, struct error *err)
{
	struct graph source = {0}, target = {0};
	int result = -1;

	if (list_volumes(volumes, task->model, err) == 0 && list_links(machine, task, err) == 0 &&
	    make_graph(&source, volumes, task->model->goal.rank_count, err) == 0 &&
	    make_graph(&target, &machine->links, machine->slots + machine->nodes, err) == 0)
		result = map_graphs(&source, &target, machine->slots, slot_of, err);
	release_graph(&source);
	release_graph(&target);
	return result;
}

int placement_by_scotch(const struct placement_task *task, uint32_t *hosts, struct error *err)
{
	const uint32_t ranks = task->model->goal.rank_count;
	const uint32_t packed = placement_packed_hosts(task);
	struct machine machine = {.hosts = packed, .slots = packed * task->slots};
	struct volume_edges volumes = {0};
	SCOTCH_Num *slot_of;
	int result;

	TRY(allocate(&slot_of, ranks, sizeof *slot_of, err));
	result = map(task, &volumes, &machine, slot_of, err);
	if (result == 0)
		result = spread(task, machine.slots, slot_of, err);
	for (uint32_t rank = 0; result == 0 && rank < ranks; rank++)
		hosts[rank] = task->hosts.order[(uint32_t)slot_of[rank] / task->slots];
	release_edges(&volumes);
	release_edges(&machine.links);
	number_map_release(&machine.numbers);
	free(slot_of);
	return result;
}

#endif
