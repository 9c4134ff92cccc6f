/*
 * Resource requests of groups of ranks, in the order of service.
 *
 * A group is a set of ranks that share CPUs, NICs or links.  Its requests are served by time, and
 * at equal times by the number of the event.  The order between groups does not matter, provided
 * that a request is served only when no other group can cause an earlier request of its group.
 * This holds
 *
 *	if the group is not open: it awaits no event of other groups (the caller counts these)
 *	if its time is below `limit`, the end of the open window: an event reaches other groups
 *	after `window` or later, and no group has a request before the open window
 *
 * A group whose first request may be served is ready.  Ready groups are served first, in the order
 * in which they became ready.  When there is none, the next window opens.  So a group is served as
 * far as possible while its data are in the cache, and the next groups are known before their turn.
 *
 * The requests of a group are a pairing heap (Fredman, Sedgewick, Sleator, Tarjan, "The pairing
 * heap: a new form of self-adjusting heap", 1986).
 */
#ifndef LLAMP_REQUEST_GROUPS_H
#define LLAMP_REQUEST_GROUPS_H

#include "llamp/simulate/lookahead.h"

#include <stdbool.h>

struct resource_request {
	uint64_t time; /* below 2^63 */
	uint32_t event;
	uint32_t data; /* for the caller */
};

struct request_node {
	struct resource_request request;
	uint32_t child, next; /* first later request; next child of the same node; or 0 */
};

#define NO_GROUP UINT32_MAX

struct request_group {
	uint64_t listed;    /* first window that has the group; UINT64_MAX: none has */
	uint64_t mail_time; /* smallest time of its mails */
	uint32_t first;	    /* node of the first request, or 0 */
	uint32_t mail;	    /* node of the last mail, or 0 */
	uint32_t mails, open;
	bool ready; /* in the ring */
};

struct request_groups {
	struct request_group *groups;
	ARRAY(struct request_node) nodes; /* the first is not used */
	uint32_t unused;		  /* first free node, or 0 */
	uint32_t *ring;			  /* of ready groups */
	uint32_t ring_mask, head, tail;
	uint32_t running; /* group that is served, or NO_GROUP */
	struct lookahead windows;
	uint64_t window; /* length */
	size_t visited;	 /* groups of the open window */
	uint64_t limit;	 /* end of the open window */
};

/*
 * Make `count` groups without requests, each with `open` awaited events of other groups.  An event
 * reaches other groups after `window` > 0 or later.  End with request_groups_release, also on
 * failure.
 */
int request_groups_init(struct request_groups *groups, uint32_t count, uint32_t open,
			uint64_t window, struct error *err);
void request_groups_release(struct request_groups *groups);

/* Add a request to a group. */
int request_groups_push(struct request_groups *groups, uint32_t group,
			struct resource_request request, struct error *err);

/*
 * Mail an event of another group to a group.  A mail is taken before all requests of the group.  It
 * waits until the group runs for another reason, unless it may be the last event that the group
 * awaits.
 */
int request_groups_mail(struct request_groups *groups, uint32_t group, struct resource_request mail,
			struct error *err);

/* Reduce the number of events that a group awaits of other groups by `fewer`. */
int request_groups_close(struct request_groups *groups, uint32_t group, uint32_t fewer,
			 struct error *err);

/* Take the next mail or request.  Returns 1, or 0 if there is none, or -1. */
int request_groups_take(struct request_groups *groups, struct resource_request *taken,
			struct error *err);

/*
 * Return the node of the last mail, or else of the first request, of the group that runs `distance`
 * groups after the running one; or 0.  `next` of the node is the mail before.
 */
static inline uint32_t request_groups_later(const struct request_groups *groups, uint32_t distance)
{
	const struct request_group *later;

	if (groups->tail - groups->head > distance)
		later = &groups->groups[groups->ring[(groups->head + distance) &
						     groups->ring_mask]];
	else if (groups->windows.open && groups->visited + distance < groups->windows.open->count)
		later = &groups->groups[groups->windows.open->items[groups->visited + distance]
						.group];
	else
		return 0;
	return later->mail ? later->mail : later->first;
}

#endif
