/* What is placed, and where: a program, and the hosts of a network (llamp/placement/placement.h). */
#ifndef LLAMP_PLACEMENT_TASK_H
#define LLAMP_PLACEMENT_TASK_H

#include "llamp/analysis/model.h"
#include "llamp/network/network.h"
#include "llamp/placement/placement_hosts.h"

/* A program and a network whose ranks are to be placed. */
struct placement_task {
	const struct model *model;    /* with a network; its own mapping is the given one */
	uint32_t host_count, slots;   /* hosts, and ranks that fit on each */
	struct placement_hosts hosts; /* owned */
};

/*
 * Find the hosts and slots of a model's network.  Without one whose hosts differ the error is
 * STATUS_USAGE; more ranks than slots are STATUS_DATA.  End with placement_task_release.
 */
int placement_task_init(struct placement_task *task, const struct model *model, struct error *err);
void placement_task_release(struct placement_task *task);

/* Whether the network has a mapping that is neither block nor cyclic. */
bool placement_has_given(const struct placement_task *task);

/*
 * Number of hosts that the ranks fill, and of those that are near: twice as many.  They are the first
 * ones in order.  A network may be far larger than a job, and mappings over all of it are poor ones.
 */
uint32_t placement_packed_hosts(const struct placement_task *task);
uint32_t placement_near_hosts(const struct placement_task *task);

#endif
