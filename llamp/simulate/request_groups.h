/*
 * Requests of groups of ranks, in the order in which they are served.
 *
 * A group is the ranks that share CPUs, NICs or links.  Its requests are served in the order of
 * their times, and of equal times in the order of their events' numbers.  The order between groups
 * does not matter, as long as a request is served only when no other group can make one of its group
 * before it.  That is certain
 *
 *	if the group is not open: it awaits nothing of other groups (the caller counts that)
 *	if the request is before the limit: what happens in one group is known to reach others
 *	not before `window` later, and no request of any group is before the last window
 *
 * A group whose first request may be served is ready.  Ready groups come first, in the order in which
 * they became so.  When there is none, the next window opens.  So a group is served as far as it goes,
 * while its data are in the cache, and the next groups are known before their turn.
 *
 * The requests of a group are a pairing heap (Fredman, Sedgewick, Sleator, Tarjan, "The pairing heap: a
 * new form of self-adjusting heap", 1986).
 */
#ifndef LLAMP_REQUEST_GROUPS_H
#define LLAMP_REQUEST_GROUPS_H

#include "llamp/simulate/time_windows.h"

#include <stdbool.h>

struct resource_request {
	uint64_t time; /* below 2^63 */
	uint32_t event;
	uint32_t data; /* for the caller */
};

struct request_node {
	struct resource_request request;
	uint32_t child, next; /* later requests; the next child of the same node; or 0 */
};

#define NO_GROUP UINT32_MAX

struct request_group {
	uint64_t listed; /* windows have the group from this time on; UINT64_MAX: they have not */
	uint64_t mail_time; /* the smallest of its mails */
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
	struct time_windows windows;
	uint64_t window; /* length */
	size_t visited;	 /* groups of the open window */
	uint64_t limit;	 /* end of the open window */
};

/*
 * Begin without requests.  All groups have the same `open`.  What happens in one group reaches others
 * after `window` > 0 or later.  End with request_groups_release, also on failure.
 */
int request_groups_init(struct request_groups *groups, uint32_t count, uint32_t open,
			uint64_t window, struct error *err);
void request_groups_release(struct request_groups *groups);

/* Add a request to a group. */
int request_groups_push(struct request_groups *groups, uint32_t group,
			struct resource_request request, struct error *err);

/*
 * Tell a group of an event in another group, by a request that is to be taken before all others: a mail.
 * It may lie until the group is visited for another reason, but not while it may be all that the group
 * awaits.
 */
int request_groups_mail(struct request_groups *groups, uint32_t group, struct resource_request mail,
			struct error *err);

/* A group awaits fewer events of other groups. */
int request_groups_close(struct request_groups *groups, uint32_t group, uint32_t fewer,
			 struct error *err);

/* Take the next request.  Returns 1, or 0 if there is none, or -1. */
int request_groups_take(struct request_groups *groups, struct resource_request *taken,
			struct error *err);

/*
 * The node of the last mail or, without mail, of the first request of the group that comes `distance`
 * after the running one; or 0.  `next` leads to further mails.
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
