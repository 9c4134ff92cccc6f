/*
 * The communicators of a run (trace/call/trace_world.h) from the definitions that rank 0 has made
 * of what all ranks report, as words of 64 bits for the other ranks.
 */
#ifndef TRACE_RUN_WORLD_H
#define TRACE_RUN_WORLD_H

#include "trace/assemble/global_ids.h"
#include "trace/call/trace_world.h"

/* Append the words. */
int run_world_pack(struct rank_message *message, const struct global_ids *all, struct error *err);

struct run_world {
	struct trace_world world; /* ranks and communicators only */
	struct trace_comm *comms; /* names lie in the words */
	uint32_t *ranks;
};

/* Make the world from the words, which must outlive it.  End with run_world_release. */
int run_world_unpack(struct run_world *world, const uint64_t *words, struct error *err);
void run_world_release(struct run_world *world);

#endif
