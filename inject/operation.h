/*
 * Operations: tagged sends and receives on their way through UCX.
 *
 * MPI gets requests of ours instead of UCX's, for an operation that UCX has completed is not
 * complete for MPI until its time has come.  As in UCX, a request is a pointer to MPI's own part;
 * what is ours lies before it, a `struct handle` last.  For requests in memory of the caller
 * (UCP_OP_ATTR_FIELD_REQUEST) only the handle is in that memory.
 *
 * An operation has up to three holders: MPI, which has its request; the call that posts it; the
 * wire, until the operation is delivered.  The last one recycles it.
 *
 * Threads: the functions below lock where they must.  Callbacks of MPI are called without a lock.
 */
#ifndef INJECT_OPERATION_H
#define INJECT_OPERATION_H

#include "common/machine/now.h"
#include "inject/delay.h"
#include "inject/ucx.h"

#include <stdbool.h>
#include <stdint.h>

/* What travels in front of each message. */
struct stamp {
	int64_t sent_ns;	/* CLOCK_MONOTONIC of the sender */
	uint64_t sender;	/* of the process: a mark of the injector and a random number */
};

/* Data that MPI packs and unpacks. */
struct layout {
	ucp_datatype_t type;
	ucp_generic_dt_ops_t functions;
	void *context;
};

struct handle {
	struct operation *operation;
	ucs_status_t status;		/* UCS_INPROGRESS until delivered */
	ucp_tag_recv_info_t info;	/* of a receive that is delivered */
	uintptr_t mark;
};

enum operation_kind { SEND, SYNC_SEND, RECEIVE };

enum holder { HOLD_MPI = 1, HOLD_POSTING = 2, HOLD_WIRE = 4 };

struct operation {
	enum operation_kind kind;
	unsigned holders;		/* of enum holder */
	bool silent;			/* MPI has freed its request and wants no callback */
	uint32_t number;		/* index in the table of operations */
	struct operation *next_free;
	void *real;			/* UCX's request, or NULL */
	struct handle *handle;		/* in memory of a caller it is gone after delivery */
	ucp_request_param_t param;	/* of MPI; callback and user data are used */

	/* What UCX sends or receives: layout.h. */
	struct stamp stamp;
	ucp_dt_iov_t parts[2];
	struct layout layout;		/* unless contiguous */
	void *layout_state;
	ucp_datatype_t layout_type;	/* UCX's, kept for the next use; 0: none yet */
	size_t bytes;			/* that MPI sends */

	ucs_status_t status;		/* completed by UCX, not delivered yet */
	ucp_tag_recv_info_t info;
};

/* The delay in force.  It changes only while no message is under way. */
extern struct delay delay;

/* The stamp of a message that this process sends now. */
struct stamp stamp_now(void);

/* Bytes of the message behind its stamp; a message without a stamp ends the program. */
size_t stamped_bytes(const struct stamp *stamp, size_t bytes_with_stamp);

/* First moment at which a message may be seen; messages of a process to itself are not delayed. */
int64_t stamped_due_ns(const struct stamp *stamp, size_t bytes);

/* Make an operation with holders POSTING and WIRE, and MPI unless it has memory of its own. */
struct operation *operation_new(enum operation_kind kind, const ucp_request_param_t *param);

/* The request of an operation as MPI sees it. */
void *operation_request(struct operation *operation);

/* The handle of a request, or NULL if it is one of UCX, for an operation that is not tagged. */
struct handle *request_handle(void *request);

/*
 * End posting, with what UCX returned: its request, NULL or an error.  Returns the same for MPI.
 */
ucs_status_ptr_t operation_posted(struct operation *operation, ucs_status_ptr_t result);

/* Let go of an operation; recycle it after the last holder. */
void operation_drop(struct operation *operation, enum holder holder);

/* Deliver: MPI sees that the operation is complete, and gets its callback. */
void operation_deliver(struct operation *operation);

struct operation *operation_by_number(uint32_t number);

#endif
