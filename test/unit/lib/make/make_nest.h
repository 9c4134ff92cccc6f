/* Programs of loops in loops, whose source is known, as the calls that they make. */
#ifndef TEST_MAKE_NEST_H
#define TEST_MAKE_NEST_H

#include "trace/flow/flow.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { NEST_MOST_PARTS = 5, NEST_MOST_LOOPS = 40, NEST_MOST_CALLS = 2000, NEST_MOST_EVENTS = 30000 };

/* A call, or a loop of parts. */
struct nest_part {
	bool is_loop, varies; /* varies: in its trips */
	uint32_t call;
	uint64_t trips;
	uint32_t count;
	struct nest_part *parts[NEST_MOST_PARTS];
	/* How often it was begun, and how often it went round: the truth. */
	uint64_t entries, iterations;
};

/* A program, and what it calls. */
struct nest {
	uint64_t numbers;
	uint32_t calls; /* different ones */
	struct nest_part *loops[NEST_MOST_LOOPS]; /* the first one is around all others */
	uint32_t loop_count;
	uint32_t *events; /* numbers of calls */
	size_t event_count;
};

/* Begin a program without calls. */
void nest_begin(struct nest *nest, uint64_t seed);

/*
 * Make a random program of at least four steps, with calls before and after them, and run it.  Inner loops may have
 * the header of their outer one.
 */
void nest_make(struct nest *nest, uint64_t seed);
void nest_release(struct nest *nest);

/* Make the flow of the events. */
struct flow *nest_flow(const struct nest *nest);

#endif
