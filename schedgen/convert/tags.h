/*
 * GOAL tags: one number for everything that must match only with itself.
 *
 * MPI matches messages within a communicator, GOAL only by source, destination
 * and tag.  So each (communicator, what for, tag) has a number of its own, the
 * same on all ranks:
 *
 *	messages in MPI_COMM_WORLD with tags below 2^31: the tag itself
 *	all others: 2^31 and up, in the order of their first use
 */
#ifndef SCHEDGEN_TAGS_H
#define SCHEDGEN_TAGS_H

#include "common/array.h"
#include "common/number_map.h"
#include "trace/call/trace_world.h"

enum tag_use {
	TAG_MESSAGE,		/* number: the tag given by the program */
	TAG_COLLECTIVE,		/* number: 0 */
	/*
	 * number: how many non-blocking collectives were started on comm before it; of a persistent
	 * one, how often it has been started before.
	 */
	TAG_NONBLOCKING,
	TAG_PARTITIONED,	/* number: the tag given by the program */
	TAG_RMA,		/* number: the window, and what it is for */
};

struct tag {
	uint32_t comm;
	enum tag_use use;
	uint32_t number;
	uint32_t persistent;	/* as in struct mpi_event: which persistent collective of comm */
};

struct tags {
	uint32_t world_comm;		/* NO_COMM: all tags get new numbers */
	struct number_map numbers;	/* to the place in list */
	ARRAY(struct tag) list;
	ARRAY(uint32_t) joined;		/* what tags_join has found, for each in list */
};

/* Find or make the number of a tag; STATUS_LIMIT when all are used up. */
int tags_number(struct tags *tags, struct tag tag, uint32_t *number, struct error *err);

/* Forget all tags; memory is kept. */
void tags_clear(struct tags *tags);

/*
 * Find or make the numbers that the tags have in `all`, in the order of their
 * first use here.  STATUS_LIMIT as tags_number.
 */
int tags_join(struct tags *tags, struct tags *all, struct error *err);

/* Whether tags_join has found other numbers than those here; and the one for a number of here. */
bool tags_differ(const struct tags *tags);
uint32_t tags_joined(const struct tags *tags, uint32_t number);

/* The first number of those that are not the tag itself. */
#define TAGS_FIRST_NEW UINT32_C(0x80000000)

/* What stands behind a number that tags_number has given. */
static inline struct tag tags_find(const struct tags *tags, uint32_t number)
{
	if (number < TAGS_FIRST_NEW)
		return (struct tag){.comm = tags->world_comm, .number = number};
	return tags->list.items[number - TAGS_FIRST_NEW];
}

void tags_release(struct tags *tags);

#endif
