/*
 * Time on the critical path by category and operation: `llamp path`.
 *
 * The path that decides T is cut into segments, which follow each other from 0 to T.  Of several
 * such paths it is one with the slope lambda_L to the right of L.  A segment is time of one
 * category, spent by one operation:
 *
 *	compute		cost of a calc
 *	overhead	o of the sender before a message, and of the receiver after it
 *	latency		L, which belongs to the receive
 *	bandwidth	(s - 1) G, which belongs to the receive
 *	gap		g, or s G between two sends of a rank if g is on
 *
 * All parts of a rendezvous after its match belong to the receive.  Within one step of the path
 * the order is compute, overhead, latency, bandwidth, gap.  Several latencies of a rendezvous are
 * one segment.
 */
#ifndef LLAMP_CRITICAL_PATH_H
#define LLAMP_CRITICAL_PATH_H

#include "common/array.h"
#include "llamp/analysis/model.h"
#include "llamp/path/path_engine.h"

struct critical_segment {
	int128 start_as, end_as;	/* start < end */
	uint32_t rank;
	uint32_t operation;		/* index in the rank, from 0 */
	uint8_t category;		/* enum category */
	uint8_t kind;			/* enum goal_kind of the operation */
};

/* Message that the path passes along, in the order of time.  Rendezvous may do so twice. */
struct critical_message {
	uint32_t from, to;		/* ranks */
	uint32_t operation;		/* the receive: index in the rank `to` */
	uint32_t send;			/* the send: index in the rank `from` */
	uint64_t lambda;		/* latencies on the path */
	uint64_t lambda_G;		/* bytes on the path */
	int128 transfer_as;		/* latency and bandwidth */
};

struct critical_path {
	int128 runtime_as;			/* T */
	int128 lambda;				/* lambda_L: latencies of all messages */
	int128 lambda_G;			/* bytes of all messages; those of gaps do not count */
	int128 variable_as[VARIABLES_MOST];	/* time of each variable */
	uint64_t message_count;			/* messages whose L or G the path contains */
	uint32_t last_message;			/* receive of the message counted last */
	ARRAY(struct critical_segment) segments;	/* in order of time */
	ARRAY(struct critical_message) messages;
};

int critical_path_find(struct critical_path *path, const struct model *model, struct error *err);

/*
 * The same, and find the slack of each operation, (*slack_as)[v] (llamp/analysis/critical_steps.h).
 * With resources it is the slack with the order of service fixed (llamp/simulate/simulation.h).
 */
int critical_path_find_with_slack(struct critical_path *path, int128 **slack_as,
				  const struct model *model, struct error *err);
void critical_path_release(struct critical_path *path);

#endif
