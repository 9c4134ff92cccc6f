/*
 * Does every message have both ends?
 *
 * Ranks are converted one after the other and forgotten, so the ends of a
 * message are never seen together.  Instead each send adds a hash of (source,
 * destination, tag) to sums and each receive subtracts it; all sums are zero
 * when everything matches, and the sums that are not tell where to look.
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
	struct message_balance_sum *comms; /* by id; the last: no communicator */
	const struct trace_world *world;
	uint32_t rank_count;		/* of the graph */
	uint64_t messages, bytes;	/* sends and what they carry */
	uint64_t own_messages;		/* of ranks to themselves */
};

/* The world, of which the graph has so many copies, must outlive the balance. */
int message_balance_init(struct message_balance *balance, const struct trace_world *world,
			 uint32_t copies, struct error *err);
void message_balance_release(struct message_balance *balance);

/* Count a rank; `tags` are those of its operations. */
int message_balance_rank(struct message_balance *balance, uint32_t rank,
			 struct goal_builder *builder, const struct goal_tags *tags,
			 struct error *err);

/* Add what another balance of the same world has counted. */
void message_balance_add(struct message_balance *balance, const struct message_balance *other);

/* STATUS_DATA, with the ranks and the communicator concerned, if messages are left over. */
int message_balance_check(const struct message_balance *balance, struct error *err);

#endif
