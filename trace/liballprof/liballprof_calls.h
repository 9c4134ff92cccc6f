/*
 * Calls of liballprof: the table of the functions that communicate, and their events.
 *
 * A trace of liballprof has the arguments of a call, and addresses instead of results.  The
 * missing data is found as follows:
 *	- requests that a test found complete: all complete in the last call that names them, except
 *	  that each MPI_Waitany and MPI_Waitsome completes the first of its array.  A first pass
 *	  over the rank finds the last calls;
 *	- the message that a receive with wildcards got: from all messages of all ranks
 *	  (liballprof_match.h);
 *	- sizes of received messages: as large as the buffer;
 *	- ranks of a communicator.  Communicators of MPI_Comm_split follow from colours and keys
 *	  (liballprof_comms.h).  Another communicator of all ranks with the own rank of the world is
 *	  taken for MPI_COMM_WORLD, another communicator of one rank for MPI_COMM_SELF.  Calls on
 *	  the rest have no events.
 */
#ifndef TRACE_LIBALLPROF_CALLS_H
#define TRACE_LIBALLPROF_CALLS_H

#include "trace/liballprof/liballprof_comms.h"
#include "trace/liballprof/liballprof_line.h"
#include "trace/liballprof/liballprof_match.h"
#include "trace/liballprof/liballprof_requests.h"

enum liballprof_action {
	LIBALLPROF_SEND, LIBALLPROF_RECV,
	LIBALLPROF_SENDRECV, LIBALLPROF_SENDRECV_REPLACE,
	/* With a request. */
	LIBALLPROF_ISEND, LIBALLPROF_IRECV,
	LIBALLPROF_SEND_INIT, LIBALLPROF_RECV_INIT,		/* with a request */
	LIBALLPROF_START, LIBALLPROF_STARTALL,
	LIBALLPROF_WAIT, LIBALLPROF_WAITALL, LIBALLPROF_WAITANY, LIBALLPROF_WAITSOME,
	/* MPI_Testsome is like MPI_Testany. */
	LIBALLPROF_TEST, LIBALLPROF_TESTALL, LIBALLPROF_TESTANY,
	LIBALLPROF_CANCEL, LIBALLPROF_REQUEST_FREE,
	/* Messages have addresses. */
	LIBALLPROF_MPROBE, LIBALLPROF_IMPROBE, LIBALLPROF_MRECV, LIBALLPROF_IMRECV,
	LIBALLPROF_COLLECTIVE,			/* a request, if any, is the last argument */
	LIBALLPROF_COMM_SPLIT, LIBALLPROF_COMM_DUP,		/* with or without a request */
	LIBALLPROF_OF_COMM,				/* names a communicator: argument 0 */
};

struct liballprof_function {
	const char *name;
	const char *signature;		/* of arguments: trace/liballprof/liballprof_line.h */
	enum liballprof_action action;
	enum mpi_collective collective;
};

/* The function, or NULL if its calls are not read. */
const struct liballprof_function *liballprof_function_find(const char *name, uint32_t length);

/* State of reading a rank.  Begins with zero bytes but for rank, rank_count, stage and pointers. */
struct liballprof_rank {
	uint32_t rank, rank_count;
	bool marking;			/* the first pass: fills last_lines */

	/*
	 * All ranks are read up to three times: to note how communicators are made, to note
	 * messages and receives, and to convert them.
	 */
	enum { LIBALLPROF_SURVEY_COMMS, LIBALLPROF_SURVEY_MESSAGES, LIBALLPROF_CONVERT } stage;
	struct liballprof_comms *comms;
	struct liballprof_match *match;
	const struct trace_world *world;
	struct liballprof_handles handles;
	uint64_t wild;			/* receives with wildcards so far */

	uint64_t line;			/* number of the current line, from 1 */
	uint64_t enter_ns;		/* of its call */
	struct liballprof_requests requests;
	ARRAY(uint64_t) last_lines;	/* by number of request: the last line that names it */
	ARRAY(struct mpi_event) events;	/* of the current line */
	struct liballprof_places places;	/* of the requests it names */
	ARRAY(uint64_t) counts;		/* storage of the vectors of its collective */
	bool unknown;			/* the communicator of the line is not known */
	enum { LIBALLPROF_MPI_UNKNOWN, LIBALLPROF_MPICH, LIBALLPROF_OTHER_MPI } mpi;
	uint32_t request_bytes;		/* size of the program's MPI_Request */
	uint64_t guessed_sources;	/* of receives with wildcards (liballprof_match.h) */
	/* Completions of the kinds described above and in liballprof_requests.h. */
	uint64_t guessed, moved;
};

/*
 * Fill rank->events from a line.  An event's pointers are valid until the next line.
 */
int liballprof_call_events(struct liballprof_rank *rank, const struct liballprof_function *function,
			   const struct liballprof_line *line, struct error *err);

/*
 * Events that complete all requests that are active, for the end of the trace.
 */
int liballprof_call_finish(struct liballprof_rank *rank, struct error *err);

/* Begin the second pass. */
void liballprof_rank_restart(struct liballprof_rank *rank);
void liballprof_rank_release(struct liballprof_rank *rank);

/* For liballprof_calls.c: the bytes of a count and a datatype. */
int liballprof_bytes(const struct liballprof_argument *count,
		     const struct liballprof_argument *type, uint64_t *bytes,
		     struct error *err);

/*
 * For liballprof_calls.c: the event of a collective, without its request; 1 if sizes are not
 * known.
 */
int liballprof_collective_event(struct liballprof_rank *rank, enum mpi_collective collective,
				const struct liballprof_argument *arguments,
				const struct liballprof_argument *comm,
				struct mpi_event *event, struct error *err);

#endif
