/* Members of collectives (critpath/path/members.h) of a run whose ranks are shared among processes. */
#ifndef CRITPATH_SHARE_MEMBERS_H
#define CRITPATH_SHARE_MEMBERS_H

#include "critpath/path/members.h"
#include "dist/dist.h"

/*
 * Give each member to the process that keeps its instance.  There `instance` is its number on that
 * process (struct measured_instance).  They come in the order of the processes.  *places, if it is not
 * NULL, becomes the numbers that the own members have there, in an array to be freed.  Collective.  End
 * with members_release.
 */
int share_members_gather(struct members *kept, const struct members *own, uint32_t **places,
			 const struct measured_run *run, struct dist *dist, struct error *err);

/* Let own calls wait in scans, or as observed, as members_wait does.  Collective. */
int share_members_wait(struct waits *waits, bool observed, struct dist *dist, struct error *err);

#endif
