/*
 * Ranks of a traversal: their operations that were read or have edges into them, and have not
 * started.  Private to llamp/traversal/traversal.h.
 *
 * Slots of successive operations form a ring, which grows as far as dependencies reach.  Ranks
 * that can go on take turns, first in first out.
 */
#ifndef LLAMP_TRAVERSAL_RANKS_H
#define LLAMP_TRAVERSAL_RANKS_H

#include "llamp/traversal/traversal_edges.h"

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

#endif
