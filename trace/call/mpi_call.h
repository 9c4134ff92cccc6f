/*
 * MPI call as data, as the tracer records it and schedgen reads it.
 *
 * A call has a function, a time interval and events, in the order in which OTF2 records them.  Most
 * calls have no event or one; MPI_Waitall has one for each request that it completes.
 *
 * Ranks are ranks in the communicator of the event, as in OTF2, or in the remote group of an
 * inter-communicator.  Messages to and from MPI_PROC_NULL leave no event.
 */
#ifndef TRACE_MPI_CALL_H
#define TRACE_MPI_CALL_H

#include <stdbool.h>
#include <stdint.h>

enum mpi_event_kind {
	EVENT_SEND,		   /* a blocking send in any mode */
	EVENT_RECV,		   /* a blocking receive, as it matched */
	EVENT_ISEND,		   /* a send was started (Isend, Start, ...) */
	EVENT_ISEND_COMPLETE,	   /* the send's request completed or was freed */
	EVENT_IRECV_REQUEST,	   /* a receive was posted */
	EVENT_IRECV,		   /* the receive completed, as it matched */
	EVENT_REQUEST_TEST,	   /* a test found the request incomplete */
	EVENT_REQUEST_CANCELLED,   /* the request was cancelled and is gone */
	EVENT_COLLECTIVE,	   /* a blocking collective */
	EVENT_COLLECTIVE_REQUEST,  /* a non-blocking collective was started */
	EVENT_COLLECTIVE_COMPLETE, /* it completed; only this event describes it */
	EVENT_COMM_CREATE,	   /* comm was made */
	EVENT_COMM_DESTROY,	   /* comm was freed */
	EVENT_TRANSFER,		   /* the call moves bytes to or from a file */
	EVENT_PROBE,		   /* the call found a message; see trace_reader_as_measured */

	/* One-sided communication, on window (and comm, over which the window was made). */
	EVENT_WIN_CREATE,	   /* the window was made */
	EVENT_WIN_DESTROY,	   /* it was freed */
	EVENT_RMA_COLLECTIVE,	   /* collective; making, freeing, fences of the window */
	EVENT_RMA_GROUP_SYNC,	   /* with the ranks of group: post, start, complete, wait, test */
	EVENT_RMA_LOCK,		   /* a lock of peer (or RMA_ALL) was asked for */
	EVENT_RMA_UNLOCK,	   /* and given back */
	EVENT_RMA_SYNC,		   /* of the rank's own copies of the window */
	EVENT_RMA_PUT,		   /* bytes_sent to peer */
	EVENT_RMA_GET,		   /* bytes_received from peer */
	EVENT_RMA_ATOMIC,	   /* bytes_sent to peer, and bytes_received from it */
	EVENT_RMA_COMPLETE,	   /* the operations with this request are complete here */
	EVENT_RMA_COMPLETE_REMOTE, /* and at the target */
	EVENT_RMA_TEST,		   /* a test found the operation with this request incomplete */
};

/* Number of kinds. */
#define EVENT_KINDS (EVENT_RMA_TEST + 1)

/* Classes of kinds, by what an event has besides the common fields.  The rest have nothing. */
static inline bool event_is_message(enum mpi_event_kind kind)
{
	return kind < EVENT_COLLECTIVE || kind == EVENT_TRANSFER || kind == EVENT_PROBE;
}

static inline bool event_is_collective(enum mpi_event_kind kind)
{
	return kind == EVENT_COLLECTIVE || kind == EVENT_COLLECTIVE_COMPLETE;
}

static inline bool event_is_rma(enum mpi_event_kind kind)
{
	return kind >= EVENT_WIN_CREATE;
}

