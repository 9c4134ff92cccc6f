/*
 * The frontier of a rank's graph: the operations that whatever comes next in
 * program order has to wait for.
 *
 *	nothing yet		the frontier is empty
 *	after MPI_Send		the send has ended			(requires)
 *	after MPI_Isend		the send has started and cost its o	(irequires)
 *	after MPI_Wait		what was before, and the request's operation
 *
 * Operations that run beside each other (the two halves of MPI_Sendrecv, the
 * messages of one round of a collective) hang on the same frontier and then form
 * the new one.
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

/* Wait for all that `other` waits for too. */
int frontier_add_all(struct frontier *frontier, const struct frontier *other, struct error *err);

/* Let `op` wait for the frontier; the frontier stays as it is. */
int frontier_before(const struct frontier *frontier, uint32_t op, struct goal_builder *builder,
		 struct error *err);

/*
 * Make the frontier at most one entry by a calc of no cost that waits for all of
 * it, so that many operations can hang on it without a quadratic number of
 * dependencies.
 */
int frontier_join(struct frontier *frontier, struct goal_builder *builder, struct error *err);

void frontier_release(struct frontier *frontier);

#endif
