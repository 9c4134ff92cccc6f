/*
 * Deferred receives: receives that wait for an operation that comes later in their rank.
 *
 * `schedgen --progress calls` writes a receive where the program posted it, since messages match in that
 * order, and lets it require the computation before the first MPI call that waits, in which its data
 * can move (doc/trace-to-goal.md).  So the mark of such a receive is that it requires, or irequires, an
 * operation with a larger number.  Without these dependencies the graph is that of a library that moves
 * data at any time.
 */
#ifndef GOAL_DEFERRED_H
#define GOAL_DEFERRED_H

#include "common/array.h"
#include "goal/goal.h"

#include <stdbool.h>

/* Deferred receives of a graph, as ascending numbers of operations. */
struct goal_deferred {
	ARRAY(uint32_t) ops;
};

int goal_deferred_find(struct goal_deferred *deferred, const struct goal *goal, struct error *err);
void goal_deferred_release(struct goal_deferred *deferred);

/*
 * Make a copy of the graph in memory in which receives do not wait for later operations: those
 * whose place i in the list has undefer[i].  NULL: all of them.  Release *copy with goal_release.
 */
int goal_undefer(struct goal *copy, const struct goal *goal, const struct goal_deferred *deferred,
		 const bool *undefer, struct error *err);

#endif
