#include "llamp/graph/message_routes.h"

#include "common/array.h"
#include "common/number_map.h"
#include "llamp/graph/cost_graph.h"
#include "llamp/network/topology.h"

/* Routes while they are found. */
struct routing {
	const struct goal *goal;
	const struct topology *topology;
	uint32_t *hosts;		/* [rank] */
	struct number_map routes;	/* of two hosts: where it begins */
	struct number_map numbers;	/* of directed links */
	struct hops hops;
	ARRAY(uint32_t) links;
	ARRAY(uint8_t) link_classes;
	uint32_t *first, *route;
};

static int add_link(struct routing *routing, const struct hop *hop, struct error *err)
{
	const uint64_t key = (uint64_t)hop->from << 32 | hop->to;
	uint32_t number = number_map_get(&routing->numbers, key, hop->parallel);

	if (number == NUMBER_MAP_EMPTY) {
		number = (uint32_t)routing->numbers.count;
		TRY(number_map_add(&routing->numbers, key, hop->parallel, number, err));
	}
	TRY(array_push(&routing->links, number, err));
	return array_push(&routing->link_classes, (uint8_t)hop->class, err);
}

/* Find where the route between two hosts begins, which is added if it is not known. */
static int find_route(struct routing *routing, uint32_t from, uint32_t to, uint32_t *begin,
		      struct error *err)
{
	const uint64_t key = (uint64_t)from << 32 | to;

	*begin = number_map_get(&routing->routes, key, 0);
	if (*begin != NUMBER_MAP_EMPTY)
		return 0;
	TRY(topology_hops(routing->topology, from, to, &routing->hops, err));
	if (routing->links.count + routing->hops.count >= UINT32_MAX)
		return error_set(err, STATUS_LIMIT, "the routes have 2^32 links or more");
	*begin = (uint32_t)routing->links.count;
	TRY(number_map_add(&routing->routes, key, 0, *begin, err));
	for (size_t i = 0; i < routing->hops.count; i++)
		TRY(add_link(routing, &routing->hops.items[i], err));
	return 0;
}

static int route_message(struct routing *routing, uint32_t from, uint32_t to, uint32_t send,
			 uint64_t *entries, struct error *err)
{
	struct route route;

	if (from == to)
		return 0;
	topology_route(routing->topology, from, to, &route);
	*entries += route_links(routing->topology, &route);
	return find_route(routing, from, to, &routing->route[send], err);
}

static int route_all(struct routing *routing, struct error *err)
{
	const struct goal *goal = routing->goal;
	uint64_t entries = 0;

	for (uint32_t rank = 0; rank < goal->rank_count; rank++) {
		const struct goal_block *block = &goal->ranks[rank];

		for (uint32_t i = 0; i < block->op_count; i++) {
			const struct goal_op op = goal_op(block, i);
			const uint32_t number = block->first_op + i;

			routing->first[number] = (uint32_t)entries;
			if (op.kind == GOAL_SEND)
				TRY(route_message(routing, routing->hosts[rank],
						  routing->hosts[op.peer], number, &entries, err));
			if (goal->op_count + entries >= EXECUTION_MOST_OPS)
				return error_set(err, STATUS_LIMIT,
						 "messages pass more links than can be analyzed: at"
						 " most %u, less the number of operations",
						 EXECUTION_MOST_OPS - 1);
		}
	}
	routing->first[goal->op_count] = (uint32_t)entries;
	return 0;
}

static int message_routes_find_all(struct routing *routing, const struct network *network,
				   struct error *err)
{
	const struct goal *goal = routing->goal;

	TRY(network_place(network, goal->rank_count, &routing->hosts, err));
	TRY(allocate(&routing->first, (size_t)goal->op_count + 1, sizeof *routing->first, err));
	TRY(allocate(&routing->route, goal->op_count, sizeof *routing->route, err));
	return route_all(routing, err);
}

int message_routes_find(struct message_routes *routes, const struct goal *goal,
			const struct network *network, struct error *err)
{
	struct routing routing = {.goal = goal};
	int result;

	*routes = (struct message_routes){0};
	if (!network || !network->topology)
		return error_set(err, STATUS_USAGE,
				 "resources: link needs a network with 'topology:'"
				 " (doc/parameters.md)");
	routing.topology = network->topology;
	result = message_routes_find_all(&routing, network, err);
	*routes = (struct message_routes){
		.first = routing.first,
		.route = routing.route,
		.links = routing.links.items,
		.link_classes = routing.link_classes.items,
		.link_count = (uint32_t)routing.numbers.count,
	};
	free(routing.hosts);
	array_release(&routing.hops);
	number_map_release(&routing.routes);
	number_map_release(&routing.numbers);
	if (result < 0)
		message_routes_release(routes);
	return result;
}

void message_routes_release(struct message_routes *routes)
{
	free(routes->first);
	free(routes->route);
	free(routes->links);
	free(routes->link_classes);
	*routes = (struct message_routes){0};
}

uint32_t message_routes_send(const struct message_routes *routes, uint32_t op_count,
			     uint32_t entry)
{
	uint32_t low = 0, high = op_count;

	/* first[low] <= entry < first[high] */
	while (high - low > 1) {
		const uint32_t middle = low + (high - low) / 2;

		if (routes->first[middle] <= entry)
			low = middle;
		else
			high = middle;
	}
	return low;
}
