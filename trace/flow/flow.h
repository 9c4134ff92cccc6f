/*
 * Event flow graphs of a run as data: for each thread of each rank which MPI calls it made, and
 * which came after which, in the temporal form from which all calls can be recovered in their order
 * (doc/efg-format.md).
 *
 * A signature is what a call is, without its times and the numbers of its requests.  A node of a
 * graph is a signature, an edge a pair of successive events.  The edges of a node divide the
 * numbers of its visits: edge e is followed after the visits in its blocks
 * (trace/flow/flow_blocks.h).  Threads with equal graphs share one.
 *
 * An event is one call.  Polls that found nothing and the polling call after them that completes
 * something are one event.
 */
#ifndef TRACE_FLOW_H
#define TRACE_FLOW_H

#include "common/input.h"
#include "common/number_map.h"
#include "trace/call/string_table.h"
#include "trace/call/trace_backend.h"
#include "trace/flow/flow_blocks.h"

/* Which times a file has: none, sums for each node and edge, or those of each call. */
enum flow_times { FLOW_TIMES_NONE, FLOW_TIMES_STATS, FLOW_TIMES_ALL };

/* What tells nodes apart: the function, all of the call, the place in the program too. */
enum flow_level { FLOW_BY_FUNCTION, FLOW_BY_CALL, FLOW_BY_SITE };

/* Fields of a call that do not tell nodes apart. */
enum { FLOW_FOLD_BYTES = 1, FLOW_FOLD_TAG = 2, FLOW_FOLD_PEER = 4 };

/*
 * How a node's events may differ: not at all but for times, or by what their values say
 * (flow_call.h).
 */
enum flow_signature_kind { FLOW_PLAIN, FLOW_FOLDED, FLOW_VARIABLE };

struct flow_edge {
	uint32_t from, to;	      /* nodes */
	uint32_t blocks, block_count; /* first in struct flow_graph */
	uint64_t count;
};

struct flow_node {
	uint32_t signature;
	uint32_t edges, edge_count; /* first in struct flow_graph; by first occurrence */
	uint64_t visits;
};

/* Nodes are numbered in the order of their first visit: the first event is at node 0. */
struct flow_graph {
	ARRAY(struct flow_node) nodes;
	ARRAY(struct flow_edge) edges;
	struct flow_blocks blocks;
	uint64_t events;
	uint32_t end; /* node of the last event */
};

/*
 * Statistics of the durations of a node or edge, ns.  buckets[i]: durations below 2^i, not below
 * 2^(i-1).
 */
enum { FLOW_BUCKETS = 32 };
struct flow_stat {
	uint64_t count, sum, least, most;
	double squares;
	uint32_t buckets[FLOW_BUCKETS];
};

/*
 * Bytes that are compressed, or that are `raw_count` bytes.  `bytes` is NULL if another process has
 * them.
 */
struct flow_packed {
	const uint8_t *bytes;
	size_t count, raw_count;
};

/* A growable array (common/array.h). */
struct flow_ids {
	uint32_t *items;
	size_t count, capacity;
};

struct flow_thread {
	uint32_t graph;
	uint64_t calls;		   /* an event may be several */
	uint64_t begin_ns;	   /* of the first call; 0 without times */
	struct flow_packed values; /* flow_build.c */
	struct flow_packed times;
	struct flow_ids contents; /* signatures of calls, by the numbers that values have */
};

/*
 * What of a rank was recorded in full, in an archive beside the graphs of the whole run: iterations
 * of its main loop.
 */
struct flow_window {
	uint64_t first_call, calls;   /* of all calls of the rank in their order */
	uint64_t first_visit, visits; /* of the header; none if the rank has no such loop */
	uint32_t header; /* node of the first thread's graph at which iterations begin */
	uint32_t round;	 /* visits of the header for each iteration, at least 1 */
};

struct flow_rank {
	ARRAY(struct flow_thread) threads; /* none: the rank has no call */
	/*
	 * Memory was bounded, and calls that differ became one: counts and times are right, calls
	 * cannot be recovered.
	 */
	bool lossy;
	ARRAY(struct flow_window) recorded; /* ascending, apart */
	/* Ids in the archive, by the rank's own numbers: in the order in which its calls name them. */
	struct flow_ids comms, windows, groups;
	struct flow_packed order; /* of the calls of several threads: thread, calls, ... */
	struct flow_packed
		requests; /* numbers of requests that cannot be foretold (flow_requests.h) */
};

struct flow_group {
	uint32_t id; /* in the archive */
	ARRAY(uint32_t) members;
};

struct flow {
	struct trace_world world; /* owned */
	uint32_t *identity;	  /* 0, 1, ..., rank_count - 1 */
	struct trace_left_out left_out;
	enum flow_times times;
	enum flow_level level;
	unsigned folds;			/* FLOW_FOLD_... */
	struct string_table strings;	/* string 0 is "" */
	struct string_table signatures; /* bytes (flow_call.h), by number */
	ARRAY(uint32_t) signature_sizes;
	ARRAY(struct flow_group) groups;
	ARRAY(struct flow_graph) graphs;
	/* Ranks that it has: all of the run, but of a part (trace/flow/file/flow_merge.h). */
	uint32_t first_rank, rank_count, rank_room;
	struct flow_rank *ranks; /* [world rank - first_rank]: flow_rank_of */
	uint64_t calls;		 /* of these ranks */
	uint64_t file_bytes;	 /* of the file that it was read from, else 0 */
	/* Graphs and groups that it has, to find equal ones (flow_merge.c). */
	struct string_table graph_numbers; /* as bytes */
	struct number_map group_numbers;   /* by id */
	/* Memory of all that is const above, and files that it was read from. */
	ARRAY(void *) owned;
	ARRAY(struct input *) inputs;
};

/* Make a flow without ranks and world; release it, or NULL. */
int flow_make(struct flow **flow, struct error *err);
void flow_release(struct flow *flow);

/* Add empty ranks after those of the flow, or the first ones from flow->first_rank on. */
int flow_add_ranks(struct flow *flow, uint32_t count, struct error *err);

static inline struct flow_rank *flow_rank_of(const struct flow *flow, uint32_t rank)
{
	return &flow->ranks[rank - flow->first_rank];
}

#endif
