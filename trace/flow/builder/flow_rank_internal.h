/* Builder of a rank; internal to trace/flow/builder/. */
#ifndef TRACE_FLOW_RANK_INTERNAL_H
#define TRACE_FLOW_RANK_INTERNAL_H

#include "trace/call/poll_run.h"
#include "trace/flow/builder/flow_rank.h"
#include "trace/flow/call/flow_call.h"
#include "trace/flow/flow_stat.h"

/*
 * Durations of a node or edge: bytes and the last ones, from which the next are counted, or
 * statistics.
 */
struct build_times {
	struct flow_stat stat; /* only count and sum with FLOW_TIMES_ALL */
	struct flow_bytes bytes;
	uint64_t gap, duration, poll_gaps, least_gap;
};

struct build_edge {
	uint32_t to;
	struct flow_set visits;
	struct build_times times;
};

/*
 * Call that came last to a node whose events are alike but for times and the numbers of requests: a
 * call that is equal to it needs no signature.
 */
struct build_known {
	const char *function;
	uint64_t place; /* in the program, 0 if the builder has no places */
	uint32_t count;
	/*
	 * How all events use their requests: FLOW_NO_REQUEST, FLOW_STARTS, or FLOW_ENDS if they end
	 * the oldest ones in order; FLOW_KEEPS if codes have to tell.
	 */
	enum flow_request_use use;
	struct build_known_event {
		struct mpi_event event; /* without vectors */
		struct flow_code code;
	} events[];
};

/* What each visit needs comes first, in few lines of the cache. */
struct build_node {
	uint64_t visits;
	struct build_known *known; /* NULL: none, owned */
	uint32_t recent;	   /* edge that was followed last */
	uint32_t signature;
	ARRAY(uint32_t) edges; /* in the order of their first visit */
	struct build_times times;
	/* Values of visits: how often, and the row.  The last row is not in `values` yet. */
	struct flow_bytes values, row;
	uint64_t repeats;
};

/* A call whose event has not ended. */
struct build_call {
	uint64_t gap_ns, duration_ns, poll_gaps_ns, least_gap_ns;
	bool polls;
};

/* The way that the next call goes if it follows the edge that was followed last. */
struct build_step {
	struct build_node *from, *to;
	struct build_edge *edge;
	const struct build_known *known; /* what `to` knows; NULL: the way is not known */
};

struct build_thread {
	uint32_t number;
	struct flow_request_thread *requests;
	struct build_step expected; /* valid until the graph grows (build_expect) */
	struct flow_codes codes; /* of the call at hand */
	/*
	 * The bound of memory (flow_rank_memory.c).  coarseness: 0 exact, 1 sizes are powers of
	 * two, 2 without sizes, tags, peers and requests, 3 functions alone; above 0 the thread is
	 * lossy.
	 */
	unsigned coarseness;
	uint64_t growth, next_check;	/* how often it may have grown; when to look */
	_Atomic uint64_t bytes;		/* when it was looked */
	ARRAY(struct mpi_event) coarse; /* events of the call at hand */
	ARRAY(struct build_node) nodes;
	ARRAY(struct build_edge) edges;
	struct number_map node_of; /* signature: node */
	struct number_map edge_of; /* from, to: edge */
	uint32_t at;		   /* node of the last event */
	uint64_t begin_ns, enter_ns, last_ns, events, calls;
	/* The event that has not ended. */
	uint32_t function, site;	     /* of its last call */
	uint32_t first_function, first_site; /* of its first one */
	struct poll_run polls;		     /* of FLOW_TIMES_STATS */
	uint32_t poll_number;		     /* of the next poll */
	uint64_t computed_ns;		     /* between polls, once it has ended */
	ARRAY(struct build_call) open;
	struct flow_bytes row;
	/* Signatures that values name: signature: number, and by number. */
	struct number_map content_of;
	struct flow_ids contents;
};

/*
 * Threads that call at the same time have graphs of their own.  Tables of the rank are behind the
 * lock, which is not needed for calls that nodes know.
 */
