/*
 * Requests and matched messages by their handles.
 *
 * Some MPI libraries give one handle to several requests at a time, if these are
 * complete at once.  Therefore a handle leads to a queue of requests, oldest first.
 * If a thread has added requests to the queue, it means the oldest of these.  Only
 * requests that other threads passed to it can be confused.
 *
 * The table has its own hash table, whose slots hold the queues.  Adding and taking a request
 * takes 4 to 28 ns.  With the map of common/ and the queues beside it, it takes four to eight
 * times as long, 20 to 120 ns (1 to 1000 open requests, one run).
 *
 * A call that may complete a request takes it out of the table before it calls the
 * MPI library, and puts it back if it was not completed.  The library may give the
 * handle to another thread as soon as it is free.
 */
#ifndef PMPI_REQUESTS_H
#define PMPI_REQUESTS_H

#include "pmpi/comms.h"

enum request_kind { REQUEST_SEND, REQUEST_RECV, REQUEST_COLLECTIVE, REQUEST_RMA };

struct window;

struct request {
	enum request_kind kind;
	bool persistent, active;
	bool recorded;		/* its begin was handed to the sink */
	bool cancelled;		/* MPI_Cancel was called */
	uint8_t posted;
	int peer, tag;		/* as posted */
	uint64_t id, bytes;
	struct comm *comm;
	MPI_Comm new_comm;	/* MPI_Comm_idup: the communicator once it is complete */
	uint32_t child;		/* its number among the communicators of its parent */
	struct window *window;	/* of a one-sided operation */
	uint32_t place;		/* in window->own */
	int partitions, ready;	/* partitioned send: all, given to MPI so far */
	struct request *partner;	/* MPI_Isendrecv: the send, completed with the receive */
	struct mpi_event collective;
	ARRAY(uint64_t) vectors;	/* vectors of the collective */
	uint64_t key;
	const struct thread *thread;	/* the thread that added it */
	struct request *next;
};

/* Slot of a hash table: the queue of a handle. */
struct request_slot {
	uint64_t key;
	struct request *first, *last;
	bool mixed;		/* requests may belong to several threads */
};

struct request_table {
	ARRAY(struct request_slot) slots;	/* open addressing */
	size_t used;
};

extern struct request_table requests;	/* by MPI_Request */
extern struct request_table messages;	/* by MPI_Message */

/* Key of a handle of any type. */
#define HANDLE_KEY(handle) handle_key(&(handle), sizeof(handle))
static inline uint64_t handle_key(const void *handle, size_t bytes)
{
	uint64_t key = 0;

	memcpy(&key, handle, bytes < sizeof key ? bytes : sizeof key);
	return key;
}

/* Make a zeroed request that is in no table.  NULL after process_fail. */
struct request *request_new(void);

/* Set the message of the request. */
void request_describe(struct request *request, enum request_kind kind, MPI_Comm comm, int peer,
		      int tag, uint64_t bytes);

/* Add a zeroed request at the end of its queue.  NULL after process_fail. */
struct request *request_add(struct request_table *table, uint64_t key);

/* Find the oldest request of the handle that this thread has added, else the oldest, else NULL. */
struct request *request_find(const struct request_table *table, uint64_t key);

/* Take the request that request_find returns out of the table. */
struct request *request_take(struct request_table *table, uint64_t key);

/* Put a request back, as the oldest of its handle. */
void request_put_back(struct request_table *table, struct request *request);

/* Free a request that is in no table, and its partner. */
void request_free(struct request *request);

void requests_release(void);

/* Return a number that no request or operation on a window of this rank has had. */
uint64_t request_number(void);

/* Activate the request: give it a number and add the event of its begin. */
void request_start(const struct call *call, struct request *request);

/* Count partitions that are ready.  The message begins with the last of them. */
void request_ready(const struct call *call, struct request *request, int partitions);

/*
 * Whether the error code says only that the message was longer than the buffer.  In this case the
 * message has been received, but the status need not name the sender.
 */
bool is_truncated(int code);

#endif
