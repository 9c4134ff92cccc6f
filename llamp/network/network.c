#include "llamp/network/network.h"

#include "common/array.h"
#include "llamp/network/loggps.h"

#include <inttypes.h>

const struct message_class message_class_plain = {
	.o = VARIABLE_o,
	.G = VARIABLE_G,
	.link_count = 1,
	.links = {{VARIABLE_L, 1}},
};

void network_release(struct network *network)
{
	free(network->hosts);
	*network = (struct network){0};
}

/* ------------------------------------------------------------------ placement */

static uint32_t host_of(const struct network *network, uint32_t rank, uint32_t node_count)
{
	switch (network->mapping) {
	case MAPPING_CYCLIC:
		return rank % node_count;
	case MAPPING_LIST:
		return network->hosts[rank];
	default:
		return rank / network->ranks_per_node;
	}
}

int network_place(const struct network *network, uint32_t rank_count, uint32_t **hosts,
		  struct error *err)
{
	const uint32_t node_count = (rank_count - 1) / network->ranks_per_node + 1;

	if (network->mapping == MAPPING_LIST && network->listed < rank_count)
		return error_set(err, STATUS_DATA,
				 "the mapping has hosts for %" PRIu32
				 " ranks, the graph has %" PRIu32,
				 network->listed, rank_count);
	TRY(allocate(hosts, rank_count, sizeof **hosts, err));
	for (uint32_t rank = 0; rank < rank_count; rank++)
		(*hosts)[rank] = host_of(network, rank, node_count);
	return 0;
}

/* -------------------------------------------------------------------- classes */

struct message_class network_class(const struct network *network, uint32_t from_host,
				   uint32_t to_host, uint32_t row)
{
	const struct size_row *sizes = &network->rows[row];
	struct message_class class = {
		.o = sizes->o,
		.G = sizes->G,
		.link_count = 1,
		.links = {{sizes->L, 1}},
	};

	if (network->has_node && from_host == to_host) {
		class.o = network->node_o;
		class.G = network->node_G;
		class.links[0].variable = network->node_L;
	}
	return class;
}
