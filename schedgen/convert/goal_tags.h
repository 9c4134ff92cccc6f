/*
 * GOAL tags: numbers for (communicator, use, tag).
 *
 * MPI matches messages within a communicator, GOAL only by source, destination and tag.  Each
 * (communicator, use, tag) therefore has a number, the same on all ranks:
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
	 * number: non-blocking collectives started on comm before; of a persistent one, its
	 * starts before.
	 */
	TAG_NONBLOCKING,
	TAG_PARTITIONED,	/* number: the tag given by the program */
	TAG_RMA,		/* number: window and use */
	/*
	 * Deferred messages (schedgen/convert/deferred.h), and the empty messages that announce
	 * them.  number: the tag given by the program; persistent: the message's ordinal modulo
	 * TAG_DEFERRED_TAGS.
	 */
	TAG_DEFERRED,
	TAG_ANNOUNCEMENT,
};

/*
 * Number of tags of the deferred messages of a channel, which take turns: so many messages may be
 * received in any order.
 */
enum { TAG_DEFERRED_TAGS = 1 << 10 };

enum { TAG_MOST_PERSISTENT = (1 << 29) - 1 };

struct tag {
	union {
		struct {
			uint64_t use : 3;	/* enum tag_use */
			uint64_t comm : 32;
			/* Persistent collective of comm, as in struct mpi_event. */
			uint64_t persistent : 29;
		};
		uint64_t key;	/* all of them */
	};
	uint32_t number;
};

/* Tags of non-blocking collectives with consecutive numbers. */
struct tag_run {
	struct tag first;
	uint32_t begin, count;	/* number of such tags of the rank before; tags of the run */
};

/* Numbers of the tags of runs among the tags of all ranks. */
struct tag_piece {
	uint32_t begin;		/* as in struct tag_run; the next piece begins at the end */
	uint32_t joined;	/* number of its first tag */
};

/* Tags of all ranks of one communicator and kind with consecutive numbers. */
struct tag_stretch {
	uint32_t number, count;	/* of the first tag, as in struct tag; tags */
	uint32_t joined;	/* number of the first tag */
	uint32_t next;		/* stretch of the same communicator and kind, or NO_STRETCH */
};
#define NO_STRETCH UINT32_MAX

struct goal_tags {
	uint32_t world_comm;		/* NO_COMM: all tags get new numbers */
	struct number_map numbers;	/* to the place in list */
	ARRAY(struct tag) list;		/* tags except of non-blocking collectives */
	ARRAY(uint32_t) joined;		/* by place in list: set by goal_tags_join */
	ARRAY(struct tag_run) runs;	/* tags of non-blocking collectives */
	ARRAY(struct tag_piece) pieces;	/* set by goal_tags_join for the runs */
	uint32_t nonblocking;		/* tags in runs */
	struct number_map reached; /* used by goal_tags_join: stretches, by communicator and kind */
	/* Tags of all ranks. */
	uint32_t given;			/* numbers, of both sorts */
	ARRAY(struct tag_stretch) stretches;
	struct number_map first_stretches, last_stretches;
};

/* Find or make the number of a tag, not TAG_NONBLOCKING; STATUS_LIMIT if none is left. */
int goal_tags_number(struct goal_tags *tags, struct tag tag, uint32_t *number, struct error *err);

/*
 * Make the number of a TAG_NONBLOCKING, once for each tag.  Tags of one communicator and
 * persistent collective come in the order of tag.number.  They are joined after all other tags.
 * Consecutive tags take no memory.
 */
int goal_tags_nonblocking(struct goal_tags *tags, struct tag tag, uint32_t *number,
			  struct error *err);

/* Find the number of a tag, not TAG_NONBLOCKING.  False if it has none. */
bool goal_tags_known(const struct goal_tags *tags, struct tag tag, uint32_t *number);

/* Is the number one of goal_tags_nonblocking? */
bool goal_tags_is_nonblocking(const struct goal_tags *tags, uint32_t number);

/* Forget all tags, but keep the memory. */
void goal_tags_clear(struct goal_tags *tags);

/*
 * Find or make the numbers of the tags in `all`, the tags of all ranks, in the order of their
 * first use here.  STATUS_LIMIT as goal_tags_number.
 */
int goal_tags_join(struct goal_tags *tags, struct goal_tags *all, struct error *err);

/* Has goal_tags_join found numbers in `all` that differ from the numbers here? */
bool goal_tags_differ(const struct goal_tags *tags);
/* Number in `all` of a number here, as goal_tags_join has found it. */
uint32_t goal_tags_joined(const struct goal_tags *tags, uint32_t number);

/* First number that is not the tag itself. */
#define GOAL_TAGS_FIRST_NEW UINT32_C(0x80000000)

/* Find the tag with a number here. */
struct tag goal_tags_find(const struct goal_tags *tags, uint32_t number);

void goal_tags_release(struct goal_tags *tags);

#endif
