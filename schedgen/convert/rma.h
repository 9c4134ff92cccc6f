/*
 * One-sided communication: what the ranks have to do for each other.
 *
 * A put appears in the trace of its origin only, but its target has to receive
 * it.  Ranks are converted one after the other, so all records of one-sided
 * communication are read before, and each target is given the list of what is to
 * come to it: 40 bytes an operation, runs of equal ones to one target together.
 *
 * The same code (struct rma_origin) follows an origin in both passes, so that
 * both sides of every message come from the same reading of the trace.
 */
#ifndef SCHEDGEN_RMA_H
#define SCHEDGEN_RMA_H

#include "common/array.h"
#include "common/number_map.h"
#include "trace/call/mpi_call.h"
#include "trace/call/trace_world.h"

/* How origin and target agree on when an operation may happen. */
enum rma_epoch {
	RMA_PASSIVE,	/* locks: at any time in the life of the window */
	RMA_FENCE,	/* behind the fence with the number `index`, from 1 */
	RMA_EXPOSURE,	/* in the exposure to this origin with that number, from 1 */
};
enum { RMA_EPOCHS = RMA_EXPOSURE + 1 };

enum rma_what {
	RMA_DATA,	/* put, accumulate: data to the target */
	RMA_REPLY,	/* get, fetch: data or a request to the target, data back */
	RMA_LOCK,	/* a request to the target, and its grant */
	RMA_ACK,	/* the target says that all data so far has come */
};

/* One thing that a target has to do for an origin. */
struct rma_entry {
	uint32_t window, origin;	/* world rank */
	uint32_t index;
	uint32_t sequence;		/* in the target's list, as it was found */
	uint32_t repeat;		/* so many times in a row */
	uint8_t epoch, what;
	bool combines;			/* data is combined with that of the target */
	uint64_t sent, received;	/* bytes, as the origin sees them */
};

/* Synchronisations of an origin with a target over a window. */
struct rma_pair {
	uint32_t posts, starts, completes, waits;
};

struct rma_list {
	ARRAY(struct rma_entry) entries;	/* in the end by window, epoch, index, origin */
};

/* An origin accesses a target while it holds a lock of all ranks. */
struct rma_access {
	uint32_t window;
	uint32_t number;	/* of the lock, from 1; over the locks of all in this window */
	uint32_t target;
};

struct rma_accesses {
	ARRAY(struct rma_access) items;	/* in the end by window, number, target */
};

struct rma_plan {
	const struct trace_world *world;
	struct rma_list *targets;	/* by world rank */
	struct rma_accesses *origins;	/* likewise */
	struct number_map pair_places;	/* origin and target, window */
	ARRAY(struct rma_pair) pairs;
};

/* The world must outlive the plan. */
int rma_plan_init(struct rma_plan *plan, const struct trace_world *world, struct error *err);
void rma_plan_release(struct rma_plan *plan);

/* All ranks have been read. */
void rma_plan_sort(struct rma_plan *plan);

/* What origin and target have in common; zeros if nothing. */
struct rma_pair rma_plan_pair(const struct rma_plan *plan, uint32_t window, uint32_t origin,
			      uint32_t target);

/* The target's entries of an epoch, of one origin if it is an exposure; *count of them. */
const struct rma_entry *rma_plan_entries(const struct rma_plan *plan, uint32_t target,
					 uint32_t window, enum rma_epoch epoch, uint32_t index,
					 uint32_t origin, size_t *count);

/* Whom the origin accesses under that lock of all, each once; *count of them. */
const struct rma_access *rma_plan_accesses(const struct rma_plan *plan, uint32_t origin,
					   uint32_t window, uint32_t number, size_t *count);

/* The rank has been converted; only its own lists are touched. */
void rma_plan_forget(struct rma_plan *plan, uint32_t rank);

/* ---------------------------------------------------------------- an origin */

/* What to do with what an origin does. */
struct rma_sink {
	void *data;
	/* The origin does its part of the entry; *op is what completes it. */
	int (*begin)(void *data, uint32_t target, const struct rma_entry *entry, uint32_t *op,
		     struct error *err);
	/* The origin waits for it. */
	int (*wait)(void *data, uint32_t op, struct error *err);
	/* First pass: the origin has not accessed the target under this lock of all before. */
	int (*access)(void *data, uint32_t origin, const struct rma_access *access,
		      struct error *err);
};

/* An operation that is not complete, or a target that has not acknowledged. */
struct rma_pending {
	uint32_t op, target, next;
};

struct rma_request {
	uint32_t window;
	uint32_t ops, acks;	/* first of the pending ones */
};

/* A window, as an origin sees it. */
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
	bool outside;		/* what is begun now is not in the part that is converted */
	uint32_t rank;
	struct rma_view *views;		/* by window */
	struct number_map locked;	/* target, window */
	struct number_map accessed;	/* likewise: the last lock of all under which it was */
	struct number_map starts;	/* likewise: how many */
	struct number_map request_places;
	ARRAY(struct rma_request) requests;
	ARRAY(struct rma_pending) pending;
	uint32_t free_pending, free_requests;	/* places, chained */
};

/* The plan of the first pass, which must outlive the origin; NULL in the first pass. */
int rma_origin_init(struct rma_origin *origin, const struct trace_world *world,
		    const struct rma_plan *plan, struct error *err);
void rma_origin_release(struct rma_origin *origin);

/* Another rank. */
void rma_origin_begin(struct rma_origin *origin, uint32_t rank);

/* Follow an event of one-sided communication in a call of that name. */
int rma_origin_event(struct rma_origin *origin, const char *function,
		     const struct mpi_event *event, const struct rma_sink *sink,
		     struct error *err);

/*
 * First pass: follow all calls of all ranks, one after the other; origin->outside has been
 * set for the call.
 */
int rma_plan_call(struct rma_plan *plan, struct rma_origin *origin, const struct mpi_call *call,
		  struct error *err);

#endif
