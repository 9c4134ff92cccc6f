/*
 * Small programs of messages: as the calls of a trace, and what they take if messages move only while
 * their receiver waits in a call.
 */
#ifndef TEST_MAKE_CALLS_H
#define TEST_MAKE_CALLS_H

#include "goal/goal.h"
#include "schedgen/progress/progress_table.h"
#include "test/unit/lib/make/feed.h"

/* Feed the calls of a rank of a program, from feed_begin to feed_end. */
typedef void feed_rank(struct feed *feed, const void *program, uint32_t rank);

/* Convert the calls of all ranks, at most four, to a graph; NULL: without a progress table. */
void calls_graph(feed_rank *calls, const void *program, uint32_t rank_count,
		 const struct progress_table *table, struct goal *goal);

enum { PROGRAM_RANKS = 4, PROGRAM_STEPS = 200 };

struct step {
	enum { DO_COMPUTE, DO_ISEND, DO_IRECV, DO_SEND, DO_RECV, DO_WAIT } what;
	uint32_t peer, tag, bytes; /* bytes of receives: set by program_pair */
	uint32_t request;	   /* of the rank: of ISEND, IRECV, WAIT */
	uint64_t ns;		   /* COMPUTE */
};

struct program {
	uint32_t rank_count;
	struct {
		struct step steps[PROGRAM_STEPS];
		uint32_t count;
	} ranks[PROGRAM_RANKS];
};

/* Add a step.  The test fails if there are too many. */
void program_add(struct program *program, uint32_t rank, struct step step);

/* Give receives the bytes of their sends. */
void program_pair(struct program *program);

/*
 * Make a program that does not deadlock even if all messages use the rendezvous protocol.  A rank
 * computes more than 5 us at a time.  `numbers` is the state of random_below.
 */
void program_random(struct program *program, uint64_t *numbers);

/* Convert the calls to a graph; NULL: without a progress table. */
void program_graph(const struct program *program, const struct progress_table *table,
		   struct goal *goal);

/* Parameters in ns, and ns per byte. */
struct program_network {
	int64_t L, o, G, S;
};

/*
 * Follow the program in time: the data of a rendezvous message moves (protocol read) at the first
 * moment at which it is announced and its receiver, which has posted the receive, is in a call that
 * waits.  Returns T in ns; the test fails if it deadlocks.
 */
int64_t program_play(const struct program *program, const struct program_network *network);

#endif
