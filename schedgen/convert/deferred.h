/*
 * Deferred messages: rendezvous messages whose data moves only in a later MPI call of the receiver, or also
 * of the sender (doc/trace-to-goal.md).
 *
 * Only the calls of a rank tell whether its half of a message waits, but both ends get tags of their own, and
 * some messages further operations on both sides.  So all ranks are read twice.  The first time the halves of
 * the messages of each rank are listed, in the order in which messages match:
 *
 *	deferred_init(&deferred, rank_count, world_comm, err);
 *	for each rank, in order:
 *		deferred_add(&deferred, rank, &found, &tags, err);
 *	deferred_match(&deferred, table);
 *	... deferred.ranks ...
 *	deferred_release(&deferred);
 */
#ifndef SCHEDGEN_DEFERRED_H
#define SCHEDGEN_DEFERRED_H

#include "schedgen/convert/goal_tags.h"
#include "schedgen/progress/progress_table.h"

enum { HALF_RECEIVE, HALF_SEND, HALVES };

/* Deferred message. */
struct deferred_message {
	uint32_t ordinal;   /* in its channel (source, destination, tag), from 0 */
	bool waits[HALVES]; /* that half waits for a later call of its rank */
	bool announced;	    /* an empty message goes ahead */
	uint64_t bytes;
	uint64_t early_bytes; /* do not wait, and are a message of their own; or 0 */
	/*
	 * Longest computation of the receiver between two MPI calls that wait, from the first one
	 * after the post to the one that completes the receive; 0 if it is at most POLL_GAP_NS.
	 */
	uint64_t gap_ns;
};

struct deferred_channel {
	ARRAY(struct deferred_message) messages; /* deferred_match: by ordinal, each once */
};

/* Half of a message of a rank. */
struct deferred_half {
	uint32_t number; /* among the halves of its kind of the rank, from 0 */
	uint32_t channel, ordinal;
};

struct deferred_halves {
	ARRAY(struct deferred_half) list; /* by number; deferred_match: of deferred messages only */
};

struct deferred {
	uint32_t rank_count;
	struct deferred_halves *ranks[HALVES];
	struct goal_tags tags;	  /* of all ranks */
	struct number_map places; /* of channels, by their ranks and tag */
	ARRAY(struct deferred_channel) channels;
};

/* Half of a message, as the first reading of its rank finds it. */
struct found_half {
	bool known; /* it has a counterpart, and is not partitioned; else the rest is not set */
	bool waits; /* it may wait for a later call */
	bool large; /* it uses the rendezvous protocol; its other half may have another size */
	uint32_t peer, tag; /* traced rank, GOAL tag of the rank */
	uint64_t bytes, gap_ns;
};

/* What the first reading of a rank finds; zero bytes are valid. */
struct deferred_found {
	struct {
		ARRAY(struct found_half) list; /* in the order in which messages match */
	} halves[HALVES];
	struct number_map counts; /* used by deferred_add */
};

void deferred_found_clear(struct deferred_found *found);
void deferred_found_release(struct deferred_found *found);

int deferred_init(struct deferred *deferred, uint32_t rank_count, uint32_t world_comm,
		  struct error *err);
void deferred_release(struct deferred *deferred);

/* Add what was found in a rank, whose tags are `tags`. */
int deferred_add(struct deferred *deferred, uint32_t rank, struct deferred_found *found,
		 struct goal_tags *tags, struct error *err);

/* Match the halves when all ranks have been added, and keep the messages that the table defers. */
void deferred_match(struct deferred *deferred, const struct progress_table *table);

/* Find the message of a half in the lists of `ranks`, after deferred_match. */
const struct deferred_message *deferred_find(const struct deferred *deferred,
					     const struct deferred_half *half);

#endif
