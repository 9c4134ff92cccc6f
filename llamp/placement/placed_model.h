/* The model of a task with another mapping of ranks to hosts (llamp/placement/placement.h). */
#ifndef LLAMP_PLACED_MODEL_H
#define LLAMP_PLACED_MODEL_H

#include "llamp/placement/placement_task.h"

struct placed_model {
	struct network network;
	struct model model; /* shares the graph and the calls of the task's model */
};

/* Build the graphs of the task's program on these hosts, which stay the caller's.  End with placed_model_close. */
int placed_model_open(struct placed_model *placed, const struct placement_task *task,
		      const uint32_t *hosts, struct error *err);
void placed_model_close(struct placed_model *placed);

#endif
