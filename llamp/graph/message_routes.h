/*
 * The links that the messages of a graph pass, for networks whose links do one thing at a time
 * (doc/model.md, "Resources").
 *
 * Entries are the entries of messages into links, one for each link of each message, in the order
 * of the sends and then of the route.  Directed links are numbered, as far as messages use them.  A
 * route is stored once for two hosts.  Memory: 8 bytes per operation, 5 for each link of each
 * different route.
 */
#ifndef LLAMP_MESSAGE_ROUTES_H
#define LLAMP_MESSAGE_ROUTES_H

#include "goal/goal.h"
#include "llamp/graph/message_classes.h"

struct message_routes {
	uint32_t *first;	/* [operation]: first of its entries; [op_count]: their number */
	uint32_t *route;	/* [operation]: of a send: where its route begins in `links` */
	uint32_t *links;	/* numbers of directed links, below link_count */
	uint8_t *link_classes;	/* the same: class of the link */
	uint32_t link_count;
};

/*
 * Find the routes of all messages but those within a node.  A network without a topology is
 * STATUS_USAGE; 2^29 operations and entries or more are STATUS_LIMIT.  On failure there is nothing
 * to release.
 */
int message_routes_find(struct message_routes *routes, const struct goal *goal,
			const struct network *network, struct error *err);
void message_routes_release(struct message_routes *routes);

/* The send that an entry belongs to. */
uint32_t message_routes_send(const struct message_routes *routes, uint32_t op_count,
			     uint32_t entry);

#endif
