/* The same rank with computation put in front of calls that have none. */
#ifndef GOAL_INSERT_H
#define GOAL_INSERT_H

#include "goal/builder.h"

/* Computation to put in front of the call whose first operation is `op`. */
struct goal_inserted {
	uint32_t op;
	uint64_t ns;
};

/*
 * Write a rank with `count` computations, in the order of their calls, and its calls.  What the operations of the call
 * depend on, the computation depends on, and they on it.  The builder is that of the writer, with sites if the
 * calls have them (goal_builder_sites), and is cleared.
 */
int goal_write_inserted(struct goal_writer *writer, struct goal_builder *builder,
			const struct goal_block *block, const struct goal_calls *calls,
			uint32_t rank, const struct goal_inserted *inserted, size_t count,
			struct error *err);

/* Whether what follows the operations [first_op, end_op) of a call waits for one of them, or nothing follows. */
bool goal_call_is_awaited(const struct goal_block *block, uint32_t first_op, uint32_t end_op);

#endif
