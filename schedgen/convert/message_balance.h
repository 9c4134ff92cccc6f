/*
 * Does every message have both ends?
 *
 * Ranks are converted one after the other and forgotten, so the ends of a
 * message are never seen together.  Instead each send adds a hash of (source,
 * destination, tag) to sums and each receive subtracts it; all sums are zero
 * when everything matches, and the sums that are not tell where to look.
 */
#ifndef SCHEDGEN_BALANCE_H
#define SCHEDGEN_BALANCE_H

#include "goal/builder.h"
#include "schedgen/convert/goal_tags.h"
#include "trace/call/trace_world.h"

struct balance_sum {
	uint64_t hash;
	uint64_t sends, recvs;
};

struct balance {
	struct balance_sum *sources, *destinations;	/* by rank */
	struct balance_sum *comms;			/* by id; the last: no communicator */
	const struct trace_world *world;
	uint32_t rank_count;		/* of the graph */
	uint64_t messages, bytes;	/* sends and what they carry */
	uint64_t own_messages;		/* of ranks to themselves */
};

/* The world, of which the graph has so many copies, must outlive the balance. */
int balance_init(struct balance *balance, const struct trace_world *world, uint32_t copies,
		 struct error *err);
void balance_release(struct balance *balance);

/* Count a rank; `tags` are those of its operations. */
int balance_rank(struct balance *balance, uint32_t rank, struct goal_builder *builder,
		 const struct tags *tags, struct error *err);

/* Add what another balance of the same world has counted. */
void balance_add(struct balance *balance, const struct balance *other);

/* STATUS_DATA, with the ranks and the communicator concerned, if messages are left over. */
int balance_check(const struct balance *balance, struct error *err);

#endif
