/*
 * Waits of calls, and the calls that caused them: specification in doc/critpath.md.
 *
 * A call waits from its begin to the start of the call that it could not end without, of another
 * rank or thread:
 *	receive			the send of the message (late sender)
 *	probe			the send of the message that it has found (critpath/path/receipts.h)
 *	send			the receive, if the send is synchronous, or began before the receive
 *				and ended after it began (late receiver)
 *	all-to-all collective	the last member that began it
 *	bcast, scatter		the root
 *	gather, reduce		for the root: the last member
 *	scan, exscan		the last of the members up to the own rank
 *	neighbours		the last of the sources to begin it
 *	a collective in which the rank gets no data, or that frees a communicator:
 *				the same, but nobody if the call ended before that began
 *	MPI_Win_complete	the last MPI_Win_post of its targets; MPI_Win_start too, if it ended later
 *	MPI_Win_wait, _test	the last MPI_Win_complete of its origins
 *	a call under a lock	the last to begin of the calls that gave conflicting locks back before
 *				(critpath/path/locks.h)
 * A call with several causes waits for the latest, of several at once for that of the lowest rank, then
 * for the earliest.  If that begins several of them, the first kind counts (enum wait_kind), then the
 * lowest communicator.  A call that completes receives, too, waits for its sends only if they are
 * synchronous or no receive was late.
 */
#ifndef CRITPATH_WAITS_H
#define CRITPATH_WAITS_H

#include "dist/dist.h"
#include "trace/measured/measured_run.h"

enum wait_kind {
	WAIT_NONE,
	WAIT_LATE_SENDER,
	WAIT_LATE_RECEIVER,
	WAIT_COLLECTIVE, /* for other members */
	WAIT_ROOT,	 /* for the root */
	WAIT_LOCK,	 /* for the lock of a window */
	WAIT_KINDS,
};

const char *wait_kind_name(enum wait_kind kind);

/*
 * Wait of a call: which call it waited for.  Only the kind, and whether it is known, is set if the kind
 * is WAIT_NONE.
 */
struct wait {
	uint64_t until_ns;	/* when the other call began, on the clock of the run */
	uint32_t rank, call;	/* the other call */
	uint32_t comm;		/* of the message or collective */
	uint32_t kind : 7;	/* enum wait_kind */
	uint32_t unknown : 1;	/* it may have waited for a call that the trace lacks */
	uint32_t function : 24; /* of the other call */
};

/* Waits of the calls of a rank. */
struct rank_waits {
	uint32_t *numbers;	 /* [call]: index in list */
	ARRAY(struct wait) list; /* the first is that of all calls of which nothing is known */
};

struct waits {
	const struct measured_run *run; /* not owned */
	struct rank_waits *of;		/* [rank]: of ranks of this process */
	bool observed;			/* see critpath/path/members.h */
};

/*
 * Collective.  Find the waits of the ranks of this process.  Memory: 4 bytes for each call, 24 more for each
 * that waited.  End with waits_release.
 */
int waits_find(struct waits *waits, const struct measured_run *run, struct dist *dist,
	       struct error *err);
void waits_release(struct waits *waits);

/* Find the wait of a call of a rank of this process.  It is never NULL. */
static inline const struct wait *wait_at(const struct waits *waits, uint32_t rank, uint32_t call)
{
	const struct rank_waits *of = &waits->of[rank];

	return &of->list.items[of->numbers[call]];
}

/* Time for which a call waited, in ns: 0 if it did not.  At most the length of the call. */
uint64_t wait_ns(const struct waits *waits, uint32_t rank, uint32_t call);

/* ----------------------------------------------------------------------- steps */

/* Find the waits of the ranks of this process, but for those in scans and for locks.  End as waits_find. */
int waits_find_own(struct waits *waits, const struct measured_run *run, struct error *err);

/*
 * Let a call wait for another one if that began later than all that it waits for so far, or at the
 * same time and goes before these, as above.
 */
void wait_for(struct waits *waits, uint32_t rank, uint32_t call, const struct wait *wait);

/* Wait for a call of a rank. */
struct wait wait_on_call(const struct measured_start *begin, uint32_t rank, uint32_t comm,
			 enum wait_kind kind);

#endif
