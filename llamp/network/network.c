#include "llamp/network/network.h"

#include "common/array.h"
#include "common/units.h"
#include "llamp/network/loggps.h"
#include "llamp/network/topology.h"

#include <inttypes.h>

#define PLAIN(variable, unit, value, category, zero_is_off, counted) \
	{VARIABLE_##variable, VARIABLE_##variable, 1},

const struct message_class message_class_plain = {
	.term_count = LOGGPS_COUNT,
	.terms = {LOGGPS_VARIABLES(PLAIN)},
};

void network_init(struct network *network)
{
	*network = (struct network){
		.rows = {{UINT64_MAX, NO_VARIABLE, NO_VARIABLE, NO_VARIABLE}},
		.row_count = 1,
		.node_o = NO_VARIABLE,
		.node_L = NO_VARIABLE,
		.node_G = NO_VARIABLE,
		.ranks_per_node = 1,
	};
}

void network_release(struct network *network)
{
	if (network->topology)
		topology_release(network->topology);
	free(network->topology);
	free(network->hosts);
	*network = (struct network){0};
}

static bool has_node(const struct network *network)
{
	return network->node_o != NO_VARIABLE || network->node_L != NO_VARIABLE ||
	       network->node_G != NO_VARIABLE;
}

bool network_has_places(const struct network *network)
{
	return network->topology || has_node(network);
}

bool network_is_plain(const struct network *network)
{
	const struct network_row *row = network->rows;

	return !network_has_places(network) && network->row_count == 1 && row->o == NO_VARIABLE &&
	       row->L == NO_VARIABLE && row->G == NO_VARIABLE;
}

/* ------------------------------------------------------------------ placement */

static uint32_t host_of(const struct network *network, uint32_t rank, uint32_t node_count)
{
	switch (network->mapping) {
	case MAPPING_CYCLIC:
		return rank % node_count;
	case MAPPING_LIST:
	case MAPPING_TRACE:
		return network->hosts[rank];
	default:
		return rank / network->ranks_per_node;
	}
}

/* Check that a host exists, and that ranks that share it know their latency. */
static int check_host(const struct network *network, uint32_t rank, uint32_t host,
		      uint32_t *rank_of, struct error *err)
{
	const uint32_t host_count = network->topology->host_count;

	if (host >= host_count)
		return error_set(err, STATUS_DATA,
				 "rank %" PRIu32 " is on host %" PRIu32
				 " (counted from 0), but the topology has %" PRIu32 " host%s",
				 rank, host, host_count, plural(host_count));
	if (rank_of[host] && network->node_L == NO_VARIABLE)
		return error_set(err, STATUS_DATA,
				 "ranks %" PRIu32 " and %" PRIu32 " are on host %" PRIu32
				 ": the parameters need 'intra-node: {L: TIME}'",
				 rank_of[host] - 1, rank, host);
	rank_of[host] = rank + 1;
	return 0;
}

/* Whether ranks that share a host are known to do so for a reason. */
static bool knows_nodes(const struct network *network, unsigned resources)
{
	if (network->topology)
		return network->node_L != NO_VARIABLE;
	return has_node(network) || resources & RESOURCE_NODE_NIC;
}

int network_use_nodes(struct network *used, const struct network *network, unsigned resources,
		      const uint32_t *nodes, uint32_t rank_count, struct error *err)
{
	uint32_t *ranks_on;

	if (network->mapping != MAPPING_TRACE &&
	    (network->is_placed || !knows_nodes(network, resources)))
		return 0;
	*used = *network;
	used->mapping = MAPPING_TRACE;
	used->hosts = (uint32_t *)nodes;
	used->listed = rank_count;
	TRY(allocate(&ranks_on, rank_count, sizeof *ranks_on, err));
	for (uint32_t rank = 0; rank < rank_count; rank++)
		if (++ranks_on[nodes[rank]] > used->ranks_per_node)
			used->ranks_per_node = ranks_on[nodes[rank]];
	free(ranks_on);
	return 1;
}

static int check_hosts(const struct network *network, uint32_t rank_count, const uint32_t *hosts,
		       struct error *err)
{
	uint32_t *rank_of; /* [host]: a rank + 1 */
	int result = 0;

	if (!network->topology)
		return 0;
	TRY(allocate(&rank_of, network->topology->host_count, sizeof *rank_of, err));
	for (uint32_t rank = 0; rank < rank_count && result == 0; rank++)
		result = check_host(network, rank, hosts[rank], rank_of, err);
	free(rank_of);
	return result;
}

int network_place(const struct network *network, uint32_t rank_count, uint32_t **hosts,
		  struct error *err)
{
	const uint32_t node_count = (rank_count - 1) / network->ranks_per_node + 1;

	if (network->mapping == MAPPING_TRACE && !network->hosts)
		return error_set(err, STATUS_DATA,
				 "'mapping: trace' needs the nodes of the trace, which FILE.calls beside"
				 " the graph has if schedgen knew them");
	if (network->mapping == MAPPING_LIST && network->listed < rank_count)
		return error_set(err, STATUS_DATA,
				 "the mapping has hosts for %" PRIu32
				 " ranks, the graph has %" PRIu32,
				 network->listed, rank_count);
	TRY(allocate(hosts, rank_count, sizeof **hosts, err));
	for (uint32_t rank = 0; rank < rank_count; rank++)
		(*hosts)[rank] = host_of(network, rank, node_count);
	if (check_hosts(network, rank_count, *hosts, err) == 0)
		return 0;
	free(*hosts);
	*hosts = NULL;
	return -1;
}

/* -------------------------------------------------------------------- classes */

static void add_term(struct message_class *class, uint32_t symbol, uint32_t variable,
		     uint32_t count)
{
	if (count && variable != NO_VARIABLE)
		class->terms[class->term_count++] = (struct class_term){symbol, variable, count};
}

/* Add the links and switches on the route from one host to another. */
static void add_route(struct message_class *class, const struct network *network, uint32_t from,
		      uint32_t to)
{
	struct route route;

	topology_route(network->topology, from, to, &route);
	for (uint32_t i = 0; i < network->topology->class_count; i++)
		add_term(class, VARIABLE_L, network->first_link + i, route.links[i]);
	add_term(class, VARIABLE_L, network->switch_variable, route.switches);
}

/* Add the variable of a node in place of L, o or G.  False if it has none. */
static bool add_node(struct message_class *class, uint32_t symbol, uint32_t variable)
{
	add_term(class, symbol, variable, 1);
	return variable != NO_VARIABLE;
}

struct message_class network_class(const struct network *network, uint32_t from_host,
				   uint32_t to_host, uint32_t row)
{
	const struct network_row *sizes = &network->rows[row];
	const bool within = from_host == to_host;
	struct message_class class = {.within_node = within && has_node(network)};

	if (!within || !add_node(&class, VARIABLE_L, network->node_L)) {
		add_term(&class, VARIABLE_L, VARIABLE_L, 1);
		add_term(&class, VARIABLE_L, sizes->L, 1);
		if (network->topology)
			add_route(&class, network, from_host, to_host);
	}
	if (!within || !add_node(&class, VARIABLE_o, network->node_o)) {
		add_term(&class, VARIABLE_o, VARIABLE_o, 1);
		add_term(&class, VARIABLE_o, sizes->o, 1);
	}
	if (!within || !add_node(&class, VARIABLE_G, network->node_G)) {
		add_term(&class, VARIABLE_G, VARIABLE_G, 1);
		add_term(&class, VARIABLE_G, sizes->G, 1);
	}
	for (uint32_t v = 0; v < LOGGPS_COUNT; v++)
		if (v != VARIABLE_L && v != VARIABLE_o && v != VARIABLE_G)
			add_term(&class, v, v, 1);
	return class;
}

struct message_class network_link_class(const struct network *network, uint32_t link, bool last)
{
	struct message_class class = {0};

	add_term(&class, VARIABLE_L, network->first_link + link, 1);
	add_term(&class, VARIABLE_L, last ? VARIABLE_L : network->switch_variable, 1);
	return class;
}
