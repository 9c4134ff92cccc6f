/* Items of a list to the processes that they are for (dist/dist.h). */
#ifndef DIST_DELIVER_H
#define DIST_DELIVER_H

#include "dist/dist.h"

struct dist_items {
	void **list; /* of the caller */
	size_t count, item_bytes;
	/* Find the process that an item is for. */
	uint32_t (*process_of)(const void *data, const void *item);
	const void *data;
};

/*
 * Give each item to its process.  Collective; the number of items may differ between processes.
 * Frees the list as soon as it has a copy in the order of the processes, and sets it to NULL.
 * *arrived becomes the items from all processes, those from process 0 first, those from one process
 * in the order of its list.  Fails on all processes if one has no memory.  On success end with
 * bytes_release.
 */
int dist_deliver(struct dist *dist, const struct dist_items *items, struct bytes *arrived,
		 struct error *err);

/* Deliveries one after the other, which keep their memory. */
struct dist_turns {
	struct dist *dist;	 /* not owned */
	uint64_t *sizes;	 /* [process]: bytes to it */
	uint64_t *arrived_sizes; /* [process]: bytes from it */
	uint64_t *places;	 /* [process]: bytes before the next one to it */
	struct bytes ordered;	 /* items to deliver, those for process 0 first */
	struct bytes arrived;	 /* items of the last turn, in the order of dist_deliver */
};

/* Collective.  In any case end with dist_turns_end. */
int dist_turns_begin(struct dist_turns *turns, struct dist *dist, struct error *err);

/*
 * Deliver the items of this turn, and keep the list.  Collective.  `result` is that of the work since
 * the last turn: if it is -1 on a process, with *err filled, the turn fails on all as dist_agree
 * does.  Sets *any to whether a process had an item.  Besides the messages a turn takes two
 * collective operations.
 */
int dist_turn(struct dist_turns *turns, const struct dist_items *items, int result, bool *any,
	      struct error *err);
void dist_turns_end(struct dist_turns *turns);

#endif
