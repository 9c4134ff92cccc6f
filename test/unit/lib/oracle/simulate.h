/*
 * Event-driven simulation of the model with limited CPUs, NICs and links, for small graphs.
 *
 * Follow the section "Resources" of doc/model.md literally: operations become ready, request
 * their CPU, NIC or link, and are served by ready time.  Only the graph's file format, the names of
 * the protocols and the routes of a topology are shared with the code under test.
 */
#ifndef TEST_SIMULATE_H
#define TEST_SIMULATE_H

#include "common/array.h"
#include "goal/goal.h"
#include "llamp/network/loggps.h"

#include <stdbool.h>

typedef __int128 wide;

/*
 * Parameters in units of time.  The unit is an attosecond, or a fraction of it where a parameter
 * between two attoseconds is needed.
 */
struct simulate_network {
	wide L, o, g, G, O;
	wide ns;		/* units in a nanosecond, in which calcs are given */
	uint64_t S;
	enum rendezvous rendezvous;
	bool cpu, nic;		/* limited */
	bool node_nic;		/* the ranks of a node share NICs */
	bool link;		/* limited links of the network's topology */
	/* NULL: all messages have L, o and G.  Else messages have further variables, with values: */
	const struct network *network;
	wide values[VARIABLES_MOST];
};

/* Parameters in units of 1/denominator as. */
struct simulate_network simulate_network_from(const struct loggps *loggps, wide denominator);

/* Events of an operation; the letters are those of doc/model.md. */
struct simulate_op {
	wide start;		/* b of a calc or send, p of a receive */
	wide end;		/* e */
	wide work, busy;	/* b or c, and for how long */
	wide transfer;		/* i of a send, h of a receive; 0 for a calc */
	wide spacing;		/* of the transfer to the next one of its NIC */
	/* Requests that its CPU and its NIC served before; 0 if it made none. */
	uint32_t cpu_turn, nic_turn;
	uint64_t link_turns;	/* the same for all links of its route, as a hash */
	/* Of a receive: the first operation that waits for it, if that matters; or NO_WAITER. */
	uint32_t waiter;
};

#define NO_WAITER UINT32_MAX


/* Request that a limited CPU, NIC or link has served. */
struct simulate_service {
	uint32_t op;
	bool nic, link;
};

struct simulation {
	wide runtime;				/* T */
	struct simulate_op *ops;		/* by number of the operation */
	uint32_t op_count;
	ARRAY(struct simulate_service) served;	/* in this order */
};

/*
 * Simulate the program; false if operations wait for each other.  Release the simulation in both
 * cases.  Aborts when out of memory.
 */
bool simulate(struct simulation *simulation, const struct goal *goal,
	      const struct simulate_network *network);

/*
 * Simulate the program with the order of service and the waiters of another simulation of it,
 * whatever the times are.
 */
void simulate_again(struct simulation *simulation, const struct goal *goal,
		    const struct simulate_network *network, const struct simulation *order);

/* Event of an operation that a delay moves; the letters are those of doc/model.md. */
enum simulate_place {
	SIMULATE_START,		/* s of a calc or send, the posting of a receive */
	SIMULATE_TRANSFER,	/* i of a send, h of a receive; both need a limited NIC */
	SIMULATE_LINK,		/* the entry of a send's message into link number `link` of its route */
	SIMULATE_MATCH,		/* m of a receive, by read and paper */
	SIMULATE_COMPLETION,	/* c of a receive */
	SIMULATE_END,		/* e of a send by rendezvous, not of its receive */
};

struct simulate_delay {
	uint32_t op;
	enum simulate_place place;
	wide by;
	uint32_t link;
};

/* The same as simulate_again, with an event that happens later. */
void simulate_delayed(struct simulation *simulation, const struct goal *goal,
		      const struct simulate_network *network, const struct simulation *order,
		      const struct simulate_delay *delay);

void simulation_release(struct simulation *simulation);

/* Whether the same operations were the first to wait for the receives. */
bool simulation_same_waiters(const struct simulation *a, const struct simulation *b);

/* Whether every CPU, NIC and link served its requests in the same order in both simulations. */
bool simulation_same_order(const struct simulation *a, const struct simulation *b);

#endif