/* Values as in OTF2_CollectiveOp. */
enum mpi_collective {
	COLL_BARRIER = 0,
	COLL_BCAST = 1,
	COLL_GATHER = 2,
	COLL_GATHERV = 3,
	COLL_SCATTER = 4,
	COLL_SCATTERV = 5,
	COLL_ALLGATHER = 6,
	COLL_ALLGATHERV = 7,
	COLL_ALLTOALL = 8,
	COLL_ALLTOALLV = 9,
	COLL_ALLTOALLW = 10,
	COLL_ALLREDUCE = 11,
	COLL_REDUCE = 12,
	COLL_REDUCE_SCATTER = 13,
	COLL_SCAN = 14,
	COLL_EXSCAN = 15,
	COLL_REDUCE_SCATTER_BLOCK = 16,
	COLL_CREATE_HANDLE = 17, /* communicator creation */
	COLL_DESTROY_HANDLE = 18,
	/* Windows with memory of their own. */
	COLL_CREATE_HANDLE_AND_ALLOCATE = 21,
	COLL_DESTROY_HANDLE_AND_DEALLOCATE = 22,
};

/* Name of a collective, "reduce_scatter" for COLL_REDUCE_SCATTER; "unknown" of other values. */
const char *mpi_collective_name(enum mpi_collective collective);

/* Whether the data go from one rank, the root, or to it. */
static inline bool collective_has_root(enum mpi_collective collective)
{
	return collective == COLL_BCAST || collective == COLL_SCATTER ||
	       collective == COLL_SCATTERV || collective == COLL_GATHER ||
	       collective == COLL_GATHERV || collective == COLL_REDUCE;
}

/* Effect of RMA collectives and group synchronisations.  Values as in OTF2_RmaSyncLevel. */
enum { RMA_SYNC_NONE = 0, RMA_SYNC_PROCESS = 1, RMA_SYNC_MEMORY = 2 };

/* Values as in OTF2_RmaAtomicType. */
enum rma_atomic {
	RMA_ACCUMULATE = 0,
	RMA_COMPARE_AND_SWAP = 3,
	RMA_FETCH_AND_ACCUMULATE = 7,
};

#define RMA_ALL UINT32_MAX /* a lock of all ranks of the window */

#define NO_ROOT UINT32_MAX /* the collective has no root */
/* On inter-communicators, in the group of the root: MPI_ROOT and MPI_PROC_NULL. */
#define ROOT_SELF (UINT32_MAX - 1)
#define ROOT_THIS_GROUP (UINT32_MAX - 2)
#define NO_COMM UINT32_MAX

/* Ids of communicators that every rank knows from the beginning. */
enum { COMM_ID_WORLD = 0, COMM_ID_SELF = 1, FIRST_OWN_COMM_ID = 2 };

/* Wildcards that the program posted. */
enum { POSTED_ANY_SOURCE = 1, POSTED_ANY_TAG = 2 };

/*
 * Besides the common fields an event has the member of the union that its kind names.  Ask for the
 * kind before reading or writing the union.  The first member is the largest and has no padding
 * between its fields: an initializer that names no field of the union sets all of them to zero.
 */
struct mpi_event {
	enum mpi_event_kind kind;
	uint32_t comm; /* id of the communicator in the archive */
	uint32_t peer; /* messages: destination or source; one-sided: rank of the window */
	enum mpi_collective collective; /* collectives, EVENT_RMA_COLLECTIVE */
	uint64_t request; /* of all kinds that have one; unique in the rank while active */
	/*
	 * Collectives: totals over the peers of this rank (trace/call/collective_totals.h).
	 * One-sided communication: to and from the peer.
	 */
	uint64_t bytes_sent, bytes_received;
	/*
	 * Name of the reduction operation ("MPI_SUM"), "user" or "user-noncommutative", or NULL:
	 * collectives, EVENT_RMA_ATOMIC.
	 */
	const char *operation;

