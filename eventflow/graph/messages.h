/* Messages between ranks, counted from the graphs without putting calls in order. */
#ifndef EVENTFLOW_MESSAGES_H
#define EVENTFLOW_MESSAGES_H

#include "common/number_map.h"
#include "trace/flow/flow.h"

/* Messages from a rank to another one, both of MPI_COMM_WORLD. */
struct flow_pair {
	uint32_t from, to;
	uint64_t messages, bytes;
};

/* Zero bytes are none.  Owned arrays. */
struct flow_messages {
	ARRAY(struct flow_pair) pairs; /* by sender, then by first message in its graphs */
	struct number_map pair_of;     /* from, to: pair */
	uint64_t messages, bytes;      /* of all pairs */
};

/*
 * Add the messages that a rank has sent, each send at its visits.  Takes time by the size of the
 * rank's graphs, and by the visits of nodes whose calls differ.
 */
int flow_messages_add(struct flow_messages *messages, const struct flow *flow, uint32_t rank,
		      struct error *err);
void flow_messages_release(struct flow_messages *messages);

#endif