struct flow_rank_builder {
	struct flow *flow; /* of this rank: all but graphs, values and times */
	struct flow_options options;
	uint32_t rank;
	_Atomic unsigned coarseness;	/* of all threads, once they look */
	uint64_t raised_at;		/* bytes when that was raised */
	pthread_mutex_t lock;		/* recursive: `seen` may ask for names */
	struct number_map group_places; /* id: place in flow->groups */
	struct flow_calls calls;
	/* By number, in lists of 1, 2, 4, ... that are never moved; NULL: none. */
	struct build_thread **_Atomic lists[32];
	uint32_t thread_count;	  /* one more than the largest number */
	struct number_map sites;  /* place: string */
	ARRAY(uint8_t) functions; /* by string: what decides the node of its calls */
	struct flow_bytes order;  /* of calls of several threads, with FLOW_TIMES_ALL */
	uint32_t order_thread;
	uint64_t order_calls;
	struct flow_bytes content, key; /* of a call */
	flow_rank_seen *seen;
	void *seen_data;
};

/* Find the list of a thread, and its place there. */
static inline unsigned build_list_of(uint32_t number, uint32_t *place)
{
	const unsigned list = 63 - (unsigned)__builtin_clzll((uint64_t)number + 1);

	*place = (uint32_t)((uint64_t)number + 1 - ((uint64_t)1 << list));
	return list;
}

/* Thread of a number, or NULL. */
static inline struct build_thread *build_thread_of(const struct flow_rank_builder *builder,
						   uint32_t number)
{
	uint32_t place;
	struct build_thread **list = atomic_load_explicit(
		&builder->lists[build_list_of(number, &place)], memory_order_acquire);

	return list ? list[place] : NULL;
}

static inline void build_lock(struct flow_rank_builder *builder)
{
	if (builder->options.concurrent)
		pthread_mutex_lock(&builder->lock);
}

static inline void build_unlock(struct flow_rank_builder *builder)
{
	if (builder->options.concurrent)
		pthread_mutex_unlock(&builder->lock);
}

/* Place of a call in the program; 0 if it, or any place, is not known. */
static inline uint64_t build_place(const struct flow_rank_builder *builder,
				   const struct mpi_call *call)
{
	if (!builder->options.site)
		return 0;
	return call->site != NO_SITE ? call->site : call->return_address;
}

/* Find the way of the next call, if no event is at hand. */
static inline void build_expect(struct build_thread *thread)
{
	struct build_step *step = &thread->expected;
	struct build_node *from = &thread->nodes.items[thread->at];

	step->known = NULL;
	if (!from->edges.count)
		return;
	step->from = from;
	step->edge = &thread->edges.items[from->recent];
	step->to = &thread->nodes.items[step->edge->to];
	step->known = step->to->known;
}

/* flow_rank_expected.c */
/*
 * Add a call of the thread if it is the one that followed last time, and its requests are used as
 * they were then.  Returns 1, or 0 with nothing changed.
 */
int build_take_expected(struct flow_rank_builder *builder, struct build_thread *thread,
			const struct mpi_call *call, struct error *err);

/* flow_rank_known.c */
/*
 * Note the requests of a call: the codes of the thread become its.  If an edge leads to a node that
 * knows the call, and no event is at hand, end its event there.  Returns 1, or 0 if the call is to
 * be added by build_add_other.
 */
int build_take_known(struct flow_rank_builder *builder, struct build_thread *thread,
		     const struct mpi_call *call, struct error *err);
/* Let a node know the call. */
int build_know(struct flow_rank_builder *builder, struct build_node *node,
	       const struct flow_codes *codes, const struct mpi_call *call, struct error *err);

/* Report an event that has ended. */
static inline void build_report(const struct flow_rank_builder *builder,
				const struct build_thread *thread, struct flow_rank_event *event)
{
	if (!builder->seen)
		return;
	event->thread = thread->number;
	event->enter_ns = thread->enter_ns;
	event->leave_ns = thread->last_ns;
	builder->seen(builder->seen_data, event);
}

/* Report the event of a call that has gone the expected way. */
static inline void build_report_step(const struct flow_rank_builder *builder,
				     const struct build_thread *thread,
				     const struct build_step *step)
{
	struct flow_rank_event event = {.node = step->edge->to,
					.edge = (uint32_t)(step->edge - thread->edges.items),
					.visit = step->to->visits - 1};

	build_report(builder, thread, &event);
}

/* Go to a node in which the event at hand is. */
static inline uint64_t build_arrive(struct build_thread *thread, uint32_t number)
{
	thread->at = number;
	thread->events++;
	return thread->nodes.items[number].visits++;
}

