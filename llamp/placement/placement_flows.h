/*
 * What messages between ranks take on one mapping or another (llamp/placement/placement.h): all
 * messages of two ranks, of sizes with the same parameters, are a flow.
 */
#ifndef LLAMP_PLACEMENT_FLOWS_H
#define LLAMP_PLACEMENT_FLOWS_H

#include "common/array.h"
#include "common/number_map.h"
#include "llamp/analysis/critical_path.h"
#include "llamp/placement/placed_model.h"

/* Latencies and bytes of messages between two ranks, of a row of sizes. */
struct flow {
	uint32_t ranks[2];
	uint32_t row;
	double latencies, bytes;
	/* Within a host; between two, without the latencies of their distance. */
	double within_as, between_as;
};

/* The flows of a rank are of_rank[first[rank]] to of_rank[first[rank + 1] - 1]. */
struct flows {
	ARRAY(struct flow) list;
	struct number_map known; /* by the two ranks and the row */
	uint32_t *first, *of_rank;
};

/* Find the flows on the critical path of a mapping.  End with flows_release. */
int flows_of_path(struct flows *flows, const struct placement_task *task,
		  const struct placed_model *placed, const struct critical_path *path,
		  struct error *err);

/* Find the flows of all messages, whatever T depends on.  End with flows_release. */
int flows_of_all(struct flows *flows, const struct placement_task *task,
		 const struct placed_model *placed, struct error *err);
void flows_release(struct flows *flows);

/* Time of a flow between two hosts, in as. */
double flow_as(const struct placement_task *task, const struct flow *flow, uint32_t from,
	       uint32_t to);

#endif
