/*
 * One-sided communication in a rank's graph: its part as an origin, where the
 * calls are, and its part as a target, where its epochs are
 * (doc/trace-to-goal.md).  Private to the convert.
 */
#ifndef SCHEDGEN_CONVERT_RMA_H
#define SCHEDGEN_CONVERT_RMA_H

#include "schedgen/collectives/frontier.h"
#include "schedgen/convert/rma.h"

struct convert;

/* A window of the rank: what its epochs as a target end with. */
struct convert_rma_window {
	bool made;
	uint32_t fences;
	struct frontier closing[RMA_EPOCHS];
};

struct convert_rma {
	struct rma_plan *plan;		/* not owned; NULL: the trace has no windows */
	struct rma_origin origin;
	struct convert_rma_window *windows;	/* by id */
	struct number_map posts, starts, completes;	/* so far: other rank, window */
	struct frontier unacknowledged;	/* of an origin that is being served */
	bool begun;			/* the next two are those of this rank */
	uint64_t served;		/* entries of the plan for it */
	ARRAY(bool) done;		/* which of them */
};

/* The plan, which may be NULL, must outlive the convert. */
int convert_rma_init(struct convert *convert, struct rma_plan *plan, struct error *err);
void convert_rma_release(struct convert *convert);
void convert_rma_begin(struct convert *convert);

int convert_rma_event(struct convert *convert, const struct mpi_call *call,
		      const struct mpi_event *event, struct error *err);

/*
 * The slice of the run begins: what is to come in epochs that have been opened before is received
 * from here on.
 */
int convert_rma_enter_slice(struct convert *convert, struct error *err);

/* The rank has ended: what others have sent to it must be received even so. */
int convert_rma_finish(struct convert *convert, struct error *err);

#endif
