/*
 * Requests and matched messages by their handles.
 *
 * Some MPI libraries give one handle to several requests at a time (those that
 * were complete at once), so a handle leads to a queue, oldest first.  A thread
 * means the oldest of its own there, if it has one: it cannot have started the
 * others, and only what it was given by several threads can be mistaken.  Calls
 * that may complete a request take it out of the table before they call the
 * MPI library, which may hand the handle out again to another thread as soon
 * as it is free, and put it back if it was not completed.
 */
#ifndef PMPI_REQUESTS_H
#define PMPI_REQUESTS_H

#include "pmpi/comms.h"

enum request_kind { REQUEST_SEND, REQUEST_RECV, REQUEST_COLLECTIVE, REQUEST_RMA };

struct window;

struct request {
	enum request_kind kind;
	bool persistent, active;
	bool recorded;		/* its begin is in the trace */
	bool cancelled;		/* MPI_Cancel was called */
	uint8_t posted;
	int peer, tag;		/* as posted */
	uint64_t id, bytes;
	struct comm *comm;
	MPI_Comm new_comm;	/* MPI_Comm_idup: what will be a communicator */
	uint32_t child;		/* and which it is of its parent */
	struct window *window;	/* one-sided: of the operation */
	uint32_t place;		/* and where it is there */
	int partitions, ready;	/* partitioned sends: of the message; given to MPI so far */
	struct request *partner;	/* MPI_Isendrecv: the send, completed with the receive */
	struct mpi_event collective;
	ARRAY(uint64_t) vectors;	/* of the collective */
	uint64_t key;
	const struct thread *thread;	/* that has added it */
	struct request *next;
};

/* A slot of a hash table: the queue of a handle. */
struct request_slot {
	uint64_t key;
	struct request *first, *last;
	bool mixed;		/* of several threads, perhaps; else all are of one */
};

struct request_table {
	ARRAY(struct request_slot) slots;	/* open addressing */
	size_t used;
};

extern struct request_table requests;	/* by MPI_Request */
extern struct request_table messages;	/* by MPI_Message */

/* A key of a handle, whatever its type is. */
#define HANDLE_KEY(handle) handle_key(&(handle), sizeof(handle))
static inline uint64_t handle_key(const void *handle, size_t bytes)
{
	uint64_t key = 0;

	memcpy(&key, handle, bytes < sizeof key ? bytes : sizeof key);
	return key;
}

/* A new, zeroed request that is in no table; NULL after process_fail. */
struct request *request_new(void);

/* Say what message the request is for. */
void request_describe(struct request *request, enum request_kind kind, MPI_Comm comm, int peer,
		      int tag, uint64_t bytes);

/* A new, zeroed request at the end of its queue; NULL after process_fail. */
struct request *request_add(struct request_table *table, uint64_t key);

/* The oldest request of the handle that this thread has added, else the oldest; NULL: none. */
struct request *request_find(const struct request_table *table, uint64_t key);

/* Likewise, and take it out of the table. */
struct request *request_take(struct request_table *table, uint64_t key);

/* Put it back, as the oldest. */
void request_put_back(struct request_table *table, struct request *request);

/* Give up a request that is in no table, and its partner. */
void request_free(struct request *request);

void requests_release(void);

/* A number that no request of this rank has had; operations on windows get them too. */
uint64_t request_number(void);

/* The request becomes active: give it a number and make the event of its begin. */
void request_start(const struct call *call, struct request *request);

/* So many more partitions are ready; the last make the message. */
void request_ready(const struct call *call, struct request *request, int partitions);

/*
 * Whether a call or status failed only in that the message was longer than the buffer: it has been
 * received, but the status need not say of whom.
 */
bool is_truncated(int code);

/* Bytes of a message that was received. */
uint64_t received_bytes(const MPI_Status *status);

#endif
