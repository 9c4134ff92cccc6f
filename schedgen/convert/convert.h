/*
 * Convert the MPI calls of a rank to a GOAL graph (doc/trace-to-goal.md).
 *
 *	convert_init(&convert, world, &options, err);
 *	for each rank:
 *		convert_begin(&convert, rank);
 *		for each of its calls: convert_call(&convert, call, err);
 *		convert_end(&convert, err);
 *		... convert.builder holds the rank's graph ...
 *	convert_release(&convert);
 *
 * The calls of a rank's threads come in the order in which they were entered.  Each thread is a
 * chain of operations on a cpu of its own.  The chains meet where a thread completes a request
 * of another thread.
 *
 * Calls may come from any source.  Memory is bounded by the number of open requests, besides the
 * operations in the builder.
 */
#ifndef SCHEDGEN_CONVERT_H
#define SCHEDGEN_CONVERT_H

#include "goal/builder.h"
#include "schedgen/collectives/collective.h"
#include "schedgen/collectives/comm_nodes.h"
#include "schedgen/collectives/frontier.h"
#include "schedgen/collectives/neighbours.h"
#include "schedgen/convert/deferred.h"
#include "schedgen/convert/goal_tags.h"
#include "schedgen/progress/progress_table.h"
#include "trace/sequence/slice.h"
#include "schedgen/convert/slice_channels.h"
#include "schedgen/convert/totals.h"
#include "trace/call/call_tracker.h"

struct all_sizes;
struct rma_plan;
struct rules;
struct source_lines;
struct trace_reader;

/* Largest number of ranks of a graph: beyond it, memory for each rank is no longer small. */
enum { CONVERT_MOST_RANKS = 1 << 22 };

struct convert_options {
	double compute_scale;	   /* factor for the time of computation; 1: as traced */
	double reduce_ns_per_byte; /* cost of combining two vectors in reductions; 0: free */
	uint32_t ranks_per_node;   /* in the order of ranks; 0: the nodes of the trace */
	bool without_barriers;	   /* no rank waits in MPI_Barrier or MPI_Ibarrier */
	/* By kind of collective (enum mpi_collective); without an algorithm: by the rules. */
	struct coll_choice choices[COLL_KINDS];
	/*
	 * K: the graph has K copies of the P traced ranks.  Rank r of copy c has number c P + r.
	 * Collectives among all ranks are among the ranks of all copies, with the root of the
	 * first copy.  Messages and all other collectives stay in each copy.
	 */
	uint32_t copies;

	/* Not owned. */
	struct rules *first_rules; /* before `choices`; NULL: none */
	struct rules *rules;	   /* NULL: all defaults */
	/* Needed for algorithms with coll_needs_all_sizes, else NULL. */
	const struct all_sizes *all_sizes;
	/*
	 * Slices to convert, by rank of the world; NULL: the whole run.  A slice lies within the
	 * run of its rank.
	 */
	const struct rank_slice *slices;
	struct rma_plan *rma_plan; /* of all ranks; NULL: no one-sided communication */
	/* Which part of a message moves while a rank computes; NULL: all of it. */
	const struct progress_table *progress;
	/* Deferred messages of all ranks; NULL: the first reading, which finds them. */
	const struct deferred *deferred;
};

/* Posted half of a message, of which no call has waited yet: place of its request. */
struct open_half {
	uint32_t place, number, thread;
	int kind;
};

/* Deferred messages of the rank that is being converted. */
struct convert_deferral {
	uint32_t counts[HALVES]; /* receives and sends of the rank so far */
	size_t next[HALVES];	 /* in the lists of the rank */
	ARRAY(struct open_half) open;
	struct deferred_found found; /* first reading */
};

struct convert {
	const struct trace_world *world;
	const struct trace_reader *sites; /* reader of the trace, for call sites; or NULL */
	struct convert_options options;
	struct goal_tags tags;
	struct call_statistics statistics;
	struct convert_totals totals;
	char **comm_names; /* names made so far, by communicator */
	struct source_lines *lines; /* names of call sites; NULL: no rule has asked for them */
	struct comm_nodes nodes;
	uint64_t longest_ns; /* longest time of the ranks from their begin to their end */
	/* Default by kind; NULL for kinds that are not modelled. */
	const struct coll_algorithm *defaults[COLL_KINDS];
	/* Two for each of coll_algorithms: of non-blocking and of blocking calls. */
	struct coll_count *counts;

	/* Rank that is being converted. */
	uint32_t rank;		     /* in the trace */
	uint32_t copy;		     /* number of the copy, from 0 */
	uint32_t world_offset;	     /* of the copy: added to the ranks of the trace */
	struct goal_call call;	     /* current call, or the last one */
	struct goal_builder builder; /* graph of the rank */
	/* Threads of the rank.  Items from thread_count on are left from other ranks. */
	struct convert_thread *threads;
	uint32_t thread_count, thread_room;
	struct convert_thread *own;	   /* thread of the current call */
	uint32_t thread;		   /* its number */
	struct frontier next;		   /* operations of the current call that end with it */
	bool buffered;			   /* the current call sends from a buffer of its own */
	struct frontier side;		   /* of a non-blocking collective */
	struct neighbour_lists neighbours; /* of a collective of neighbours */
	struct {			   /* of a collective among all copies */
		uint32_t comm;		   /* communicator of `ranks`, or NO_COMM */
		ARRAY(uint32_t) ranks;
		ARRAY(uint64_t) send_bytes, receive_bytes;
	} spread;
	bool started, ended;
	bool in_session;	    /* started with a session */
	enum slice_stage stage;	    /* of the slice */
	uint64_t from_ns;	    /* begin of the slice; 0 before it and without a slice */
	struct slice_rank channels; /* with a slice: its channels */
	uint64_t begin_ns;
	uint64_t run_begin_ns, run_end_ns; /* of the rank or of its slice, so far */
	struct call_tracker tracker;
	ARRAY(struct convert_request) requests; /* by place */
	/*
	 * Non-blocking collectives in the order of their starts.  Tags are given in that order:
	 * items before the first open one have their tags, and are removed now and then.
	 */
	ARRAY(struct convert_nonblocking) nonblocking;
	uint32_t first_nonblocking;  /* number of removed items */
	uint32_t tagged_nonblocking; /* number of items with tags, at the begin of the list */
	struct convert_rma *rma;
	struct convert_deferral deferral;
};

/* The world must outlive the convert. */
int convert_init(struct convert *convert, const struct trace_world *world,
		 const struct convert_options *options, struct error *err);
void convert_release(struct convert *convert);

/* Take over the totals of another convert of the same world, and reset them there. */
int convert_take(struct convert *convert, struct convert *other, struct error *err);

/* Begin a rank of the graph, add its calls in the order of their begin, end it. */
void convert_begin(struct convert *convert, uint32_t rank);
int convert_call(struct convert *convert, const struct mpi_call *call, struct error *err);
int convert_end(struct convert *convert, struct error *err);

#endif
