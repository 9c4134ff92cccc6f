/*
 * Deferred receives and sends: those that wait for an operation that comes later in their rank.
 *
 * `schedgen --progress calls` writes a receive where the program posted it, since messages match in that
 * order, and lets it require the computation before the first MPI call that waits, in which its data
 * can move (doc/trace-to-goal.md); `calls:both` does so with sends, too.  So the mark of them is that they
 * require, or irequire, an operation with a larger number.  Without these dependencies the graph is that of a library that moves
 * data at any time.
 */
#ifndef LLAMP_DEFERRED_H
#define LLAMP_DEFERRED_H

#include "common/array.h"
#include "goal/goal.h"

#include <stdbool.h>

/* Deferred receives and sends of a graph, as ascending numbers of operations. */
struct goal_deferred {
	ARRAY(uint32_t) ops;
};

int goal_deferred_find(struct goal_deferred *deferred, const struct goal *goal, struct error *err);
void goal_deferred_release(struct goal_deferred *deferred);

/*
 * Make a copy of the graph in memory in which they do not wait for later operations: those
 * whose place i in the list has undefer[i].  NULL: all of them.  Release *copy with goal_release.
 */
int goal_undefer(struct goal *copy, const struct goal *goal, const struct goal_deferred *deferred,
		 const bool *undefer, struct error *err);

#endif
