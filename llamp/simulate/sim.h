/*
 * The event-driven pass while it runs: shared by the parts of llamp/simulate/simulation.c.
 *
 *	sim_events.[ch]	events to come, their bounds, and events that happen
 *	sim_waits.c		dependencies, and the waits in which receives complete
 *	sim_operations.c	what operations do when they may
 *	sim_receives.c	messages that are here, and receives that complete
 *	sim_requests.c	the order in which CPUs, NICs and links serve
 *	sim_links.c		messages on the links of a topology
 *	sim_log.c		what has happened, and slack
 */
#ifndef LLAMP_SIM_H
#define LLAMP_SIM_H

#include "llamp/graph/times.h"
#include "llamp/graph/topological_order.h"
#include "llamp/simulate/request_groups.h"
#include "llamp/simulate/simulation.h"
#include "llamp/simulate/sim_writer.h"

/* What an operation waits for. */
struct awaited {
	uint32_t others;  /* unmet dependencies, but for those in `ends` */
	uint32_t ends;	  /* with limited CPUs, if it requires receives: their ends and those of
			   * rendezvous sends, which its wait is for; and flags */
	uint32_t pending; /* event to come, or 0 */
	uint32_t wait;	  /* event of its wait, or 0 */
};

/* Flags in `ends`. */
#define MESSAGE_AWAITED (UINT32_C(1) << 31) /* by a receive; or its announcement */
#define OP_BEGUN (UINT32_C(1) << 30)	    /* all dependencies are met */
#define ENDS_COUNT (OP_BEGUN - 1)

/* An event to come, with the latest of its bounds; then the event, until it is not needed. */
struct pending {
	int64_t time;
	uint64_t bytes; /* of its message */
	uint32_t rank;
	uint32_t link; /* free ones: the next one; a wait: list of its receives */
	bool written;  /* in the graph: see struct rank_servers */
};

/* A time that other events are not before: that of an event and of a cost after it. */
struct bound {
	int64_t time;
	uint32_t event;
	uint32_t cost_op;	 /* operation that has the cost */
	bool written;		 /* in the graph */
	uint32_t number;	 /* of the cost, see struct step_list */
	const struct cost *cost; /* NULL: none */
};

/* Slopes of a time, and what determined it. */
struct provenance {
	int64_t left, right;
	struct cause cause;
};

/* A receive that waits for the wait of an operation to begin. */
struct waiter {
	uint32_t recv;
	uint32_t next;		/* in a list; 0 ends it */
	bool completed;		/* in the wait of another operation: */
	struct event_time wait; /* which began then */
};

/* Trace of a server: a CPU, or one direction of a NIC or link. */
struct server_provenance {
	struct provenance free;	 /* when it can serve again */
	struct event_time ready; /* of the last request */
	uint32_t number;	 /* of its operation */
	bool used;
};

#define NO_SERVER UINT32_MAX

/* Followers of an event that other events wait for, too. */
#define SIM_MANY UINT32_MAX

/*
 * Servers of a rank: its CPUs, its NICs to inject, its NICs to take in.  The ranks of a node may
 * share NICs: then all have those of the first of them.
 *
 * one_cpu: all work of the rank is a chain, and all that waits for an end of work is work, too.
 * Then the chain implies these bounds, and they are not written.
 *
 * group: of the requests of the rank.
 *
 * injects_at_once: injections are in the order of the starts, since o > 0 and the rank has one
 * CPU, and arrive later, since L > 0.  Then an injection needs no request.
 *
 * injects_freely: it does not wait for the NIC either, at all points of the asked direction: it comes
 * o later than the one before, and o > g + B.
 */
struct rank_servers {
	uint32_t first, first_nic;
	uint32_t node; /* the rank whose NICs it has */
	uint32_t group;
	uint16_t cpus, nics;
	bool one_cpu, injects_at_once, injects_freely;
};

/* Record of the log: a bound, an event, or what became of an event to come (sim_log.c). */
struct log_record {
	int64_t time;
	uint32_t event;
	uint32_t entry : 30, kind : 2;
};

