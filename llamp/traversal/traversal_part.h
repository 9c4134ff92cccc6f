/*
 * A part of a traversal: some successive ranks, which one thread at a time goes through.  Private
 * to llamp/traversal/traversal.h.
 *
 * Parts work in rounds (common/parallel/parallel_rounds.h).  A round of a part ends when all its ranks wait, or after
 * ROUND_OPS operations.  A message belongs to the part of its receiver, and what its sender has to
 * tell goes there in a batch, which is read in the next round.  So the result depends on the parts,
 * but not on threads and times.
 *
 * Each part writes vertices and edges of its own.  Sources have numbers that are unique among all
 * parts.  In each round a part has a run of numbers above all those of earlier rounds, so that
 * edges lead from lower to higher numbers.
 */
#ifndef LLAMP_TRAVERSAL_PART_H
#define LLAMP_TRAVERSAL_PART_H

#include "goal/traversal/traversal_messages.h"
#include "llamp/graph/execution_graph.h"
#include "llamp/traversal/traversal_exchange.h"

enum {
	TURN_OPS = 64,	  /* operations that a rank reads before it is another one's turn */
	ROUND_OPS = 8192, /* operations that a part starts in a round */
	OP_VERTICES = 4	  /* vertices that the start of an operation or a crossing adds at most */
};

/* What all parts read. */
struct traversal_input {
	const struct goal *goal;
	const struct loggps *loggps;
	const struct execution_graph *gaps; /* NULL: no gaps */
	uint8_t *gaps_before;		    /* [operation]: edges of gaps into its start */
	struct message_classes classes, own_classes;
	uint32_t *partner; /* [operation]: as in struct goal_matching, written; NULL: not wanted */
	uint8_t *part_of;  /* [rank]: the part that it belongs to */
	bool events;	   /* vertices are to know their events */
	uint32_t part_count;
};

/* Expressions of the costs of a message, which depend on its size and class. */
struct message_costs {
	uint64_t bytes;
	uint32_t class;
	uint32_t busy, message; /* from the start of the send to its successors, and to the match */
	uint32_t recv, send;	/* from the match to the end of the receive and of the send */
	bool is_set;
};

/* Batches to another part: that of this round, and that of the round before. */
struct traversal_outbox {
	struct traversal_batch of[2];
};

/* What a part knows of another one's sends. */
struct traversal_inbox {
	ARRAY(uint32_t) messages; /* [handle]: numbers of messages whose send has not started */
};

struct traversal_part {
	_Alignas(64) const struct traversal_input *input;
	struct traversal_ranks ranks;
	struct traversal_messages messages;
	struct traversal_edges edges;
	struct message_costs *costs; /* of sizes and classes that were used last */
	uint32_t ahead;		     /* operations that ranks read beyond one that waits */
	uint32_t started;	     /* number of operations */
	uint32_t last_number;	     /* of the run of this round */
	bool any;		     /* a receive from any source or with any tag was read */

	/* Of several parts: */
	const struct traversal_part *parts;
	uint32_t number, part_count;
	int parity;			 /* of the round */
	struct traversal_outbox *outbox; /* [part] */
	struct traversal_inbox *inbox;	 /* [part] */
	struct imported_numbers imported;
	uint32_t (*last_channel)[2]; /* [rank of another part]: as in struct traversal_rank */
	ARRAY(uint32_t) unused_handles;
	uint32_t handles;

	struct error error;
};

/*
 * Prepare part `number` of `part_count`, with the ranks from `first` on.  Errors are in
 * part->error.  Unless it returns 0 the part is still to be released.
 */
int traversal_part_init(struct traversal_part *part, const struct traversal_input *input,
			uint32_t first, uint32_t count);
/* Let a part exchange messages with the others.  parts[number] is this part. */
int traversal_part_connect(struct traversal_part *part, const struct traversal_part *parts,
			   uint32_t number, uint32_t part_count);
void traversal_part_release(struct traversal_part *part);

/* Read the batches of the round before, and go on until all ranks wait or the round ends. */
int traversal_part_go(struct traversal_part *part);

/* Let ranks read up to `ahead` operations beyond one that waits. */
void traversal_part_read_further(struct traversal_part *part, uint32_t ahead);

/* Whether a part can go on without messages from others, and number of crossings it has sent. */
bool traversal_part_is_awake(const struct traversal_part *part);
uint32_t traversal_part_sent_to(const struct traversal_part *part, uint32_t other);

#endif
