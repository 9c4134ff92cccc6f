/*
 * The communicators and hosts of a run (trace/call/trace_world.h) from the definitions that rank 0
 * has made of what all ranks report, as words of 64 bits for the other ranks.
 */
#ifndef TRACE_RUN_WORLD_H
#define TRACE_RUN_WORLD_H

#include "trace/assemble/global_ids.h"
#include "trace/call/trace_world.h"

/* Append the words. */
int run_world_pack(struct rank_message *message, const struct global_ids *all, struct error *err);

/* Make *hosts, which the caller frees; their names lie in the messages of the ranks. */
int run_world_hosts(const struct global_ids *all, struct trace_host **hosts, uint32_t *count,
		    struct error *err);

/* Set nodes[rank] to the host of each rank, numbered in the order of first ranks. */
int run_world_nodes(const struct global_ids *all, uint32_t *nodes, struct error *err);

struct run_world {
	/* Ranks, communicators, windows and hosts, but not which rank is where. */
	struct trace_world world;
	struct trace_comm *comms;     /* names lie in the words */
	struct trace_window *windows; /* here, too */
	uint32_t *ranks;
	struct trace_host *hosts; /* names lie in the words, too */
};

/* Make the world from the words, which must outlive it.  End with run_world_release. */
int run_world_unpack(struct run_world *world, const uint64_t *words, struct error *err);
void run_world_release(struct run_world *world);

#endif
