/*
 * From MPI calls to a GOAL graph, rank by rank (doc/trace-to-goal.md).
 *
 *	convert_init(&convert, world, &options, err);
 *	for each rank:
 *		convert_begin(&convert, rank);
 *		for each of its calls: convert_call(&convert, call, err);
 *		convert_end(&convert, err);
 *		... convert.builder holds the rank's graph ...
 *	convert_release(&convert);
 *
 * The calls of a rank's threads come in the order in which they were entered.
 * Each thread is a chain of operations, on a cpu of its own; they meet where one
 * completes a request of another.
 *
 * The convert does not know where the calls come from.  Beside the operations, which
 * the builder keeps, memory is bounded by the requests that are open.
 */
#ifndef SCHEDGEN_CONVERT_H
#define SCHEDGEN_CONVERT_H

#include "common/number_map.h"
#include "schedgen/collectives/collective.h"
#include "schedgen/collectives/comm_nodes.h"
#include "schedgen/convert/convert_rma.h"
#include "schedgen/convert/slice.h"
#include "schedgen/convert/totals.h"
#include "schedgen/convert/slice_channels.h"
#include "schedgen/collectives/frontier.h"
#include "schedgen/collectives/neighbours.h"
#include "schedgen/convert/all_sizes.h"
#include "schedgen/collectives/rules.h"
#include "schedgen/convert/goal_tags.h"
#include "trace/call/mpi_call.h"
#include "trace/call/trace_world.h"

/*
 * Polling calls that follow each other at least once within this time are a
 * loop that waits; else the program computes between them.
 */
enum { POLL_GAP_NS = 5000 };

enum convert_stage { CONVERT_BEFORE, CONVERT_INSIDE, CONVERT_AFTER };

/*
 * Where a rank is with regard to its slice at the next call, which is entered then.  What has
 * begun has begun: the times of threads are not exactly in the order of the calls.
 */
static inline enum convert_stage convert_stage_at(enum convert_stage stage,
						  const struct convert_slice *slice,
						  uint64_t enter_ns)
{
	if (stage == CONVERT_BEFORE && enter_ns >= slice->begin_ns)
		stage = CONVERT_INSIDE;
	return stage == CONVERT_INSIDE && enter_ns >= slice->end_ns ? CONVERT_AFTER : stage;
}

struct convert_options {
	double compute_scale;		/* computation takes so many times as long; 1: as traced */
	double reduce_ns_per_byte;	/* cost of combining two vectors in reductions; 0: free */
	uint32_t ranks_per_node;	/* so many, in the order of numbers; 0: as in the trace */
	/* For each kind of collective (enum mpi_collective); without an algorithm: by the rules. */
	struct coll_choice choices[COLL_KINDS];
	const struct rules *rules;	/* not owned; NULL: all defaults */
	/* Not owned; for algorithms for which coll_needs_all_sizes; else NULL. */
	const struct all_sizes *all_sizes;
	/*
	 * K: the graph has K times the ranks of the world, in K copies of the P
	 * traced ranks; rank r of copy c has number c P + r.  Messages, and collectives
	 * on communicators of less than all ranks, between groups and of neighbours stay
	 * in each copy; all others are among K times their ranks, the root being that of
	 * the first copy.
	 */
	uint32_t copies;
	/*
	 * Not owned: what of each rank of the world is converted; NULL: all.  The
	 * ends of the slice are at most where the rank's run begins and ends.
	 */
	const struct convert_slice *slices;
	/* Not owned: what all ranks do on windows of memory; NULL: there are none. */
	struct rma_plan *rma_plan;
};

/* A request that is active. */
struct convert_request {
	enum { REQUEST_SEND, REQUEST_RECV, REQUEST_COLLECTIVE } kind;
	uint32_t op;		/* its operation; of a collective: what it waits for, or NO_OP */
	bool irequires;		/* collectives: how it waits for op */
	bool buffered;		/* sends: complete without their receiver */
	uint8_t cpu;		/* of the thread that started it */
	bool partitioned;	/* receives */
	uint32_t ordinal;	/* collectives: how many non-blocking ones were started before it */
	struct goal_call call;	/* collectives: what started it */
	bool outside;		/* started before the slice: op is none */
};
#define NO_OP UINT32_MAX

