/*
 * Ranks of a traversal of a GOAL graph: their operations that were read or have edges into them, and
 * have not started.  The traversals are in goal/traversal/computation.h, for times alone, and in
 * llamp/traversal/traversal.h, for the cost graph.
 *
 * Slots of successive operations form a ring, which grows as far as dependencies reach.  Ranks
 * that can go on take turns, first in first out.
 */
#ifndef GOAL_TRAVERSAL_RANKS_H
#define GOAL_TRAVERSAL_RANKS_H

#include "common/array.h"
#include "goal/goal.h"

/* Edge from a source to an event that the context tells: it takes ns and what the expression comes to. */
struct way {
	uint64_t ns;
	uint32_t source, expression; /* 0 without a cost graph */
};

/* Edges into an event so far.  Zero bytes: none, as of an event that waits for nothing. */
struct gathered {
	struct way first;
	uint32_t others;  /* list of those that the first one does not dominate, or 0 */
	uint32_t arrived; /* times that edges were added */
};

/* Operation that has not started.  Zero bytes: it was not read and has no edges. */
struct slot {
	struct gathered in; /* arrived: dependencies and gaps, or SLOT_STARTED */
	uint32_t message;   /* that it sends or receives */
	uint32_t next;	    /* in the list of ready operations: index + 1, or 0 */
};

#define SLOT_STARTED UINT32_MAX

struct traversal_rank {
	const struct goal_block *block;
	struct slot *slots; /* [index & mask] from `first` on */
	uint32_t mask;
	uint32_t first; /* operations before it have started */
	uint32_t read;	/* operations before it were read */
	uint32_t ready; /* list of operations that were read too early and can start now */
	bool awake;	/* it is in the queue, or has its turn */
	uint32_t last_channel[2]; /* of the messages that it received, and sent, last */
};

/* Ranks from `first` on. */
struct traversal_ranks {
	struct traversal_rank *of;
	struct gathered *ends; /* [rank - first]: edges into the end of the program */
	uint32_t first, count;
	uint32_t *queue; /* ring of `count` ranks that can go on */
	uint32_t queue_first, queued;
};

int traversal_ranks_init(struct traversal_ranks *ranks, const struct goal *goal, uint32_t first,
			 uint32_t count, struct error *err);
void traversal_ranks_release(struct traversal_ranks *ranks);

int traversal_rank_grow_(struct traversal_rank *rank, uint32_t index, struct error *err);

/* Whether a rank is one of these. */
static inline bool traversal_has_rank(const struct traversal_ranks *ranks, uint32_t number)
{
	return number - ranks->first < ranks->count;
}

/* Number of a rank. */
static inline uint32_t traversal_rank_number(const struct traversal_ranks *ranks,
					     const struct traversal_rank *rank)
{
	return ranks->first + (uint32_t)(rank - ranks->of);
}

/* Make sure that the rank has a slot for an operation that has not started. */
static inline int traversal_rank_reach(struct traversal_rank *rank, uint32_t index,
				       struct error *err)
{
	return index - rank->first <= rank->mask ? 0 : traversal_rank_grow_(rank, index, err);
}

static inline struct slot *traversal_slot(const struct traversal_rank *rank, uint32_t index)
{
	return &rank->slots[index & rank->mask];
}

/* Free the slot of an operation that starts. */
static inline void traversal_rank_start(struct traversal_rank *rank, uint32_t index)
{
	struct slot *slot = traversal_slot(rank, index);

	if (index != rank->first) {
		slot->in.arrived = SLOT_STARTED;
		return;
	}
	do {
		*slot = (struct slot){0};
		slot = traversal_slot(rank, ++rank->first);
	} while (slot->in.arrived == SLOT_STARTED);
}

/* Put a rank into the queue unless it is there. */
static inline void traversal_wake(struct traversal_ranks *ranks, struct traversal_rank *rank)
{
	uint32_t last;

	if (rank->awake)
		return;
	rank->awake = true;
	last = ranks->queue_first + ranks->queued++;
	ranks->queue[last < ranks->count ? last : last - ranks->count] = (uint32_t)(rank -
										    ranks->of);
}

/* Note that an operation, which was read too early, can start now.  slot: its slot. */
static inline void traversal_make_ready(struct traversal_ranks *ranks, struct traversal_rank *rank,
					struct slot *slot, uint32_t index)
{
	slot->next = rank->ready;
	rank->ready = index + 1;
	traversal_wake(ranks, rank);
}

/* Take an operation from the list of ready ones, which is not empty. */
static inline uint32_t traversal_take_ready(struct traversal_rank *rank)
{
	const uint32_t index = rank->ready - 1;

	rank->ready = traversal_slot(rank, index)->next;
	return index;
}

/* Whether a rank may read another operation: at most `ahead` beyond the first that has not started. */
static inline bool traversal_may_read(const struct traversal_rank *rank, uint32_t ahead)
{
	return rank->read < rank->block->op_count && rank->read - rank->first <= ahead;
}

/* Let all ranks that have not read everything read on. */
void traversal_read_further(struct traversal_ranks *ranks);

/* Take the first rank of the queue, which is not empty.  It stays awake. */
static inline struct traversal_rank *traversal_next(struct traversal_ranks *ranks)
{
	struct traversal_rank *rank = &ranks->of[ranks->queue[ranks->queue_first]];

	if (++ranks->queue_first == ranks->count)
		ranks->queue_first = 0;
	ranks->queued--;
	return rank;
}

/* A rank of the queue, counted from the first one.  The queue has more ranks. */
static inline const struct traversal_rank *traversal_later(const struct traversal_ranks *ranks,
							   uint32_t place)
{
	const uint32_t at = ranks->queue_first + place;

	return &ranks->of[ranks->queue[at < ranks->count ? at : at - ranks->count]];
}

/*
 * Prefetch what the rank after the next one reads first.  Processors do not foresee that many
 * streams.
 */
static inline void traversal_prefetch(const struct traversal_ranks *ranks)
{
	enum { LINES = 6, LINE_BYTES = 64 };
	const struct traversal_rank *later, *next;
	const uint8_t *record;

	if (ranks->queued <= 2)
		return;
	later = traversal_later(ranks, 2);
	next = traversal_later(ranks, 1);
	record = next->block->ops + (size_t)next->read * GOAL_OP_BYTES;
	__builtin_prefetch(later);
	__builtin_prefetch(later->block);
	for (int i = 0; i < LINES; i++)
		__builtin_prefetch(record + i * LINE_BYTES);
	__builtin_prefetch(traversal_slot(next, next->read), 1);
}

#endif
