/*
 * Parts of convert.c, which only the files convert_*.c and extrapolate.c use.
 *
 * A file may call functions of the files whose sections come before its own.
 */
#ifndef SCHEDGEN_CONVERT_INTERNAL_H
#define SCHEDGEN_CONVERT_INTERNAL_H

#include "schedgen/convert/all_sizes.h"
#include "schedgen/convert/convert.h"
#include "trace/call/poll_run.h"

/* Half of a message that has been posted, for schedgen/convert/deferred.h. */
struct convert_posted {
	const struct deferred_message *message;	/* NULL: it is not deferred, or not yet known */
	int kind;		/* HALF_RECEIVE or HALF_SEND */
	uint32_t number;	/* among the halves of its kind of the rank */
	uint32_t thread;
	uint32_t entries, last_op;	/* of the frontier after the post: number, and last one */
	bool reached;		/* a call has waited since */
	bool moved;		/* that call had another frontier */
	uint32_t wait;		/* number of that call among those of the thread that wait */
};

/* Active request, by the place that the tracker gives it. */
struct convert_request {
	uint32_t op;		/* its operation; a collective: operation before it, or NO_OP */
	bool irequires;		/* collectives: waits for the start of op only */
	bool buffered;		/* sends: complete without the receiver */
	uint8_t cpu;		/* of the thread that started it */
	bool partitioned;	/* receives */
	struct goal_call call;	/* collectives: call that started it */
	bool outside;		/* started before the slice: op is not valid */
	struct convert_posted posted;
};
#define NO_OP UINT32_MAX

/* Non-blocking collective. */
struct convert_nonblocking {
	enum { NONBLOCKING_OPEN, NONBLOCKING_DONE, NONBLOCKING_DROPPED } state;
	uint32_t comm;
	uint32_t persistent;	/* as in struct mpi_event */
	uint32_t first_op, end_op;
};

/* Uses of ordinals of collectives on a communicator. */
enum {
	ORDINAL_NONBLOCKING, /* by persistent collective; 0: not persistent */
	ORDINAL_SIZES,	     /* blocking ones, by class (schedgen/convert/all_sizes.h) */
};

/* Number of operations of a posted receive before request->op. */
static inline uint32_t convert_more_ops(const struct convert_request *request)
{
	const struct deferred_message *message = request->posted.message;

	return message ? message->announced + (message->early_bytes > 0) : 0;
}

/* Computation before a call that waits. */
struct convert_gap {
	uint32_t wait;		/* number of the call among those of the thread that wait, from 1 */
	uint64_t ns;
};

/* State of a thread of the rank between its calls. */
struct convert_thread {
	bool started;			/* it has called MPI */
	struct frontier frontier;
	ARRAY(struct convert_gap) gaps;	/* longer than all later ones */
	uint32_t waits;			/* calls that wait, so far */
	uint64_t since_wait_ns;		/* computation since the last of them */
	uint64_t begin_ns;		/* first call; thread 0: begin of the rank */
	uint64_t last_ns;		/* end of the previous call */
	uint64_t from_ns;		/* begin of the slice, if no call came after it; else 0 */
	uint64_t gap_ns;		/* since the previous call that is not local */
	uint64_t compute_ns;		/* computation that the next operation waits for */
	bool has_ends;			/* the frontier has ends of messages */
	struct poll_run polling;
	bool tail;			/* the slice has ended after its last call */
	uint32_t tail_op;		/* computation from that call on, if it calls again */
	struct {			/* last MPI_Session_finalize */
		uint32_t function;		/* index in the call statistics */
		uint64_t ns;			/* its time; 0 unless it is the last call */
	} session_end;
};

/* --------------------------------------------------------------- convert_threads.c */

/* Make the thread with this number the current one (convert->own), and add it if it is new. */
int convert_use_thread(struct convert *convert, uint32_t number, struct error *err);

/*
 * Count the gap before the call as computation.  Count the gaps of the polling calls before it
 * too, unless they were spent waiting.
 */
void convert_gather(struct convert *convert);

/* Add a polling call to the run of polls: it has completed nothing, or ends the run. */
void convert_poll(struct convert *convert, const struct mpi_call *call);

/*
 * Let following operations wait for the gathered computation.  If it is 0 it gets no operation, unless
 * the call that follows completes requests and messages end before it: where CPUs are limited
 * (doc/model.md), requests of successive calls complete in the order of the calls, and those of one call
 * as they come.
 */
int convert_add_compute(struct convert *convert, bool completes, struct error *err);

/* Gather all computation so far and add it. */
int convert_flush(struct convert *convert, struct error *err);

/* Time from the last call of the thread, or from the begin of the slice, to end_ns. */
uint64_t convert_gap_ns(const struct convert *convert, uint64_t end_ns);

/* Time from the first to the last call of the thread, in the slice. */
uint64_t convert_run_ns(const struct convert *convert);

/* Note that a thread of the rank is in the graph up to end_ns. */
void convert_note_end(struct convert *convert, uint64_t end_ns);

