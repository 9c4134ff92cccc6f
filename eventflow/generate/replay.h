/*
 * What a rank's proxy does, call by call: finds what a call leaves to later ones (which message a
 * receive was for, what a persistent request does, whom a group has), then the action of each visit
 * of each node.
 */
#ifndef EVENTFLOW_REPLAY_H
#define EVENTFLOW_REPLAY_H

#include "common/number_map.h"
#include "eventflow/generate/actions.h"
#include "eventflow/generate/free_tags.h"
#include "eventflow/generate/grids.h"
#include "trace/flow/flow.h"

/* Sizes of the program's arrays, and what it needs: the most of all ranks. */
struct replay_needs {
	uint64_t bytes, window_bytes, buffered;
	size_t open, persistent, messages, comms, windows;
};

/* Calls of a function that are left out, of all ranks. */
struct replay_missing {
	const char *function;
	uint64_t calls, ns;
};

struct replay_program {
	const struct flow *flow;
	struct actions actions;
	struct replay_needs needs;
	ARRAY(struct replay_missing) missing;
	bool matched;	  /* receives of any sender name the one that was matched */
	bool sessions;	  /* ranks have sessions */
	bool large_lists; /* functions with large counts take lists */
	uint32_t threads; /* of the rank that has most */
	uint64_t total_ns;
	struct grids grids;
	struct free_tags tags;
	/* Sequences of actions of a node, as bytes, without repetition. */
	struct string_table sequences;
	ARRAY(uint32_t) sequence_counts;
};

/* Actions of a thread: the sequence of each node of its graph, which is taken again and again. */
struct replay_thread {
	ARRAY(uint32_t) sequences;
};

struct replay_rank {
	ARRAY(struct replay_thread) threads;
};

/* Communicators of a rank, by its own numbers: ids in the archive. */
struct number_list {
	uint32_t *items; /* a growable array (common/array.h) */
	size_t count, capacity;
};
int own_comms(const struct flow *flow, uint32_t rank, struct number_list *list, struct error *err);

/*
 * Find the actions of a rank.  STATUS_LIMIT if it cannot be imitated: it has several threads and no times of calls,
 * or cancels a request that another thread completes; receives a message that no recorded call has found; or
 * has sizes above 2 GiB.
 */
int replay_rank(struct replay_program *program, uint32_t rank, struct replay_rank *found,
		struct error *err);
void replay_rank_release(struct replay_rank *found);
void replay_release(struct replay_program *program);

#endif
