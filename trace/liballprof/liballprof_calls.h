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
 *	  (trace/liballprof/text_match.h);
 *	- how long received messages were: as long as there was room for;
 *	- which ranks a communicator has.  Those of MPI_Comm_split are computed from colours and
 *	  keys (trace/liballprof/text_comms.h).  Of others, one of all ranks in which the own rank is
 *	  that of the world is taken for MPI_COMM_WORLD, one of one rank for MPI_COMM_SELF;
 *	  calls on what is left have no events.
 */
#ifndef TRACE_TEXT_CALLS_H
#define TRACE_TEXT_CALLS_H

#include "trace/liballprof/text_comms.h"
#include "trace/liballprof/text_line.h"
#include "trace/liballprof/text_match.h"
#include "trace/liballprof/text_requests.h"

enum text_action {
	TEXT_SEND, TEXT_RECV,
	TEXT_SENDRECV, TEXT_SENDRECV_REPLACE,
	TEXT_ISEND, TEXT_IRECV,			/* as the first two, and a request */
	TEXT_SEND_INIT, TEXT_RECV_INIT,		/* likewise */
	TEXT_START, TEXT_STARTALL,
	TEXT_WAIT, TEXT_WAITALL, TEXT_WAITANY, TEXT_WAITSOME,
	TEXT_TEST, TEXT_TESTALL, TEXT_TESTANY,	/* MPI_Testsome is like MPI_Testany */
	TEXT_CANCEL, TEXT_REQUEST_FREE,
	TEXT_MPROBE, TEXT_IMPROBE, TEXT_MRECV, TEXT_IMRECV,	/* messages have addresses */
	TEXT_COLLECTIVE,			/* a request, if any, is the last argument */
	TEXT_COMM_SPLIT, TEXT_COMM_DUP,		/* likewise */
	TEXT_OF_COMM,				/* looks at a communicator: argument 0 */
};

struct text_function {
	const char *name;
	const char *signature;		/* of arguments: trace/liballprof/text_line.h */
	enum text_action action;
	enum mpi_collective collective;
};

/* The function, or NULL if its calls communicate nothing that can be read. */
const struct text_function *text_function_find(const char *name, uint32_t length);

/* What is known of a rank while its lines are read; zero bytes and the first part, to begin. */
struct text_rank {
	uint32_t rank, rank_count;
	bool marking;			/* the first pass: fills last_lines */

	/*
	 * All ranks are read up to three times: to note how communicators are made, to note
	 * messages and receives, and to convert them.
	 */
	enum { TEXT_SURVEY_COMMS, TEXT_SURVEY_MESSAGES, TEXT_CONVERT } stage;
	struct text_comms *comms;
	struct text_match *match;
	const struct trace_world *world;
	struct text_handles handles;
	uint64_t wild;			/* receives with wildcards so far */

	uint64_t line;			/* number of the current line, from 1 */
	uint64_t enter_ns;		/* of its call */
	struct text_requests requests;
	ARRAY(uint64_t) last_lines;	/* by number of request: where it was looked at last */
	ARRAY(struct mpi_event) events;	/* of the current line */
	struct text_places places;	/* of the requests it names */
	ARRAY(uint64_t) counts;		/* behind the vectors of its collective */
	bool unknown;			/* the line concerns a communicator that is not known */
	enum { TEXT_MPI_UNKNOWN, TEXT_MPICH, TEXT_OTHER_MPI } mpi;
	uint32_t request_bytes;		/* size of the program's MPI_Request */
	uint64_t guessed_sources;	/* of receives with wildcards (trace/liballprof/text_match.h) */
	/* Completions of the kinds described above and in text_requests.h. */
	uint64_t guessed, moved;
};

/*
 * Fill rank->events from a line.  An event's pointers are valid until the next line.
 */
int text_call_events(struct text_rank *rank, const struct text_function *function,
		     const struct text_line *line, struct error *err);

/*
 * Events that complete all requests that are active, for the end of the trace.
 */
int text_call_finish(struct text_rank *rank, struct error *err);

/* Begin the second pass behind a first one. */
void text_rank_restart(struct text_rank *rank);
void text_rank_release(struct text_rank *rank);

/* For text_calls.c: the bytes of a count and a datatype. */
int text_bytes(const struct text_argument *count, const struct text_argument *type, uint64_t *bytes,
	       struct error *err);

/* For text_calls.c: the event of a collective, without its request; 1 if sizes are not known. */
int text_collective_event(struct text_rank *rank, enum mpi_collective collective,
			  const struct text_argument *arguments, const struct text_argument *comm,
			  struct mpi_event *event, struct error *err);

#endif
