/*
 * Time on the critical path by category and operation: `llamp path`.
 *
 * The path that decides T (of several, one with the right slope lambda_L) is cut
 * into segments that follow each other without gap from 0 to T.  Each is time of
 * one category, spent by one operation:
 *
 *	compute		the cost of a calc
 *	overhead	o: the sender's before a message, the receiver's after it
 *	latency		L, and bandwidth: (s - 1) G; both belong to the receive,
 *	bandwidth	and so do all parts of a rendezvous after sender and receiver have met
 *	gap		g, or s G between two sends of a rank when g is on
 *
 * Within one step of the path the order is compute, overhead, latency, bandwidth,
 * gap; several latencies of a rendezvous are one segment.
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

struct critical_path {
	int128 runtime_as;			/* T */
	uint64_t message_count;			/* messages whose L or G the path contains */
	uint32_t last_message;			/* its receive, while the path is followed */
	ARRAY(struct critical_segment) segments;	/* in order of time */
};

int critical_path_find(struct critical_path *path, const struct model *model, struct error *err);
void critical_path_release(struct critical_path *path);

#endif
