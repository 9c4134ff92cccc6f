/*
 * Waits added up: by pattern, and by function, communicator, rank, channel or iteration, each with
 * the rank that caused most of it.
 */
#ifndef CRITPATH_WAIT_GROUPS_H
#define CRITPATH_WAIT_GROUPS_H

#include "dist/dist.h"
#include "critpath/tables/wait_items.h"

enum wait_grouping {
	WAITS_BY_CALL,	   /* no groups */
	WAITS_BY_FUNCTION, /* that waited */
	WAITS_BY_COMM,
	WAITS_BY_RANK,	    /* that waited */
	WAITS_BY_CHANNEL,   /* sender, receiver, communicator and tag of a message */
	WAITS_BY_ITERATION, /* of the rank that waited (trace/measured/measured_iterations.h) */
	WAITS_BY_SITE,	    /* of the call that waited */
	WAIT_GROUPINGS,
};

/* Names of the option, NULL at the end. */
extern const char *const wait_grouping_names[WAIT_GROUPINGS + 1];

struct wait_sum {
	uint64_t waits, ns, most_ns;
};

struct wait_group {
	/* Function, communicator, rank, call site, or iteration from 0; of a channel the number below. */
	uint32_t number;
	uint32_t sender, receiver, comm, tag; /* of a channel */
	struct wait_sum sum;
	uint32_t cause; /* rank that caused most of it */
	uint64_t cause_ns;
};

struct wait_groups {
	struct wait_sum patterns[PATTERNS];
	struct wait_sum all;			    /* that belong to the pattern asked for */
	struct wait_sum outside;		    /* of them, in no channel or iteration */
	uint32_t least_iterations, most_iterations; /* of the ranks */
	ARRAY(struct wait_group) groups;	    /* longest first, but iterations in order */
};

/*
 * Add up the waits of a pattern.  Collective.  All processes get the sums, process 0 the groups.
 * End with wait_groups_release.
 */
int wait_groups_find(struct wait_groups *groups, const struct waits *waits,
		     const struct wait_items *items, enum wait_grouping grouping,
		     enum wait_pattern pattern, struct dist *dist, struct error *err);
void wait_groups_release(struct wait_groups *groups);

#endif
