/*
 * The modelled run as slices of time in lanes: `llamp timeline`.
 *
 * Every operation is a slice from its start to its end (llamp/simulate/op_times.h); calcs of cost 0 are
 * left out.  Each cpu of a rank has a main lane.  MPI calls lie there one after the other, and
 * between them the computation before a call:
 *
 *	a call begins	when the computation before it ends, or when its first operation starts
 *	a call ends	when the computation before the next call of its cpu starts, or else that
 *			call, and the last one when its own operations end
 *
 * An operation lies in the main lane, in the call that is going on, if it fits.  Otherwise it
 * overlaps another operation, or outlasts the call, as sends at the same time do, and is in another
 * lane of its cpu, the first one that is free.  A receive during which another operation of its cpu
 * starts was posted early: it is shown from where it has got its message, its last o.
 *
 * Slices of a lane nest: one that begins while another one is open ends within it.  An arrow
 * leads from the send of a message to where the receive has got it and its overhead begins:
 *
 *	send		the slice of the operation; of a rendezvous its first o, a slice within it
 *	receive		its last o, a slice within the operation if the receive waits before
 */
#ifndef LLAMP_TIMELINE_H
#define LLAMP_TIMELINE_H

#include "common/draw/run_part.h"
#include "goal/calls.h"
#include "llamp/analysis/critical_path.h"
#include "llamp/analysis/model.h"

enum timeline_kind {
	TIMELINE_CALL,
	TIMELINE_SEND,
	TIMELINE_RECV,
	TIMELINE_COMPUTE,
	TIMELINE_OVERHEAD,	/* part of a send or receive at which an arrow begins or ends */
};

enum timeline_arrow { TIMELINE_NO_ARROW, TIMELINE_ARROW_FROM, TIMELINE_ARROW_TO };

struct timeline_lane {
	uint32_t rank;
	uint8_t cpu;
	uint32_t cpu_count;	/* of the rank */
	uint32_t number;	/* of the rank's lanes, from 0: first the main lanes of all cpus */
	bool is_main;
};

struct timeline_slice {
	enum timeline_kind kind;
	uint32_t lane;
	uint64_t start_ns, end_ns;
	const struct goal_call *call;	/* that it is or belongs to; NULL: none */
	/* Of an operation, and of the send or receive that an overhead belongs to: */
	uint32_t operation;		/* index in its rank */
	uint32_t peer;
	uint64_t bytes;			/* of a message */
	bool critical;			/* the critical path goes through it */
	enum timeline_arrow arrow;
	uint32_t message;		/* number of its receive: the name of the arrow */
};

/* Takes the slices.  The functions return 0, or -1 with the error filled. */
struct timeline_visitor {
	/* A segment of the critical path; all of them come first, in order of time. */
	int (*segment)(void *context, const struct critical_segment *segment, struct error *err);
	/* A lane of the current rank, which has no slices yet.  Ranks come in ascending order. */
	int (*lane)(void *context, const struct timeline_lane *lane, struct error *err);
	int (*begin)(void *context, const struct timeline_slice *slice, struct error *err);
	/* End of the slice that was begun last in the lane and has not ended. */
	int (*end)(void *context, uint32_t lane, uint64_t end_ns, struct error *err);
};

struct timeline_counts {
	uint64_t operations, calls, segments;	/* that were visited */
	uint64_t arrows;
	uint64_t messages_outside;	/* without arrow: one end is not in the part */
};

/*
 * Visit a part of the run.  `calls` names the calls; NULL if they are unknown.  Linear time.
 * Memory: that of the times of all operations, one bit for each, and at most 64 bytes for each
 * operation of the largest rank; before that, what llamp/analysis/critical_path.h takes.
 */
int timeline_visit(const struct model *model, const struct goal_calls *calls,
		   const struct run_part *part, const struct timeline_visitor *visitor,
		   void *context, struct timeline_counts *counts, struct error *err);

#endif
