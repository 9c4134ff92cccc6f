/*
 * Waits of calls, and the calls that caused them: specification in doc/critpath.md.
 *
 * A call waits from its begin to the begin of the call that it could not end without, of another
 * rank or thread:
 *	receive			the send of the message (late sender)
 *	probe			the send of the message that the next call receives
 *	send			the receive, if the send is synchronous, or began before the receive
 *				and ended after it began (late receiver)
 *	all-to-all collective	the last member that began it
 *	bcast, scatter		the root
 *	gather, reduce		for the root: the last member
 *	scan, exscan		the last of the members up to the own rank
 * A call with several causes waits for the latest.  One that completes receives, too, waits for
 * its sends only if they are synchronous or no receive was late.
 */
#ifndef CRITPATH_WAITS_H
#define CRITPATH_WAITS_H

#include "trace/measured_run.h"

enum wait_kind {
	WAIT_NONE,
	WAIT_LATE_SENDER,
	WAIT_LATE_RECEIVER,
	WAIT_COLLECTIVE, /* for other members */
	WAIT_ROOT,	 /* for the root */
	WAIT_KINDS,
};

const char *wait_kind_name(enum wait_kind kind);

/* Wait of a call: which call it waited for. */
struct wait {
	uint32_t rank, call; /* not set if the kind is WAIT_NONE */
	uint32_t comm;	     /* of the message or collective */
	uint8_t kind;	     /* enum wait_kind */
};

struct waits {
	const struct measured_run *run; /* not owned */
	struct wait **of;		/* [rank][call] */
};

/* Find all waits.  Memory: 16 bytes for each call.  End with waits_release. */
int waits_find(struct waits *waits, const struct measured_run *run, struct error *err);
void waits_release(struct waits *waits);

/* Time for which a call waited, in ns: 0 if it did not.  At most the length of the call. */
uint64_t wait_ns(const struct waits *waits, uint32_t rank, uint32_t call);

#endif
