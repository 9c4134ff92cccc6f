/* Graphs for tests, from text or at random. */
#ifndef TEST_MAKE_GOAL_H
#define TEST_MAKE_GOAL_H

#include "goal/builder.h"
#include "test/unit/lib/make/random_graph.h"

/* Make an input that owns a copy of `count` bytes. */
struct input make_input(const void *bytes, size_t count);

/* Compile text.  Returns 0 or -1 as goal_open, errors naming "text". */
int make_goal(struct goal *goal, const char *text, struct error *err);

/* Properties of a random graph. */
struct random_shape {
	uint32_t most_ranks, most_ops;	/* per rank */
	bool matched;			/* every send has its receive */
};

/*
 * Make a random graph with all features of the form, also wildcards and circles (random_graph
 * makes runnable ones).  `numbers` is the state of random_below.  The test fails on an error.
 */
void make_random_goal(struct goal *goal, uint64_t *numbers, const struct random_shape *shape);

/* Write the graph to a file in a format, and read the file back. */
struct input write_goal(const struct goal *goal, enum goal_format format);

#endif
