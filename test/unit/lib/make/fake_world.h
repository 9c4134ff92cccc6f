/* Inside of the fake port: ranks, messages, and the order of what happens to them. */
#ifndef TEST_FAKE_WORLD_H
#define TEST_FAKE_WORLD_H

#include "common/array.h"
#include "test/unit/lib/make/fake_port.h"

#include <ucontext.h>

/* Where a rank is: only in a later call than that which posts it makes all steps. */
enum fake_call { OUTSIDE_CALL, IN_POST, IN_CALL };

/* Requests that a rank waits for together. */
enum fake_kind { KIND_DATA, KIND_NOTICE, KIND_RMA, KIND_COUNT };

struct fake_rank {
	struct port port; /* first: its address is that of the rank */
	struct fake_world *world;
	ucontext_t context;
	char *stack;
	bool ended;

	enum fake_call call;
	double wake_ns;		    /* when it goes on, unless */
	const unsigned *until_zero; /* it waits for this to become 0, or NULL */
	double work_ns, since_ns;   /* work that is left since then; wake_ns follows from it */
	bool works;
	unsigned open[KIND_COUNT]; /* requests that are not complete */
	unsigned not_all_here;	   /* 1: waits in a synchronisation */

	struct cell_spec spec;
	bool loaded;	 /* threads compute */
	double delay_ns; /* before the first operation of the round */
	double away_ns;	 /* in which the processor did something else */
	double nic_ns;	 /* when its NIC is free */
};

/* A message, a one-sided access or the part of a rank in a collective, which has no receiver. */
struct fake_message {
	struct fake_rank *sender, *receiver;
	enum fake_kind kind;
	const struct fake_step *step; /* next; NULL: not sent yet */
	double ready_ns;	      /* the step before is done */
	bool posted;		      /* the receive, at */
	double posted_ns;
	uint64_t bytes;
	double share; /* collectives: of the time */
};

/* Ranks that synchronise: a pair, or all. */
struct fake_group {
	unsigned first, count, arrived;
	unsigned rounds;
	double L, slowness; /* of the round */
};

struct fake_world {
	const struct fake_network *network;
	unsigned size;
	double now_ns;
	struct fake_rank ranks[FAKE_MOST_RANKS];
	struct fake_group pairs[FAKE_MOST_RANKS / 2], all;
	ARRAY(struct fake_message) messages;
	unsigned joined; /* ranks that take part in the collective */
	double joined_ns;
	const void *shown[FAKE_MOST_RANKS];
	ucontext_t main;
	fake_work *work;
	void *data;
};

extern const struct port_methods fake_methods;

/* Let others go on until this rank's time comes. */
void fake_yield(struct fake_rank *rank);

/* Change how many requests of a kind are open; the rate of a computation depends on it. */
void fake_requests(struct fake_rank *rank, enum fake_kind kind, int change);
/* Begin to compute `ns`, set the time of its end. */
void fake_work_begin(struct fake_rank *rank, double ns);

/* Messages; a send is begun when its overhead is over. */
void fake_send(struct fake_rank *sender, struct fake_rank *receiver, enum fake_kind kind,
	       uint64_t bytes, enum layout layout);
void fake_post(struct fake_rank *receiver, struct fake_rank *sender, enum fake_kind kind);
void fake_access(struct fake_rank *origin, struct fake_rank *target, uint64_t bytes, bool put);
void fake_join(struct fake_rank *rank, uint64_t bytes, double share);

/* Time of the next step of a message, INFINITY if it waits for a rank.  Make that step; returns false after the last. */
double fake_step_ns(const struct fake_world *world, const struct fake_message *message);
bool fake_step(struct fake_world *world, struct fake_message *message);

#endif
