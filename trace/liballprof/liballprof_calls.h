/*
 * What the calls of a text trace mean: the table of the functions that communicate,
 * with their arguments, and how a line becomes events.
 *
 * The trace has what was given to MPI, and addresses in place of what came back.
 * So it does not tell
 *	- which requests a test found complete: all are taken to complete in the last
 *	  call that looks at them, but for one in each MPI_Waitany and MPI_Waitsome,
 *	  the first of the array.  That call is found by a first pass over the rank;
 *	- what a receive with wildcards got: it is found from all messages of all ranks
 *	  (trace/liballprof/liballprof_match.h);
 *	- how long received messages were: as long as there was room for;
 *	- which ranks a communicator has.  Those of MPI_Comm_split are computed from colours and
 *	  keys (liballprof_comms.h).  Of others, one of all ranks in which the own rank is
 *	  that of the world is taken for MPI_COMM_WORLD, one of one rank for MPI_COMM_SELF;
 *	  calls on what is left have no events.
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
	/* As the first two, and a request. */
	LIBALLPROF_ISEND, LIBALLPROF_IRECV,
	LIBALLPROF_SEND_INIT, LIBALLPROF_RECV_INIT,		/* likewise */
	LIBALLPROF_START, LIBALLPROF_STARTALL,
	LIBALLPROF_WAIT, LIBALLPROF_WAITALL, LIBALLPROF_WAITANY, LIBALLPROF_WAITSOME,
	/* MPI_Testsome is like MPI_Testany. */
	LIBALLPROF_TEST, LIBALLPROF_TESTALL, LIBALLPROF_TESTANY,
	LIBALLPROF_CANCEL, LIBALLPROF_REQUEST_FREE,
	/* Messages have addresses. */
	LIBALLPROF_MPROBE, LIBALLPROF_IMPROBE, LIBALLPROF_MRECV, LIBALLPROF_IMRECV,
	LIBALLPROF_COLLECTIVE,			/* a request, if any, is the last argument */
	LIBALLPROF_COMM_SPLIT, LIBALLPROF_COMM_DUP,		/* likewise */
	LIBALLPROF_OF_COMM,				/* looks at a communicator: argument 0 */
};

struct liballprof_function {
	const char *name;
	const char *signature;		/* of arguments: trace/liballprof/liballprof_line.h */
	enum liballprof_action action;
	enum mpi_collective collective;
};

/* The function, or NULL if its calls communicate nothing that can be read. */
const struct liballprof_function *liballprof_function_find(const char *name, uint32_t length);

/* What is known of a rank while its lines are read; zero bytes and the first part, to begin. */
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
	ARRAY(uint64_t) last_lines;	/* by number of request: where it was looked at last */
	ARRAY(struct mpi_event) events;	/* of the current line */
	struct liballprof_places places;	/* of the requests it names */
	ARRAY(uint64_t) counts;		/* behind the vectors of its collective */
	bool unknown;			/* the line concerns a communicator that is not known */
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

/* Begin the second pass behind a first one. */
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
