/* Schedules for tests, from text or at random. */
#ifndef TEST_MAKE_GOAL_H
#define TEST_MAKE_GOAL_H

#include "goal/builder.h"
#include "test/unit/lib/random_graph.h"

/* `count` bytes as an input that owns a copy. */
struct input make_input(const void *bytes, size_t count);

/* Compile text; 0 or -1 as goal_open, errors naming "text". */
int make_goal(struct goal *goal, const char *text, struct error *err);

/* A random schedule's properties. */
struct random_shape {
	uint32_t most_ranks, most_ops;	/* per rank */
	bool matched;			/* every send has its receive; else anything goes */
};

/*
 * A random schedule with all that the form allows, wildcards and circles too
 * (random_graph makes such as can run); `numbers` is the state of random_below.
 * The test fails if it cannot be made.
 */
void make_random_goal(struct goal *goal, uint64_t *numbers, const struct random_shape *shape);

/* The schedule as a file in the other form, read back as bytes. */
struct input write_goal(const struct goal *goal, enum goal_format format);

#endif
