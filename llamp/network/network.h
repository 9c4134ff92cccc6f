/*
 * Networks in which messages differ: parameters by message size, nodes, topologies.
 *
 * A message has a class (llamp/network/message_class.h), which follows from its size and from
 * the hosts of its two ranks.  Each number of the network is a variable of the model.
 *
 *	sizes		row k has the variables o, L and G of messages of up to rows[k].to bytes
 *	nodes		messages between ranks of one host have variables of their own
 *	topology	the L of a message is the sum of the links and switches on its route
 *
 * Ranks are placed on hosts in blocks, in turn, or by a list.
 */
#ifndef LLAMP_NETWORK_H
#define LLAMP_NETWORK_H

#include "common/error.h"
#include "llamp/network/message_class.h"

enum {
	/* Each row of a table has up to three variables (VARIABLES_MOST). */
	SIZES_MOST = 12,
};

/* Indices of the variables of messages of up to `to` bytes. */
struct size_row {
	uint64_t to; /* UINT64_MAX in the last row */
	uint32_t o, L, G;
};

enum mapping {
	MAPPING_BLOCK,	/* rank r on host r / ranks_per_node */
	MAPPING_CYCLIC, /* rank r on host r modulo the number of nodes */
	MAPPING_LIST,	/* rank r on host hosts[r] */
};

struct topology;

struct network {
	struct size_row rows[SIZES_MOST];
	uint32_t row_count; /* at least 1 */
	bool has_node;	    /* messages within a node have these variables: */
	uint32_t node_o, node_L, node_G;
	uint32_t ranks_per_node; /* at least 1 */
	enum mapping mapping;
	uint32_t *hosts; /* of the list; owned */
	uint32_t listed; /* ranks in the list */
	/* NULL: all hosts are equally far from each other.  Owned. */
	struct topology *topology;
	uint32_t first_link; /* variables of the link classes, in their order */
	uint32_t switch_variable;
};

void network_release(struct network *network);

/* Find the host of every rank.  A rank without a host is STATUS_DATA.  The caller frees *hosts. */
int network_place(const struct network *network, uint32_t rank_count, uint32_t **hosts,
		  struct error *err);

/* Row of the table of sizes for messages of `bytes`. */
static inline uint32_t network_row(const struct network *network, uint64_t bytes)
{
	uint32_t row = 0;

	while (row + 1 < network->row_count && bytes > network->rows[row].to)
		row++;
	return row;
}

/* Find the class of messages of a row from one host to another. */
struct message_class network_class(const struct network *network, uint32_t from_host,
				   uint32_t to_host, uint32_t row);

#endif
