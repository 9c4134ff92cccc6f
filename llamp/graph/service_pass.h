/*
 * The event-driven pass while it runs: shared by the parts of llamp/graph/service.c.
 *
 *	service_bounds.c	bounds of events to come, and events that happen
 *	service_waits.c		dependencies, and the waits in which receives complete
 *	service_operations.c	what operations do when they may
 *	service_requests.c	CPUs and NICs, and the order in which they serve
 *	service_log.c		what has happened, and slack
 */
#ifndef LLAMP_SERVICE_PASS_H
#define LLAMP_SERVICE_PASS_H

#include "common/min_heap.h"
#include "llamp/graph/edge_merge.h"
#include "llamp/graph/service.h"
#include "llamp/graph/times.h"
#include "llamp/graph/topological_order.h"

/*
 * State of an operation, after its count of unmet dependencies.  That of a send tells where
 * its message is.
 */
enum {
	POSTED = INT32_MAX - 8,	/* a receive */
	STARTED,		/* a send; its message has not been injected */
	ANNOUNCED,		/* a rendezvous: waits for the receive to be posted */
	FLYING,			/* injected, and has not arrived */
	HERE,			/* arrived, and waits for the receive to be posted */
	MATCHED,		/* the receive can complete */
	DONE,
};

/* A bound of an event: it is not before `at`, which is the value of a source plus a cost. */
struct bound {
	struct moment at;
	struct in_edge edge;
	struct cause cause;
};

/* The bounds of an event that has not happened yet. */
struct pending {
	struct moment at;	/* the latest bound */
	struct cause cause;
	uint32_t list;		/* of edges; 0 if no graph is written */
	uint32_t rank;
	uint32_t next;		/* free one */
	uint32_t waiters;	/* of a wait: list of receives */
};

/* A receive that waits for the wait of an operation to begin. */
struct waiter {
	uint32_t recv;
	uint32_t next;		/* in a list; 0 ends it */
	bool completed;		/* in the wait of another operation: */
	struct moment wait;	/* which began then */
};

/* A CPU, or one direction of a NIC. */
struct server {
	struct bound last;	/* CPU: it is free from here on; NIC: the last message */
	uint64_t bytes;		/* NIC: s - 1 of the last message */
	uint32_t class;		/* of this message */
	struct moment ready;	/* of the last request */
	uint32_t number;
	bool used;
};

/* Servers of a rank: its CPUs, its NICs to inject, its NICs to take in. */
struct rank_servers {
	uint32_t first;
	uint16_t cpus, nics;
};

/* Record of the log: a bound, an event, or what became of an entry (service_log.c). */
struct log_record {
	int64_t time;
	uint32_t event;
	uint32_t entry : 30, kind : 2;
};

struct pass {
	const struct execution_graph *execution;
	const struct goal *goal;
	const struct loggps *loggps;
	struct service *service;
	struct cost_weights weights;	/* in units */
	struct causes *causes;		/* NULL: not kept */
	struct service_times *times;	/* [operation]; NULL: not kept */
	/* [operation]; NULL: no log is kept.  Only without causes and graph. */
	int64_t *slack;
	ARRAY(struct log_record) log;
	bool writes, has_cpu, has_nic, has_gap;
	uint32_t varied;
	int32_t *state;
	uint32_t *pending;		/* of every operation: an entry of the pool, or 0 */
	/*
	 * With limited CPUs, of every operation: its unmet dependencies but for the ends of
	 * receives, and the entry of its wait: their bounds, then the event.
	 */
	int32_t *others;
	uint32_t *waits;
	ARRAY(struct pending) pool;	/* the first is not used */
	uint32_t unused;		/* first free entry */
	ARRAY(struct waiter) waiters;	/* the first is not used */
	uint32_t unused_waiter;
	ARRAY(struct order_entry) ready;	/* operations whose dependencies are met */
	struct min_heap requests;
	struct rank_servers *ranks;
	struct server *servers;
	struct cost_writer writer;
	struct edge_merge merge;
	struct pending end;		/* bounds of the end of the program */
	uint64_t op_events;		/* operations that have ended, or started if eager */
	struct error *err;
};

static inline struct pending *pass_entry_of(const struct pass *pass, const uint32_t *slot)
{
	return &pass->pool.items[*slot];
}

static inline struct pending *pass_pending_of(const struct pass *pass, uint32_t op)
{
	return pass_entry_of(pass, &pass->pending[op]);
}

/* The other half of a message. */
static inline struct located pass_partner_of(const struct pass *pass, const struct located *half)
{
	return execution_locate(pass->execution, half->op.peer,
				pass->execution->matching.partner[half->number]);
}

/* ------------------------------------------------------------------- bounds */

/* Make the bound *to of an event that comes `cost`, of operation cost_op, after the event *from. */
int pass_extend(struct pass *pass, struct bound *from, const struct cost *cost, uint32_t cost_op,
		struct bound *to);

/* Add a bound to an entry; is_new: its first. */
int pass_wait_for(struct pass *pass, struct pending *pending, bool is_new,
		  const struct bound *bound);

/* Take an entry of the pool for an event in `rank` into *slot, and give it back. */
int pass_make_entry(struct pass *pass, uint32_t *slot, uint32_t rank);
void pass_drop_entry(struct pass *pass, uint32_t *slot);

/* Add a bound to an event in `rank` that is to come. */
int pass_add_bound(struct pass *pass, uint32_t *slot, uint32_t rank, const struct bound *bound);

