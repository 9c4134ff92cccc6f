/*
 * Stretches of a run: the times of its threads between two of their waits.
 *
 * A stretch begins where a wait of the thread ends, or where the thread begins, and ends where the next
 * wait begins, or where the rank ends.  It consists of computation and of calls that did not wait, and of
 * the rest of the call whose wait it begins with.
 *
 *	call          |<-- wait -->|<-- rest -->|       |<--- call --->|         |<-- wait -->|
 *	thread   -----+------------+------------+-------+--------------+---------+------------+---
 *	stretch                    |<---------------- one stretch -------------->|
 *
 * Stretches are numbered by rank, then by thread, then in order of time, without a gap.  So the wait that a
 * stretch begins with ends stretch number - 1.
 *
 * The calls of a rank have places: in order of thread, then of time.  A walk back (critpath/causes/stretch_walk.h)
 * enters a stretch at the start of a call, which is in it or ends it.
 */
#ifndef CRITPATH_STRETCHES_H
#define CRITPATH_STRETCHES_H

#include "critpath/path/waits.h"

/* In place of the stretch of the cause. */
#define STRETCH_STARTS UINT32_MAX	 /* the thread begins: there is no wait */
#define STRETCH_UNKNOWN (UINT32_MAX - 1) /* clocks contradict the wait, or times of the thread */

/* In place of a call: the end of the rank. */
#define PLACE_END UINT32_MAX

struct stretch {
	uint64_t begin_ns; /* on the clock of the run; the start of the run if the thread begins */
	uint32_t rank;
	/* Of the call that was waited for: the stretch that it is in or ends, or one of the above. */
	uint32_t cause;
	uint32_t cause_place;
};

/* Where a walk enters a stretch. */
struct stretch_entry {
	uint32_t stretch, place;
};

/* What a process knows of one of its ranks. */
struct stretch_rank {
	uint32_t *calls;  /* [place]: call; NULL: places are the numbers of calls */
	uint32_t *places; /* [call]: place; NULL likewise */
	/* [stretch - first of the rank]: place of the first call that begins in it. */
	ARRAY(uint32_t) firsts;
	/* The end of the rank: its stretch, or STRETCH_UNKNOWN, and the place after the last call before it. */
	uint32_t end_stretch, end_place;
};

struct stretches {
	const struct waits *waits;  /* not owned */
	struct stretch *list;	    /* of all ranks */
	uint64_t *first;	    /* [rank], and the number of all: number of its first stretch */
	struct stretch_rank *ranks; /* [rank]: of ranks of this process */
	uint32_t threads;	    /* of all ranks */
};

/*
 * Collective.  Find the stretches of all ranks.  Memory: 24 bytes for each wait of the run, 4 more for each of own
 * ranks; 8 for each call of ranks with several threads.  End with stretches_release.
 */
int stretches_find(struct stretches *stretches, const struct waits *waits, struct dist *dist,
		   struct error *err);
void stretches_release(struct stretches *stretches);

/* Find the call at a place of a rank of this process, and the place of a call. */
static inline uint32_t stretches_call(const struct stretches *stretches, uint32_t rank,
				      uint32_t place)
{
	const struct stretch_rank *of = &stretches->ranks[rank];

	return of->calls ? of->calls[place] : place;
}

static inline uint32_t stretches_place(const struct stretches *stretches, uint32_t rank,
				       uint32_t call)
{
	const struct stretch_rank *of = &stretches->ranks[rank];

	return of->places ? of->places[call] : call;
}

/* Find where a walk enters a rank of this process at the start of a call. */
struct stretch_entry stretches_enter(const struct stretches *stretches, uint32_t rank,
				     uint32_t call);

/* Place of the call whose wait a stretch of this process begins with. */
static inline uint32_t stretches_wait_place(const struct stretches *stretches, uint32_t stretch)
{
	const uint32_t rank = stretches->list[stretch].rank;

	return stretches->ranks[rank].firsts.items[stretch - stretches->first[rank]] - 1;
}

#endif
