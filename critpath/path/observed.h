/*
 * Collectives as they were observed: a call that completes one waits for the last member that began
 * it before the call ended, whatever the operation.  Algorithms and libraries often wait for more
 * members than the operation needs.
 */
#ifndef CRITPATH_OBSERVED_H
#define CRITPATH_OBSERVED_H

#include "critpath/path/waits.h"

/* A member of an instance of a collective, in which its data have a part. */
struct observed_member {
	uint32_t instance, rank;
	uint32_t end;			/* call that completed it */
	struct measured_start begin;
	uint64_t end_ns;		/* when that call was left */
};

struct observed_members {
	ARRAY(struct observed_member) list;	/* by instance, then by begin, then by rank */
};

int observed_members_list(struct observed_members *members, const struct measured_run *run,
			  struct error *err);
void observed_members_release(struct observed_members *members);

/* Find the end of the members of an instance, which begin at `first`. */
size_t observed_members_end(const struct observed_members *members, size_t first);

/*
 * Find the last of the members first ... end - 1 that began before a time, or at it: of several at the
 * same time the lowest rank.  There must be one.
 */
size_t observed_last(const struct observed_members *members, size_t first, size_t end,
		     uint64_t time_ns);

/* Let the calls of all ranks wait as observed.  Their waits in collectives become no shorter. */
int waits_observe(struct waits *waits, struct error *err);

#endif
