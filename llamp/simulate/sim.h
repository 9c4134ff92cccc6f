/*
 * State of a running simulation.  Private to llamp/simulate/.  doc/model.md, "Resources", has the
 * events, what each waits for, and the rule of service.
 *
 * The files form one order.  Each calls only files below it:
 *
 *	simulation.c		set-up, threads, results
 *	sim_loop.c		event loop: serve resource requests, begin operations
 *	sim_arrivals.c		messages on links and at the NIC of their receive
 *	sim_operations.c	operations that begin, starts of calcs and sends
 *	sim_receives.c		match of message and receive, completion
 *	sim_network.c		injection into NICs and links
 *	sim_waits.c		dependencies, and the waits in which receives complete
 *	sim_events.[ch]		pending events, their bounds, events that happen
 *	sim_log.c		log of bounds and events, slack
 *
 * No function serves a resource request of another event: it adds a request, or an operation to
 * `ready`, and the loop goes on from there.
 */
#ifndef LLAMP_SIM_H
#define LLAMP_SIM_H

#include "llamp/graph/event_times.h"
#include "llamp/graph/topological_order.h"
#include "llamp/simulate/request_groups.h"
#include "llamp/simulate/sim_writer.h"
#include "llamp/simulate/simulation.h"

/* Dependencies of an operation that are not met yet. */
struct awaited {
	uint32_t others; /* number of dependencies, except those in `ends` */
	/*
	 * Flags, and with limited CPUs the number of ends that the wait of the operation is for: of
	 * receives, and of rendezvous sends beside them.
	 */
	uint32_t ends;
	uint32_t pending; /* event of the start, later of the completion of a receive; or 0 */
	uint32_t wait;	  /* event of the wait, or 0 */
};

/* Flags in `ends`. */
#define MESSAGE_AWAITED (UINT32_C(1) << 31) /* a receive without its message or announcement */
#define OP_BEGUN (UINT32_C(1) << 30)	    /* all dependencies are met */
#define IS_RECEIVE (UINT32_C(1) << 29)
#define ENDS_COUNT (IS_RECEIVE - 1)

/* Pending event: the latest of its bounds, then its time, until no other event needs it. */
struct pending {
	struct event_time at;
	uint64_t bytes; /* of its message */
	uint32_t rank;
	uint32_t link; /* unused: the next unused one; wait: list of waiters */
	bool written;  /* to the graph; see one_cpu in struct rank_servers */
};

/* Lower limit of the time of other events: the time of an event plus a cost. */
struct bound {
	struct event_time at;
	uint32_t event;		 /* number of the pending event */
	uint32_t cost_op;	 /* operation that has the cost */
	bool written;		 /* to the graph */
	uint32_t number;	 /* of the cost; see struct step_list */
	const struct cost *cost; /* NULL: none */
};

/* Receive that may complete in the wait of an operation, which has not begun. */
struct waiter {
	uint32_t recv;
	uint32_t next;		/* in the list of the wait; 0: last */
	bool completed;		/* in the wait of another operation */
	struct event_time wait; /* start of that wait */
};

/* CPU, or one direction of a NIC or link, after its last service. */
struct server {
	struct event_time free;	 /* time from which it can serve again */
	struct event_time ready; /* of the last resource request; only with a direction */
	struct cause cause;	 /* of `free`; only if causes are kept */
	uint32_t last;		 /* 1 + operation of the last resource request, or 0 */
};

#define NO_SERVER UINT32_MAX

/* Number of followers of an event for which not only operations wait. */
#define SIM_MANY UINT32_MAX

/* Servers of a rank: its CPUs, its NICs that inject, then its NICs that take in. */
struct rank_servers {
	uint32_t first, first_nic; /* number of the first CPU, of the first NIC */
	uint32_t node;	/* rank that has the NICs: the first rank of a node that shares */
	uint32_t group; /* of the resource requests; see request_groups.h */
	uint16_t cpus, nics;
	/*
	 * All work of the rank is a chain, and all that waits for the end of work is work, too.
	 * The chain implies these bounds, so they are not written to the graph.
	 */
	bool one_cpu;
	/*
	 * All dependencies are met at the end of the work that the only CPU did last, so the last one
	 * that is met is the latest.  Only a receive needs the event itself, since its message may come
	 * later; other operations take the time from the CPU.
	 */
	bool meets_in_order;
	/*
	 * Injections need no resource request: they follow in the order of the starts, since o > 0
	 * and the rank has one CPU, and messages arrive later, since L > 0.
	 */
	bool injects_at_once;
	/*
	 * Injections do not wait for the NIC at any point of the direction: each is o later
	 * than the one before, and o > g + B.  So their order is that of the CPU.
	 */
	bool injects_freely;
};

