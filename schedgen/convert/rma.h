/*
 * One-sided communication: plan of the operations of each target.
 *
 * A put appears in the trace of its origin only, but its target has to receive it.  Ranks are
 * converted one after the other.  A first pass therefore reads all records of one-sided
 * communication and makes a list of operations for each target: 40 bytes an operation, with
 * equal consecutive ones as one.
 *
 * Both passes follow an origin by the same code (struct rma_origin), so that both ends of every
 * message come from the same reading of the trace.
 */
#ifndef SCHEDGEN_RMA_H
#define SCHEDGEN_RMA_H

#include "common/array.h"
#include "common/number_map.h"
#include "trace/call/mpi_call.h"
#include "trace/call/trace_world.h"

/* Epoch of an operation, on which origin and target agree. */
enum rma_epoch {
	RMA_PASSIVE,	/* locks: at any time in the life of the window */
	RMA_FENCE,	/* after the fence with number `index`, from 1 */
	RMA_EXPOSURE,	/* in the exposure to this origin with number `index`, from 1 */
};
enum { RMA_EPOCHS = RMA_EXPOSURE + 1 };

enum rma_what {
	RMA_DATA,	/* put, accumulate: data to the target */
	RMA_REPLY,	/* get, fetch: data or a request to the target, data back */
	RMA_LOCK,	/* a request to the target, and its grant */
	RMA_ACK,	/* acknowledgement by the target of all data so far */
};

/* Operation that a target does for an origin. */
struct rma_entry {
	uint32_t window, origin;	/* world rank */
	uint32_t index;
	uint32_t sequence;		/* place in the target's list before it is sorted */
	uint32_t repeat;		/* number of times in a row */
	uint8_t epoch, what;
	bool combines;			/* data is combined with data of the target */
	uint64_t sent, received;	/* bytes, by the origin */
};

/* Synchronisations of an origin with a target over a window. */
struct rma_pair {
	uint32_t posts, starts, completes, waits;
	uint32_t posted;	/* rma_plan_sort: posts with a start */
	uint32_t completed;	/* rma_plan_sort: of these, with a complete and a wait */
};

struct rma_list {
	ARRAY(struct rma_entry) entries;	/* rma_plan_sort: by window, epoch, index, origin */
};

/* Access of an origin to a target while it holds a lock of all ranks. */
struct rma_access {
	uint32_t window;
	uint32_t number;	/* of the lock among the locks of all of the window, from 1 */
	uint32_t target;
};

struct rma_accesses {
	ARRAY(struct rma_access) items;	/* rma_plan_sort: by window, number, target */
};

struct rma_plan {
	const struct trace_world *world;
	struct rma_list *targets;	/* by world rank */
	struct rma_accesses *origins;	/* by world rank */
	struct number_map pair_places;	/* origin and target, window */
	ARRAY(struct rma_pair) pairs;
};

/* The world must outlive the plan. */
int rma_plan_init(struct rma_plan *plan, const struct trace_world *world, struct error *err);
void rma_plan_release(struct rma_plan *plan);

/* Sort the lists and pair the synchronisations when all ranks have been read. */
void rma_plan_sort(struct rma_plan *plan);

/* Count the synchronisations of origin and target; zeros if they have none. */
struct rma_pair rma_plan_pair(const struct rma_plan *plan, uint32_t window, uint32_t origin,
			      uint32_t target);

/* Find the synchronisations of origin and target, or add them. */
int rma_plan_add_pair(struct rma_plan *plan, uint32_t window, uint32_t origin, uint32_t target,
		      struct rma_pair **pair, struct error *err);

/* Find the target's entries of an epoch, of `origin` if it is an exposure; *count of them. */
const struct rma_entry *rma_plan_entries(const struct rma_plan *plan, uint32_t target,
					 uint32_t window, enum rma_epoch epoch, uint32_t index,
					 uint32_t origin, size_t *count);

/* Find the targets of the origin under lock of all `number`, each once; *count of them. */
const struct rma_access *rma_plan_accesses(const struct rma_plan *plan, uint32_t origin,
					   uint32_t window, uint32_t number, size_t *count);

/* Free the lists of a rank that has been converted.  The lists of other ranks are not used. */
void rma_plan_forget(struct rma_plan *plan, uint32_t rank);

/* ---------------------------------------------------------------- an origin */

/* Receiver of the operations of an origin. */
struct rma_sink {
	void *data;
	/* Begin the origin's part of the entry.  Operation *op completes it. */
	int (*begin)(void *data, uint32_t target, const struct rma_entry *entry, uint32_t *op,
		     struct error *err);
	/* Let the origin wait for `op`. */
	int (*wait)(void *data, uint32_t op, struct error *err);
	/* First pass: note the first access to a target under a lock of all. */
	int (*access)(void *data, uint32_t origin, const struct rma_access *access,
		      struct error *err);
};

/* Operation that is not complete, or target that has not acknowledged, of a request. */
struct rma_pending {
	uint32_t op, target;
	uint32_t next;		/* of the same request */
};

/* State of an origin in a window. */
struct rma_view {
	uint32_t fences;
	bool lock_all, lock_all_outside;
	uint32_t lock_alls;		/* so far */
	const uint32_t *access;		/* world ranks of the access epoch; NULL: none */
	uint32_t access_size;
};

struct rma_origin {
	const struct trace_world *world;
	const struct rma_plan *plan;
	bool outside;		/* the current call is outside the slice */
	uint32_t rank;
	struct rma_view *views;		/* by window */
	struct number_map locked;	/* target, window */
	struct number_map accessed;	/* target, window: number of the last lock of all */
	struct number_map starts;	/* target, window: number of starts */
	struct number_map first_ops, first_acks;	/* request, window: place in pending */
	ARRAY(struct rma_pending) pending;
	uint32_t free_pending;		/* first free place; the next ones follow it */
	ARRAY(uint32_t) grants;		/* operations that complete a lock of all */
};

/* `plan` comes from the first pass and must outlive the origin.  NULL in the first pass. */
int rma_origin_init(struct rma_origin *origin, const struct trace_world *world,
		    const struct rma_plan *plan, struct error *err);
void rma_origin_release(struct rma_origin *origin);

/* Begin a rank. */
void rma_origin_begin(struct rma_origin *origin, uint32_t rank);

/* Follow an event of one-sided communication in a call of `function`. */
int rma_origin_event(struct rma_origin *origin, const char *function,
		     const struct mpi_event *event, const struct rma_sink *sink,
		     struct error *err);

/* First pass: follow the next call of a rank, with origin->outside set for it. */
int rma_plan_call(struct rma_plan *plan, struct rma_origin *origin, const struct mpi_call *call,
		  struct error *err);

#endif
