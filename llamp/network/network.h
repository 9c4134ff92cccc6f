/*
 * Networks in which messages differ: parameters by message size, nodes, topologies.
 *
 * A message has a class (llamp/network/message_class.h), which follows from its size and from
 * the hosts of its two ranks.  Each number of the network is a variable of the model.
 *
 *	sizes		messages of up to rows[k].to bytes have further variables o, L and G
 *	topology	the links and switches on the route of a message are part of its L
 *	nodes		messages between ranks of one host have other variables
 *
 * The variables L, o and G are added to those of sizes and topology.  Nodes replace all of them.
 * Ranks are placed on hosts in blocks, in turn, by a list, or as they were when they were traced.
 */
#ifndef LLAMP_NETWORK_H
#define LLAMP_NETWORK_H

#include "common/error.h"
#include "llamp/network/message_class.h"

#include <stdbool.h>

enum {
	/* Each row of a table has up to three variables (VARIABLES_MOST). */
	SIZES_MOST = 12,
};

#define NO_VARIABLE UINT32_MAX

/* Indices of the variables of messages of up to `to` bytes, or NO_VARIABLE. */
struct network_row {
	uint64_t to; /* UINT64_MAX in the last row */
	uint32_t o, L, G;
};

enum mapping {
	MAPPING_BLOCK,	/* rank r on host r / ranks_per_node */
	MAPPING_CYCLIC, /* rank r on host r modulo the number of nodes */
	MAPPING_LIST,	/* rank r on host hosts[r] */
	MAPPING_TRACE,	/* the same; the hosts are the nodes of the traced run */
};

struct topology;

struct network {
	struct network_row rows[SIZES_MOST];
	uint32_t row_count; /* at least 1 */
	bool has_node;	    /* messages within a node have these variables: */
	uint32_t node_o, node_L, node_G;
	uint32_t ranks_per_node; /* at least 1 */
	enum mapping mapping;
	bool is_placed;		   /* ranks per node or the mapping were given */
	uint32_t *hosts;	   /* of the list; owned */
	uint32_t listed;	   /* ranks in the list */
	struct topology *topology; /* owned; NULL: all hosts are at the same distance */
	uint32_t first_link;	   /* variables of the link classes, in their order */
	uint32_t switch_variable;
};

/* Make the plain network, in which all messages are of the plain class. */
void network_init(struct network *network);
void network_release(struct network *network);
bool network_is_plain(const struct network *network);

/* Tell whether it matters where the ranks are. */
bool network_has_places(const struct network *network);

/* Names of mappings: "block", "cyclic", "list", "trace"; ends with NULL. */
extern const char *const mapping_names[];

/*
 * Make a network with the nodes of a traced run as hosts.  nodes[rank] is below rank_count.  Do so
 * if it has the mapping for them, or if no places were given and it has parameters for ranks that
 * share a host: an L within a node; without a topology also an o or G, or a NIC of a node in
 * `resources`.  Ranks per node become at least the most on a node.  *used must not outlive
 * *network and nodes, and is not to be released.  Returns 1 if it was made, else 0 or -1.
 */
int network_use_nodes(struct network *used, const struct network *network, unsigned resources,
		      const uint32_t *nodes, uint32_t rank_count, struct error *err);

/*
 * Find the host of every rank.  STATUS_DATA: a rank has no host, or several ranks of a topology are
 * on one host and there is no L within a node.  The caller frees *hosts.
 */
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

/*
 * Find the class whose L is the latency of a link of a topology: that of the link and the switch
 * after it, or if it is the last one of a route that of the link and the variable L.
 */
struct message_class network_link_class(const struct network *network, uint32_t link, bool last);

#endif
