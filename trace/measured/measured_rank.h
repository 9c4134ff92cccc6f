/*
 * The calls of one rank with their measured times, and which of them begin and complete messages
 * and collectives.
 *
 * Calls are in the order in which they were entered.  The polling calls in which a thread waits, and
 * the call that has completed something after them, are one call (trace/call/poll_run.h).
 */
#ifndef TRACE_MEASURED_RANK_H
#define TRACE_MEASURED_RANK_H

#include "common/array.h"
#include "common/number_map.h"
#include "trace/call/call_tracker.h"
#include "trace/call/neighbours.h"
#include "trace/call/poll_run.h"
#include "trace/call/trace_backend.h"

#define NO_CALL UINT32_MAX

struct measured_call {
	uint64_t enter_ns, leave_ns;
	uint32_t function; /* number of its name, see struct measured_names */
	uint32_t thread;
};

/*
 * A message that the rank sends, in the order of the calls that begin it.  Calls that exchange
 * messages within themselves have some, too (trace/measured/sync_edges.h).
 */
struct measured_send {
	uint32_t begin, end; /* calls: that began it, that completed it or NO_CALL */
	uint32_t peer;	     /* world rank */
	uint32_t comm, tag;
	bool synchronous; /* it cannot end before its receive has begun */
	bool buffered;	  /* it never waits for its receive */
	uint64_t bytes;
};

/* A message that the rank has received. */
struct measured_recv {
	uint32_t begin, end; /* calls: that posted it, that completed it */
	uint32_t peer;	     /* world rank of the sender */
	uint32_t comm, tag;
	uint32_t order; /* of the posts of the rank: in which order receives match; may be equal */
	uint64_t bytes;
};

/*
 * A call that has found a message without receiving it.  The rank's next receive in the message's channel
 * gets it.
 */
struct measured_probe {
	uint32_t call;
	uint32_t peer; /* world rank of the sender */
	uint32_t comm, tag;
	uint32_t order; /* receives of this order or later are posted after the probe */
	uint32_t recv;	/* the one that gets the message, or NO_MATCH; from measured_match */
};

/* Kind of a collective of neighbours, besides those of enum mpi_collective. */
enum { MEASURED_NEIGHBOURS = UINT8_MAX };

/* The rank's part in a collective. */
struct participation {
	uint32_t begin, end; /* calls: that began it, that completed it */
	uint32_t comm;
	uint32_t stream; /* number of its persistent collective, else 0 */
	uint32_t order;	 /* of the begins of the rank */
	uint32_t place;	 /* of the begins of its call: different for all parts that this begins */
	uint32_t root;	 /* world rank, or NO_ROOT */
	uint8_t kind;	 /* enum mpi_collective, or MEASURED_NEIGHBOURS */
	bool is_free;	 /* the rank gets no data from others, or a communicator is freed */
	uint64_t bytes;	 /* sent and received */
};

/* An epoch of one-sided communication under a lock (trace/measured/measured_locks.h). */
struct measured_lock {
	uint32_t window, comm; /* ids in the archive */
	uint32_t target;       /* rank in comm, or RMA_ALL */
	uint32_t begin, end;   /* calls: that asked for the lock, that gave it back or NO_CALL */
	uint32_t had;	       /* the first call that ended with the lock for sure, or NO_CALL */
	bool exclusive;
};

/* A call in such an epoch that may wait for the lock. */
struct measured_lock_call {
	uint32_t lock, call;
};

/*
 * Where the trace may lack messages or collectives of a rank: recording was off, or it is not known how a
 * request ended.
 */
struct measured_cuts {
	ARRAY(uint32_t) of_sends; /* calls: sends that later ones begin are behind the cut */
	/* Sorted orders of begins, each of what is missing: those of a higher order are behind the cut. */
	ARRAY(uint32_t) of_recvs, of_parts;
};

