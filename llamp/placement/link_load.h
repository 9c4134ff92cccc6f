/* Load of the links of a topology: the messages and bytes of a graph that pass along each of them. */
#ifndef LLAMP_LINK_LOAD_H
#define LLAMP_LINK_LOAD_H

#include "common/array.h"
#include "goal/goal.h"
#include "llamp/network/network.h"
#include "llamp/network/topology.h"

/* A link in one direction. */
struct loaded_link {
	struct hop hop;
	uint64_t messages, bytes;
};

struct link_load {
	uint64_t messages, bytes;	/* of the graph */
	uint64_t inside;		/* messages between ranks of one host, which pass no link */
	ARRAY(struct loaded_link) links;	/* with a message; most bytes, then most messages first */
};

/*
 * Send all messages of a graph along their routes, from the hosts where a network with a topology
 * places the ranks.  End with link_load_release.
 */
int link_load_find(struct link_load *load, const struct goal *goal, const struct network *network,
		   struct error *err);
void link_load_release(struct link_load *load);

#endif