/* Add a visit, of the node that it leaves, to an edge: only their number in a lossy thread. */
static inline int build_add_visit(struct build_thread *thread, struct build_edge *edge,
				  uint64_t visit, struct error *err)
{
	if (thread->coarseness) {
		edge->visits.count++;
		return 0;
	}
	thread->growth += visit != edge->visits.end;
	return flow_set_add(&edge->visits, visit, err);
}

/* flow_rank_graph.c */
/* Go to the node of a signature, which ends the event at hand with the values in thread->row. */
int build_visit(struct flow_rank_builder *builder, struct build_thread *thread, uint32_t signature,
		struct error *err);
/* Make the graph of a thread; append the values of its nodes. */
int build_graph(const struct build_thread *thread, struct flow_graph *graph, struct error *err);
int build_put_values(const struct flow_rank_builder *builder, const struct build_thread *thread,
		     struct flow_bytes *bytes, struct error *err);
void build_thread_release(struct build_thread *thread);

/* Add a duration to the statistics, or to the sums that the times of all calls have beside. */
static inline void build_add_sum(const struct flow_rank_builder *builder, struct flow_stat *stat,
				 uint64_t ns)
{
	ns = ns > INT64_MAX ? 0 : ns;
	if (builder->options.times == FLOW_TIMES_STATS) {
		flow_stat_add(stat, ns);
		return;
	}
	stat->count++;
	stat->sum += ns;
}

/* Append the difference of a duration from the one before. */
static inline int build_put_change(struct flow_bytes *bytes, uint64_t *before, uint64_t now,
				   struct error *err)
{
	const int64_t change = (int64_t)(now - *before);

	*before = now;
	return flow_put_varied(bytes, flow_fold_sign(change), err);
}

/* Add the times of a call that is an event: to the edge before it and to its node. */
static inline int build_add_single(const struct flow_rank_builder *builder,
				   struct build_times *edge, uint64_t gap_ns,
				   struct build_times *node, uint64_t duration_ns,
				   struct error *err)
{
	if (builder->options.times == FLOW_TIMES_NONE)
		return 0;
	build_add_sum(builder, &edge->stat, gap_ns);
	build_add_sum(builder, &node->stat, duration_ns);
	if (builder->options.times != FLOW_TIMES_ALL)
		return 0;
	TRY(build_put_change(&edge->bytes, &edge->gap, gap_ns, err));
	return build_put_change(&node->bytes, &node->duration, duration_ns, err);
}

/* flow_rank_times.c */
/* Add the time before the event at hand to an edge, that of the event to a node. */
int build_add_gap(const struct flow_rank_builder *builder, struct build_times *times,
		  uint64_t gap_ns, struct error *err);
int build_add_durations(const struct flow_rank_builder *builder, struct build_times *times,
			const struct build_thread *thread, struct error *err);
/* Append the times of all nodes, then of all edges, in the order of the graph. */
int build_put_times(const struct flow_rank_builder *builder, const struct build_thread *thread,
		    struct flow_bytes *bytes, struct error *err);

/* flow_rank_events.c */
/* Add a call, whose codes are those of the thread, to the event at hand, end that, or both. */
int build_add_other(struct flow_rank_builder *builder, struct build_thread *thread,
		    const struct mpi_call *call, struct error *err);
/* End an event that is only polls. */
int build_end_polls(struct flow_rank_builder *builder, struct build_thread *thread,
		    struct error *err);

/* flow_rank_memory.c: look whether the rank takes too many bytes, and make its threads coarser then. */
int build_check_memory(struct flow_rank_builder *builder, struct build_thread *thread,
		       struct error *err);
/* Replace a call without a signature by a coarser one, `room`, with the codes of the thread. */
int build_coarsen(struct flow_rank_builder *builder, struct build_thread *thread,
		  const struct mpi_call **call, struct mpi_call *room, struct error *err);

/*
 * flow_rank_part.c: make a flow of no calls for `count` ranks; add the graphs to one that has the
 * tables.
 */
int build_flow(struct flow **flow, const struct flow_options *options, uint32_t first_rank,
	       uint32_t count, struct error *err);
int build_part(struct flow_rank_builder *builder, struct flow *flow, struct error *err);

#endif