struct measured_rank {
	uint32_t rank;
	uint32_t thread_count;
	/* From leaving MPI_Init to entering MPI_Finalize, or from the first to the last call. */
	uint64_t begin_ns, end_ns;
	ARRAY(struct measured_call) calls;
	ARRAY(struct measured_send) sends;
	ARRAY(struct measured_recv) recvs;
	ARRAY(struct measured_probe) probes;
	ARRAY(struct participation) parts;
	ARRAY(struct measured_lock) locks;
	ARRAY(struct measured_lock_call) lock_calls;
	struct measured_cuts cuts;
	bool finalized; /* the rank ended in MPI_Finalize */
	/* Of the calls: strings of the archive (struct mpi_call), or NO_SITE.  Empty: none is known. */
	ARRAY(uint32_t) sites;
	uint64_t incomplete;	   /* messages and collectives without a call that completed them */
	uint64_t unmatched_events; /* completions of requests that no call has begun */
};

void measured_rank_release(struct measured_rank *rank);

/*
 * Whether a rank has left a collective before another member began it, and was free to do so.  If it was
 * not, clocks contradict each other.
 */
static inline bool measured_left_before(const struct measured_rank *rank,
					const struct participation *part, uint64_t begin_ns)
{
	return part->is_free && rank->calls.items[part->end].leave_ns < begin_ns;
}

/* Number of the call site of a call, or NO_SITE. */
static inline uint32_t measured_site(const struct measured_rank *rank, uint32_t call)
{
	return call < rank->sites.count ? rank->sites.items[call] : (uint32_t)NO_SITE;
}

/* Numbers of the names of functions; those of the table of MPI functions come first. */
struct measured_names {
	ARRAY(char *) others; /* the rest; owned */
};

const char *measured_function(const struct measured_names *names, uint32_t function);
uint32_t measured_function_count(const struct measured_names *names);
void measured_names_release(struct measured_names *names);

/* Find the number of a name that is not in the table of functions, or add it. */
int measured_names_add(struct measured_names *names, const char *name, uint32_t *function,
		       struct error *err);

/* Change a number of one list of names to that of the same name in another list. */
int measured_names_copy(struct measured_names *names, const struct measured_names *from,
			uint32_t *function, struct error *err);

/* What began a request: a send, or a call that began a receive or a collective. */
struct measured_begin {
	uint32_t send; /* index; the rest is of receives and collectives */
	uint32_t call;
	uint32_t order; /* of the begins of the rank */
	uint32_t place; /* of those of the call */
	uint32_t probe; /* call that may have found its message, or NO_CALL */
};

/* The calls of a thread so far. */
struct measured_thread {
	/*
	 * The last one that concerns other ranks, if it is a probe of which the trace does not tell what
	 * it has found, else NO_CALL.
	 */
	uint32_t probe;
	/* The polls since the last call that did not poll: the last one, and when the thread left it. */
	struct poll_run polls;
	uint32_t last_poll;
	uint64_t last_leave_ns;
};

enum { RECENT_NAMES = 16 };

/* What is known while the calls of ranks are read, one rank after the other. */
struct measured_reading {
	const struct trace_world *world;
	struct measured_rank *rank;
	uint64_t events; /* that the trace may have of the rank: arrays get room for them; or 0 */
	struct measured_names *names;
	struct number_map functions; /* by the address of a name */
	struct {
		const char *name;
		uint32_t function;
	} recent[RECENT_NAMES]; /* of them, by bits of the address */
	struct call_tracker tracker;
	ARRAY(struct measured_begin) begins; /* by place of the request */
	uint32_t orders;		     /* begins so far */
	uint32_t call_orders;		     /* those before the call at hand */
	struct neighbour_lists neighbours;   /* of the collective at hand */
	uint32_t probe; /* before the call at hand, which may receive its message, or NO_CALL */
	ARRAY(struct measured_thread) threads;
	/* Numbers of the locks that are not given back: by window and target, and by request and window. */
	struct number_map open_locks, requested_locks;
	ARRAY(uint64_t) lock_requests; /* [lock]: of its last operation */
	bool joined;		       /* calls are part of others, and have to be removed */
};

/* Begin with a rank, whose struct is zeroed. */
void measured_reading_begin(struct measured_reading *reading, struct measured_rank *rank);

/* Take a call; a trace_receive with a struct measured_reading. */
int measured_take_call(void *reading, const struct mpi_call *call, struct error *err);

/* End with the rank. */
int measured_reading_end(struct measured_reading *reading, struct error *err);
void measured_reading_release(struct measured_reading *reading);

#endif
