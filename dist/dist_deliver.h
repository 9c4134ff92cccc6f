/* Items of a list to the processes that they are for (dist/dist.h). */
#ifndef DIST_DELIVER_H
#define DIST_DELIVER_H

#include "dist/dist.h"

struct dist_items {
	const void *list;
	size_t count, item_bytes;
	/* Find the process that an item is for. */
	uint32_t (*process_of)(const void *data, const void *item);
	const void *data;
};

/*
 * Give each item to its process.  Collective; the number of items may differ between processes.  Those from one process
 * arrive in the order of its list.  On success end with dist_arrived_release.
 */
int dist_deliver(struct dist *dist, const struct dist_items *items, struct dist_arrived *arrived,
		 struct error *err);

#endif
