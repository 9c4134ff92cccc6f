/* State of a rank while its actions are found; internal to eventflow/generate. */
#ifndef EVENTFLOW_RANK_CALLS_H
#define EVENTFLOW_RANK_CALLS_H

#include "eventflow/generate/replay.h"
#include "eventflow/generate/thread_order.h"
#include "trace/call/mpi_call.h"

enum { NO_HINT = UINT32_MAX };

/* Number of a request that leaves no record, as of a message to MPI_PROC_NULL; no number. */
#define SILENT (UINT64_MAX - 1)
#define NO_REQUEST UINT64_MAX

/* A request that was begun. */
struct replay_open {
	uint64_t number, other; /* other: of the same MPI_Isendrecv, or NO_REQUEST */
	uint32_t from, to;	/* threads that start and complete it */
	bool complete;		/* without MPI_Wait or its like */
};

/* A request that was taken off the open ones: its position among those of the same two threads. */
struct replay_taken {
	uint32_t from;
	int32_t position;
};

/* What a call that waits for a hint has: a probe may have a message for MPI_Mrecv and its like. */
enum pending_kind {
	PENDING_OTHER, /* a probe without one, a group, an operation */
	PENDING_IMPROBE,
	PENDING_MPROBE,
};

/* A call that waits for a hint. */
struct replay_pending {
	uint32_t call, thread;
	enum pending_kind kind;
};

/* Places of hints of calls of MPI_Mprobe, MPI_Mrecv and their like, beside the message's. */
enum { HINT_THREAD = 1, HINT_PROBE };

/* A request that may be started often. */
struct replay_persistent {
	const char *function;
	uint32_t thread; /* that has made it */
	uint32_t future; /* what it does, or NO_HINT */
	bool active, freed;
	uint64_t idle_since; /* of a partitioned send: call in which it was completed last */
};

/* A call that starts requests or makes partitions ready, and may be for a partitioned send. */
struct partitioned_call {
	uint64_t call;
	uint32_t used; /* partitioned sends that it starts; not 0: of a known message */
	bool several;  /* it may start or take more than one */
};

/* Partitions that a call makes ready. */
struct replay_part {
	uint32_t persistent, first, count;
};

/* A target that is locked, or all (RMA_ALL). */
struct replay_lock {
	uint32_t window, target;
};

struct rank_calls {
	struct replay_program *program;
	const struct flow *flow;
	uint32_t rank, threads;
	/* What later calls tell: events with vectors of their own. */
	ARRAY(struct mpi_event) futures;
	ARRAY(void *) owned;
	struct number_map by_request; /* request: future */
	struct number_map hints;      /* number of a call: future, persistent, part ... */
	struct number_map started;    /* request: number of the persistent one */
	/* Request: thread that completes it, that starts it, of ranks with several. */
	struct number_map completers, starters;
	struct number_map comm_numbers, window_numbers; /* id: the rank's own number */
	ARRAY(struct replay_persistent) persistent;
	ARRAY(struct replay_open) open;
	ARRAY(struct replay_pending) pending; /* probes, groups, operations */
	ARRAY(struct replay_pending) psets;   /* calls that ask a session for a group */
	ARRAY(struct replay_lock) locks;
	ARRAY(struct partitioned_call) starts, readies; /* see partitioned_calls.h */
	ARRAY(struct replay_part) parts;
	struct number_map target_of;  /* request of an operation on a window: target */
	struct number_map grid_calls; /* communicator: its calls that make grids so far */
	struct number_map made;	      /* communicators that a call of the rank makes */
	uint32_t last_window;
	uint64_t call;	 /* number of the call at hand */
	uint32_t thread; /* and its thread */
	uint32_t inits;
	size_t messages; /* that were found and not received */
	uint32_t *
		asked; /* [thread]: its call before, if that was a probe that does not wait, or 0 */
	bool *shared;  /* [thread]: another one has completed a request of it */
	bool *groups;  /* [thread]: it has made groups */
	uint32_t *sessions; /* [thread]: that it has opened and not closed */
	struct thread_order order;
};

/* Find the action of a call; *text stays empty if it cannot be imitated. */
int call_action(struct rank_calls *calls, const struct mpi_call *call, struct action *text,
		struct error *err);

/* Own number of a communicator or window, or -1. */
int64_t own_comm(const struct rank_calls *calls, uint32_t id);
int64_t own_window(const struct rank_calls *calls, uint32_t id);

/* Place of the rank in a communicator and its size; of the other group between groups. */
uint32_t own_place(const struct rank_calls *calls, uint32_t comm, uint32_t *size);

/* Append the action of a collective; `tail` ends it: ");", ", begin());". */
int collective_action(struct rank_calls *calls, const char *function, const struct mpi_event *event,
		      const char *tail, struct action *text, struct error *err);

/* Datatype and operation for a reduction of some bytes: *unit is the size of the type. */
const char *reduction_type(const char *operation, uint64_t bytes, uint64_t *unit);
const char *reduction_operation(const char *operation);

/* Text for a function that concerns no other rank, or NULL. */
const char *local_action(const char *function);

/* Append the action of a call on windows, or of one that makes communicators. */
int window_action(struct rank_calls *calls, const struct mpi_call *call, struct action *text,
		  struct error *err);
int comm_action(struct rank_calls *calls, const struct mpi_call *call, struct action *text,
		struct error *err);

/* Peer of an event as text with numbers: counted from the rank, or absolute between groups. */
void say_peer(struct rank_calls *calls, uint32_t comm, uint32_t peer, struct action *text);

/* Note a request that was begun; other: see struct replay_open. */
int note_open(struct rank_calls *calls, uint64_t number, uint64_t other, struct error *err);

/* Note that a buffer of some bytes is needed. */
void need_bytes(struct rank_calls *calls, uint64_t bytes);

#endif
