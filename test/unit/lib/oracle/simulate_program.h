/*
 * A program while it is simulated: shared by the parts of test/unit/lib/oracle/simulate.c.
 *
 *	simulate_read.c		operations, messages, links
 *	simulate_events.c	events, and the requests that they make
 *	simulate_gaps.c		sends that g keeps apart
 *	simulate.c		service in order, and results
 */
#ifndef TEST_SIMULATE_PROGRAM_H
#define TEST_SIMULATE_PROGRAM_H

#include "llamp/network/topology.h"
#include "test/unit/lib/oracle/simulate.h"

#include <stdlib.h>

enum event { WORK, POST, INJECTION, LINK, ARRIVAL, COMPLETION };

/* Operation, and how far it has come. */
struct op {
	struct goal_op op;
	uint32_t rank, partner;
	bool rendezvous;
	wide overhead;		   /* o' */
	wide bytes;		   /* B */
	wide L, G;		   /* of the message */
	bool needs_nic;		   /* of a message: for its injection and arrival */
	struct hops hops;	   /* of a send: the limited links that its message passes */
	uint32_t entered;	   /* how many of them it has entered */
	uint32_t awaited;	   /* dependencies that have not been met */
	wide ready;		   /* when the others were met */
	uint32_t sides;		   /* of a match: posted receive, message */
	wide match;		   /* when they were there */
	uint32_t others;	   /* awaited dependencies but for ends in `waits` */
	wide wait;		   /* W: when all of them were met */
	uint32_t waiter;	   /* of a receive: with the least W, or NO_WAITER */
	bool complete;		   /* of a receive: but for w */
	bool requested, completed; /* its completion */
	wide complete_from;
	uint32_t depth, match_depth; /* d of the start and the match */
};

/* Operation that requires a receive or a rendezvous send, and waits for its end. */
struct wait {
	uint32_t message, waiter;
};

/* Start of a send that a gap separates from the start of another. */
struct gap {
	uint32_t before, after;
};

struct request {
	wide ready;
	uint32_t op;
	enum event event;
};

/* CPU, one side of a NIC, or one direction of a link. */
struct unit {
	wide next; /* earliest time that it allows */
	uint32_t served;
};

enum unit_kind { CPU, NIC_OUT, NIC_IN, UNIT_KINDS };

struct program {
	const struct goal *goal;
	const struct simulate_network *network;
	struct op *ops;
	struct unit *units; /* by rank, number and kind */
	ARRAY(struct link_unit {
		struct hop hop;
		struct unit unit;
	})
	links; /* those that have been used */
	uint32_t units_per_rank;
	uint32_t op_count, ended;
	ARRAY(struct wait) waits;
	ARRAY(struct gap) gaps;
	ARRAY(struct request) requests;	 /* of limited units */
	ARRAY(struct request) unlimited; /* events that happen when they are ready */
	struct simulation *result;
	const struct simulation *order;	    /* to be repeated, or NULL */
	const struct simulate_delay *delay; /* or NULL */
};

#define PUSH(array, value)                                                \
	do {                                                              \
		if (array_push((array), (value), &(struct error){0}) < 0) \
			abort();                                          \
	} while (0)

static inline void *zeroed(size_t count, size_t bytes)
{
	void *items = calloc(count + 1, bytes);

	if (!items)
		abort();
	return items;
}

static inline wide larger(wide a, wide b)
{
	return a > b ? a : b;
}
/* ------------------------------------------------------------------- reading */

/* Read the operations, and how many units a rank has. */
void simulate_read_ops(struct program *program);

/* Match each send with the first receive of its channel that is left. */
void simulate_match(struct program *program);

/* Find the operations that wait for receives and rendezvous sends, which are known. */
void simulate_read_waits(struct program *program);

/* Whether operations wait for the end of this one. */
bool simulate_is_awaited(const struct op *op);

/* -------------------------------------------------------------------- events */

/* Find the limited CPU, NIC or link that the event needs; NULL if there is none. */
struct unit *simulate_unit_of(struct program *program, const struct request *request);

/* The beginning of the program, a dependency of every operation, is met. */
void simulate_begin(struct program *program, uint32_t number);

/* Let an event happen. */
void simulate_happen(struct program *program, enum event event, uint32_t number, wide time);

/* By how much an event of an operation is late. */
wide simulate_delay(const struct program *program, uint32_t op, enum event event);

/* ---------------------------------------------------------------------- gaps */

/* Find the sends that g keeps apart, in the order of the file. */
void simulate_add_gaps(struct program *program);

/* Direct each gap by depth. */
void simulate_turn_gaps(struct program *program);

#endif