/* Record of the log (sim_log.c): a bound, an event, or what became of a pending event. */
struct log_record {
	int64_t time;
	uint32_t event;
	uint32_t entry : 30, kind : 2;
};

/* Cost without its ns, kept in a hash table of recent costs. */
struct known_cost {
	uint64_t bytes, size;
	uint32_t class_rule; /* cost_class_rule; UINT32_MAX: empty */
	uint32_t number;     /* see struct step_list */
	int64_t time;	     /* in units */
	int64_t slope;	     /* along the direction, if there is one */
};

enum { KNOWN_COSTS = 1024 };

struct sim {
	const struct execution_graph *execution;
	const struct goal *goal;
	const struct loggps *loggps;
	const struct direction *along; /* of the slopes; NULL: they are 0 */
	struct sim_result *result;
	struct known_cost *known;    /* [KNOWN_COSTS]: by a hash */
	uint32_t cost_count;	     /* number of the newest cost; the first has 1 */
	struct cost_weights weights; /* in units */
	int64_t per_ns;		     /* units in 1 ns; INT64_MAX: too many */
	struct causes *causes;	     /* NULL: not kept */
	struct step_list *steps;     /* NULL: no graph is written */
	struct sim_times *times;     /* [operation]; NULL: not kept */
	/* [operation], in units; NULL: no log is kept.  Only without causes and graph. */
	int64_t *slack;
	ARRAY(struct log_record) log;
	bool has_cpu, has_nic, has_links, has_gap, shares_nics;
	bool meets;	     /* some message_is_rendezvous */
	bool announces;	     /* some message_is_announced */
	uint64_t most_bytes; /* of a send */
	struct awaited *ops; /* [operation] */
	/* Pending events.  The first one is the end of the program. */
	ARRAY(struct pending) pool;
	/* Of the pool: the latest bound, later the event.  Empty unless causes or a log are kept. */
	ARRAY(struct cause) provenances;
	bool keeps_causes;
	uint32_t unused;	      /* first unused pending event, or 0 */
	bool has_end;		      /* the end of the program has a bound */
	ARRAY(struct waiter) waiters; /* from 1 on */
	uint32_t unused_waiter;
	ARRAY(struct order_entry) ready; /* operations whose dependencies are met */
	struct request_groups requests;
	int64_t arrivals_later; /* delay of requests for arrivals (simulation.c) */
	/* [operation]: receives that are open from its wait on; NULL: not counted */
	uint32_t *unopened;
	struct rank_servers *ranks;
	uint32_t first_link; /* server of the first link */
	uint32_t server_count;
	struct server *servers;
	uint64_t ended; /* number of operations that ended, or of eager sends that started */
	struct error *err;
};

/* Locate the send of a receive, or the receive of a send. */
static inline struct located sim_partner_of(const struct sim *sim, const struct located *half)
{
	return execution_locate(sim->execution, half->op.peer,
				sim->execution->matching.partner[half->number]);
}

/* Tell whether an operation is a send by rendezvous, which ends after its receive. */
static inline bool sim_meets(const struct sim *sim, const struct goal_op *op)
{
	return op->kind == GOAL_SEND && message_is_rendezvous(sim->loggps, op->size);
}

/* Count the entries of all messages into limited links. */
static inline size_t sim_entries(const struct sim *sim)
{
	return sim->has_links ? sim->execution->routes.first[sim->goal->op_count] : 0;
}

/* Tell whether the message of an operation passes limited NICs or links. */
static inline bool sim_travels(const struct sim *sim, uint32_t op)
{
	const struct execution_graph *execution = sim->execution;

	return (sim->has_nic || sim->has_links) &&
	       !execution->classes.list[execution_class(execution, op)].within_node;
}

/*
 * The functions below return 0, or -1 with *sim->err set.  `message` and `pending` are numbers of
 * pending events in sim->pool.
 */

/* --------------------------------------------------------------------- sim_loop.c */

/* Begin all operations without dependencies. */
int sim_begin_roots(struct sim *sim);

/* Serve resource requests until `ended` operations have ended.  A cycle is STATUS_DATA. */
int sim_serve(struct sim *sim, uint64_t ended);

