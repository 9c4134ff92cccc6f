/*
 * Traversal of a GOAL graph, once and in an order in which the program can run.  It writes the cost
 * graph of the execution graph (llamp/graph/cost_graph.h).
 *
 * Each rank reads its operations in the order of the file, which matches sends and receives, and
 * opens an event as soon as all edges into it are there.  A rank that waits for messages sleeps
 * until an operation of it is ready.  So only the operations that wait are in memory, and what
 * ranks do together is near in the cost graph.
 *
 *	slots		the operations of a rank from the first that has not started (goal/traversal/traversal_ranks.h)
 *	channels	messages whose other half was not read yet (goal/traversal/traversal_messages.h)
 *	gathered	the edges into an event so far, without dominated ones (traversal_edges.h)
 *
 * Operations may be in any order in the file.  If all ranks sleep, they read on for 64, 128, ...
 * operations after the first one that waits.  If nothing can start after the last operation was
 * read, operations wait for each other, or messages have only one half.
 *
 * Large programs are split into parts of successive ranks, by which several threads go through
 * them (traversal_part.h).  The cost graph depends on the parts, which depend on the program only,
 * but not on the number of threads.  Parts that would mostly wait for each other are made fewer.
 *
 * Memory: the cost graph, and what waits at a time.
 */
#ifndef LLAMP_TRAVERSAL_H
#define LLAMP_TRAVERSAL_H

#include "llamp/graph/cost_graph.h"
#include "llamp/graph/execution_graph.h"

/*
 * Write the cost graph of a program, and unless it is NULL the *matching of its messages.
 * `execution` is NULL unless gaps_are_on.  It has at least its gaps (llamp/graph/gaps.h), and if it
 * has no classes of messages, they are found.  Without *matching and *execution vertices do not
 * know their events.  Of *loggps the graph depends on S, the protocol and the network.  Returns 1
 * if the program cannot end: an operation is in a cycle, or a message has only one half or is
 * received from any source or with any tag.  Unless it returns 0 there is nothing to release.
 */
int traversal_run(struct cost_graph *graph, struct goal_matching *matching, const struct goal *goal,
		  const struct loggps *loggps, const struct execution_graph *execution,
		  struct error *err);

/* Most parts and threads of a traversal, both at least 1. */
struct traversal_split {
	uint32_t parts;
	unsigned threads;
};

int traversal_run_by(const struct traversal_split *split, struct cost_graph *graph,
		     struct goal_matching *matching, const struct goal *goal,
		     const struct loggps *loggps, const struct execution_graph *execution,
		     struct error *err);

#endif
