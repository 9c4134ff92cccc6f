/*
 * A port of the overlap benchmark (measure/overlap/port.h) in virtual time: ranks are coroutines, and what they do takes
 * exactly the time of a model.
 *
 * Messages are those of doc/model.md.  The sender of s bytes is busy for o, the message needs L + B with B = (s - 1) G
 * (nothing if s = 0), and the receiver completes it after another o.  The NIC of a rank sends one message at a time,
 * with g between them.  Above S bytes a protocol decides.  Between calls of MPI a rank makes steps of a protocol only if the
 * network progresses by itself.  In all protocols
 *
 *	w_S, w_R	first time at which the sender, the receiver makes the step
 *	e(v), e(u)	end of the receive, of the send
 */
#ifndef TEST_FAKE_PORT_H
#define TEST_FAKE_PORT_H

#include "measure/overlap/port.h"

#include <signal.h>

enum fake_protocol {
	/* Announce (L); the receiver reads: e(v) = w_R + o + 2 L + B, e(u) = e(v) + L. */
	FAKE_READ,
	/* Announce (L); the receiver answers (o + L); the sender writes: e(v) = w_S + o + L + B, e(u) = e(v) + L. */
	FAKE_WRITE,
	/* The receiver announces its buffer as it posts (L); the sender writes as above, but not in the call that posts. */
	FAKE_WRITE_FIRST,
	/* `first_bytes` k leave with the post, the rest in a later call of the sender, after them: it needs
	 * (s - k) G, then e(u), L and o, then e(v). */
	FAKE_PIPELINE,
};

enum { FAKE_MOST_RANKS = 8 };

/* Times in ns; what is 0 does not happen. */
struct fake_network {
	double L, o, g, G;
	uint64_t S;				      /* messages up to it are eager */
	enum fake_protocol protocol, vector_protocol; /* of contiguous data, of a vector */
	uint64_t first_bytes;
	double pack_ns; /* of each byte of a vector, on the sender as it posts */

	bool calls_only;     /* ranks make steps of rendezvous in calls of MPI only, */
	bool eager_in_calls; /* also complete eager messages there only, */
	bool rma_in_calls;   /* also serve puts and gets there only */
	double late_ns;	     /* penalty for a step that had to wait for a call */
	double thread_share; /* of the core, taken by a progress thread while requests are open */
	double duty;	 /* share of the core that another process always takes from computation */
	double test_ns;	 /* MPI_Test */
	double slice_ns; /* nload: what a rank that waited waits longer, for each thread */
	double blocking_share; /* time of the blocking collective, in that of the non-blocking one */

	/* By round of a pair.  L is changed by up to +-jitter_ns in two of five rounds, at random. */
	double jitter_ns;
	unsigned outlier_every; /* rounds; rank 0 of the pair begins later */
	double outlier_ns;
	/* One rank, in turn, begins later and reports it as a context switch; pair i is i rounds ahead. */
	unsigned switch_every; /* rounds, */
	bool switch_others;    /* or all but these */
	double switch_ns;

	/* Rounds of a pair after which L, G and computation take so many times as long. */
	unsigned slow_after;
	double slowness;

	double pair_L[FAKE_MOST_RANKS / 2]; /* added to L within pair i */

	double stop_ns; /* at this time `stop` becomes 1, if it is not NULL */
	volatile sig_atomic_t *stop;
};

/* Time that a collective takes on a rank after the last has joined it: a chain of messages. */
double fake_collective_ns(const struct fake_network *network, unsigned rank, uint64_t bytes);

/* Work of a rank.  It must not fail a test itself, as that would leave its stack. */
typedef void fake_work(struct port *port, void *data);

/*
 * Let all ranks work on the same data, from time 0 on.  Aborts if they wait for each other for ever, or if
 * a cell is finished before its requests are complete.
 */
void fake_play(const struct fake_network *network, unsigned ranks, fake_work *work, void *data);

/* Rounds of the pair of this rank (collectives: of all) so far. */
unsigned fake_rounds(const struct port *port);

#endif
