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
#ifndef SCHEDGEN_GOAL_TAGS_H
#define SCHEDGEN_GOAL_TAGS_H

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

/* Tags of non-blocking collectives with numbers that follow each other. */
struct tag_run {
	struct tag first;
	uint32_t begin, count;	/* how many such tags the rank had before; tags of the run */
};

/* Numbers that the tags of runs have in the tags of all ranks. */
struct tag_piece {
	uint32_t begin;		/* as in struct tag_run; the piece ends where the next begins */
	uint32_t joined;	/* number of its first tag */
};

/* In the tags of all ranks: tags of one communicator and kind whose numbers follow each other. */
struct tag_stretch {
	uint32_t number, count;	/* of the first tag, as in struct tag; tags */
	uint32_t joined;	/* number of the first tag */
	uint32_t next;		/* stretch of the same communicator and kind, or NO_STRETCH */
};
#define NO_STRETCH UINT32_MAX

struct goal_tags {
	uint32_t world_comm;		/* NO_COMM: all tags get new numbers */
	struct number_map numbers;	/* to the place in list */
	ARRAY(struct tag) list;		/* all but those of non-blocking collectives */
	ARRAY(uint32_t) joined;		/* what goal_tags_join has found, for each in list */
	ARRAY(struct tag_run) runs;	/* those of non-blocking collectives */
	ARRAY(struct tag_piece) pieces;	/* what goal_tags_join has found for the runs */
	uint32_t nonblocking;		/* tags in runs */
	struct number_map reached; /* used by goal_tags_join: stretches, by communicator and kind */
	/* Of all ranks. */
	uint32_t given;			/* numbers, of both sorts */
	ARRAY(struct tag_stretch) stretches;
	struct number_map first_stretches, last_stretches;
};

/* Find or make the number of a tag, not TAG_NONBLOCKING; STATUS_LIMIT when all are used up. */
int goal_tags_number(struct goal_tags *tags, struct tag tag, uint32_t *number, struct error *err);

/*
 * Give a TAG_NONBLOCKING its number. Each is given one once, those of one communicator and
 * persistent collective in the order of tag.number. They are joined after all other tags;
 * those that follow each other take no memory.
 */
int goal_tags_nonblocking(struct goal_tags *tags, struct tag tag, uint32_t *number,
			  struct error *err);

/* Whether goal_tags_nonblocking has given the number. */
bool goal_tags_is_nonblocking(const struct goal_tags *tags, uint32_t number);

/* Forget all tags; memory is kept. */
void goal_tags_clear(struct goal_tags *tags);

/*
 * Find or make the numbers that the tags have in `all`, the tags of all ranks, in the order of
 * their first use here. STATUS_LIMIT as goal_tags_number.
 */
int goal_tags_join(struct goal_tags *tags, struct goal_tags *all, struct error *err);

/* Whether goal_tags_join has found other numbers than those here. */
bool goal_tags_differ(const struct goal_tags *tags);
/* Number that goal_tags_join has found for a number of these tags. */
uint32_t goal_tags_joined(const struct goal_tags *tags, uint32_t number);

/* The first number of those that are not the tag itself. */
#define GOAL_TAGS_FIRST_NEW UINT32_C(0x80000000)

/* The tag that has got this number here. */
struct tag goal_tags_find(const struct goal_tags *tags, uint32_t number);

void goal_tags_release(struct goal_tags *tags);

#endif