/* Let the event in `to` wait for all that the event in `slot` waits for. */
int pass_hand_over(struct pass *pass, uint32_t *slot, uint32_t *to, uint32_t rank);

/* Take the edges of a list into the event at hand, and leave it empty. */
void pass_take_list(struct edge_merge *merge, uint32_t *list);

/* Let the event of `op`, whose bounds are in *slot, happen: *event becomes its time and edge. */
int pass_happen(struct pass *pass, uint32_t *slot, uint32_t op, enum event_kind kind,
		struct bound *event);

/* --------------------------------------------------- dependencies and waits */

/* Slot that gathers the bounds of an operation's start, except the ends of receives. */
uint32_t *pass_slot_of_others(const struct pass *pass, uint32_t op);

/* Count a dependency, other than the end of a receive, whose bound has been added. */
int pass_count_other_met(struct pass *pass, uint32_t op, uint32_t rank);

/* Add the bound of such a dependency to a successor, and count it. */
int pass_meet_dependency(struct pass *pass, const struct located *at, uint32_t successor,
			 const struct bound *bound);

/* Release the operations that irequire this one. */
int pass_release_irequires(struct pass *pass, const struct located *at, const struct bound *bound);

/* Release the operations that require this one, which has ended. */
int pass_release_requires(struct pass *pass, const struct located *at, const struct bound *end);

/* Bound the end of the program by that of an operation that nothing requires. */
int pass_bound_end(struct pass *pass, const struct located *at, const struct bound *end);

/* Forget the wait of an operation that begins. */
int pass_end_wait(struct pass *pass, uint32_t op);

/* Request the CPU for a receive when the wait in which it completes has begun. */
int pass_wait_for_wait(struct pass *pass, const struct located *send, const struct located *recv);

/* Add the bound of the wait in which the receive completes. */
int pass_bound_by_wait(struct pass *pass, const struct located *send, const struct located *recv);

/* --------------------------------------------------------------- operations */

/* Start a calc or a send at *start, on `cpu`; NULL: CPUs are not limited. */
int pass_start_calc(struct pass *pass, const struct located *at, struct bound *start,
		    struct server *cpu);
int pass_start_send(struct pass *pass, const struct located *at, struct bound *start,
		    struct server *cpu);

/* Keep the start and the end of an operation. */
static inline void pass_note_start(struct pass *pass, uint32_t op, const struct moment *start)
{
	if (pass->times)
		pass->times[op].start = start->time;
}

static inline void pass_note_end(struct pass *pass, uint32_t op, const struct moment *end)
{
	if (pass->times)
		pass->times[op].end = end->time;
}

/* Complete a receive at *event. */
int pass_end_receive(struct pass *pass, const struct located *send, const struct located *recv,
		     struct bound *event, struct server *cpu);

/* Complete the receive of a message that is here, as soon as a CPU allows. */
int pass_complete(struct pass *pass, const struct located *send, const struct located *recv);

/* Note that a message without announcement is here. */
int pass_arrive(struct pass *pass, const struct located *send);

/* Begin an operation whose dependencies are met. */
int pass_begin(struct pass *pass, const struct located *at);

/* ----------------------------------------------------------------- requests */

/* Request a server for the event of `op`, whose bounds are in `slot`. */
int pass_request(struct pass *pass, uint32_t slot, uint32_t op);

/* Begin all operations without dependencies, and serve all requests. */
int pass_serve_all(struct pass *pass);

/* ---------------------------------------------------------------------- log */

int pass_log_bound_(struct pass *pass, const struct pending *pending, const struct bound *bound);
int pass_log_event_(struct pass *pass, uint32_t entry, uint32_t op, enum event_kind kind);
int pass_log_part_(struct pass *pass, uint32_t op, enum event_kind kind, int64_t time,
		   uint32_t entry);
int pass_log_join_(struct pass *pass, uint32_t entry, uint32_t into);
int pass_log_drop_(struct pass *pass, uint32_t entry);
int pass_log_send_end_(struct pass *pass, uint32_t send, struct bound *end);

/* Log a bound of the event that an entry becomes. */
static inline int pass_log_bound(struct pass *pass, const struct pending *pending,
				 const struct bound *bound)
{
	return pass->slack ? pass_log_bound_(pass, pending, bound) : 0;
}

/* Log that an entry becomes an event. */
static inline int pass_log_event(struct pass *pass, uint32_t entry, uint32_t op,
				 enum event_kind kind)
{
	return pass->slack ? pass_log_event_(pass, entry, op, kind) : 0;
}

/* Log an event at `time` that is part of the entry, which is not before it. */
static inline int pass_log_part(struct pass *pass, uint32_t op, enum event_kind kind, int64_t time,
				uint32_t entry)
{
	return pass->slack ? pass_log_part_(pass, op, kind, time, entry) : 0;
}

/* Log that an entry becomes part of another one, or nothing. */
static inline int pass_log_join(struct pass *pass, uint32_t entry, uint32_t into)
{
	return pass->slack ? pass_log_join_(pass, entry, into) : 0;
}

static inline int pass_log_drop(struct pass *pass, uint32_t entry)
{
	return pass->slack ? pass_log_drop_(pass, entry) : 0;
}

/* Log the end of a send by rendezvous as an event of its own, from which *end begins then. */
static inline int pass_log_send_end(struct pass *pass, uint32_t send, struct bound *end)
{
	return pass->slack ? pass_log_send_end_(pass, send, end) : 0;
}

/* Find pass->slack from the log of the whole pass, in units. */
int pass_slack(struct pass *pass);

#endif