/* A cost but for its ns, which was added lately. */
struct known_cost {
	uint64_t bytes, size;
	uint32_t class_rule; /* cost_class_rule; UINT32_MAX: nothing is known */
	uint32_t number;     /* see struct step_list */
	int64_t time;	     /* in units */
	int64_t slope;	     /* along the direction, if traces are kept */
};

enum { KNOWN_COSTS = 1024 };

struct sim {
	const struct execution_graph *execution;
	const struct goal *goal;
	const struct loggps *loggps;
	struct sim_result *result;
	struct known_cost *known;    /* [KNOWN_COSTS]: by a hash */
	uint32_t cost_count;	     /* with numbers above 0 */
	struct cost_weights weights; /* in units */
	int64_t per_ns;		     /* of them; INT64_MAX: too large */
	struct causes *causes;	     /* NULL: not kept */
	struct step_list *steps;     /* NULL: no graph is written */
	struct sim_times *times;     /* [operation]; NULL: not kept */
	/* [operation]; NULL: no log is kept.  Only without causes and graph. */
	int64_t *slack;
	ARRAY(struct log_record) log;
	bool has_cpu, has_nic, has_links, has_gap, shares_nics;
	bool meets;		       /* some message_is_rendezvous */
	bool announces;		       /* some message_is_announced */
	uint64_t most_bytes;	       /* of a send */
	bool has_provenance;	       /* keeps traces */
	const struct direction *along; /* of the provenances; NULL: none are kept */
	struct awaited *ops;	       /* of every operation */
	/* Events to come.  The first one is the end of the program. */
	ARRAY(struct pending) pool;
	ARRAY(struct provenance) provenances; /* of them, if kept */
	uint32_t unused;		      /* first free one, or 0 */
	bool has_end;			      /* the end has a bound */
	ARRAY(struct waiter) waiters;	      /* the first is not used */
	uint32_t unused_waiter;
	ARRAY(struct order_entry) ready; /* operations whose dependencies are met */
	struct request_groups requests;
	int64_t arrivals_later; /* by which requests for arrivals are taken later */
	/* [operation]: receives that are open from its wait on; NULL: they are not counted */
	uint32_t *unopened;
	struct rank_servers *ranks;
	uint32_t first_link; /* server of the first link */
	uint32_t server_count;
	int64_t *servers; /* when each can serve again */
	struct server_provenance *server_provenances;
	uint64_t ended; /* operations that have ended, or started if eager */
	struct error *err;
};

/* The other half of a message. */
static inline struct located sim_partner_of(const struct sim *sim, const struct located *half)
{
	return execution_locate(sim->execution, half->op.peer,
				sim->execution->matching.partner[half->number]);
}

/* Whether an operation is a send by rendezvous, which ends after its receive. */
static inline bool sim_meets(const struct sim *sim, const struct goal_op *op)
{
	return op->kind == GOAL_SEND && message_is_rendezvous(sim->loggps, op->size);
}

/* Number of entries of all messages into limited links. */
static inline size_t sim_entries(const struct sim *sim)
{
	return sim->has_links ? sim->execution->routes.first[sim->goal->op_count] : 0;
}

/* Whether the message of an operation passes limited NICs or links. */
static inline bool sim_travels(const struct sim *sim, uint32_t op)
{
	const struct execution_graph *execution = sim->execution;

	return (sim->has_nic || sim->has_links) &&
	       !execution->classes.list[execution_class(execution, op)].within_node;
}

/* --------------------------------------------------- dependencies and waits */

/*
 * Release the operations that irequire this one, or those that require it.  keeps: the event is
 * still needed.  Otherwise it is dropped if there is such an operation.
 */
int sim_release_irequires(struct sim *sim, const struct located *at, const struct bound *bound,
			  bool keeps);
int sim_release_requires(struct sim *sim, const struct located *at, const struct bound *bound,
			 bool keeps);