/* Cost of a computation of `ns`, scaled; STATUS_LIMIT from 9e18 ns on. */
int convert_cost(const struct convert *convert, uint64_t ns, uint64_t *cost_ns, struct error *err);

/* ----------------------------------------------------------------- convert_comms.c */

/*
 * Name of a communicator for FILE.calls (goal/calls.h), or NULL if it is not defined.  The name
 * lives as long as *convert.
 */
int convert_comm_name(struct convert *convert, uint32_t id, const char **name, struct error *err);

/* Name the communicator of the current call, by its first event that has one. */
int convert_name_call(struct convert *convert, const struct mpi_call *call, struct error *err);

/* ------------------------------------------------------------------- extrapolate.c */

/* Make a collective of all ranks one of all copies. */
int convert_extrapolate(struct convert *convert, uint32_t comm_id, struct collective *collective,
			struct error *err);

/*
 * Repeat the vectors of a collective, of `count` entries each, for all copies.  The new vectors
 * are valid until the next call.
 */
int convert_repeat_vectors(struct convert *convert, uint32_t count, struct collective *collective,
			   struct error *err);

/* ------------------------------------------------------------ convert_collective.c */

/* Is the communication of the event modelled? */
bool convert_models(const struct convert *convert, const struct mpi_event *event);

/*
 * Add the operations of a collective that `call` began after *frontier, which moves after them.  `started` is the
 * number of non-blocking collectives that the rank has started before this one, if it is
 * non-blocking.
 */
int convert_collective(struct convert *convert, const struct mpi_event *event,
		       const struct goal_call *call, uint32_t started, uint32_t tag,
		       struct frontier *frontier, struct error *err);

/* ------------------------------------------------------------------- convert_rma.c */

/* The plan, which may be NULL, must outlive *convert. */
int convert_rma_init(struct convert *convert, struct rma_plan *plan, struct error *err);
void convert_rma_release(struct convert *convert);
void convert_rma_begin(struct convert *convert);

int convert_rma_event(struct convert *convert, const struct mpi_call *call,
		      const struct mpi_event *event, struct error *err);

/* Begin the slice: receive the data of epochs that were opened before it. */
int convert_rma_enter_slice(struct convert *convert, struct error *err);

/* End the rank: receive what other ranks have sent to it, even without its epoch. */
int convert_rma_finish(struct convert *convert, struct error *err);

/* -------------------------------------------------------------- convert_deferred.c */

/* Operations of a message, in the order of the graph; the last one is the message itself. */
struct deferred_parts {
	struct goal_new_op ops[3];
	uint32_t count;
};

/* Whether the call waits for requests and completes some. */
bool convert_completes(const struct mpi_function *function, const struct mpi_call *call);

void convert_deferral_begin(struct convert *convert);
void convert_deferral_release(struct convert *convert);

/* Count the next half of its kind of the rank.  *message becomes what defers it, or NULL. */
int convert_next_half(struct convert *convert, int kind, const struct deferred_message **message,
		      struct error *err);

/* Note the operation, with the tag of the program, of the half that was counted last. */
void convert_know_half(struct convert *convert, int kind, const struct goal_new_op *op);

/* Note that a send was cancelled. */
void convert_forget_send(struct convert *convert, const struct convert_request *request);

/*
 * Count a receive that is posted, and add its operations after the frontier: convert_more_ops, and
 * request->op.
 */
int convert_post_receive(struct convert *convert, struct convert_request *request,
			 struct error *err);

/* Note the frontier after the post of a half. */
void convert_note_post(struct convert *convert, int kind, struct convert_request *request);

/* Watch for the first call that waits after the post. */
int convert_watch(struct convert *convert, uint32_t place, struct error *err);

/* Let halves wait for the current call if it waits, after its computation was added. */
int convert_enter_wait(struct convert *convert, const struct mpi_function *function,
		       const struct mpi_call *call, struct error *err);

/* Complete a half.  op: of a receive, its operation with the tag of the program; of a send NULL. */
void convert_complete_half(struct convert *convert, uint32_t place, const struct goal_new_op *op);

/* Make the operations of a half from the one that it would have otherwise.  message: NULL: only that. */
int convert_deferred_parts(struct convert *convert, const struct mpi_event *event,
			   const struct deferred_message *message, const struct goal_new_op *whole,
			   struct deferred_parts *parts, struct error *err);

/* ---------------------------------------------------------------- convert_events.c */

/* Add the operations of a call. */
int convert_events(struct convert *convert, const struct mpi_function *function,
		   const struct mpi_call *call, struct error *err);

/* End the rank: drop unfinished requests. */
int convert_finish(struct convert *convert, struct error *err);

/* ----------------------------------------------------------------- convert_slice.c */

/* Begin or end the slice if it begins or ends before a call that is entered at enter_ns. */
int convert_reach(struct convert *convert, uint64_t enter_ns, struct error *err);

/* End the rank: keep only operations in the slice. */
int convert_trim(struct convert *convert, struct error *err);

#endif
