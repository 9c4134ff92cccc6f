/*
 * Symbolic execution of a collective: generate the graphs of all ranks, match their messages,
 * and move data in any order that the dependencies of the graph allow.
 *
 * Data is symbolic: a slot holds the set of ranks that have contributed to it, and the number of
 * their block.
 */
#ifndef TEST_COLL_PLAY_H
#define TEST_COLL_PLAY_H

#include "schedgen/collectives/coll_run.h"

enum { PLAY_RANKS = 64, PLAY_SLOTS = 512 };

struct play_value {
	uint64_t from;		/* bit r: rank r has contributed; 0: undefined */
	uint32_t block;
	bool twice;		/* a contribution counts more than once */
	bool mixed;		/* contributions to different blocks were combined */
};

/* Event of generating a rank's graph. */
struct play_event {
	struct coll_event event;
	struct coll_area layout;	/* COLL_AREA: from now on */
	uint32_t rank;
};

struct play_op {
	uint32_t rank, round;		/* round: number over all ranks; NONE: no message */
	uint32_t partner;		/* matching receive or send */
	uint32_t event;			/* in events, for messages */
	uint32_t payload;		/* sends: index of its values in play->payload */
	uint32_t waits_for;		/* number of predecessors not executed yet */
	uint32_t first_edge, edge_count;
	uint32_t depth;			/* messages on the longest path to its end */
	uint64_t entered;		/* bit r: it depends on the entry of rank r */
};

struct play_round {
	uint32_t first_event, event_count;
	uint32_t ops, pending;		/* numbers of all messages; of those not executed yet */
	bool begun;
};

struct play {
	const struct coll_algorithm *algorithm;
	const struct collective *calls;	/* by rank */
	uint32_t size;
	struct goal_builder builders[PLAY_RANKS];
	struct frontier frontiers[PLAY_RANKS];
	/* Layouts at first, and now. */
	struct coll_area first_areas[PLAY_RANKS][COLL_AREAS], areas[PLAY_RANKS][COLL_AREAS];
	struct play_value slots[PLAY_RANKS][COLL_AREAS][PLAY_SLOTS];
	uint32_t first_op[PLAY_RANKS + 1], first_round[PLAY_RANKS + 1], round[PLAY_RANKS];

	ARRAY(struct play_event) events;
	ARRAY(struct play_op) ops;
	ARRAY(struct play_round) rounds;
	ARRAY(uint32_t) edges;
	ARRAY(uint32_t) ready;
	ARRAY(struct play_value) payload;
	uint32_t rank;			/* being generated */

	/* Results. */
	uint64_t messages, bytes, dependencies;
	uint32_t most_rounds, depth;
	char fault[512];		/* first fault, or empty */
};

enum play_order { PLAY_FIRST_READY_FIRST, PLAY_LAST_READY_FIRST, PLAY_RANDOM };

/*
 * Generate the graphs of all ranks and match their messages.  Operation 0 of each rank
 * is its entry.  Returns false with play->fault set if the graphs are wrong.
 */
bool play_generate(struct play *play, const struct coll_algorithm *algorithm,
		   const struct collective *calls, uint32_t size);

/* Execute the operations.  False with play->fault set. */
bool play_execute(struct play *play, enum play_order order);

/* Check that all ranks hold the data specified by MPI.  False with play->fault set. */
bool play_check(struct play *play);

/* Check that all ranks leave after all ranks have entered.  False with play->fault set. */
bool play_synchronizes(struct play *play);

void play_release(struct play *play);

/* Bytes of a slot, from the definition. */
uint64_t play_slot_bytes(const struct coll_area *area, uint32_t slot);

/* Generate a random number, the same on every machine. */
uint32_t play_random(uint64_t *state);

#endif