/* A non-blocking collective. */
struct convert_nonblocking {
	enum { NONBLOCKING_OPEN, NONBLOCKING_DONE, NONBLOCKING_DROPPED } state;
	uint32_t comm;
	uint32_t persistent;	/* as in struct mpi_event */
	uint32_t first_op, end_op;
};

/* What this rank is in a communicator; found out at its first use. */
struct convert_comm {
	uint32_t stamp;		/* number + 1 of the rank for which the rest is true */
	uint32_t rank;		/* in the communicator; its local group, of an inter-communicator */
	uint32_t
		sized[ALL_SIZES_CLASSES]; /* blocking calls so far (schedgen/convert/all_sizes.h) */
	uint32_t nonblocking;	/* non-blocking collectives so far */
	bool member;
	bool in_remote_group;
};

/* Polling calls without any other in between. */
struct convert_polling {
	bool active;
	uint64_t gaps_ns, smallest_gap_ns;
};

/* A thread of the rank: what must be known of it when its next call comes. */
struct convert_thread {
	bool started;			/* it has called MPI */
	struct frontier frontier;
	uint64_t begin_ns;		/* of its first call; of thread 0 that of the rank */
	uint64_t last_ns;		/* the previous call was left */
	uint64_t from_ns;		/* the slice begins, if that was before it; else 0 */
	uint64_t gap_ns;		/* since the previous call that is not local */
	uint64_t compute_ns;		/* what the next operation has to wait for */
	struct convert_polling polling;
	bool tail;			/* the slice has ended: tail_op is what it has computed */
	uint32_t tail_op;		/* ... since its last call, if it calls again */
	struct {			/* the session that it has finalized last */
		uint32_t function;		/* its place among the functions */
		uint64_t ns;			/* how long that took; 0: none, or not the last */
	} session_end;
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
	enum convert_stage stage;	/* of the slice */
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
	struct convert_rma rma;
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

/* For convert.c: the operations of one call, and what is left to do at the end. */
int convert_events(struct convert *convert, const struct mpi_function *function,
		   const struct mpi_call *call, struct error *err);
int convert_finish(struct convert *convert, struct error *err);

/* For convert.c, in convert_slice.c: see to the slice before a call of this time. */
int convert_reach(struct convert *convert, uint64_t enter_ns, struct error *err);
/* ... and leave only what is in it, when the rank has ended. */
int convert_trim(struct convert *convert, struct error *err);

/* For convert_slice.c, in convert.c: let what follows wait for all computation so far. */
int convert_flush(struct convert *convert, struct error *err);
/* ... what the thread has computed between its last call, or where the slice begins, and a time */
uint64_t convert_gap_ns(const struct convert *convert, uint64_t end_ns);
/* ... how long the thread has run between its first and its last call, in the slice */
uint64_t convert_run_ns(const struct convert *convert);
/* ... the cost of a computation of that time; have the fields of a thread in `own`. */
int convert_cost(const struct convert *convert, uint64_t ns, uint64_t *cost_ns,
		 struct error *err);
int convert_use_thread(struct convert *convert, uint32_t number, struct error *err);
/* For convert.c and convert_events.c: operations since the last such call are of this call. */
int convert_mark(struct convert *convert, const struct goal_call *call, struct error *err);

/* For convert_events.c, in extrapolate.c: make a collective what it is among all copies. */
int convert_extrapolate(struct convert *convert, uint32_t comm_id,
			struct collective *collective, struct error *err);
/* ... and its vectors, of so many entries, what they are then; they last until the next time. */
int convert_repeat_vectors(struct convert *convert, uint32_t count,
			   struct collective *collective, struct error *err);

/* For convert_collective.c, in convert_events.c: the communicator, or NULL with the error set. */
const struct trace_comm *convert_find_comm(const struct convert *convert, uint32_t id,
					   struct error *err);
/* ... what the rank is in it */
struct convert_comm *convert_own_place(struct convert *convert, uint32_t id,
				       const struct trace_comm *comm);

/*
 * For convert_events.c and convert_rma.c, in convert_collective.c: the operations of a
 * collective after *frontier, which moves after them; of a non-blocking one, before which the
 * rank has started `started` others.
 */
int convert_collective(struct convert *convert, const struct mpi_event *event,
		       uint32_t started, uint32_t tag, struct frontier *frontier,
		       struct error *err);

/* For convert.c, in convert_collective.c: whether the model stands for what the event says. */
bool convert_models(const struct convert *convert, const struct mpi_event *event);

#endif
