/*
 * Which calls of a rank cannot end before a message or a signal has been sent: the one definition for
 * waits, the program graph and tables.
 *	receive		the call that completes it
 *	probe		a call that has found a message, if the send began before the call ended: if not,
 *			clocks contradict each other, or it is not known what the probe has found
 *	signal		the call that receives it, unless that may end sooner (trace/measured/sync_edges.h)
 * A call that frees the request of a receive depends on nothing.
 *
 *	struct receipts receipts = receipts_of(run, rank);
 *	while (receipts_next(&receipts))
 *		... receipts.call, receipts.recv, receipts.send ...
 */
#ifndef CRITPATH_RECEIPTS_H
#define CRITPATH_RECEIPTS_H

#include "trace/measured/measured_run.h"

struct receipts {
	const struct measured_recv *recv; /* of the message */
	uint32_t call;			  /* that receives the message or has found it */
	bool is_probe;
	struct measured_start send; /* the call of recv->peer that began the send */

	/* Private. */
	const struct measured_run *run;
	uint32_t rank;
	size_t next; /* receive, then probe */
};

/* The receipts of a rank of this process: those of receives first, then those of probes. */
struct receipts receipts_of(const struct measured_run *run, uint32_t rank);

/* Go to the next receipt.  Returns false if there is none. */
bool receipts_next(struct receipts *receipts);

/* Whether a call frees the request of a message, which may end later. */
bool receipts_is_freed(const struct measured_rank *rank, uint32_t call);

#endif
