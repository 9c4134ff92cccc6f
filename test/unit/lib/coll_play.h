/*
 * Plays a collective: generates the schedules of all ranks, matches their
 * messages, and carries data along them in an order that nothing but the
 * dependencies of the graph restricts.
 *
 * Data is symbolic.  A slot holds whose contributions it is made of (a set of
 * ranks) and which block of theirs.
 */
#ifndef TEST_COLL_PLAY_H
#define TEST_COLL_PLAY_H

#include "schedgen/collectives/coll_run.h"

enum { PLAY_RANKS = 64, PLAY_SLOTS = 512 };

struct play_value {
	uint64_t from;		/* bit r: rank r has contributed; 0: undefined */
	uint32_t block;
	bool twice;		/* some contribution counts more than once */
	bool mixed;		/* contributions to different blocks were combined */
};

/* What a rank says while its schedule is generated. */
struct play_event {
	struct coll_event event;
	struct coll_area layout;	/* COLL_AREA: from now on */
	uint32_t rank;
};

struct play_op {
	uint32_t rank, round;		/* round: number over all ranks; NONE: no message */
	uint32_t partner;		/* the other half of the message */
	uint32_t event;			/* in events, for messages */
	uint32_t payload;		/* sends: where in payload its values are */
	uint32_t waits_for;		/* operations not executed yet */
	uint32_t first_edge, edge_count;
	uint32_t depth;			/* messages on the longest path to its end */
	uint64_t entered;		/* bit r: rank r's entry is among its predecessors */
};

struct play_round {
	uint32_t first_event, event_count;
	uint32_t ops, pending;		/* messages; not executed yet */
	bool begun;
};

struct play {
	const struct coll_algorithm *algorithm;
	const struct collective *calls;	/* of each rank */
	uint32_t size;
	struct goal_builder builders[PLAY_RANKS];
	struct frontier frontiers[PLAY_RANKS];
	/* As they are first, and as they are now. */
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

	/* What it comes to. */
	uint64_t messages, bytes, dependencies;
	uint32_t most_rounds, depth;
	char fault[512];		/* what is wrong; empty: nothing */
};

enum play_order { PLAY_FIRST_READY_FIRST, PLAY_LAST_READY_FIRST, PLAY_RANDOM };

/*
 * Generate the schedules of all ranks and match them.  Operation 0 of each rank
 * is its entry.  Returns false with play->fault set if something is wrong.
 */
bool play_generate(struct play *play, const struct coll_algorithm *algorithm,
		   const struct collective *calls, uint32_t size);

/* Execute them; false with play->fault set. */
bool play_execute(struct play *play, enum play_order order);

/* Do all ranks hold what MPI specifies?  False with play->fault set. */
bool play_check(struct play *play);

/* Do all ranks leave after all ranks have entered? */
bool play_synchronizes(struct play *play);

void play_release(struct play *play);

/* Bytes of a slot, from the definition. */
uint64_t play_slot_bytes(const struct coll_area *area, uint32_t slot);

/* A small generator of random numbers, the same everywhere. */
uint32_t play_random(uint64_t *state);

#endif