	union {
		struct { /* event_is_collective */
			/*
			 * Bytes to and from each rank of comm, if the collective has unequal blocks
			 * and this rank knows them, else NULL.  Allgatherv has receive_bytes,
			 * reduce_scatter send_bytes, gatherv and scatterv one of them on the root.
			 * On an inter-communicator entries are for the ranks of the remote group,
			 * but reduce_scatter has receive_bytes for the ranks of the own group.
			 */
			const uint64_t *send_bytes, *receive_bytes;
			/*
			 * Entries of each: the size of comm (of its remote group), or as
			 * neighbours says.
			 */
			uint32_t send_count, receive_count;
			/*
			 * Neighbours of a neighbourhood collective, else NULL:
			 * "SOURCES;DESTINATIONS", ranks of comm separated by commas.  send_bytes
			 * has an entry for each destination, receive_bytes for each source.  If two
			 * ranks are neighbours several times, the n-th destination entry matches
			 * the n-th source entry.
			 */
			const char *neighbours;
			/*
			 * Completion of a persistent collective: number of its MPI_..._init call
			 * among such calls on comm, from 1.  All ranks make them in the same order,
			 * but may start them in any order.  0: not persistent, or not known.
			 */
			uint32_t persistent;
			uint32_t root; /* rank in comm, or NO_ROOT */
			bool in_place; /* MPI_IN_PLACE was given on this rank */
		};
		struct {		/* event_is_message */
			uint64_t bytes; /* size; of EVENT_TRANSFER, too */
			uint32_t tag;
			uint32_t partitions; /* EVENT_ISEND, EVENT_IRECV_REQUEST; 0: none */
			uint8_t posted;	     /* receives: wildcards, POSTED_... */
		};
		/*
		 * event_is_rma.  Operations to one target may share a request number until they
		 * have completed.
		 */
		struct {
			/* EVENT_RMA_GROUP_SYNC: world ranks of the group, from the reader. */
			const uint32_t *group_ranks;
			uint32_t group_size;
			uint32_t group;		/* EVENT_RMA_GROUP_SYNC: id in the archive */
			uint32_t window;	/* id in the archive */
			enum rma_atomic atomic; /* EVENT_RMA_ATOMIC */
			uint8_t sync;		/* RMA_SYNC_...: RMA_COLLECTIVE, RMA_GROUP_SYNC */
			bool exclusive;		/* EVENT_RMA_LOCK */
		};
	};
};

/* Name of a call that is the time in which recording was off (MPI_Pcontrol). */
#define RECORDING_OFF "(recording off)"

/* Call site of a call of which it is not known. */
enum { NO_SITE = 0 };

struct mpi_call {
	const char *function; /* "MPI_Send"; lives as long as the reader or writer */
	uint32_t thread;      /* of the rank; 0: the thread at the location of the rank */
	uint64_t enter_ns;    /* immediately before the call */
	uint64_t leave_ns;    /* immediately after it */
	const struct mpi_event *events;
	uint32_t event_count;
	/*
	 * Polls are consecutive calls of one function that found nothing and have equal events
	 * (EVENT_REQUEST_TEST or none).  They are one call, from the first to the last: their
	 * number, and sum and minimum of the times between them.  0 for other calls.
	 */
	uint64_t polls;
	uint64_t poll_gaps_ns, least_poll_gap_ns;
	/*
	 * Where the program made the call.  From the sink to the journal: the return address, or 0.
	 * From a trace: the number of a string of the archive, "MODULE+0xOFFSET[BUILD-ID]"
	 * (common/source/call_site.h), or NO_SITE.  To the writer: of its own strings.
	 */
	uintptr_t return_address;
	uint32_t site;
	/*
	 * Of a repeated run (trace/repeat): four times the number, from 1, of the recorded iteration whose
	 * times the call has, 2 more in each second iteration, which tells successive ones apart, and 1
	 * more if the call was recorded itself; else 0.
	 */
	uint32_t repeats;
	/*
	 * From the sink to the writer: polls below MPI (trace/call/below.h) that found nothing, the last
	 * within the call: their number, and from the first to the last.
	 */
	uint64_t empty_polls, empty_from_ns, empty_to_ns;
};

/*
 * Find the events of a call of a function with `traits`; *events has as many as it returns.  They are those
 * of the trace but for a call by the members of a new communicator (MPI_BY_MEMBERS): *made becomes the
 * collective by which they have made it, over the new communicator, of both groups of an
 * inter-communicator.  Tools record another one: Score-P the parent for MPI_Comm_create_group, all
 * the caller's group for MPI_Intercomm_create.
 */
uint32_t mpi_call_events(const struct mpi_call *call, unsigned traits, struct mpi_event *made,
			 const struct mpi_event **events);

#endif
