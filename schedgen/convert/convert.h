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
 * Calls may come from any source.  Beside the operations, which the builder keeps, memory is
 * bounded by the number of open requests.
 */
#ifndef SCHEDGEN_CONVERT_H
#define SCHEDGEN_CONVERT_H

#include "common/number_map.h"
#include "goal/builder.h"
#include "schedgen/collectives/collective.h"
#include "schedgen/collectives/comm_nodes.h"
#include "schedgen/collectives/frontier.h"
#include "schedgen/collectives/neighbours.h"
#include "schedgen/convert/goal_tags.h"
#include "schedgen/convert/slice.h"
#include "schedgen/convert/slice_channels.h"
#include "schedgen/convert/totals.h"
#include "trace/call/mpi_call.h"
#include "trace/call/trace_world.h"

struct all_sizes;
struct rma_plan;
struct rules;

/* Largest number of ranks of a graph: beyond it, memory for each rank is no longer small. */
enum { CONVERT_MOST_RANKS = 1 << 22 };

struct convert_options {
	double compute_scale;		/* factor for the time of computation; 1: as traced */
	double reduce_ns_per_byte;	/* cost of combining two vectors in reductions; 0: free */
	uint32_t ranks_per_node;	/* in the order of ranks; 0: the nodes of the trace */
	/* By kind of collective (enum mpi_collective); without an algorithm: by the rules. */
	struct coll_choice choices[COLL_KINDS];
	const struct rules *rules;	/* not owned; NULL: all defaults */
	/* Not owned; needed for algorithms with coll_needs_all_sizes, else NULL. */
	const struct all_sizes *all_sizes;
	/*
	 * K: the graph has K copies of the P traced ranks.  Rank r of copy c has number c P + r.
	 * Collectives among all ranks are among the ranks of all copies, with the root of the
	 * first copy.  Messages and all other collectives stay in each copy.
	 */
	uint32_t copies;
	/*
	 * Not owned: slices to convert, by rank of the world; NULL: the whole run.  A slice lies
	 * within the run of its rank.
	 */
	const struct convert_slice *slices;
	/* Not owned: one-sided communication of all ranks; NULL: the trace has none. */
	struct rma_plan *rma_plan;
};

struct convert {
	const struct trace_world *world;
	struct convert_options options;
	struct goal_tags tags;
	struct call_statistics statistics;
	struct convert_totals totals;
	struct convert_comm *comms;
	struct comm_nodes nodes;
	/* Default of each kind; NULL for kinds that are not modelled. */
	const struct coll_algorithm *defaults[COLL_KINDS];
	/* As coll_algorithms, two each: of non-blocking and of blocking calls. */
	struct coll_count *counts;

	/* The rank that is being converted. */
	uint32_t rank;			/* in the trace */
	uint32_t copy;			/* which copy of it, from 0 */
	uint32_t world_offset;		/* of the copy: added to the ranks of the trace */
	struct goal_call call;		/* the one in progress, or the last one */
	struct goal_builder builder;	/* its graph */
	/* Of the rank; those from thread_count on are left from others. */
	struct convert_thread *threads;
	uint32_t thread_count, thread_room;
	struct convert_thread *own;	/* the one whose call is at hand ... */
	uint32_t thread;		/* ... and its number */
	struct frontier next;		/* operations of the call in progress that follow it */
	bool buffered;			/* the call in progress sends from a buffer of its own */
	struct frontier side;		/* of a non-blocking collective */
	struct neighbours neighbours;	/* of a collective of neighbours */
	struct {			/* of a collective among all copies */
		uint32_t comm;			/* whose ranks these are; NO_COMM: of none */
		ARRAY(uint32_t) ranks;
		ARRAY(uint64_t) send_bytes, receive_bytes;
	} spread;
	bool started, ended;
	bool in_session;		/* it has started with one */
	enum slice_stage stage;	/* of the slice */
	uint64_t from_ns;		/* where it has begun; before it, and without one, 0 */
	struct slice_rank channels;		/* with a slice: where it cuts the channels */
	uint64_t begin_ns;
	struct number_map request_places;	/* request number to place in requests */
	ARRAY(struct convert_request) requests;
	ARRAY(uint32_t) free_requests;	/* places in requests */
	/*
	 * Non-blocking collectives in the order of their starts. Tags are given in that order, so
	 * those before the first one that is open have theirs and are forgotten now and then.
	 */
	ARRAY(struct convert_nonblocking) nonblocking;
	uint32_t first_nonblocking;	/* how many have been forgotten */
	uint32_t tagged_nonblocking;	/* of the list, that have their tags */
	struct number_map persistent_starts;	/* communicator, persistent collective: so far */
	struct convert_rma *rma;
};

/* The world must outlive the convert. */
int convert_init(struct convert *convert, const struct trace_world *world,
		 const struct convert_options *options, struct error *err);
void convert_release(struct convert *convert);

/* Add what another convert of the same world has seen, which then has seen nothing. */
int convert_take(struct convert *convert, struct convert *other, struct error *err);

/* Begin a rank of the graph. */
void convert_begin(struct convert *convert, uint32_t rank);
int convert_call(struct convert *convert, const struct mpi_call *call, struct error *err);
int convert_end(struct convert *convert, struct error *err);

#endif
