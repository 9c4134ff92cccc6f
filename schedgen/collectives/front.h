/*
 * The front of a rank's schedule: the operations that whatever comes next in
 * program order has to wait for.
 *
 *	nothing yet		the front is empty
 *	after MPI_Send		the send has ended			(requires)
 *	after MPI_Isend		the send has started and cost its o	(irequires)
 *	after MPI_Wait		what was before, and the request's operation
 *
 * Operations that run beside each other (the two halves of MPI_Sendrecv, the
 * messages of one round of a collective) hang on the same front and then form
 * the new one.
 */
#ifndef SCHEDGEN_FRONT_H
#define SCHEDGEN_FRONT_H

#include "common/array.h"
#include "goal/builder.h"

#include <stdbool.h>
#include <stdint.h>

struct front_entry {
	uint32_t op;
	bool irequires;
};

struct front {
	ARRAY(struct front_entry) entries;
};

/* Wait for `op` too. */
int front_add(struct front *front, uint32_t op, bool irequires, struct error *err);

/* Wait for `op` only. */
int front_set(struct front *front, uint32_t op, bool irequires, struct error *err);

/* Wait for all that `other` waits for too. */
int front_add_all(struct front *front, const struct front *other, struct error *err);

/* Let `op` wait for the front; the front stays as it is. */
int front_before(const struct front *front, uint32_t op, struct goal_builder *builder,
		 struct error *err);

/*
 * Make the front at most one entry by a calc of no cost that waits for all of
 * it, so that many operations can hang on it without a quadratic number of
 * dependencies.
 */
int front_join(struct front *front, struct goal_builder *builder, struct error *err);

void front_release(struct front *front);

#endif