/* ----------------------------------------------------------------- sim_arrivals.c */

/*
 * Serve a message at the NIC of its receive: the arrival h, then the transfer B.
 */
int sim_serve_arrival(struct sim *sim, const struct located *recv, uint32_t message);

/* Serve a message at a link: the entry x_k of `number`, which counts on from the operations. */
int sim_serve_link(struct sim *sim, uint32_t number, uint32_t message);

/* --------------------------------------------------------------- sim_operations.c */

/* Begin an operation whose dependencies are met. */
int sim_begin(struct sim *sim, const struct located *at);

/* Start a calc or a send: pending event `start` happens on CPU `cpu`, or NO_SERVER. */
int sim_start(struct sim *sim, const struct located *at, uint32_t start, uint32_t cpu);

/* ----------------------------------------------------------------- sim_receives.c */

/*
 * Deliver a message or its announcement to its receive.  If operations wait for the posting of a
 * receive that is not posted, the pending event stays with the send until then.
 */
int sim_deliver(struct sim *sim, const struct located *recv, uint32_t message, uint32_t send);

/* Post a receive, whose dependencies are met. */
int sim_post(struct sim *sim, const struct located *recv);

/* Let the last byte of a message arrive at the receive. */
int sim_arrive(struct sim *sim, const struct located *recv, uint32_t message);

/* Complete a receive on CPU `cpu`, or NO_SERVER. */
int sim_end_receive(struct sim *sim, const struct located *recv, uint32_t cpu);

/* ------------------------------------------------------------------ sim_network.c */

/* Send the message of `send` off: inject it, request its NIC, or its first link. */
int sim_send_off(struct sim *sim, const struct located *send, uint32_t message);

/* Inject the message of `send`: the injection i.  No earlier injection of its NIC may follow. */
int sim_inject(struct sim *sim, const struct located *send, uint32_t message);

/* Request the arrival of the message of `send` at the NIC of its receive. */
int sim_request_arrival(struct sim *sim, const struct located *send, uint32_t message);

/*
 * Let event `kind` of operation `at` happen as soon as its NIC has moved the message before.  The
 * NIC is busy for B, or g + B.  The event becomes later by cost *later of operation `send`, or
 * NULL.
 */
int sim_occupy_nic(struct sim *sim, uint32_t message, const struct located *at,
		   enum event_kind kind, const struct cost *later, uint32_t send);

/* -------------------------------------------------------------------- sim_waits.c */

/*
 * Add *bound to the operations that irequire, or require, operation `at`, and let those that are
 * ready begin.  Without `keeps` the last of them takes over the pending event of the bound.
 */
int sim_release_irequires(struct sim *sim, const struct located *at, const struct bound *bound,
			  bool keeps);
int sim_release_requires(struct sim *sim, const struct located *at, const struct bound *bound,
			 bool keeps);

/* Keep later sends a gap apart from send `at`, which starts at pending event `from`. */
int sim_release_gaps(struct sim *sim, const struct located *at, uint32_t from);

/* Request the CPU for the completion of a receive, not before the wait W in which it completes. */
int sim_await_wait(struct sim *sim, const struct located *recv);

/* Bound the completion of a receive by the wait W in which it completes. */
int sim_bound_by_wait(struct sim *sim, const struct located *recv);

/*
 * Count a receive as open for its group, or as closed.  It is open while it is posted and its
 * message is not there.  A receive that completes only in a wait is open from the start of the
 * wait.
 */
void sim_open_receive(struct sim *sim, const struct located *recv);
int sim_close_receive(struct sim *sim, const struct located *recv);

/* --------------------------------------------------------------------- sim_log.c */

/* Log a bound of a pending event: the event of *cause, at `time` with its cost. */
int sim_log_bound(struct sim *sim, uint32_t pending, const struct cause *cause, int64_t time);

/* Log that a pending event has happened as `kind` of operation `op`, at its time. */
int sim_log_event(struct sim *sim, uint32_t pending, uint32_t op, enum event_kind kind);

/* Log that the bounds of a pending event become bounds of pending event `into`. */
int sim_log_join(struct sim *sim, uint32_t pending, uint32_t into);

/* Log the end of a rendezvous send at `time`, determined by *cause, which becomes that end. */
int sim_log_send_end(struct sim *sim, uint32_t send, int64_t time, struct cause *cause);

/* Find sim->slack from the log of a whole simulation, in units. */
int sim_find_slack_from_log(struct sim *sim);

#endif
