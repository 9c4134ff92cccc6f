/*
 * Event flow graphs of one rank, made call by call: from a trace that is read, or beside a program
 * that runs.
 *
 *	flow_rank_begin(&builder, &options, rank_count, rank, err);
 *	flow_rank_comm(builder, 0, place, size, err);
 *	flow_rank_call(builder, call, err);
 *	...
 *	flow_rank_end(builder, &part, err);
 *	flow_rank_release(builder);
 *
 * Each thread of the rank has a graph.  An event has ended when its last call is known: polls that
 * have found nothing are part of the polling call after them that completes something, of whatever
 * function.  If another call comes before, they are an event of their own.
 */
#ifndef TRACE_FLOW_RANK_H
#define TRACE_FLOW_RANK_H

#include "trace/flow/flow.h"
#include "trace/flow/flow_walk.h"

/* Text of the place in the program at which a call was made, or NULL.  Asked for once for each place. */
typedef const char *flow_site_text(void *data, uint64_t place);

struct flow_options {
	enum flow_times times;
	enum flow_level level;
	unsigned folds; /* FLOW_FOLD_... */
	/*
	 * Bytes that a builder may take, 0: any number.  Past it signatures of new calls become
	 * coarser, and the rank is lossy (flow.h): its calls cannot be recovered.  Not with
	 * FLOW_TIMES_ALL.
	 */
	uint64_t memory;
	/*
	 * Several threads may be in flow_rank_call at the same time, each with calls of its own
	 * number.  Not with FLOW_TIMES_ALL, which keeps the order of the calls of all threads.
	 */
	bool concurrent;
	flow_site_text *site; /* by `site` of a call, or else by its return address; NULL: none */
	void *site_data;
};

struct flow_rank_builder;

/* Begin a rank of `rank_count`.  The options are copied. */
int flow_rank_begin(struct flow_rank_builder **builder, const struct flow_options *options,
		    uint32_t rank_count, uint32_t rank, struct error *err);

/*
 * Define a communicator before the calls that name it: the rank's place in it and its size.
 * `place` is NO_RANK in those between groups, where peers are not counted from the rank.
 */
int flow_rank_comm(struct flow_rank_builder *builder, uint32_t id, uint32_t place, uint32_t size,
		   struct error *err);

/*
 * Define the members, world ranks, of a group that calls name.  Calls that have group_ranks need no
 * definition.
 */
int flow_rank_group(struct flow_rank_builder *builder, uint32_t id, const uint32_t *members,
		    uint32_t count, struct error *err);

/*
 * Add a call of the thread call->thread.  Names of functions have to live as long as the builder.
 * Ids of communicators, windows and groups are the caller's, and those of the part.
 */
int flow_rank_call(struct flow_rank_builder *builder, const struct mpi_call *call,
		   struct error *err);

/*
 * Add a call if it is equal to the one that came after the last call the time before.  Returns 1, 0 with
 * nothing changed, or -1.  A caller that makes calls like those of a reader (trace/call/call_as_read.h)
 * may do so after a result of 0: a call that is equal to one of these is like them.
 */
int flow_rank_expected(struct flow_rank_builder *builder, const struct mpi_call *call,
		       struct error *err);

/* An event that has ended. */
struct flow_rank_event {
	uint32_t thread, node;
	uint32_t
		edge; /* by first occurrence in the thread; FLOW_NO_EDGE of the thread's first event */
	bool new_node, new_edge;
	uint64_t visit;		     /* of the node, from 0 */
	uint64_t enter_ns, leave_ns; /* of its first call, of its last one */
};
typedef void flow_rank_seen(void *data, const struct flow_rank_event *event);

/*
 * Report each event from now on, in the thread that has made the call: none, one or two in a call of
 * flow_rank_call, and more in flow_rank_end.
 */
void flow_rank_watch(struct flow_rank_builder *builder, flow_rank_seen *seen, void *data);

/* Times of a graph so far, ns: sums of each node and of each edge, in the order of the graph. */
struct flow_rank_times {
	uint64_t *nodes, *edges; /* to be freed */
};

/*
 * Copy the graph of a thread as it is now, and its times (0 with FLOW_TIMES_NONE): it may have no
 * node.  Not while the thread is in flow_rank_call.  Release with flow_rank_graph_release.
 */
int flow_rank_graph(const struct flow_rank_builder *builder, uint32_t thread,
		    struct flow_graph *graph, struct flow_rank_times *times, struct error *err);
void flow_rank_graph_release(struct flow_graph *graph, struct flow_rank_times *times);

/* Name of the function of a node. */
const char *flow_rank_function(struct flow_rank_builder *builder, uint32_t thread, uint32_t node);

/*
 * Bytes that the builder takes, but for the tables of communicators and requests.  No thread may be
 * in flow_rank_call.
 */
uint64_t flow_rank_bytes(const struct flow_rank_builder *builder);

/*
 * Make a flow that has this rank alone (first_rank, rank_count) of world.rank_count, without
 * communicators.  It has all events that have ended; the builder goes on.  No thread may be in
 * flow_rank_call.  Release with flow_release.
 */
int flow_rank_part(struct flow_rank_builder *builder, struct flow **part, struct error *err);

/* End the events that have not ended, then do the same. */
int flow_rank_end(struct flow_rank_builder *builder, struct flow **part, struct error *err);

void flow_rank_release(struct flow_rank_builder *builder);

#endif
