/* Latencies on a critical path by communicator, from the side file of the graph (goal/calls.h). */
#ifndef LLAMP_CRITICAL_COMMUNICATORS_H
#define LLAMP_CRITICAL_COMMUNICATORS_H

#include "llamp/analysis/critical_path.h"

/* Messages of the path in one communicator. */
struct critical_communicator {
	const char *name;	/* NULL if it is not known; owned by the model */
	uint64_t messages;
	uint64_t lambda;	/* latencies */
	uint64_t lambda_G;	/* bytes */
	int128 transfer_as;	/* latency and bandwidth */
};

struct critical_communicators {
	ARRAY(struct critical_communicator) list;	/* by latencies, then by time, most first */
};

/*
 * Find the communicators of all messages: that of the receive's call, else that of the send's.
 * Returns 1 if the model has no side file.  The error is STATUS_DATA if it is damaged.  After 0,
 * end with critical_communicators_release.
 */
int critical_communicators_find(struct critical_communicators *communicators,
				const struct critical_path *path, const struct model *model,
				struct error *err);
void critical_communicators_release(struct critical_communicators *communicators);

#endif
