/* What calls of different threads may have in common, so that their order matters. */
#ifndef EVENTFLOW_ORDER_KEYS_H
#define EVENTFLOW_ORDER_KEYS_H

#include "eventflow/generate/rank_calls.h"

enum order_kind {
	ORDER_ALL, /* all calls: MPI begins, ends, or is not recorded */
	ORDER_REQUEST,
	ORDER_NAMES, /* requests of a thread, by their positions among its open ones */
	ORDER_PERSISTENT,
	ORDER_PROBE, /* a message that was probed, by the number of the probe */
	ORDER_COMM,
	ORDER_COLLECTIVES,  /* of a communicator */
	ORDER_SENDS,	    /* by communicator, peer and tag */
	ORDER_RECEIVES,	    /* by communicator, peer and tag */
	ORDER_TAG_RECEIVES, /* by communicator and tag */
	ORDER_ALL_RECEIVES, /* of a communicator */
	ORDER_WINDOW,
	ORDER_TARGET,
	ORDER_ACCESS,	/* to the targets of a group, of a window */
	ORDER_WINDOWS,	/* all: which one was made last, and the memory that is attached */
	ORDER_GROUPS,	/* of a thread */
	ORDER_SESSIONS, /* of a thread */
	ORDER_TOPOLOGIES,
	ORDER_OPERATIONS,
	ORDER_BUFFER,
};

/* No padding: keys are compared as bytes. */
struct order_key {
	uint32_t kind;
	uint32_t object;
	uint64_t number, tag;
};

enum {
	ORDER_READS = 0,
	ORDER_WRITES = 1, /* its order matters to all others, not only to those that write */
	ORDER_CERTAIN =
		2, /* later calls come after its end: it needs no other rank, or they need what it makes */
	ORDER_FORCED =
		4, /* it comes after the end of all earlier calls, if they have not run on meanwhile */
	ORDER_BY_TIME =
		8, /* it needs another rank, and later calls come after its end if its time was over then */
};

/* Take a key of the call at hand, and how the call uses it: ORDER_... */
typedef int order_touch(void *data, const struct order_key *key, unsigned use, struct error *err);

/* Give all keys of a call, whose number and thread are set. */
int order_keys(struct rank_calls *calls, const struct mpi_call *call, order_touch *touch,
	       void *data, struct error *err);

#endif
