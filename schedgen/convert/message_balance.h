/*
 * Message balance: check that every message has both ends.
 *
 * Ranks are converted one after the other and forgotten, so the two ends of a message are never
 * in memory together.  Each send adds a hash of (source, destination, tag) to sums, and each
 * receive subtracts it.  If all messages match, all sums are zero.  Sums that are not zero name
 * the ranks and communicators with errors.
 */
#ifndef SCHEDGEN_MESSAGE_BALANCE_H
#define SCHEDGEN_MESSAGE_BALANCE_H

#include "goal/builder.h"
#include "schedgen/convert/goal_tags.h"
#include "trace/call/trace_world.h"

struct message_balance_sum {
	uint64_t hash;
	uint64_t sends, recvs;
};

struct message_balance {
	struct message_balance_sum *sources, *destinations;	/* by rank */
	struct message_balance_sum *comms; /* by id; last: no communicator */
	const struct trace_world *world;
	uint32_t rank_count;		/* of the graph */
	uint64_t messages, bytes;	/* number of sends, and their bytes */
	uint64_t own_messages;		/* of ranks to themselves */
};

/* `copies`: number of copies of the world in the graph.  The world must outlive the balance. */
int message_balance_init(struct message_balance *balance, const struct trace_world *world,
			 uint32_t copies, struct error *err);
void message_balance_release(struct message_balance *balance);

/* Count the operations of a rank, whose tags are `tags`. */
int message_balance_rank(struct message_balance *balance, uint32_t rank,
			 struct goal_builder *builder, const struct goal_tags *tags,
			 struct error *err);

/* Add the sums of a balance of the same world. */
void message_balance_add(struct message_balance *balance, const struct message_balance *other);

/* Check that all sums are zero.  If not, STATUS_DATA names the ranks and communicators. */
int message_balance_check(const struct message_balance *balance, struct error *err);

#endif
