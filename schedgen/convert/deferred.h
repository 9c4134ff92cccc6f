/*
 * Deferred messages: rendezvous messages whose receiver computes, and whose data therefore moves only
 * in a later MPI call of the receiver (doc/trace-to-goal.md).
 *
 * Only the receiver's calls tell which messages these are, but both ends get tags of their own, and
 * some messages further operations on both sides.  So all ranks are read twice.  The first time the
 * receives of each rank are listed, in the order in which messages match:
 *
 *	deferred_init(&deferred, rank_count, err);
 *	for each rank, in order:
 *		deferred_add(&deferred, rank, &found, &tags, err);
 *	... deferred_receives, deferred_find ...
 *	deferred_release(&deferred);
 */
#ifndef SCHEDGEN_DEFERRED_H
#define SCHEDGEN_DEFERRED_H

#include "schedgen/convert/goal_tags.h"

/* Receive that is deferred, as its rank sees it. */
struct deferred_receive {
	uint32_t post;		/* number among the receives that the rank posts, from 0 */
	uint32_t ordinal;	/* of the message in its channel (source, destination, tag), from 0 */
	/*
	 * Longest computation between two MPI calls that wait, from the first one after the post
	 * to the one that completes the receive; 0 if it is at most POLL_GAP_NS.
	 */
	uint64_t gap_ns;
	uint64_t early_bytes;	/* move while the rank computes, as a message of their own; or 0 */
};

struct deferred_receives {
	ARRAY(struct deferred_receive) list;	/* by post */
	ARRAY(uint32_t) cancelled;	/* ascending numbers of sends of the rank, from 0 */
};

/* Deferred message, as its sender sees it. */
struct deferred_send {
	uint32_t ordinal;
	bool announced;		/* an empty message goes ahead: gap_ns is not 0 */
	uint64_t early_bytes;
};

struct deferred {
	uint32_t rank_count;
	struct deferred_receives *ranks;
	struct goal_tags tags;		/* of all ranks */
	struct number_map places;	/* of channels, by their ranks and tag */
	ARRAY(struct deferred_channel {
		ARRAY(struct deferred_send) sends;	/* by ordinal */
	}) channels;
};

/* Receive of a rank, in the order in which messages match. */
struct found_receive {
	bool known;		/* it has completed, not partitioned; else the rest is not set */
	bool deferred;
	uint32_t peer, tag;	/* traced rank, GOAL tag of the rank */
	struct deferred_receive is;	/* ordinal: set by deferred_add */
};

/* What the first reading of a rank finds; zero bytes are valid. */
struct deferred_found {
	ARRAY(struct found_receive) receives;
	ARRAY(uint32_t) cancelled;
	struct number_map counts;	/* used by deferred_add */
};

void deferred_found_clear(struct deferred_found *found);
void deferred_found_release(struct deferred_found *found);

int deferred_init(struct deferred *deferred, uint32_t rank_count, uint32_t world_comm,
		  struct error *err);
void deferred_release(struct deferred *deferred);

/* Add what was found in a rank, whose tags are `tags`. */
int deferred_add(struct deferred *deferred, uint32_t rank, struct deferred_found *found,
		 struct goal_tags *tags, struct error *err);

/* Find message `ordinal` from a rank to another one with this tag; NULL if it is not deferred. */
const struct deferred_send *deferred_find(const struct deferred *deferred, uint32_t from, uint32_t to,
					  struct tag tag, uint32_t ordinal);

#endif
