/*
 * Members of collectives that wait for some of the others, brought together: of scans, where a rank
 * waits for those before it, and of all collectives as they were observed.  Algorithms and libraries
 * often wait for more members than an operation needs; as observed, a call that completes a collective
 * waits for the last member that began it before the call ended, whatever the operation.
 */
#ifndef CRITPATH_MEMBERS_H
#define CRITPATH_MEMBERS_H

#include "critpath/path/waits.h"

/* A member of an instance of a collective. */
struct member {
	uint32_t instance;
	uint32_t
		place : 31; /* in scans: rank in the communicator; as observed: struct participation */
	uint32_t is_free : 1; /* see struct participation */
	uint32_t rank;
	uint32_t end; /* call that completed it */
	struct measured_start begin;
	uint64_t end_enter_ns, end_ns; /* when that call was entered and left */
};

struct members {
	ARRAY(struct member) list;
	bool observed;
};

/* List the parts of ranks of this process in scans, or in all collectives, by rank. */
int members_list(struct members *members, const struct measured_run *run, bool observed,
		 struct error *err);
void members_release(struct members *members);

/* Order by instance, then scans by place, otherwise by begin, then by rank. */
void members_sort(struct members *members);

/* Find the end of the members of an instance, which begin at `first`, in the order of members_sort. */
size_t members_end(const struct members *members, size_t first);

/*
 * Find the last of the members first ... end - 1, by begin, that began before a member ended: of several
 * at the same time the lowest rank.
 */
size_t members_last(const struct members *members, size_t first, size_t end,
		    const struct member *member);

/*
 * Call `found` for each member that waits for one, with that one.  The members are in the order of
 * members_sort.
 */
typedef void members_found(void *data, const struct member *member, const struct member *last);
void members_find_waits(const struct members *members, members_found *found, void *data);

/*
 * Collective.  Give each member to the process that owns its instance.  There `instance` is its number on that
 * process (struct measured_instance).  They come in the order of the processes.  *places, if `places` is not
 * NULL, becomes the numbers that the own members have there, in an array to be freed.  End with
 * members_release.
 */
int members_gather(struct members *kept, const struct members *own, uint32_t **places,
		   const struct measured_run *run, struct dist *dist, struct error *err);

/* Collective.  Let own calls wait in scans, or as observed.  Their waits become no shorter. */
int members_wait(struct waits *waits, bool observed, struct dist *dist, struct error *err);

#endif
