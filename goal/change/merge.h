/*
 * The same graph with one message instead of several of a pair of ranks that are awaited together.
 *
 * Messages from rank a to rank b that calls of b receive (not its collectives, and not MPI_Start) are awaited together if
 * exactly the same operations of b require their receives.  They become one message with the sum of their bytes, which is
 * sent when the last of them was, and received where that one was posted.  The other sends and receives become computation of
 * 0 ns, so that no other dependency changes: no operation waits for itself if none did before, unless the larger
 * message uses the rendezvous protocol.  Such a message can also be late, and T rise, if its receive was posted later than the
 * others.
 */
#ifndef GOAL_MERGE_H
#define GOAL_MERGE_H

#include "common/array.h"
#include "goal/builder.h"

/* New size of a message that is kept, at its send and its receive, or 0 of one that is not. */
struct goal_merged {
	uint32_t op; /* number in the graph */
	bool is_kept;
	uint64_t bytes;
};

struct goal_merges {
	ARRAY(struct goal_merged) list; /* by number */
	uint32_t messages;		/* that are no more sent */
};

/* Find what can be merged.  End with goal_merges_release, also on failure. */
int goal_merges_find(struct goal_merges *merges, const struct goal *goal,
		     const struct goal_calls *calls, struct error *err);
void goal_merges_release(struct goal_merges *merges);

/*
 * Write the graph to `writer`, which is open and has no rank yet, and its calls, with merged messages.  STATUS_DATA if there
 * are none to merge.
 */
int goal_merge(const struct goal *goal, const struct goal_calls *calls, struct goal_writer *writer,
	       struct error *err);

#endif