/* Keep later sends apart from this one, which starts at event `from`. */
int sim_release_gaps(struct sim *sim, const struct located *at, uint32_t from);

/* Request the CPU for a receive when the wait in which it completes has begun. */
int sim_await_wait(struct sim *sim, const struct located *recv);

/* Add the bound of the wait in which the receive completes. */
int sim_bound_by_wait(struct sim *sim, const struct located *recv);

/* --------------------------------------------------------------- operations */

/* Begin an operation whose dependencies are met. */
int sim_begin(struct sim *sim, const struct located *at);

/* Go on with a calc or a send whose start may happen on a CPU, or NO_SERVER. */
int sim_start(struct sim *sim, const struct located *at, uint32_t start, uint32_t server);

/* Let the receiver know of the message of a send, or of its announcement. */
int sim_mail(struct sim *sim, const struct located *send, uint32_t message);

/*
 * A message or its announcement is here.  If others wait for the posting of its receive, the
 * bounds of the message are kept with the send until then.
 */
int sim_deliver(struct sim *sim, const struct located *recv, uint32_t message, uint32_t send);

/* Post a receive, whose dependencies are met. */
int sim_post(struct sim *sim, const struct located *recv);

/* A message is at the receive's NIC, with its last byte. */
int sim_arrive(struct sim *sim, const struct located *recv, uint32_t message);

/* Complete a receive on a CPU, or NO_SERVER. */
int sim_end_receive(struct sim *sim, const struct located *recv, uint32_t server);

/* ----------------------------------------------------------------- requests */

/*
 * Count a receive as open for its group, or not any more: it is posted, and its message is not here.
 * A receive that completes only in a wait is open while one of these waits has begun.
 */
void sim_open_receive(struct sim *sim, const struct located *recv);
int sim_close_receive(struct sim *sim, const struct located *recv);

/* Request a server for the event `kind` of `op`, not before a time. */
int sim_request_at(struct sim *sim, uint32_t pending, uint32_t op, enum event_kind kind,
		   int64_t time);

/* Request a server for the event `kind` of `op`. */
int sim_request(struct sim *sim, uint32_t pending, uint32_t op, enum event_kind kind);

/* Request the injection of the message of a send, or let it happen if NICs are not limited. */
int sim_send_off(struct sim *sim, const struct located *send, uint32_t message);

/* Inject the message of a send.  No earlier injection of its NIC may follow. */
int sim_inject(struct sim *sim, const struct located *send, uint32_t message);

/* Request the arrival of the message of a send, or let it happen if NICs are not limited. */
int sim_reach(struct sim *sim, const struct located *send, uint32_t message);

/* Begin all operations without dependencies. */
int sim_begin_roots(struct sim *sim);

/* Serve requests until `ended` operations have ended.  A cycle is STATUS_DATA. */
int sim_serve(struct sim *sim, uint64_t ended);

/* -------------------------------------------------------------------- links */

/* Request the first link for the message of a send. */
int sim_enter_links(struct sim *sim, const struct located *send, uint32_t message);

/* Let a message enter a link: `number` counts the entries after the operations. */
int sim_serve_link(struct sim *sim, uint32_t number, uint32_t message);

/* ---------------------------------------------------------------------- log */

/* Log a bound at `time`, by the event of a cause, of an event to come. */
int sim_log_bound(struct sim *sim, uint32_t pending, const struct cause *cause, int64_t time);

/* Log that an event to come has happened at its time. */
int sim_log_event(struct sim *sim, uint32_t pending, uint32_t op, enum event_kind kind);

/* Log that an event to come becomes a part of another one. */
int sim_log_join(struct sim *sim, uint32_t pending, uint32_t into);

/* Log the end of a send by rendezvous as an event of its own, which *cause becomes. */
int sim_log_send_end(struct sim *sim, uint32_t send, int64_t time, struct cause *cause);

/* Find sim->slack from the log of the whole pass, in units. */
int sim_slack(struct sim *sim);

#endif
