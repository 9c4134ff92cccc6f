/*
 * Small runs of two ranks with threads that call MPI at the same time: made at random by a scheduler that keeps
 * MPI's rules, and what each of their calls does, so that they can be run again in any order.
 */
#ifndef TEST_MAKE_THREADS_H
#define TEST_MAKE_THREADS_H

#include <stdbool.h>
#include <stdint.h>

enum { RUN_RANKS = 2, RUN_THREADS = 3, RUN_CALLS = 40, RUN_NOTHING = 0xff };

enum run_kind {
	RUN_INIT,
	RUN_SEND,  /* eager */
	RUN_SSEND, /* until the receive is posted */
	RUN_RECV,
	RUN_ISEND,
	RUN_IRECV,
	RUN_WAIT,
	RUN_BARRIER,
	RUN_DUP,  /* communicator 1 of communicator 0, all ranks */
	RUN_FREE, /* communicator 1; waits for nobody */
	RUN_FINALIZE,
};

struct run_call {
	enum run_kind kind;
	uint8_t rank, thread;
	uint8_t comm, peer, tag;
	uint8_t start;	      /* of RUN_WAIT: the call that began the request */
	uint8_t number;	      /* among the calls of its thread */
	uint8_t begun, ended; /* its times in the run */
};

/* Calls of both ranks, in the order in which they began. */
struct threaded_run {
	struct run_call calls[RUN_CALLS];
	uint8_t count;
	uint8_t of[RUN_RANKS][RUN_THREADS][RUN_CALLS]; /* a thread's calls */
	uint8_t counts[RUN_RANKS][RUN_THREADS];
	uint8_t threads[RUN_RANKS]; /* that have calls */
};

/* A moment of a run.  No padding: moments are compared as bytes.  Zero bytes are the start. */
struct run_state {
	uint8_t at[RUN_RANKS][RUN_THREADS]; /* twice the calls that have ended, plus 1 in a call */
	uint8_t queue[RUN_CALLS];	    /* sends and receives without a partner, by channel */
	uint8_t queued;
	bool matched[RUN_CALLS];
};

/* Add a call behind the others; its number among those of its thread is filled in. */
void run_add(struct threaded_run *run, const struct run_call *call);

/* Whether a call has begun, or has ended. */
bool run_has_begun(const struct threaded_run *run, const struct run_state *state, uint8_t call);
bool run_has_ended(const struct threaded_run *run, const struct run_state *state, uint8_t call);

/* Begin the next call of a thread; end the call that it is in, if MPI lets it. */
void run_begin(const struct threaded_run *run, struct run_state *state, uint8_t rank,
	       uint8_t thread);
bool run_may_end(const struct threaded_run *run, const struct run_state *state, uint8_t call);
void run_end(struct run_state *state, uint8_t rank, uint8_t thread);

/*
 * Whether MPI has a call before another one of the same rank in any run of the program: both send, or receive, by one channel, are
 * collectives of one communicator, or the second one uses what the first one makes, or frees what it uses.
 */
bool run_conflict(const struct threaded_run *run, uint8_t first, uint8_t second);

/*
 * Make a run of about so many calls, with at most `threads` threads on each rank.  All of its calls end.  No two
 * threads receive, or send, by one channel at the same time: then the order of messages is the run's.
 */
void run_make(struct threaded_run *run, uint8_t threads, uint8_t calls, uint64_t *numbers);

#endif
