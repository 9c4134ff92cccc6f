#include "test/unit/lib/oracle/message_variables.h"

#include "llamp/network/topology.h"

uint32_t message_host(const struct network *network, uint32_t rank, uint32_t rank_count)
{
	uint32_t nodes = 0;

	if (network->mapping == MAPPING_LIST)
		return network->hosts[rank];
	if (network->mapping == MAPPING_BLOCK)
		return rank / network->ranks_per_node;
	while (nodes * network->ranks_per_node < rank_count)
		nodes++;
	return rank % nodes;
}

void message_variables(const struct network *network, const struct message_place *message,
		       uint32_t symbol, __int128 count, __int128 coefficients[VARIABLES_MOST])
{
	const struct network_row *row = network->rows;
	const uint32_t from = message_host(network, message->from, message->rank_count);
	const uint32_t to = message_host(network, message->to, message->rank_count);
	const uint32_t of_node = symbol == VARIABLE_L	? network->node_L
				 : symbol == VARIABLE_o ? network->node_o
							: network->node_G;
	uint32_t of_row;

	if (from == to && of_node != NO_VARIABLE) {
		coefficients[of_node] += count;
		return;
	}
	while (message->bytes > row->to)
		row++;
	of_row = symbol == VARIABLE_L ? row->L : symbol == VARIABLE_o ? row->o : row->G;
	coefficients[symbol] += count;
	if (of_row != NO_VARIABLE)
		coefficients[of_row] += count;
	if (symbol == VARIABLE_L && network->topology) {
		struct route route;

		topology_route(network->topology, from, to, &route);
		for (uint32_t i = 0; i < network->topology->class_count; i++)
			coefficients[network->first_link + i] += count * route.links[i];
		coefficients[network->switch_variable] += count * route.switches;
	}
}
