/* Variables of messages in a network, written down again from doc/parameters.md. */
#ifndef TEST_MESSAGE_VARIABLES_H
#define TEST_MESSAGE_VARIABLES_H

#include "llamp/network/network.h"

/* Host of a rank. */
uint32_t message_host(const struct network *network, uint32_t rank, uint32_t rank_count);

/* Message of a graph with this number of ranks. */
struct message_place {
	uint32_t from, to, rank_count;
	uint64_t bytes;
};

/* Add `count` times what the message has in place of VARIABLE_L, VARIABLE_o or VARIABLE_G. */
void message_variables(const struct network *network, const struct message_place *message,
		       uint32_t symbol, __int128 count, __int128 coefficients[VARIABLES_MOST]);

#endif
