/*
 * Waits by what waited, each with what caused most of it, and with the part that made others wait.
 *
 * A wait is propagating if the first walk of another wait (critpath/causes/stretch_walk.h) goes through it, else
 * terminal.
 */
#ifndef CRITPATH_CAUSE_WAITERS_H
#define CRITPATH_CAUSE_WAITERS_H

#include "critpath/causes/cause_rows.h"
#include "critpath/causes/stretches.h"
#include "critpath/match/rank_owners.h"

/* In place of an enum wait_kind: the end of a rank. */
enum { WAIT_AT_END = WAIT_KINDS };

struct cause_waiters {
	const struct stretches *stretches; /* not owned */
	struct cause_rows *waiters, *causes; /* not owned */

	/* Private. */
	unsigned char *passes;	 /* [stretch]: a walk goes through the wait that it begins with */
	struct cause_rows links; /* by the places of a waiter and of a cause */
};

int cause_waiters_init(struct cause_waiters *waiters, const struct stretches *stretches,
		       struct cause_rows *rows, struct cause_rows *causes, struct error *err);
void cause_waiters_release(struct cause_waiters *waiters);

/* The row of the wait that a stretch of this process begins with, or that at the end of a rank: STRETCH_STARTS. */
int cause_waiters_row(struct cause_waiters *waiters, uint32_t stretch, struct cause_row **row,
		      struct error *err);

/* Note what a part of the waiting of a row was caused by. */
int cause_waiters_link(struct cause_waiters *waiters, const struct cause_row *waiter,
		       const struct cause_row *cause, __int128 cost_as, struct error *err);

/*
 * Collective.  Find the propagating parts, when all waits are there; let process 0 have the rows of both tables; and
 * find there what caused most of each waiter.
 */
int cause_waiters_finish(struct cause_waiters *waiters, const struct rank_owners *owners,
			 struct dist *dist, struct error *err);

#endif
