/* Flows of calls that a test makes: one communicator of all ranks, any calls of each. */
#ifndef TEST_MAKE_FLOW_H
#define TEST_MAKE_FLOW_H

#include "trace/flow/builder/flow_build.h"

enum { FLOW_FEED_MOST_EVENTS = 4 };

/* A call with room for its events. */
struct flow_feed_call {
	struct mpi_call call;
	struct mpi_event events[FLOW_FEED_MOST_EVENTS];
};

/* Calls of a rank. */
struct flow_feed_rank {
	ARRAY(struct flow_feed_call) calls;
};

struct flow_feed {
	struct trace_world world;
	struct trace_comm comm;
	uint32_t identity[64];
	struct flow_feed_rank ranks[64];
};

void flow_feed_begin(struct flow_feed *feed, uint32_t ranks);
void flow_feed_release(struct flow_feed *feed);

/* Add a call of `function` with these events, 10 ns after the last one, that takes 5 ns. */
void flow_feed_add(struct flow_feed *feed, uint32_t rank, const char *function,
		   const struct mpi_event *events, uint32_t count);

/* Add a call for each letter of a text: functions "A", "B", ... without events. */
void flow_feed_letters(struct flow_feed *feed, uint32_t rank, const char *letters);

/* The calls as a source of flows, which threads may share; valid as long as the feed. */
struct flow_source flow_feed_source(const struct flow_feed *feed);

/* Make the flow of the calls.  The test fails on an error. */
struct flow *flow_feed_build(const struct flow_feed *feed, const struct flow_options *options);

/* Write a flow to a file.  The test fails on an error. */
void flow_to_file(const struct flow *flow, const char *path);

/* Make the flow of MiniGhost: 3,160 events, 87 nodes, 90 edges, two nested loops (doc/eventflow.md). */
struct flow *make_minighost(void);

#endif
