/*
 * Frontier of a rank's graph: the operations that the next operation in program order
 * waits for.
 *
 *	nothing yet		the frontier is empty
 *	after MPI_Send		the send has ended			(requires)
 *	after MPI_Isend		the send has started and cost its o	(irequires)
 *	after MPI_Wait		the frontier before it, and the request's operation
 *
 * Concurrent operations (the two halves of MPI_Sendrecv, the messages of one round of a
 * collective) wait for the same frontier and then form the new one.
 */
#ifndef SCHEDGEN_FRONTIER_H
#define SCHEDGEN_FRONTIER_H

#include "common/array.h"
#include "goal/builder.h"

#include <stdbool.h>
#include <stdint.h>

struct frontier_entry {
	uint32_t op;
	bool irequires;
};

struct frontier {
	ARRAY(struct frontier_entry) entries;
};

/* Wait for `op` too. */
int frontier_add(struct frontier *frontier, uint32_t op, bool irequires, struct error *err);

/* Wait for `op` only. */
int frontier_set(struct frontier *frontier, uint32_t op, bool irequires, struct error *err);

/* Wait for the entries of `other` too. */
int frontier_add_all(struct frontier *frontier, const struct frontier *other, struct error *err);

/* Wait for the entries of `other` too, which becomes empty. */
int frontier_move(struct frontier *frontier, struct frontier *other, struct error *err);

/* Let `op` wait for the frontier, which does not change. */
int frontier_before(const struct frontier *frontier, uint32_t op, struct goal_builder *builder,
		 struct error *err);

/*
 * Reduce the frontier to at most one entry, by a calc of no cost that waits for all entries.
 * Many operations can then wait for it without a quadratic number of dependencies.
 */
int frontier_join(struct frontier *frontier, struct goal_builder *builder, struct error *err);

/*
 * Join a frontier of more than two entries.  Several operations wait for it one by one: without
 * the join each of them would have all its dependencies.
 */
int frontier_narrow(struct frontier *frontier, struct goal_builder *builder, struct error *err);

void frontier_release(struct frontier *frontier);

#endif
